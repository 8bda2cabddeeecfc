"""What the analyst passes to a search, made a query and, where it is known, the side that its joins start from."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from lakeview import values
from lakeview.errors import InputError
from lakeview.guards import checks
from lakeview.join.side import Side
from lakeview.join.variable import variable_name
from lakeview.pipeline import progress, reading
from lakeview.search.query import Query
from lakeview.search.tuples import Tuples, fetched, spelled, tuples
from lakeview.search.view import View

Asked = tuple[Query, Side | None]


@dataclass(frozen=True)
class Several:
    """Columns that are asked for together: the query of their tuples, those of each column, and the side they are of.

    table: that of the lake that they belong to, if they were given by name.
    """

    query: Query
    single: list[Query]
    tuples: Tuples
    side: Side
    columns: list[Hashable]
    table: str | None = None


@dataclass(frozen=True)
class Sought:
    """What a search is for, told apart.

    data       a frame as the side that it is; else what was passed: values, "table.column" or a table's name
    column     the one column that is asked for; None for all of a frame, or where the data are one
    together   the columns that are asked for together
    """

    data: Any
    column: Any = None
    together: list[Hashable] | None = None

    @property
    def whole(self) -> bool:
        """Whether all columns of a frame are asked for, each by itself."""
        return isinstance(self.data, Side) and self.column is None and self.together is None


def sought(data: Any, column: Any) -> Sought:
    """What is asked for, with names in place of columns of Spark, as in search(df, df.id); a tuple that labels a column
    is one column.

    Raises InputError for what is no frame of columns that can be told apart, and for a column of Spark that is none of
    the frame's.
    """
    side = side_of(data) if is_frame(data) else None
    given = data if side is None else side
    columns = list(column) if isinstance(column, list | tuple) else [column]
    columns = [side.name_of(one) if side is not None and _is_column(one) else one for one in columns]
    if isinstance(column, tuple) and side is not None and checks.label(column, side.columns):
        return Sought(given, column)
    return Sought(given, columns[0]) if len(columns) == 1 else Sought(given, together=columns)


def _is_column(data: Any) -> bool:
    return type(data).__module__.startswith("pyspark.sql.") and type(data).__name__ == "Column"


def ask(view: View, what: Sought) -> Asked:
    """The query of one column: of a frame, of data alone, or "table.column" of the view.

    Raises InputError for what is none of these, NotFound where there is no such column.
    """
    data, column = what.data, what.column
    if isinstance(data, Side):
        return _of_frame(view, data, data.check(column)), data
    if isinstance(data, Query) and data.number is not None:
        return data, view.side(data.name.removesuffix(f".{data.column}"))
    if isinstance(data, str):
        if column is not None:
            raise InputError('name a column of the lake as one text, "table.column"')
        table, name = view.resolve(data)
        return view.query_of(table, name), view.side(table)
    if _is_column(data):
        raise InputError("a column of a Spark frame has no values by itself: search(df, 'column')")
    if column is not None:
        raise InputError(f"a {type(data).__name__} has no column {checks.said(column)}; pass it alone")
    name = _name_of(data) or variable_name(data) or "values"
    return Query.of(values.as_arrow(data), name, name, view.normalize), None


def is_frame(data: Any) -> bool:
    """Whether it has columns, as a frame does; a column of Spark has whatever it is asked for."""
    return hasattr(data, "columns") and not isinstance(data, type) and not _is_column(data)


def ask_all(view: View, side: Side) -> list[tuple[Hashable, Query]]:
    """Each column of a frame as a query; one of Spark is scanned once, where it is."""
    if side.kind == "pandas":
        return [(column, _of_frame(view, side, column)) for column in side.columns]
    with progress.reporting() as reporter:
        scanned = reading.scan_spark_frame(side.name, side.spark_frame, view.store, reporter)
    reporter.close(f"read {side.name}")
    found = scanned.columns(side.name)
    queries = (Query(f"{side.name}.{c.name}", c.name, c.rows, c.nulls, c.tokens, c.counts, c.shape) for c in found)
    return [(query.column, query) for query in queries]


def ask_several(view: View, data: Any, columns: Sequence[Hashable]) -> Several:
    """The query of several columns together: of a frame, as a side, or of a table of the lake, by its name.

    Raises InputError where one is named twice or `data` has no columns, NotFound where there is no such column.
    """
    listed = ", ".join(map(checks.said, columns))
    table = None
    if columns and isinstance(data, str):
        data = checks.text("a table of the lake", data)
        columns = [checks.text("a column of a table", column) for column in columns]
        table = view.resolve(f"{data}.{columns[0]}")[0]
        side = view.side(table)
    elif isinstance(data, Side):
        side = data
    else:
        raise InputError(f"a {type(data).__name__} has no columns [{listed}]; pass the DataFrame that they are of")
    columns = [side.check(column) for column in columns]
    if not columns or len(set(columns)) < len(columns):
        raise InputError(f"search for one column or for several, each once, not [{listed}]")
    here = fetched(side, columns)
    found = tuples(here, view.normalize)
    single = [Query.of(values_, f"{side.name}.{column}", str(column), view.normalize)
              for values_, column in zip(here, columns, strict=True)]  # fmt: skip
    return Several(spelled(side.name, columns, found, here), single, found, side, list(columns), table)


def _name_of(data: Any) -> str | None:
    """The name that a Series has, where it is one to call it by."""
    name = getattr(data, "name", None)
    return str(name) if isinstance(name, str | int | float) and name == name and str(name) else None


def side_of(frame: Any) -> Side:
    """A frame as one side of a join, under the name of its variable."""
    return Side.frame(frame, variable_name(frame) or "df")


def _of_frame(view: View, side: Side, column: Hashable) -> Query:
    name = f"{side.name}.{column}"
    if side.kind == "pandas":
        return Query.of(side.key(column), name, str(column), view.normalize)
    with progress.reporting() as reporter:
        picked = side.numbered.select(f"c{side.columns.index(column)}")
        scanned = reading.scan_spark_frame(side.name, picked, view.store, reporter)
    reporter.close(f"read {name}")
    found = scanned.columns(side.name)[0]
    return Query(name, str(column), found.rows, found.nulls, found.tokens, found.counts, found.shape)
