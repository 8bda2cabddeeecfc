"""The editors that `%lakeview auto_join` and `%lakeview fuzzy_join` show, of a column and one of the lake."""

from __future__ import annotations

from typing import Any

from lakeview.errors import InputError
from lakeview.notebook import namespace, state

PRECISION = 0.9  # that the advised threshold aims for until somebody chooses another


def auto_join(target: str, other: str, names: dict[str, Any]) -> Any:
    """Plans by learned programs, those of the column first."""
    from lakeview.join.transform import auto_join as learned

    lake = state.the_lake(names)
    left, label = _left(target, names, lake)
    table, _ = _of_lake(other, lake)
    plans = learned(left, lake.side(table))
    plans.sort(key=lambda plan: str(label) not in _reads(plan))
    return plans


def fuzzy_join(target: str, other: str, names: dict[str, Any]) -> Any:
    """The plan at the threshold that is advised."""
    from lakeview.join.fuzzy import fuzzy_join as alike

    lake = state.the_lake(names)
    left, label = _left(target, names, lake)
    table, column = _of_lake(other, lake)
    return alike(left, lake.side(table), label, column, precision=PRECISION)


def _left(text: str, names: dict[str, Any], lake: Any) -> tuple[Any, Any]:
    """The table of a column that is meant, and the column's label there."""
    if not text:
        raise InputError('join which column? df.col, df["a col"] or table.column, --with table.column')
    found = table_of(namespace.find_query(text, names), lake)
    if found is None:
        raise InputError("name one column of a DataFrame: df.col")
    return found


def table_of(query: namespace.Query, lake: Any) -> tuple[Any, Any] | None:
    """The frame, or the side of the lake's table, that one column is of, and its label; None where it is of none."""
    if isinstance(query.data, str):
        table, column = _named(query, lake)
        return lake.side(table), column
    return None if query.column is None or isinstance(query.column, list) else (query.data, query.column)


def _of_lake(text: str, lake: Any) -> tuple[str, str]:
    """The table and column that `table.column` or `"table"["column"]` means."""
    return _named(namespace.find_query(text, {}), lake)


def _named(query: namespace.Query, lake: Any) -> tuple[str, str]:
    return (query.data, query.column) if query.exact else lake.resolve(query.data)


def _reads(plan: Any) -> list[str]:
    """The names of the left columns that a plan joins by."""
    if plan.reverse:
        return [str(plan.left.columns[place]) for place in plan.key_program.reads]
    return [str(label) for label in plan.derived_columns]
