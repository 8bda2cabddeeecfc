"""What a scan learns of a column: its tokens with their row counts, and the shape of its values.

A `ColumnScan` takes the batches of one part of a table and ends as a `ColumnPart`; the parts of a column merge to a
`Column`. Merging is exact: any split of a table into parts gives the same column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeview import values
from lakeview.values import Normalize

LETTERS = 4  # lengths of letter codes that are told apart: "a" to "aaaa"

_NUMBER = r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$"
_EXPONENT = r"^[+-]?(?:0|[1-9][0-9]*)(?:\.[0-9]*)?e[+-]?[0-9]+$"
_LETTERS = r"^[A-Za-z]{1,4}$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_TIMESTAMP = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[ t][0-9]{2}:[0-9]{2}"
_BOOLEAN = r"^(?:true|false)$"

_RUNS = 1 << 20  # tokens that may pile up before they are merged


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


@dataclass
class ColumnPart:
    """One column in one part of a table. Picklable and small, but for the tokens.

    tokens  uint64, sorted and distinct, the mark "NA" among them (whether it is a value, the whole column decides)
    counts  int64, rows of each token
    """

    name: str
    type: str  # of the Arrow column
    rows: int
    tokens: np.ndarray
    counts: np.ndarray
    shape: Shape


@dataclass
class Column:
    """One column of the lake."""

    table: str
    name: str
    ordinal: int
    type: str  # integer, number, text, date, timestamp, boolean, empty, other
    rows: int
    nulls: int
    shape: Shape
    tokens: np.ndarray = field(repr=False)
    counts: np.ndarray = field(repr=False)

    @property
    def distinct(self) -> int:
        return len(self.tokens)

    @property
    def key_like(self) -> bool:
        """Every value occurs once; rows without a value do not count against it."""
        return self.distinct == self.rows - self.nulls > 0


class ColumnScan:
    """Gathers one column over the batches of a part."""

    def __init__(self, name: str, type_: pa.DataType, normalize: Normalize) -> None:
        self.name, self.type, self.normalize = name, arrow_kind(type_), normalize
        self.rows = 0
        self.shape = Shape()
        self._tokens: list[np.ndarray] = []
        self._counts: list[np.ndarray] = []

    def add(self, array: pa.Array) -> None:
        """Take the next batch's values."""
        self.rows += len(array)
        texts = values.canonical_part(array, self.normalize)
        texts = texts.drop_null() if texts.null_count else texts
        if not len(texts):
            return
        tokens = values.hash_strings(texts)
        order = np.argsort(tokens, kind="stable")
        tokens = tokens[order]
        first = np.flatnonzero(np.concatenate(([True], tokens[1:] != tokens[:-1])))
        proper = first[~np.isin(tokens[first], values.NA_TOKENS)]  # "NA" may yet turn out to be no value
        self.shape += shape_of(texts.take(pa.array(order[proper])))
        self._tokens.append(tokens[first])
        self._counts.append(np.diff(np.append(first, len(tokens))))
        if len(self._tokens) > 1 and sum(map(len, self._tokens[1:])) > max(_RUNS, len(self._tokens[0])):
            self._merge()

    def _merge(self) -> None:
        tokens, counts = merge_counts(self._tokens, self._counts)
        self._tokens, self._counts = [tokens], [counts]

    def part(self, rows: int) -> ColumnPart:
        """The finished part; `rows` of the table part, as a column may be missing from some of its batches."""
        self._merge()
        return ColumnPart(self.name, self.type, rows, self._tokens[0], self._counts[0], self.shape)


def scan_batches(batches: Iterable[pa.RecordBatch], normalize: Normalize) -> tuple[int, list[ColumnPart]]:
    """Rows and columns of one part of a table. Batches may differ in their columns (JSON does)."""
    rows, scans = 0, dict[str, ColumnScan]()
    for batch in batches:
        rows += batch.num_rows
        for name, array in zip(batch.schema.names, batch.columns, strict=True):
            if name not in scans:
                scans[name] = ColumnScan(name, array.type, normalize)
            scans[name].add(array)
    return rows, [scan.part(rows) for scan in scans.values()]


def merge_counts(tokens: Sequence[np.ndarray], counts: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Merge sorted token runs, adding up their row counts."""
    if len(tokens) == 1:
        return tokens[0], counts[0]
    if not tokens:
        return np.zeros(0, np.uint64), np.zeros(0, np.int64)
    all_tokens, all_counts = np.concatenate(tokens), np.concatenate(counts)
    order = np.argsort(all_tokens, kind="stable")  # a merge of the runs
    all_tokens, all_counts = all_tokens[order], all_counts[order]
    if not len(all_tokens):
        return all_tokens, all_counts
    first = np.flatnonzero(np.concatenate(([True], all_tokens[1:] != all_tokens[:-1])))
    return all_tokens[first], np.add.reduceat(all_counts, first)


def merge_parts(table: str, ordinal: int, parts: Sequence[ColumnPart], rows: int) -> Column:
    """One column from its parts; `rows` of the whole table. Decides here whether "NA" is a value (Namibia)."""
    tokens, counts = merge_counts([p.tokens for p in parts], [p.counts for p in parts])
    is_mark = np.isin(tokens, values.NA_TOKENS)
    if is_mark.any() and not values.na_is_value(tokens):
        tokens, counts = tokens[~is_mark], counts[~is_mark]
    shape = sum((p.shape for p in parts), Shape())
    kinds = {p.type for p in parts}
    return Column(
        table,
        parts[0].name,
        ordinal,
        _common_kind(kinds, shape),
        rows,
        rows - int(counts.sum()),
        shape,
        tokens,
        counts,
    )


def _common_kind(kinds: set[str], shape: Shape) -> str:
    if kinds == {"string"}:
        return shape.type
    if len(kinds) == 1:
        return next(iter(kinds))
    return "number" if kinds <= {"integer", "number"} else shape.type


def arrow_kind(type_: pa.DataType) -> str:
    """The profile type of an Arrow type; "string" where the values must tell."""
    if pa.types.is_dictionary(type_):
        return arrow_kind(type_.value_type)
    for name, test in (
        ("boolean", pa.types.is_boolean),
        ("integer", pa.types.is_integer),
        ("number", pa.types.is_floating),
        ("number", pa.types.is_decimal),
        ("date", pa.types.is_date),
        ("timestamp", pa.types.is_timestamp),
        ("empty", pa.types.is_null),
        ("string", pa.types.is_string),
        ("string", pa.types.is_large_string),
        ("string", pa.types.is_string_view),
    ):
        if test(type_):
            return name
    return "other"
