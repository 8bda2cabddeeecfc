"""How the values of a column are built: what its type is, and how likely it meets others by chance."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeview.values import xxh64
from lakeview.values.buffers import string_data, string_offsets

LETTERS = 4  # lengths of letter codes that are told apart: "a" to "aaaa"

_NUMBER = r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$"
_EXPONENT = r"^[+-]?(?:0|[1-9][0-9]*)(?:\.[0-9]*)?e[+-]?[0-9]+$"
_LETTERS = r"^[A-Za-z]{1,4}$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_TIMESTAMP = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[ t][0-9]{2}:[0-9]{2}"
_BOOLEAN = r"^(?:true|false)$"


@dataclass
class Shape:
    """How a column's distinct values are built, counted over the distinct values of each batch.

    Chance matches are judged by it: 5,853 three-letter codes meet a third of any other such list.
    """

    values: int = 0
    integers: int = 0
    numbers: int = 0  # integers included
    exponents: int = 0
    dates: int = 0
    timestamps: int = 0
    booleans: int = 0
    letters: tuple[int, ...] = (0,) * LETTERS  # by length
    low: float = np.inf  # of the numbers
    high: float = -np.inf
    decimals: int = 0  # most digits after the point

    def __add__(self, other: Shape) -> Shape:
        return Shape(
            self.values + other.values,
            self.integers + other.integers,
            self.numbers + other.numbers,
            self.exponents + other.exponents,
            self.dates + other.dates,
            self.timestamps + other.timestamps,
            self.booleans + other.booleans,
            tuple(a + b for a, b in zip(self.letters, other.letters, strict=True)),
            min(self.low, other.low),
            max(self.high, other.high),
            max(self.decimals, other.decimals),
        )

    @property
    def type(self) -> str:
        """The type that every value of a text column is written in, else "text"."""
        if not self.values:
            return "empty"
        for name, count in (
            ("integer", self.integers),
            ("number", self.numbers + self.exponents),
            ("date", self.dates),
            ("timestamp", self.timestamps),
            ("boolean", self.booleans),
        ):
            if count == self.values:
                return name
        return "text"


def shape_of(texts: pa.Array) -> Shape:
    """The shape of distinct canonical texts (no nulls)."""
    return shapes_of(texts, np.zeros(len(texts), np.int32), 1)[0]


def shapes_of(texts: pa.Array, column: np.ndarray, n: int) -> list[Shape]:
    """The shapes of n columns at once: of distinct canonical texts (no nulls), those of a column together, and the
    number of each one's column: int[len(texts)]."""
    if not len(texts):
        return [Shape() for _ in range(n)]
    if xxh64.is_compiled():
        return _compiled(texts, column, n)
    began = time.perf_counter()
    found = _by_arrays(texts, column, n)
    xxh64.spend(time.perf_counter() - began)
    return found


def _compiled(texts: pa.Array, column: np.ndarray, n: int) -> list[Shape]:
    """As `shapes_of`, in one pass."""
    from lakeview.store import shapes_numba

    low, high, decimals = np.full(n, np.inf), np.full(n, -np.inf), np.zeros(n, np.int64)
    counts = np.zeros((n, shapes_numba.LETTERS + LETTERS), np.int64)
    offsets, of = string_offsets(texts).astype(np.int64, copy=False), column.astype(np.int32, copy=False)
    long = shapes_numba.count(string_data(texts), offsets, of, counts, low, high, decimals)
    if len(long):  # of so many digits Arrow reads numbers
        value, of = _values(texts.take(pa.array(long))), column[long]
        np.minimum.at(low, of, value)
        np.maximum.at(high, of, value)
    every = np.bincount(column, minlength=n).tolist()
    return [
        Shape(values, integers, numbers, exponents, dates, timestamps, booleans, tuple(letters), least, most, places)
        for values, (integers, numbers, exponents, dates, timestamps, booleans, *letters), least, most, places in zip(
            every, counts.tolist(), low.tolist(), high.tolist(), decimals.tolist(), strict=True
        )
    ]


def _by_arrays(texts: pa.Array, column: np.ndarray, n: int) -> list[Shape]:
    """As `shapes_of`, a step at a time over all texts."""
    length, first, fifth, last = _looks(texts)

    def matching(pattern: str, possible: np.ndarray) -> np.ndarray:
        """The places of the texts that match. A look at a few bytes takes a hundredth of a regular expression's time"""
        places = np.flatnonzero(possible)
        if not len(places):
            return places
        found = pc.match_substring_regex(texts.filter(pa.array(possible)), pattern)
        return places[found.to_numpy(zero_copy_only=False)]

    def counted(places: np.ndarray) -> list[int]:
        return np.bincount(column[places], minlength=n).tolist() if len(places) else [0] * n  # type: ignore[no-any-return]

    begins, ends = _is_digit(first), _is_digit(last)
    digits = _only_digits(texts) & (length > 0) & ((first != ord("0")) | (length == 1))
    is_number = digits.copy()
    is_number[matching(_NUMBER, (begins | (first == ord("-"))) & ends & ~digits)] = True
    numbers = np.flatnonzero(is_number)
    integers, low, high, decimals = _numbers(texts, column, n, numbers, digits)
    if len(numbers) < len(texts):
        signed = begins | (first == ord("-")) | (first == ord("+"))
        dated = begins & (fifth == ord("-"))
        letters = matching(_LETTERS, length <= LETTERS)
        by_length = zip(*(counted(letters[length[letters] == i + 1]) for i in range(LETTERS)), strict=True)
        exponents = counted(matching(_EXPONENT, signed & ends))
        dates = counted(matching(_DATE, dated & (length == 10)))
        timestamps = counted(matching(_TIMESTAMP, dated & (length >= 16)))
        booleans = counted(matching(_BOOLEAN, (length == 4) | (length == 5)))
    else:
        by_length = iter([(0,) * LETTERS] * n)  # type: ignore[assignment]
        exponents = dates = timestamps = booleans = [0] * n
    every = np.bincount(column, minlength=n).tolist()
    return [
        Shape(*counts)
        for counts in zip(
            every, integers, counted(numbers), exponents, dates, timestamps, booleans, by_length, low, high, decimals,
            strict=True,
        )
    ]  # fmt: skip


def _numbers(
    texts: pa.Array, column: np.ndarray, n: int, places: np.ndarray, digits: np.ndarray
) -> tuple[list[int], list[float], list[float], list[int]]:
    """Of the numbers at some places how many are whole, the least, the largest and the most decimals, by column.
    digits: which texts are nothing but digits."""
    low, high, decimals = np.full(n, np.inf), np.full(n, -np.inf), np.zeros(n, np.int64)
    if not len(places):
        return [0] * n, low.tolist(), high.tolist(), decimals.tolist()
    of = column[places]
    numbers = texts.take(pa.array(places))
    starts = np.flatnonzero(np.diff(of, prepend=-1))
    held = of[starts]
    value = _values(numbers)
    low[held], high[held] = np.minimum.reduceat(value, starts), np.maximum.reduceat(value, starts)
    is_whole, fraction = digits[places], np.zeros(len(places), np.int64)
    if len(others := np.flatnonzero(~is_whole)):
        signed = texts.take(pa.array(places[others]))
        point = pc.find_substring(signed, ".").to_numpy()
        is_whole[others] = point == -1
        fraction[others] = np.where(point == -1, 0, pc.binary_length(signed).to_numpy() - point - 1)
    decimals[held] = np.maximum.reduceat(fraction, starts)
    return np.bincount(of[is_whole], minlength=n).tolist(), low.tolist(), high.tolist(), decimals.tolist()


def _values(numbers: pa.Array) -> np.ndarray:
    """Beyond 2**53 they are rounded, which the bounds of a domain of that size do not feel."""
    return pc.cast(numbers, pa.float64()).to_numpy()  # type: ignore[no-any-return]


def _looks(texts: pa.Array) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Each text's length in bytes and its first, fifth and last byte, 0 where it has none."""
    offsets, data = string_offsets(texts), string_data(texts)
    starts, length = offsets[:-1], np.diff(offsets)

    def byte(at: np.ndarray, there: np.ndarray) -> np.ndarray:
        return np.where(there, data[np.where(there, at, 0)], 0) if len(data) else np.zeros(len(at), np.uint8)

    filled = length > 0
    return length, byte(starts, filled), byte(starts + 4, length > 4), byte(offsets[1:] - 1, filled)


def _only_digits(texts: pa.Array) -> np.ndarray:
    """Which texts have no byte but digits: bool[n], true of an empty one."""
    offsets = string_offsets(texts)
    others = np.zeros(int(offsets[-1] - offsets[0]) + 1, np.int64)
    np.cumsum(~_is_digit(string_data(texts)[offsets[0] : offsets[-1]]), out=others[1:])
    return np.diff(others[offsets - offsets[0]]) == 0


def _is_digit(byte: np.ndarray) -> np.ndarray:
    return (byte >= ord("0")) & (byte <= ord("9"))
