"""One side of a join: a pandas frame, a Spark frame or a table of the lake, behind one face."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from lakeview import values
from lakeview.catalog.model import Table
from lakeview.errors import InputError, NotFound
from lakeview.join.naming import stem
from lakeview.join.numeric import is_long, to_numbers

if TYPE_CHECKING:
    import pandas as pd

class Side:
    """One side of a join.

    name    what the analyst calls it: a variable, or a table of the lake
    kind    "pandas", "spark" or "lake"
    columns the labels, in order
    """

    def __init__(self, name: str, kind: Literal["pandas", "spark", "lake"], frame: Any = None,
                 table: Table | None = None, types: Mapping[str, str] | None = None) -> None:  # fmt: skip
        self.name = name
        self.kind = kind
        self._frame = frame
        self._table = table
        self._types = dict(types or {})
        self._texts: dict[str, pa.Table] = {}

    @classmethod
    def frame(cls, frame: Any, name: str) -> Side:
        """A pandas or Spark DataFrame under the name that the analyst knows it by.

        Raises InputError where columns cannot be told apart by one label each.
        """
        is_spark = type(frame).__module__.startswith("pyspark.sql.")
        if not is_spark and not hasattr(frame, "iloc"):
            raise InputError(f"{name} is a {type(frame).__name__}, not a pandas or Spark DataFrame")
        side = cls(name, "spark" if is_spark else "pandas", frame)
        if not is_spark and frame.columns.nlevels > 1:
            raise InputError(f"{name} has columns of {frame.columns.nlevels} levels: flatten them first, "
                             f'as in {name}.columns = ["_".join(map(str, c)) for c in {name}.columns]')  # fmt: skip
        seen: set[Hashable] = set()
        for column in side.columns:
            if column in seen:
                raise InputError(f"{name} has more than one column {column!r}: rename one first")
            seen.add(column)
        return side

    @classmethod
    def lake(cls, table: Table, types: Mapping[str, str] | None = None) -> Side:
        """A table of the lake; `types` maps columns to their profile types ("integer", "number", "text", …).

        Text columns of the first two become numbers, the others stay text with empty cells missing. Parquet keeps
        its own types.
        """
        return cls(table.name, "lake", table=table, types=types)

    def __repr__(self) -> str:
        return f"Side({self.name!r}, {self.kind})"

    @property
    def stem(self) -> str:
        """The name without folders and extension."""
        return stem(self.name) if self.kind == "lake" else self.name

    @property
    def table(self) -> Table:
        """The table of the lake, where this is one."""
        if self._table is None:
            raise InputError(f"{self.name} is no table of the lake")
        return self._table

    @cached_property
    def columns(self) -> list[Hashable]:
        if self.kind == "lake":
            from lakeview.catalog.sources import read_part, split

            names: dict[str, None] = {}
            for part in split(self.table, 1 << 60):
                for batch in _first(read_part(part, [])):
                    names.update(dict.fromkeys(batch.schema.names))
            return list(names)
        return list(self._frame.columns)

    def check(self, column: Hashable) -> None:
        """Raises NotFound where there is no such column."""
        if column not in self.columns:
            some = ", ".join(repr(name) for name in self.columns[:8]) + (" …" if len(self.columns) > 8 else "")
            raise NotFound(f"{self.name} has no column {column!r}; it has {some or 'none'}")

    def key(self, column: Hashable) -> pa.Array | pa.ChunkedArray:
        """The values of a column as they lie there, one a row: text of a text file uncast, empty cells missing."""
        if self.kind == "lake":
            return self._read([str(column)])[str(column)]
        if self.kind == "spark":
            raise InputError(f"{self.name} is a Spark frame: its values stay in Spark")
        return values.as_arrow(self._frame[column])

    def key_series(self, column: Hashable) -> pd.Series:
        """The values of the key column as pandas holds them; of a Spark frame the distinct ones."""
        if self.kind == "lake":
            return self._to_series(self._read([str(column)])[str(column)], str(column), column)
        if self.kind == "spark":
            quoted = f"`{str(column).replace('`', '``')}`"
            return self._frame.select(quoted).distinct().toPandas().iloc[:, 0]
        return self._frame[column]

    def to_pandas(self, key: Hashable = None) -> pd.DataFrame:
        """The whole side; `key` names the column of a lake table that stays text. Not to be written to."""
        if self.kind == "spark":
            return self._frame.toPandas()
        if self.kind == "pandas":
            return self._frame
        import pandas as pd

        if key not in self.__dict__.setdefault("_pandas", {}):
            table = self._read(None)
            columns = {name: self._to_series(table[name], name, key) for name in table.schema.names}
            self.__dict__["_pandas"] = {key: pd.DataFrame(columns)}
        return self.__dict__["_pandas"][key]

    def numbers(self, key: Hashable) -> list[str]:
        """The columns of a lake table that become numbers when `key` is the one to join by."""
        if self.kind != "lake" or self.table.kind == "parquet":
            return []
        keys = {name for file in self.table.files for name, _ in file.keys}
        return [str(c) for c in self.columns if c != key and c not in keys and self._is_number(str(c))]

    def _is_number(self, column: str) -> bool:
        kind = self._types.get(column)
        return kind == "number" or (kind == "integer" and not is_long(self._read(None)[column]))

    def _read(self, columns: list[str] | None) -> pa.Table:
        """The table as the lake holds it, read once; empty cells of text are missing."""
        from lakeview.catalog.sources import read_table

        if "all" not in self._texts:
            found = read_table(self.table, columns)
            found = found.select([name for name in map(str, self.columns) if name in found.schema.names])
            if self.table.kind != "parquet":
                found = pa.table({name: _without_empty(found[name]) for name in found.schema.names})
            if columns is not None:
                return found
            self._texts["all"] = found
        return self._texts["all"]

    def _to_series(self, column: pa.ChunkedArray, name: str, key: Hashable) -> pd.Series:
        import numpy as np

        if name in self.numbers(key):
            return to_numbers(column).to_pandas()
        series = column.to_pandas()
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            series = series.astype(object)
            series[series.isna().to_numpy()] = np.nan  # as pandas reads a gap in text
        return series


def _first(batches: Any) -> list[pa.RecordBatch]:
    for batch in batches:
        batches.close()
        return [batch]
    return []


def _without_empty(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.if_else(pc.equal(column, ""), pa.scalar(None, column.type), column)
