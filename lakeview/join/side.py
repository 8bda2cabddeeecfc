"""One side of a join: a pandas frame, a Spark frame or a table of the lake, behind one face."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

import pyarrow as pa

from lakeview import values
from lakeview.catalog.model import Table
from lakeview.errors import InputError, NotFound
from lakeview.guards import checks, frames
from lakeview.join.lake_table import LakeTable
from lakeview.join.naming import literal, stem

if TYPE_CHECKING:
    import pandas as pd

Answer = TypeVar("Answer")


class Side:
    """One side of a join.

    name     what the analyst calls it: a variable, or a table of the lake
    kind     "pandas", "spark" or "lake"
    columns  the labels, in order
    held     what the analyst has: the frame, or the column that it was made of
    made     the code that makes the frame of a variable that holds the column
    """

    held: Any = None
    made: Callable[[str], str] | None = None

    def __init__(self, name: str, kind: Literal["pandas", "spark", "lake"], frame: Any = None,
                 lake_table: LakeTable | None = None) -> None:  # fmt: skip
        self.name = name
        self.kind = kind
        self.na_is_value: dict[Any, bool] = {}  # by key column, as Spark found it
        self._frame = frame
        self._lake_table = lake_table
        self.in_catalog = False
        self._pandas: dict[tuple[Hashable, ...], pd.DataFrame] = {}

    @classmethod
    def frame(cls, frame: Any, name: str) -> Self:
        """A pandas or Spark DataFrame under the name that the analyst knows it by.

        Raises InputError where columns cannot be told apart by one label each.
        """
        is_spark = frames.is_spark(frame)
        if isinstance(frame, type) or not (is_spark or hasattr(frame, "iloc")):
            to_pandas = ": give its to_pandas()" if hasattr(frame, "to_pandas") else ""
            raise InputError(f"{name} is a {type(frame).__name__}, not a pandas or Spark DataFrame{to_pandas}")
        if not is_spark and not hasattr(frame, "columns"):
            raise InputError(f"{name} is a Series: give the DataFrame that it is a column of")
        if not is_spark and frame.columns.nlevels > 1:
            raise InputError(f"{name} has columns of {frame.columns.nlevels} levels: flatten them first, "
                             f'as in {name}.columns = ["_".join(map(str, c)) for c in {name}.columns]')  # fmt: skip
        side = cls(name, "spark" if is_spark else "pandas", frame)
        side.held = frame
        if is_spark and side.ask(lambda: frame.isStreaming):
            raise InputError(f"{name} is a stream, which never ends: write it to a table and use that")
        seen: set[Hashable] = set()
        for column in side.columns:
            try:
                str(column).encode()
                again = column in seen or (column != column and any(other != other for other in seen))  # NaN
            except Exception:  # a label that cannot be compared or printed, or is no Unicode text
                raise InputError(f"{name} has a column {checks.said(column)} whose name cannot be used: rename it "
                                 f"first, as in {name}.columns = [...]") from None  # fmt: skip
            if again:
                raise InputError(f"{name} has more than one column {checks.said(column)}: rename one first")
            seen.add(column)
        return side

    @classmethod
    def column(cls, data: Any, label: Hashable, name: str) -> Side:
        """A Series, list or array as a side of one column."""
        series = _series(data)
        side = cls.frame(series.reset_index(drop=True).rename(label).to_frame(), name)
        side.held = data
        shown = "{}" if series is data else "pd.Series({})"
        side.made = lambda variable: f"{shown.format(variable)}.to_frame({literal(label)})"
        return side

    @classmethod
    def catalog(cls, frame: Any, name: str) -> Side:
        """A table of Spark's catalog, `name` as `spark.table` takes it: exported code reads it by that name."""
        side = cls.frame(frame, name)
        side.in_catalog = True
        return side

    @classmethod
    def lake(cls, table: Table, types: Mapping[str, str] | None = None, change: Callable[[], str] = str) -> Side:
        """A table of the lake. types: the profile types of its columns (see LakeTable). change: says what became of it
        since it was indexed (`store.contents.change`); it is asked before anything is read."""
        return cls(table.name, "lake", lake_table=LakeTable(table, types or {}, change))

    def __repr__(self) -> str:
        return f"Side({self.name!r}, {self.kind})"

    def again(self) -> Side:
        """The same side, read anew: what is in its frame or its files now, whatever was indexed."""
        if self._lake_table is not None:
            return Side.lake(self.table, self._lake_table.types)
        made = copy.copy(self)
        made._pandas = {}
        for name in ("columns", "_flat", "rows"):
            made.__dict__.pop(name, None)
        return made

    @property
    def is_frame(self) -> bool:
        """Whether it is a variable of the analyst's, not a table."""
        return self.kind != "lake" and not self.in_catalog

    @property
    def stem(self) -> str:
        """The name without folders and extension."""
        if self.in_catalog:
            return self.name.rsplit(".", 1)[-1].strip("`")
        return stem(self.name) if self.kind == "lake" else self.name

    @property
    def lake_table(self) -> LakeTable:
        """How a table of the lake is read, where this is one."""
        if self._lake_table is None:
            raise InputError(f"{self.name} is not a table of the lake")
        return self._lake_table

    @property
    def table(self) -> Table:
        """The table of the lake, where this is one."""
        return self.lake_table.table

    def require_unchanged(self) -> None:
        """Raise LakeChanged, naming the table, where one of the lake is not as it was indexed."""
        if self._lake_table is not None:
            self._lake_table.require_unchanged()

    @property
    def spark_frame(self) -> Any:
        """The Spark frame, where this is one."""
        if self.kind != "spark":
            raise InputError(f"{self.name} is not a Spark frame")
        return self._frame

    def ask(self, question: Callable[[], Answer]) -> Answer:
        """What Spark answers of its frame; what fails there is raised in one line."""
        from lakeview.pipeline import session

        again = f"make {self.name} anew in the session that runs, and then what was made from it"
        with session.in_one_line(self.spark_frame.sparkSession, again):
            return question()

    @property
    def numbered(self) -> Any:
        """The Spark frame with its columns named c0, c1 …: by place, as names may hold dots and backticks or differ in
        case alone, which Spark takes for one name."""
        return self.ask(lambda: self._frame.toDF(*(f"c{place}" for place in range(len(self.columns)))))

    @cached_property
    def columns(self) -> list[Hashable]:
        if self.kind == "spark":
            return self.ask(lambda: list(self._frame.columns))
        return list(self.lake_table.columns) if self.kind == "lake" else frames.labels(self._frame)

    @cached_property
    def _flat(self) -> pd.DataFrame:
        """The pandas frame with its index levels as columns."""
        return frames.flat(self._frame)

    @property
    def calls(self) -> str:
        """What code calls on the frame's variable before it is joined: "" where that is ready as it is."""
        if self.kind != "pandas":
            return ""
        levels, all_levels, types = frames.changes(self._frame)
        reset = f".reset_index({'' if all_levels else literal(levels)})" if levels else ""
        return f"{reset}.astype({literal(types)})" if types else reset

    def check(self, column: Hashable) -> Hashable:
        """The label of a column. Raises NotFound where there is no such one. What the index knows of is not looked for
        in the file."""
        if self._lake_table is not None and checks.label(column, self._lake_table.types):
            return str.__str__(column) if isinstance(column, str) else column
        if not checks.label(column, self.columns):
            some = ", ".join(map(checks.said, self.columns[:8])) + (" …" if len(self.columns) > 8 else "")
            raise NotFound(f"{self.name} has no column {checks.said(column)}; it has {some or 'none'}")
        return self.columns[self.columns.index(column)]

    def name_of(self, column: Any) -> str:
        """The name of a column of Spark, as in search(df, df.id). Raises InputError where the frame has none such."""
        name = str(self.ask(lambda: self.spark_frame.select(column).columns[0]))
        if name not in self.columns:
            raise InputError(f"{checks.said(name)} is an expression: name it in the frame first, as by df.withColumn")
        return name

    def key(self, column: Hashable) -> pa.Array | pa.ChunkedArray:
        """The values of a column as they lie there, one a row: text of a text file uncast, empty cells missing."""
        if self.kind == "lake":
            return self.lake_table.read([str(column)])[str(column)]
        if self.kind == "spark":
            raise InputError(f"{self.name} is a Spark frame: its values stay in Spark")
        return values.as_arrow(self.key_series(column))

    def keys(self, columns: Sequence[Hashable]) -> list[pa.Array | pa.ChunkedArray]:
        """As `key`, of several columns. Of a table of the lake these alone are read, at once."""
        if self.kind != "lake":
            return [self.key(column) for column in columns]
        names = list(map(str, columns))
        found = self.lake_table.read(names, whole=False)
        return [found[name] for name in names]

    def key_series(self, column: Hashable) -> pd.Series:
        """The values of the key column as pandas holds them."""
        if self.kind == "lake":
            return _to_series(self.key(column))
        if self.kind == "spark":
            raise InputError(f"{self.name} is a Spark frame: its values stay in Spark")
        return self._flat.iloc[:, self.columns.index(column)]

    @cached_property
    def rows(self) -> int:
        """How many there are; a Spark frame's are counted where it is."""
        if self.kind == "spark":
            return self.ask(lambda: int(self._frame.count()))
        if self.kind == "pandas":
            return len(self._frame)
        return len(self.key(self.columns[0])) if self.columns else 0

    def here(self, most: int | None) -> Side:
        """The side itself, or the rows of a Spark frame fetched: about `most` random ones where there are more."""
        if self.kind != "spark":
            return self
        frame = self._frame
        if most is not None and self.rows > most:
            frame = frame.sample(fraction=min(1.0, 1.1 * most / self.rows), seed=0).limit(most)
        return Side.frame(self.ask(frame.toPandas), self.name)

    def counted(self, column: Hashable) -> pa.Table:
        """The distinct values of a column of a Spark frame and the rows of each, fetched."""
        counts = self.numbered.groupBy(f"c{self.columns.index(column)}").count()
        return self.ask(counts.toArrow)

    def arrow(self, columns: list[Hashable], keys: tuple[Hashable, ...] = ()) -> list[pa.Array | pa.ChunkedArray]:
        """Some columns of a side that does not lie in Spark; of a table of the lake, `keys` stay text."""
        if self.kind == "pandas":
            return [self.key(column) for column in columns]
        return self.lake_table.typed([str(column) for column in columns], keys)

    def to_pandas(self, keys: tuple[Hashable, ...] = ()) -> pd.DataFrame:
        """The whole side, not to be written to; of a table of the lake, `keys` stay text."""
        if self.kind == "spark":
            return self.ask(self._frame.toPandas)
        self.require_unchanged()
        if self.kind == "pandas":
            return self._flat
        import pandas as pd

        if keys not in self._pandas:
            arrays = self.arrow(self.columns, keys)
            self._pandas = {keys: pd.DataFrame(dict(zip(self.columns, map(_to_series, arrays), strict=True)))}
        return self._pandas[keys]


def _series(data: Any) -> pd.Series:
    """Values without a frame as a Series. Raises InputError for what is no column of values."""
    import pandas as pd

    if isinstance(data, pd.Series):
        return data
    if isinstance(data, Iterator):
        data = checks.several("a column", data)
    column = values.as_arrow(data)
    try:
        return pd.Series(data).reset_index(drop=True)  # which raw bytes in a type of numpy's do not bear
    except Exception:  # pandas has no such type, or Python no such values: times of other millennia, of unknown zones
        return pd.Series(values.text(column).to_pylist(), dtype=object)


def _to_series(column: pa.Array | pa.ChunkedArray) -> pd.Series:
    import numpy as np

    series = column.to_pandas()
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        series = series.astype(object)
        series[series.isna().to_numpy()] = np.nan  # as pandas reads a gap in text
    return series
