"""What a column tells of another once joined: the correlation ratio, and whether chance would do as well.

A joined column has one value for each key, however many rows have that key. So the keys are the sample, not the rows:
rows put into parts by a column that was shuffled among the keys differ far more than rows that were shuffled. What a
column tells is tested on the keys' means, by their ranks (Kruskal and Wallis 1952), each key weighed by how well its
mean is known (DerSimonian and Laird 1986). Parts are made without looking at rows, so that under chance any order of
the keys among them is as likely.
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
    chances = [_chance(y, part, _weights(y, rows, w)) for y, w in zip(of_key, within, strict=True)]
    number = int(between.argmax())
    return Association(
        float(np.clip(explained, 0.0, 1.0)),
        min(1.0, len(chances) * min(chances)),  # the target's numbers are so many tries
        number,
        inside.astype(np.int64),
        target.mean[number] + means[number],
    )


def _chance(y: np.ndarray, part: np.ndarray, weights: np.ndarray) -> float:
    """The p-value of the parts' differences among those of keys, if these were shuffled. y: float64[keys], their means.

    Ranks take the place of the means, as a few keys of long tails would else decide; each counts by its weight.
    """
    from scipy.special import fdtrc

    rank = _ranks(y)
    score = weights * (rank - (weights * rank).sum() / weights.sum())
    score -= score.mean()
    inside = np.bincount(part)
    free, keys = len(inside) - 1, len(y)
    between = float((np.bincount(part, score) ** 2 / inside).sum())
    among = float((score**2).sum()) - between
    if among <= 1e-12 * between:  # all keys of a part are alike
        return 0.0 if between > 0 else 1.0
    return float(fdtrc(free, keys - free - 1, (between / free) / (among / (keys - free - 1))))


def _ranks(values: np.ndarray) -> np.ndarray:
    """From 0 on; equal ones have the mean of theirs."""
    _, at, many = np.unique(values, return_inverse=True, return_counts=True)
    return (many.cumsum() - (many + 1) / 2)[at]  # type: ignore[no-any-return]


def _weights(y: np.ndarray, rows: np.ndarray, within: float) -> np.ndarray:
    """How well each key's mean is known: by the variance of its rows, and by that between keys. within: the sum of
    squares of rows within keys."""
    whole, keys = rows.sum(), len(rows)
    variance = within / (whole - keys) if whole > keys else 0.0
    if variance <= 0:
        return np.ones(keys)
    excess = (rows * (y - (rows * y).sum() / whole) ** 2).sum() / variance - (keys - 1)
    between = max(0.0, float(excess * variance / (whole - (rows**2).sum() / whole)))
    return variance / (between + variance / rows)  # type: ignore[no-any-return]


def parts_of_numbers(values: np.ndarray, used: np.ndarray) -> np.ndarray:
    """Keys put into parts of about as many, by their values in order; equal ones into one. int64[keys], -1: none

    values: float64[keys], NaN where there is none; used: bool[keys], those that have rows. How many rows these are says
    nothing here: keys of many rows may have targets of their own, and would be parts of their own.
    """
    part = np.full(len(values), -1, np.int64)
    used = used & ~np.isnan(values)
    known, at = np.unique(values[used], return_inverse=True)
    keys = int(used.sum())
    most = min(PARTS, keys // KEYS)
    if len(known) <= most:
        part[used] = at
    elif most > 1:
        inside = np.bincount(at)
        middle = inside.cumsum() - inside / 2
        place = np.minimum((most * middle / keys).astype(np.int64), most - 1)
        part[used] = np.unique(place, return_inverse=True)[1][at]
    return part


def parts_of_categories(codes: np.ndarray, used: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Keys put into parts by category, and the categories that are parts of their own, those of the most keys first;
    the others are one part together, the last.

    A category that one key alone has tells no more than the key: it is one of the others. codes: int64[keys], -1 where
    there is none; used: bool[keys], those that have rows.
    """
    part = np.full(len(codes), -1, np.int64)
    used = used & (codes >= 0)
    keys = np.bincount(codes[used])
    often = np.flatnonzero(keys > 1)
    most = min(PARTS, int(used.sum()) // KEYS)
    own = often[np.argsort(-keys[often], kind="stable")]
    if len(own) > most or (keys == 1).any():
        own = own[: max(most - 1, 0)]
    place = np.full(len(keys), len(own), np.int64)
    place[own] = np.arange(len(own))
    part[used] = place[codes[used]]
    return part, own.tolist()
