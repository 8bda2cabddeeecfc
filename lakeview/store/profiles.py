"""What a scan learns of a column: its tokens with their row counts or a sketch, and the shape of its values.

A `ColumnScan` takes the batches of one part of a table and ends as a `ColumnPart`; the parts of a column merge to a
`Column`. Merging is exact: any split of a table into parts gives the same tokens, counts and sketch (a shape counts a
value once a batch). A sketch takes the place of the tokens where there are more than `keep`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from lakeview import values
from lakeview.estimate.joint import Sketch
from lakeview.sketch.membership import Membership
from lakeview.sketch.minima import bucket_minima, merge_minima
from lakeview.store.shapes import Shape, shape_of
from lakeview.values import Normalize

TYPES = ("integer", "number", "text", "date", "timestamp", "boolean", "empty", "other")
KEEP = 4096  # distinct values up to which a column's tokens are kept, whatever the lake
GATHERED = 8 << 20  # bytes
_RUNS = 1 << 20  # tokens that may pile up before they are merged


@dataclass
class ColumnPart:
    """One column in one part of a table. Picklable and small, but for the tokens.

    tokens  uint64, sorted and distinct, the mark "NA" among them (whether it is a value, the whole column decides)
    counts  int64, rows of each token
    minima  uint64[4096] in place of tokens and counts; valued: the rows that they stand for. The mark "NA" is not in
            them: so many values are no list of two-letter codes
    """

    name: str
    type: str  # of the Arrow column
    rows: int
    tokens: np.ndarray
    counts: np.ndarray
    shape: Shape
    minima: np.ndarray | None = None
    valued: int = 0


@dataclass
class Column:
    """One column of the lake; without tokens where only its sketch is kept."""

    table: str
    name: str
    ordinal: int
    type: str  # one of TYPES
    rows: int
    nulls: int
    shape: Shape
    tokens: np.ndarray = field(repr=False)
    counts: np.ndarray = field(repr=False)
    sketch: Sketch | None = field(default=None, repr=False)
    filter: Membership | None = field(default=None, repr=False)

    @property
    def distinct(self) -> int:
        """Distinct values; of a sketch its estimate, if need be."""
        if len(self.tokens) or self.sketch is None:
            return len(self.tokens)
        return min(round(self.sketch.size()[0]), self.rows - self.nulls)

    @property
    def distinct_error(self) -> float:
        """Standard error of `distinct`, 0 where the values were counted."""
        return 0.0 if len(self.tokens) or self.sketch is None else self.sketch.size()[1]

    def without_tokens(self, filters: bool = False) -> Column:
        """The same column with a sketch in place of its tokens, where there are more than `KEEP`; `filters`: and with a
        membership filter."""
        if len(self.tokens) <= KEEP:
            return self
        kept = Membership.of(self.tokens) if filters else None
        return replace(self, tokens=_NO_TOKENS, counts=_NO_COUNTS, sketch=sketch_of(self.tokens), filter=kept)

    @property
    def key_like(self) -> bool:
        """Every value occurs once; rows without a value do not count against it."""
        return self.distinct == self.rows - self.nulls > 0


def sketch_of(tokens: np.ndarray) -> Sketch:
    """The sketch of distinct tokens."""
    return Sketch.of(bucket_minima(tokens), len(tokens))


class ColumnScan:
    """Gathers one column over the batches of a part; more than `keep` distinct tokens become minima."""

    def __init__(self, name: str, type_: pa.DataType, normalize: Normalize, keep: int | None = None) -> None:
        self.name, self.type, self.normalize = name, arrow_kind(type_), normalize
        self.keep = keep
        self.rows = self.valued = 0
        self.minima: np.ndarray | None = None
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
        if len(self._tokens) > 1 and sum(map(len, self._tokens[1:])) > max(self._runs, len(self._tokens[0])):
            self._merge()

    def _merge(self) -> None:
        tokens, counts = merge_counts(self._tokens, self._counts)
        if self.minima is not None or _too_many(tokens, self.keep):
            self.minima, valued = _absorbed(tokens, counts, self.minima)
            self.valued += valued
            tokens, counts = _NO_TOKENS, _NO_COUNTS
        self._tokens, self._counts = [tokens], [counts]

    @property
    def _runs(self) -> int:
        return _RUNS if self.minima is None and self.keep is None else 8 * KEEP

    def part(self, rows: int) -> ColumnPart:
        """The finished part; `rows` of the table part, as a column may be missing from some of its batches."""
        self._merge()
        tokens, counts = self._tokens[0], self._counts[0]
        return ColumnPart(self.name, self.type, rows, tokens, counts, self.shape, self.minima, self.valued)


def scan_batches(
    batches: Iterable[pa.RecordBatch], normalize: Normalize, keep: int | None = None
) -> tuple[int, list[ColumnPart]]:
    """Rows and columns of one part of a table. Batches may differ in their columns (JSON does)."""
    rows, scans = 0, dict[str, ColumnScan]()
    for batch in _gathered(batches):
        rows += batch.num_rows
        for name, array in zip(batch.schema.names, batch.columns, strict=True):
            if name not in scans:
                scans[name] = ColumnScan(name, array.type, normalize, keep)
            scans[name].add(array)
    return rows, [scan.part(rows) for scan in scans.values()]


def _gathered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Small batches together, as each costs every column a millisecond: wide tables come a few rows at a time."""
    held: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        if held and (size + batch.nbytes > GATHERED or batch.schema != held[0].schema):
            yield _together(held)
            held, size = [], 0
        held.append(batch)
        size += batch.nbytes
    if held:
        yield _together(held)


def _together(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    """Batches of one schema as one."""
    if len(batches) == 1:
        return batches[0]
    columns = [pa.concat_arrays([batch.column(place) for batch in batches]) for place in range(batches[0].num_columns)]
    return pa.RecordBatch.from_arrays(columns, schema=batches[0].schema)


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


_NO_TOKENS, _NO_COUNTS = np.zeros(0, np.uint64), np.zeros(0, np.int64)


def _too_many(tokens: np.ndarray, keep: int | None) -> bool:
    """Whether there are more than `keep` tokens, the mark "NA" not counted."""
    return keep is not None and len(tokens) > keep and len(tokens) - np.isin(values.NA_TOKENS, tokens).sum() > keep


def _absorbed(tokens: np.ndarray, counts: np.ndarray, minima: np.ndarray | None) -> tuple[np.ndarray, int]:
    """Minima that have seen the tokens too, "NA" left out, and the rows that these have."""
    proper = ~np.isin(tokens, values.NA_TOKENS)
    own = bucket_minima(tokens[proper])
    return own if minima is None else merge_minima(minima, own), int(counts[proper].sum())


def merge_parts(table: str, ordinal: int, parts: Sequence[ColumnPart], rows: int, keep: int | None = None) -> Column:
    """One column from its parts; `rows` of the whole table. Decides here whether "NA" is a value (Namibia)."""
    tokens, counts = merge_counts([p.tokens for p in parts], [p.counts for p in parts])
    sketch, valued = None, 0
    if any(p.minima is not None for p in parts) or _too_many(tokens, keep):
        minima, valued = _absorbed(tokens, counts, None)
        for part in parts:
            minima = minima if part.minima is None else merge_minima(minima, part.minima)
            valued += part.valued
        sketch, tokens, counts = Sketch.of(minima), _NO_TOKENS, _NO_COUNTS
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
        rows - int(counts.sum()) - valued,
        shape,
        tokens,
        counts,
        sketch,
    )


def _common_kind(kinds: set[str], shape: Shape) -> str:
    if kinds == {"string"}:
        return shape.type
    if kinds == {"printed"}:
        return shape.type if shape.values else "other"
    if len(kinds) == 1:
        return next(iter(kinds))
    return "number" if kinds <= {"integer", "number"} else shape.type


def arrow_kind(type_: pa.DataType) -> str:
    """The profile type of an Arrow type; "string" where the values must tell, "printed" where they may have no text."""
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
        ("printed", pa.types.is_binary),
        ("printed", pa.types.is_large_binary),
        ("printed", pa.types.is_fixed_size_binary),
        ("printed", lambda kind: isinstance(kind, pa.BaseExtensionType)),
    ):
        if test(type_):
            return name
    return "other"
