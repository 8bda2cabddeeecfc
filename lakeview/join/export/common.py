"""A join as plain code in three dialects: what they share."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

import pyarrow as pa

from lakeview import values
from lakeview.errors import InputError
from lakeview.join.export.draft import finished
from lakeview.join.export.keys import Dialect, KeyCode, V, key_code
from lakeview.join.export.needed import KeyValues, key_values, share_a_column
from lakeview.join.naming import comment, free

if TYPE_CHECKING:
    from lakeview.join.plan import JoinPlan
    from lakeview.join.side import Side

DIALECTS = ("pandas", "pyspark", "sql")


def code(plan: JoinPlan, dialect: str) -> str:
    """The code of a join; see JoinPlan.code."""
    return finished(plan, dialect, _writer(dialect)(plan))


def statements(plan: JoinPlan, dialect: str) -> list[str]:
    """The single statements of a join; only SQL has such."""
    from lakeview.join.export import sql_code

    return sql_code.statements(plan)


def _writer(dialect: str) -> Callable[[JoinPlan], str]:
    if dialect == "pandas":
        from lakeview.join.export import pandas_code

        return pandas_code.write
    if dialect == "pyspark":
        from lakeview.join.export import pyspark_code

        return pyspark_code.write
    from lakeview.join.export import sql_code

    return sql_code.write


def values_of(plan: JoinPlan) -> tuple[KeyValues, KeyValues]:
    """The distinct values of both keys; those of a Spark frame are fetched."""
    left = key_values_of(plan.left, plan.left_on, plan.normalize)
    return left, key_values_of(plan.right, plan.right_on, plan.normalize)


def key_values_of(side: Side, column: Hashable, normalize: values.Normalize) -> KeyValues:
    """The distinct values of a key column; those of a Spark frame are fetched."""
    name = f"{side.stem}.{column}"
    if side.kind != "spark":
        return key_values(side.key_series(column), name, normalize)
    counted = side.counted(column)
    series, rows = counted.column(0).to_pandas(), counted.column(1).to_numpy()
    present = series.notna().to_numpy()
    return KeyValues(name, series[present].reset_index(drop=True), rows[present], int(rows[~present].sum()),
                     normalize)  # fmt: skip


def keys(plan: JoinPlan, dialect: Dialect[V]) -> tuple[KeyCode[V], KeyCode[V]]:
    """How the dialect makes both keys."""
    return key_code(*values_of(plan), dialect)


def printers(plan: JoinPlan, dialect: Dialect[V]) -> tuple[V | None, V | None]:
    """How both keys become text, where an outer join has one column for them and they are of two kinds."""
    left, right = values_of(plan)
    if not (plan.columns.one_key and plan.how == "outer") or share_a_column(left.family, right.family):
        return None, None
    return _printer(left, dialect), _printer(right, dialect)


def one_key(plan: JoinPlan, dialect: Dialect[V], left: str, right: str, text: Callable[[V], str]) -> list[str]:
    """The expressions of which the first that is there is the single key column of a right or outer join.

    left, right: those of the key columns; text: what a printer is written as, "{}" for the column.
    """
    if plan.how == "right":
        return [right]
    printed = zip((left, right), printers(plan, dialect), strict=True)
    return [column if printer is None else text(printer).replace("{}", column) for column, printer in printed]


def _printer(side: KeyValues, dialect: Dialect[V]) -> V | None:
    """How the dialect prints values as the canonical rule does."""
    if side.family == "text":
        return None
    wanted = values.text(side.column).to_pylist()
    for variant in dialect.variants("text", side):
        try:
            made = dialect.keys(variant.apply(dialect.raw(side)))
        except Exception:  # a value that this way cannot print
            continue
        if isinstance(made, pa.Array | pa.ChunkedArray) and made.to_pylist() == wanted:
            return variant
    raise InputError(f"{dialect.name} cannot print the {side.family} values of {side.name} as text, as one key column "
                     "needs it: rename a key column, and both are kept")  # fmt: skip


def header(plan: JoinPlan, mark: str) -> str:
    """The first line: what is joined, and to how many rows."""
    return comment(f"lakeview: {plan.summary}", mark)


def helper(plan: JoinPlan, *choices: str) -> str:
    """A name for a column that lives during the join alone: the first choice that no column has, in any case."""
    taken = {str(name).lower() for name in (*plan.left.columns, *plan.right.columns, *plan.columns.names)}
    return next((name for name in choices if name.lower() not in taken), free(choices[-1], taken, fold=True))
