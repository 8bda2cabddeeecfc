"""Values that a column might as well have had: what tells chance from more than chance, by local density.

Row numbers meet row numbers. How many of a column's values another one would hold by chance depends on what that other
one holds just there: 1..200 lies in 1..300, and an outlier of 5,000,000 changes nothing of that. So the column is
smoothed, its values moved into the gaps beside them, and the other one is asked for those. Tokens are hashes; which
whole numbers, small decimals and days they are is looked up in a table of these.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeview import values

INTEGERS = range(-1_000, 1 << 17)  # whole numbers that are told from their tokens
CENTS = range(0, 100_000)  # decimals of one or two digits, as hundredths
DAYS = range(-25_568, 29_220)  # from 1970-01-01: of the years 1900 to 2049
_FIRST, _CENTS = (INTEGERS[0], CENTS[0], DAYS[0]), 1
STARTS = (0, len(INTEGERS), len(INTEGERS) + len(CENTS))  # of integers, hundredths and days, where they go in one line
STANDINS = 256  # values that are asked for at most, of each kind


def standins(tokens: np.ndarray, low: float, high: float, integers: float) -> tuple[np.ndarray, float]:
    """Tokens of values like those of a column, uint64[m], sorted and distinct, and the share of the column's values
    that they stand for.

    tokens: the column's, uint64[n], sorted; low, high: of its numbers; integers: how many whole numbers it has. Of
    numbers beyond the tables even spread is assumed. Text has no stand-ins: it is told by how rare it is.
    """
    table, kinds, numbers = _table()
    at = np.minimum(np.searchsorted(table, tokens), len(table) - 1)
    at = at[table[at] == tokens]
    known = [np.sort(numbers[at[kinds[at] == kind]]) for kind in range(len(_FIRST))]
    beyond = int(max(integers - len(known[0]), 0)) if INTEGERS[-1] < high < 2**62 else 0
    stood = len(at) + beyond
    if not stood:
        return np.zeros(0, np.uint64), 0.0
    parts = [
        of_kind[spread(held, max(1, STANDINS * len(held) // stood), unit(held, kind == _CENTS)) - first]
        for kind, (of_kind, first, held) in enumerate(zip(_tokens(), _FIRST, known, strict=True))
        if len(held)
    ]
    if beyond:
        ends = np.array([max(low, INTEGERS[-1]), high])
        parts.append(values.hash_strings(written(spread(ends, max(1, STANDINS * beyond // stood)))))
    return np.unique(np.concatenate(parts)), min(stood / max(len(tokens), 1), 1.0)


def unit(held: np.ndarray, decimals: bool) -> int:
    """What all of some numbers are multiples of: round numbers meet round ones. Of hundredths it is 1 or 10, the digits
    that they are written with."""
    if decimals:
        return 1 if any(held % 10) else 10
    return max(int(np.gcd.reduce(held)), 1) if len(held) > 1 else 1


def spread(held: np.ndarray, count: int, unit: int = 1) -> np.ndarray:
    """About `count` multiples of the unit spread as those held (sorted), in the gaps between them as well."""
    ranks = np.linspace(0, len(held) - 1, count) if count > 1 else [(len(held) - 1) / 2]
    return unit * np.unique(np.rint(np.interp(ranks, np.arange(len(held)), held) / unit).astype(np.int64))


def line() -> tuple[np.ndarray, np.ndarray]:
    """Known tokens, uint64[n] sorted, and the place of each one's number in one line: int64[n]. Integers first, from
    -1,000 on, then hundredths, then days (`STARTS`)."""
    tokens, kinds, numbers = _table()
    return tokens, numbers - np.array(_FIRST)[kinds] + np.array(STARTS)[kinds]


@cache
def _table() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Known tokens, uint64[n] sorted, the kind of each and its number: an integer, hundredths, a day."""
    chosen = [np.arange(len(of_kind)) for of_kind in _tokens()]
    chosen[_CENTS] = chosen[_CENTS][chosen[_CENTS] % 100 != 0]  # the others are integers
    tokens = np.concatenate([of_kind[at] for of_kind, at in zip(_tokens(), chosen, strict=True)])
    order = np.argsort(tokens)
    return (
        tokens[order],
        np.repeat(np.arange(3, dtype=np.int8), list(map(len, chosen)))[order],
        np.concatenate([at + first for at, first in zip(chosen, _FIRST, strict=True)]).astype(np.int32)[order],
    )


@cache
def _tokens() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The tokens of all integers, hundredths and days that there are tables of, in order: uint64 each."""
    integers, cents, days = (
        values.hash_strings(write(np.array(numbers)))
        for write, numbers in ((written, INTEGERS), (_decimals, CENTS), (_days, DAYS))
    )
    return integers, cents, days


def written(numbers: np.ndarray) -> pa.Array:
    return pc.cast(pa.array(numbers), pa.string())


def _decimals(hundredths: np.ndarray) -> pa.Array:
    whole, rest = hundredths // 100, hundredths % 100
    fraction = pc.utf8_rtrim(pc.utf8_lpad(pc.cast(pa.array(rest), pa.string()), 2, "0"), "0")
    written = pc.binary_join_element_wise(pc.cast(pa.array(whole), pa.string()), fraction, ".")
    return pc.utf8_rtrim(written, ".") if (rest == 0).any() else written


def _days(days: np.ndarray) -> pa.Array:
    return pc.cast(pc.cast(pa.array(days.astype(np.int32)), pa.date32()), pa.string())
