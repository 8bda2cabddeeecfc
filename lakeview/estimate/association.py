"""What a column tells of another once joined: the correlation ratio, and whether chance would do as well.

A joined column has one value for each key, however many rows have that key. So the keys are the sample, not the rows:
rows put into parts by a column that was shuffled among the keys differ far more than rows that were shuffled. What a
column tells is therefore tested against the keys within its parts (a nested analysis of variance: Searle, Casella and
McCulloch, Variance Components, 1992, chapter 4), each key weighed by how well its mean is known (DerSimonian and Laird
1986).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

PARTS = 6  # that values are put into at most
KEYS = 4  # of a part at least, on average: of fewer no spread is known


@dataclass(frozen=True)
class Target:
    """A column of rows as its keys have it, number by number: of numbers one, of categories one a class, which is 1 in
    its rows and else 0.

    rows     int64[keys]: rows that have the key and a value
    sums     float64[numbers, keys]: of the differences to `mean`
    squares  float64[numbers, keys]: of the squared ones
    mean     float64[numbers]: of all rows that have a value, whether they have a key or not
    """

    rows: np.ndarray
    sums: np.ndarray
    squares: np.ndarray
    mean: np.ndarray


@dataclass(frozen=True)
class Association:
    """What a column's parts tell of a target.

    explained  the share of the target's variance that the parts account for, beyond what they would by chance (omega
               squared; of categories Goodman and Kruskal's tau), 0 to 1
    chance     how often a column shuffled among the keys would tell as much (the p-value), 0 to 1
    number     the number of the target, a class of categories, whose means differ the most
    rows       int64[parts]: rows in each part
    means      float64[parts]: the mean of that number in each part
    """

    explained: float
    chance: float
    number: int
    rows: np.ndarray
    means: np.ndarray


def associate(target: Target, part: np.ndarray) -> Association | None:
    """What the parts of the keys tell of a target; None where there are fewer than two, or too few keys for them.

    part: int64[keys], from 0 on, none without rows; -1 where a key has no value.

    >>> rows = np.full(12, 10)
    >>> y = np.repeat([-1.0, 1.0], 6) + np.tile([-0.1, 0.1], 6)
    >>> target = Target(rows, 10 * y[None], 10 * y[None] ** 2, np.zeros(1))
    >>> told = associate(target, np.repeat([0, 1], 6))
    >>> round(told.explained, 2), told.chance < 0.001, told.means
    (0.99, True, array([-1.,  1.]))
    """
    used = (part >= 0) & (target.rows > 0)
    part, rows = part[used], target.rows[used].astype(float)
    sums, squares = target.sums[:, used], target.squares[:, used]
    parts, keys = int(part.max(initial=-1)) + 1, len(rows)
    if parts < 2 or keys < 2 * parts:
        return None
    whole, inside = rows.sum(), np.bincount(part, rows)
    mean = sums.sum(1) / whole
    means = np.stack([np.bincount(part, each) for each in sums]) / inside
    of_key = sums / rows
    between = (inside * (means - mean[:, None]) ** 2).sum(1)
    among = (rows * (of_key - means[:, part]) ** 2).sum(1)  # keys of one part
    within = np.maximum(squares - sums * of_key, 0.0).sum(1)  # rows of one key
    noise = among / (keys - parts)
    variance = (between + among + within + noise).sum()
    if variance <= 0:  # the target is one value
        return None
    explained = (between - (parts - 1) * noise).sum() / variance
    chances = [_chance(y, part, rows, w, whole) for y, w in zip(of_key, within, strict=True)]
    number = int(between.argmax())
    return Association(
        float(np.clip(explained, 0.0, 1.0)),
        min(1.0, len(chances) * min(chances)),  # the target's numbers are so many tries
        number,
        inside.astype(np.int64),
        target.mean[number] + means[number],
    )


def _chance(y: np.ndarray, part: np.ndarray, rows: np.ndarray, within: float, whole: float) -> float:
    """The p-value of the parts' differences among those of keys. y: float64[keys], their means; within: the sum of
    squares of rows within keys; whole: how many rows there are."""
    from scipy.special import fdtrc

    keys, parts = len(y), int(part.max()) + 1
    weights = _weights(y, part, rows, within / (whole - keys) if whole > keys else 0.0)
    inside = np.bincount(part, weights)
    means = np.bincount(part, weights * y) / inside
    between = float((inside * (means - (inside * means).sum() / inside.sum()) ** 2).sum()) / (parts - 1)
    among = float((weights * (y - means[part]) ** 2).sum()) / (keys - parts)
    if among <= 1e-12 * between:  # all keys of a part are alike
        return 0.0 if between > 0 else 1.0
    return float(fdtrc(parts - 1, keys - parts, between / among))


def _weights(y: np.ndarray, part: np.ndarray, rows: np.ndarray, variance: float) -> np.ndarray:
    """How much each key's mean counts: by the variance of its rows, and by that between keys of one part."""
    if variance <= 0:
        return np.ones(len(y))
    inside = np.bincount(part, rows)
    means = np.bincount(part, rows * y) / inside
    excess = (rows * (y - means[part]) ** 2).sum() / variance - (len(y) - len(inside))
    scale = (rows.sum() - (np.bincount(part, rows**2) / inside).sum()) / variance
    between = max(0.0, float(excess / scale)) if scale > 0 else 0.0
    return variance / (between + variance / rows)  # type: ignore[no-any-return]


def parts_of_numbers(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Keys put into parts of about as many rows, by their values in order; equal ones into one. int64[keys], -1: none

    values: float64[keys], NaN where there is none; rows: of each key.
    """
    part = np.full(len(values), -1, np.int64)
    used = ~np.isnan(values) & (rows > 0)
    known, at = np.unique(values[used], return_inverse=True)
    most = min(PARTS, int(used.sum()) // KEYS)
    if len(known) <= most:
        part[used] = at
    elif most > 1:
        inside = np.bincount(at, rows[used])
        middle = inside.cumsum() - inside / 2
        share = np.minimum((most * middle / inside.sum()).astype(np.int64), most - 1)
        part[used] = np.unique(share, return_inverse=True)[1][at]
    return part


def parts_of_categories(codes: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Keys put into parts by category, and the categories that are parts of their own, those of the most rows first;
    the others are one part together, the last.

    A category that one key alone has tells no more than the key: it is one of the others. codes: int64[keys], -1 where
    there is none; rows: of each key.
    """
    part = np.full(len(codes), -1, np.int64)
    used = (codes >= 0) & (rows > 0)
    inside, keys = np.bincount(codes[used], rows[used]), np.bincount(codes[used])
    often = np.flatnonzero(keys > 1)
    most = min(PARTS, int(used.sum()) // KEYS)
    own = often[np.argsort(-inside[often], kind="stable")]
    if len(own) > most or (keys == 1).any():
        own = own[: max(most - 1, 0)]
    place = np.full(len(inside), len(own), np.int64)
    place[own] = np.arange(len(own))
    part[used] = place[codes[used]]
    return part, own.tolist()
