"""A table of the lake as a join reads it: a small one whole and once, of a large one what is asked for."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from lakeview.catalog.model import LOGGED, TYPED, ReadError, Table
from lakeview.errors import LakeChanged
from lakeview.join.numeric import is_long, to_numbers
from lakeview.join.spark.arrow import for_spark

HERE = 64 << 20
"""Bytes of files up to which a table of the lake is read in this process."""


class LakeTable:
    """The columns of a table, in the types that a join has them in; those that it is joined by (`keys`) stay text.

    Text columns of the profile types "integer" and "number" become numbers, but for integers of more than 15 digits,
    which are ids; the others stay text, with empty cells missing. Typed formats keep their own types.

    types   the profile type of each column ("integer", "number", "text", …), as far as it is known
    change  says what became of the table since it was indexed ("" where nothing did)
    """

    def __init__(self, table: Table, types: Mapping[str, str], change: Callable[[], str]) -> None:
        self.table, self.types, self.name = table, dict(types), table.name
        self.change = change
        self._whole: pa.Table | None = None

    def require_unchanged(self) -> None:
        """Raise LakeChanged, naming the table, where it is not as it was indexed."""
        if said := self.change():
            raise LakeChanged(said)

    @property
    def size(self) -> int:
        """The bytes of the files."""
        return sum(file.size for file in self.table.files)

    @cached_property
    def weight(self) -> int:
        """About how many bytes the table is when it is read; Parquet may hold a hundred times its size."""
        from lakeview.catalog.reading.parquet_reader import row_count

        size = self.size
        if self.table.kind not in LOGGED | {"parquet"} or size > HERE:
            return size
        return max(size, 8 * len(self.columns) * sum(row_count(file.path) for file in self.table.files))

    @property
    def is_small(self) -> bool:
        """Whether it is better read here than in Spark's workers."""
        return self.weight <= HERE

    @cached_property
    def head(self) -> pa.Table:
        """No rows, but all columns, in the types that reading gives them."""
        from lakeview.catalog.sources import read_part, split, together

        self.require_unchanged()
        try:
            heads = [head for part in split(self.table, 1 << 60) if (head := _first(read_part(part, []))) is not None]
        except ReadError as error:
            raise ReadError(f"{self.name} {error}") from error
        return together(heads)

    @property
    def columns(self) -> list[str]:
        return self.head.schema.names

    def read(self, columns: list[str], whole: bool = True) -> pa.Table:
        """Columns as the lake holds them; empty cells of text are missing. whole: all columns of a small table are read
        at once and kept, as others are likely to be asked for next."""
        from lakeview.catalog.sources import read_table

        self.require_unchanged()
        if self._whole is not None:
            return self._whole
        if whole and self.is_small:
            columns = self.columns
        try:
            found = read_table(self.table, columns)
        except ReadError as error:
            raise ReadError(f"{self.name} {error}") from error
        arrays = {name: found[name] if name in found.schema.names else pa.chunked_array([pa.nulls(found.num_rows)])
                  for name in columns}  # fmt: skip
        if self.table.kind not in TYPED:
            arrays = {name: _without_empty(array) for name, array in arrays.items()}
        table = pa.table(arrays)
        if whole and len(columns) == len(self.columns):
            self._whole = table
        return table

    def batches(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """Columns as they lie there, empty cells and all; a large table is not held as a whole. Columns that a file
        lacks are left out."""
        from lakeview.catalog.sources import read_part, split

        if self.is_small:
            yield from self.read(columns).to_batches()
            return
        for part in split(self.table):
            yield from read_part(part, [], columns)

    def typed(self, columns: list[str], keys: tuple[Hashable, ...]) -> list[pa.Array | pa.ChunkedArray]:
        """Columns in the types that they have in a join by `keys`."""
        table, numbers = self.read(columns), self.numbers(keys)
        return [to_numbers(table[name]) if name in numbers else table[name] for name in columns]

    def numbers(self, keys: tuple[Hashable, ...]) -> dict[str, str]:
        """The columns that become numbers in a join by `keys`, with their profile types."""
        if self.table.kind in TYPED:
            return {}
        return {column: kind for column, kind in self._numbers.items() if column not in keys}

    @cached_property
    def _numbers(self) -> dict[str, str]:
        partitions = {name for file in self.table.files for name, _ in file.keys}
        found = {c: kind for c in self.columns if c not in partitions
                 and (kind := self.types.get(c, "")) in ("integer", "number")}  # fmt: skip
        integers = [column for column, kind in found.items() if kind == "integer"]
        table = self.read(integers)
        return {column: kind for column, kind in found.items() if kind == "number" or not is_long(table[column])}

    def schema(self, keys: tuple[Hashable, ...]) -> pa.Schema:
        """The columns in the types that Spark is to have them in."""
        kinds, numbers = {"integer": pa.int64(), "number": pa.float64()}, self.numbers(keys)
        return pa.schema([
            (name, kinds[numbers[name]] if name in numbers else for_spark(self.head[name]).type)
            for name in self.columns
        ])  # fmt: skip


def _first(batches: Iterator[pa.RecordBatch]) -> pa.Table | None:
    for batch in batches:
        return pa.Table.from_batches([batch]).slice(0, 0)
    return None


def _without_empty(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.if_else(pc.equal(column, ""), pa.scalar(None, column.type), column)
