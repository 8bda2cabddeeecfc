"""How the values of a column are built: what its type is, and how likely it meets others by chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

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

    def count(pattern: str) -> int:
        return pc.sum(pc.match_substring_regex(texts, pattern)).as_py() or 0

    is_number = pc.match_substring_regex(texts, _NUMBER)
    numbers = texts.filter(is_number)
    points = pc.find_substring(numbers, ".")
    shape = Shape(values=len(texts), numbers=len(numbers))
    if len(numbers):
        # Beyond 2**53 the bounds are rounded, which a domain of that size does not feel.
        bounds = pc.min_max(pc.cast(numbers, pa.float64()))
        shape.low, shape.high = bounds["min"].as_py(), bounds["max"].as_py()
        shape.integers = pc.sum(pc.equal(points, -1)).as_py()
        fractions = pc.if_else(pc.equal(points, -1), 0, pc.subtract(pc.subtract(pc.binary_length(numbers), points), 1))
        shape.decimals = int(pc.max(fractions).as_py())
    if len(numbers) < len(texts):
        letters = pc.binary_length(texts.filter(pc.match_substring_regex(texts, _LETTERS)))
        lengths = np.bincount(letters.to_numpy(zero_copy_only=False), minlength=LETTERS + 1)
        shape.letters = tuple(int(n) for n in lengths[1:])
        shape.exponents = count(_EXPONENT)
        shape.dates = count(_DATE)
        shape.timestamps = count(_TIMESTAMP)
        shape.booleans = count(_BOOLEAN)
    return shape
