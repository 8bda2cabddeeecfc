"""How the values of a column are built: what its type is, and how likely it meets others by chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

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
    if not len(texts):
        return Shape()
    length, first, fifth, last = _looks(texts)

    def matching(pattern: str, possible: np.ndarray) -> pa.Array:
        # a look at a few bytes takes a hundredth of a regular expression's time
        chosen = texts.filter(pa.array(possible))
        return chosen.filter(pc.match_substring_regex(chosen, pattern))

    begins, ends = _is_digit(first), _is_digit(last)
    numbers = matching(_NUMBER, (begins | (first == ord("-"))) & ends)
    shape = Shape(values=len(texts), numbers=len(numbers))
    if len(numbers):
        points = pc.find_substring(numbers, ".")
        # Beyond 2**53 the bounds are rounded, which a domain of that size does not feel.
        bounds = pc.min_max(pc.cast(numbers, pa.float64()))
        shape.low, shape.high = bounds["min"].as_py(), bounds["max"].as_py()
        shape.integers = pc.sum(pc.equal(points, -1)).as_py()
        fractions = pc.if_else(pc.equal(points, -1), 0, pc.subtract(pc.subtract(pc.binary_length(numbers), points), 1))
        shape.decimals = int(pc.max(fractions).as_py())
    if len(numbers) < len(texts):
        letters = pc.binary_length(matching(_LETTERS, length <= LETTERS))
        lengths = np.bincount(letters.to_numpy(zero_copy_only=False), minlength=LETTERS + 1)
        shape.letters = tuple(int(n) for n in lengths[1:])
        shape.exponents = len(matching(_EXPONENT, (begins | (first == ord("-")) | (first == ord("+"))) & ends))
        dated = begins & (fifth == ord("-"))
        shape.dates = len(matching(_DATE, dated & (length == 10)))
        shape.timestamps = len(matching(_TIMESTAMP, dated & (length >= 16)))
        shape.booleans = len(matching(_BOOLEAN, (length == 4) | (length == 5)))
    return shape


def _looks(texts: pa.Array) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Each text's length in bytes and its first, fifth and last byte, 0 where it has none."""
    offsets, data = string_offsets(texts), string_data(texts)
    starts, length = offsets[:-1], np.diff(offsets)

    def byte(at: np.ndarray, there: np.ndarray) -> np.ndarray:
        return np.where(there, data[np.where(there, at, 0)], 0) if len(data) else np.zeros(len(at), np.uint8)

    filled = length > 0
    return length, byte(starts, filled), byte(starts + 4, length > 4), byte(offsets[1:] - 1, filled)


def _is_digit(byte: np.ndarray) -> np.ndarray:
    return (byte >= ord("0")) & (byte <= ord("9"))
