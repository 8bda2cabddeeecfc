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
from lakeview.pipeline import build, progress
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


def labels(data: Any, column: Any) -> Any:
    """What is asked for, with names in place of columns of Spark, as in search(df, df.id).

    Raises InputError for one that is no column of the frame.
    """
    if isinstance(column, list | tuple) and any(map(_is_column, column)):
        return [_label(data, one) if _is_column(one) else one for one in column]
    return _label(data, column) if _is_column(column) else column


def _label(data: Any, column: Any) -> str:
    side = side_of(data)
    name = str(side.ask(lambda: data.select(column).columns[0])) if side.kind == "spark" else str(column)
    if name not in side.columns:
        raise InputError(f"{checks.said(name)} is an expression: name it in the frame first, as by df.withColumn")
    return name


def _is_column(data: Any) -> bool:
    return type(data).__module__.startswith("pyspark.sql.") and type(data).__name__ == "Column"


def ask(view: View, data: Any, column: Any = None) -> Asked:
    """The query of one column: of a frame, of data alone, or "table.column" of the view.

    Raises InputError for what is none of these, NotFound where there is no such column.
    """
    if isinstance(data, Query) and data.number is not None:
        return data, view.side(data.name.removesuffix(f".{data.column}"))
    if isinstance(data, str):
        if column is not None:
            raise InputError('name a column of the lake as one text, "table.column"')
        table, name = view.resolve(data)
        return view.query_of(table, name), view.side(table)
    if _is_column(data):
        raise InputError("a column of a Spark frame has no values by itself: search(df, 'column')")
    if is_frame(data):
        side = side_of(data)
        return _of_frame(view, side, side.check(column)), side
    if column is not None:
        raise InputError(f"a {type(data).__name__} has no column {checks.said(column)}; pass it alone")
    name = _name_of(data) or variable_name(data) or "values"
    return Query.of(values.as_arrow(data), name, name, view.normalize), None


def is_frame(data: Any) -> bool:
    """Whether it has columns, as a frame does; a column of Spark has whatever it is asked for."""
    return hasattr(data, "columns") and not isinstance(data, type) and not _is_column(data)


def ask_all(view: View, data: Any) -> tuple[Side, list[tuple[Hashable, Query]]]:
    """A frame, and each of its columns as a query; one of Spark is scanned once, where it is."""
    side = side_of(data)
    if side.kind == "pandas":
        return side, [(column, _of_frame(view, side, column)) for column in side.columns]
    with progress.reporting() as reporter:
        scanned = build.scan_frame(side.name, side.spark_frame, view.store, reporter)
    reporter.close(f"read {side.name}")
    found = scanned.columns(side.name)
    queries = (Query(f"{side.name}.{c.name}", c.name, c.rows, c.nulls, c.tokens, c.counts, c.shape) for c in found)
    return side, [(query.column, query) for query in queries]


def ask_several(view: View, data: Any, columns: Sequence[Hashable]) -> Several:
    """The query of several columns together: of a frame, or of a table of the lake, by its name.

    Raises InputError where one is named twice or `data` has no columns, NotFound where there is no such column.
    """
    listed = ", ".join(map(checks.said, columns))
    table = None
    if columns and isinstance(data, str):
        data = checks.text("a table of the lake", data)
        columns = [checks.text("a column of a table", column) for column in columns]
        table = view.resolve(f"{data}.{columns[0]}")[0]
        side = view.side(table)
    elif is_frame(data):
        side = side_of(data)
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
        scanned = build.scan_frame(side.name, picked, view.store, reporter)
    reporter.close(f"read {name}")
    found = scanned.columns(side.name)[0]
    return Query(name, str(column), found.rows, found.nulls, found.tokens, found.counts, found.shape)
