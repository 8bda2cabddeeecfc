"""How much of an overlap is chance, and how well a column joins beyond it.

Overlap alone ranks row numbers first: any two lists 1..n share nearly everything. Two questions tell a join from an
accident. How many values would two unrelated lists of such values share? Values drawn from a domain of D meet in
q·x/D of them: whole numbers between two bounds, numbers of so many decimals, codes of so many letters. And how rare in
the lake are the shared values? A token that every tenth column holds proves little, one that two columns hold proves
much; the evidence is counted in bits, log2(columns / columns with the token).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LETTER_DOMAINS = 26.0 ** np.arange(1, 5)  # codes of one to four letters
CHANCE = 0.5  # an overlap of which chance explains this share is an accident
FEW = 2  # distinct values that any flag has
STRAY = 0.05  # an overlap of less than this share of either side's values says nothing of the two
LIKELY_BITS = 8.0  # bits of evidence at which an overlap is as likely a join as not
MIN_COLUMNS = 1024  # rarity in a smaller lake is counted as in one of this size
UNIT = 2.0**-16  # of evidence, bits
SPREAD = 2.0  # standard deviations of the chance overlap that still count as chance


Numbers = np.ndarray | np.number  # one a column, or that of one column


@dataclass(frozen=True)
class Values:
    """How the distinct values of one or more columns are built.

    distinct  distinct values
    numbers   of these, plain decimal numbers, all between low and high with at most `decimals` digits after the point
    letters   of these, codes of 1 to 4 letters: [4] or [4, n]
    """

    distinct: Numbers
    numbers: Numbers
    low: Numbers
    high: Numbers
    decimals: Numbers
    letters: Numbers


def expected_overlap(query: Values, columns: Values) -> tuple[np.ndarray, np.ndarray]:
    """Values that the query would share with each column if both were drawn from their domains by chance.

    Returns (among numbers, among letter codes), float64[n] each.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        step = 10.0 ** -np.maximum(query.decimals, columns.decimals)
        low, high = np.maximum(query.low, columns.low), np.minimum(query.high, columns.high)
        shared = np.where(high >= low, (high - low) / step + 1, 0.0)  # numbers that both could hold
        by_number = shared * _density(query, step) * _density(columns, step)
    letters = np.asarray(query.letters, float).reshape(4, 1) * columns.letters / LETTER_DOMAINS.reshape(4, 1)
    return np.nan_to_num(by_number), letters.sum(axis=0)


def _density(values: Values, step: Numbers) -> np.ndarray:
    """Share of the numbers between a column's bounds that it holds."""
    domain = (values.high - values.low) / step + 1
    return np.where(np.asarray(values.numbers) > 0, np.minimum(1.0, values.numbers / domain), 0.0)


def evidence_bits(frequency: np.ndarray, n_columns: int) -> np.ndarray:
    """Bits that each shared token tells, from the number of columns that hold it; whole multiples of `UNIT`, of which a
    sum is exact in any order, so that equal columns score the same wherever they lie in the index."""
    size = max(n_columns, MIN_COLUMNS)
    return np.round(np.log2(size / np.clip(frequency, 1, size)) / UNIT) * UNIT


@dataclass(frozen=True)
class Scores:
    """By column: the score (0 to 1), whether the overlap is an accident, and the parts that say why.

    few: too few distinct values to tell; stray: hardly any value shared; chance_numbers, chance_letters: overlap that
    chance alone makes expect.
    """

    score: np.ndarray
    accidental: np.ndarray
    few: np.ndarray
    stray: np.ndarray
    chance_numbers: np.ndarray
    chance_letters: np.ndarray


def score(
    query: Values,
    columns: Values,
    overlap: np.ndarray,
    bits: np.ndarray,
    query_fanout: float,
    fanout: np.ndarray,
    names: np.ndarray,
) -> Scores:
    """Score overlapping columns for a join.

    overlap: int64[n]; bits: evidence in the shared tokens, float64[n]; query_fanout, fanout: rows of the query and of
    each column for one of its values, on average; names: how far table and column names agree with the query's, 0 to 1.
    """
    by_number, by_letter = expected_overlap(query, columns)
    chance = np.minimum(by_number + by_letter, overlap)
    beyond = np.maximum(overlap - chance - SPREAD * np.sqrt(chance), 0) / max(int(query.distinct), 1)
    few = np.minimum(columns.distinct, query.distinct) <= FEW
    stray = overlap < STRAY * np.minimum(columns.distinct, query.distinct)
    by_chance = (chance >= CHANCE * overlap) | (beyond <= 0)
    # Small whole numbers are keys too, often enough: where the names say so, they are believed.
    vouched = by_chance & ~few & (names >= 0.9)
    share = np.where(vouched, 0.5 * overlap / max(int(query.distinct), 1), beyond)
    sure = np.where(vouched, 1.0, 1 - 2.0 ** (-bits / LIKELY_BITS))
    # A column that repeats its values multiplies rows; where the query repeats them too, most joins are no joins.
    spread = _damped(fanout) * _damped(np.minimum(fanout, query_fanout))
    return Scores(
        share * sure * spread * (0.8 + 0.2 * names),
        (by_chance & ~vouched) | few | stray,
        few,
        stray,
        by_number,
        by_letter,
    )


def _damped(fanout: np.ndarray) -> np.ndarray:
    return 1 / (1 + 0.25 * np.log2(np.maximum(fanout, 1)))
