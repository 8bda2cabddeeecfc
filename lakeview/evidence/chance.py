"""How much of an overlap is chance, and how much the shared values tell by their rarity.

Overlap alone ranks row numbers first: any two lists 1..n share nearly everything. How many values two unrelated lists
share depends on how dense each is: of numbers by what a column holds where the query lies (`standins`), of codes
of so many letters by how many of all such codes there are. And a token that every tenth column holds proves little, one
that two columns hold proves much; that is counted in bits, log2(columns / columns with the token).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

LETTER_DOMAINS = 26.0 ** np.arange(1, 5)  # codes of one to four letters
MIN_COLUMNS = 1024  # rarity in a smaller lake is counted as in one of this size
UNIT = 2.0**-16  # of rarity, bits


def rarity(frequency: np.ndarray, n_columns: int) -> np.ndarray:
    """Bits that each shared token tells, from the number of columns that hold it; whole multiples of `UNIT`, of which a
    sum is exact in any order, so that equal columns score the same wherever they lie in the index."""
    size = max(n_columns, MIN_COLUMNS)
    return np.round(np.log2(size / np.clip(frequency, 1, size)) / UNIT) * UNIT


def of_letters(query: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Share of a query's values that columns would hold by chance for being short codes: float64[n].

    query: share of its values that are codes of 1 to 4 letters, float64[4]; columns: how many each has, [4, n].
    """
    return (query[:, None] * np.minimum(columns / LETTER_DOMAINS[:, None], 1.0)).sum(axis=0)


def evenly(numbers: ArrayLike, low: ArrayLike, high: ArrayLike) -> np.ndarray:
    """Share of the whole numbers between its bounds that a column holds, were they spread evenly: float64[n]."""
    numbers, low, high = (np.asarray(each, float) for each in (numbers, low, high))
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        return np.nan_to_num(np.clip(numbers / (high - low + 1), 0.0, 1.0))
