"""From batches of tables to profiles of their columns: long typed ones by their values, all others by their texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from lakeview.store.printed_columns import MANY, coded, profiles_of_texts
from lakeview.store.profiles import (
    KEEP,
    NO_COUNTS,
    NO_TOKENS,
    ColumnPart,
    Profile,
    absorbed,
    arrow_kind,
    is_too_many,
    merge_counts,
)
from lakeview.store.shapes import Shape
from lakeview.store.typed_columns import profile_of
from lakeview.values import Normalize
from lakeview.values.signatures import VALUES, merged

GATHERED = 8 << 20  # bytes of batches, and of many tables, that are profiled at once
GATHERED_COLUMNS = 1 << 15
_RUNS = 1 << 20  # tokens that may pile up before they are merged


class ColumnScan:
    """Gathers one column over the batches of a part; more than `keep` distinct tokens become minima."""

    def __init__(self, name: str, type_: pa.DataType, keep: int | None = None) -> None:
        self.name, self.type = name, arrow_kind(type_)
        self.keep = keep
        self.valued = 0
        self.minima: np.ndarray | None = None
        self.shape = Shape()
        self._tokens: list[np.ndarray] = []
        self._counts: list[np.ndarray] = []
        self._signatures: list[np.ndarray] = []
        self.unsigned = VALUES  # values that its signature may yet be of

    def take(self, tokens: np.ndarray, counts: np.ndarray, shape: Shape, signature: np.ndarray) -> None:
        """Take what the next batch holds: sorted distinct tokens, their rows, the shape of the values, and the
        signature of as many of them as are `unsigned`."""
        if not len(tokens):
            return
        if len(signature):
            self._signatures.append(signature)
            self.unsigned = max(0, self.unsigned - len(tokens))
        self.shape = self.shape + shape if self.shape.values else shape
        self._tokens.append(tokens)
        self._counts.append(counts)
        held = sum(map(len, self._tokens[1:]))
        # a column that outgrows `keep` does so at once: what comes is told of it as of a sketch then
        if held > max(self._runs, len(self._tokens[0])) or (self.minima is None and is_too_many(tokens, self.keep)):
            self._merge()

    def _merge(self) -> None:
        if len(self._tokens) == 1 and self.minima is None and (self.keep is None or len(self._tokens[0]) <= self.keep):
            return
        tokens, counts = merge_counts(self._tokens, self._counts)
        if self.minima is not None or is_too_many(tokens, self.keep):
            self.minima, valued = absorbed(tokens, counts, self.minima)
            self.valued += valued
            tokens, counts = NO_TOKENS, NO_COUNTS
        self._tokens, self._counts = [tokens], [counts]

    @property
    def _runs(self) -> int:
        return _RUNS if self.minima is None and self.keep is None else 8 * KEEP

    def part(self, rows: int) -> ColumnPart:
        """The finished part; `rows` of the table part, as a column may be missing from some of its batches."""
        self._merge()
        tokens, counts = self._tokens[0], self._counts[0]
        signature = merged(self._signatures)
        return ColumnPart(self.name, self.type, rows, tokens, counts, self.shape, self.minima, self.valued, signature)


class TableScan:
    """Gathers the columns of one part of a table. Batches may differ in their columns (JSON's do)."""

    def __init__(self, keep: int | None = None) -> None:
        self.keep = keep
        self.rows = 0
        self._columns: dict[str, ColumnScan] = {}

    def of(self, batch: pa.RecordBatch) -> Iterator[tuple[ColumnScan, pa.Array]]:
        """The columns of the next batch, each with who gathers it."""
        self.rows += batch.num_rows
        for name, array in zip(batch.schema.names, batch.columns, strict=True):
            if name not in self._columns:
                self._columns[name] = ColumnScan(name, array.type, self.keep)
            yield self._columns[name], array

    def parts(self) -> list[ColumnPart]:
        return [column.part(self.rows) for column in self._columns.values()]


def scan_batches(
    batches: Iterable[pa.RecordBatch], normalize: Normalize, keep: int | None = None
) -> tuple[int, list[ColumnPart]]:
    """Rows and columns of one part of a table."""
    table = TableScan(keep)
    for batch in gathered(batches):
        profile(list(table.of(batch)), normalize)
    return table.rows, table.parts()


def profile(columns: Sequence[tuple[ColumnScan, pa.Array]], normalize: Normalize) -> None:
    """Give each scan what its array holds."""
    for (scan, _), found in zip(columns, profiles_for(columns, normalize), strict=True):
        scan.take(*found)


def profiles_for(columns: Sequence[tuple[ColumnScan, pa.Array]], normalize: Normalize) -> list[Profile]:
    """What each array holds of what its scan yet wants."""
    arrays = [array for _, array in columns]
    return profiles_of(
        arrays, normalize, [scan.unsigned for scan, _ in columns], [scan.minima is not None for scan, _ in columns]
    )


def profiles_of(
    arrays: Sequence[pa.Array],
    normalize: Normalize,
    unsigned: Sequence[int] | None = None,
    outgrown: Sequence[bool] | None = None,
) -> list[Profile]:
    """What each array holds, all of them at once. unsigned: of how many values the signature of each is to be.
    outgrown: those of which a sketch alone is kept, see `typed_columns`."""
    n = len(arrays)
    unsigned, outgrown = unsigned or [VALUES] * n, outgrown or [False] * n
    arrays = [coded(array) if len(array) >= MANY else array for array in arrays]
    typed = {
        number: found
        for number, array in enumerate(arrays)
        if len(array) >= MANY and (found := profile_of(array, unsigned[number], outgrown[number])) is not None
    }
    if not typed:
        return profiles_of_texts(arrays, normalize, unsigned)
    others = [number for number in range(n) if number not in typed]
    printed = profiles_of_texts([arrays[i] for i in others], normalize, [unsigned[i] for i in others])
    return [found for _, found in sorted((typed | dict(zip(others, printed, strict=True))).items())]


def gathered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Small batches of a part together: wide tables come a few rows at a time."""
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
