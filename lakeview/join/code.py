"""A join as plain code in three dialects: what they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from lakeview import values
from lakeview.errors import InputError
from lakeview.join.keys import Dialect, KeyCode, KeyValues, V, key_code, key_values
from lakeview.join.naming import free, identifier

if TYPE_CHECKING:
    from lakeview.join.plan import JoinPlan

DIALECTS = ("pandas", "pyspark", "sql")


def code(plan: JoinPlan, dialect: str) -> str:
    """The code of a join; see JoinPlan.code."""
    return _writer(dialect)(plan)


def statements(plan: JoinPlan, dialect: str) -> list[str]:
    """The single statements of a join; only SQL has such."""
    if dialect != "sql":
        raise InputError(f'only "sql" has statements, not {dialect!r}')
    from lakeview.join import sql_code

    return sql_code.statements(plan)


def _writer(dialect: str) -> Callable[[JoinPlan], str]:
    if dialect == "pandas":
        from lakeview.join import pandas_code

        return pandas_code.write
    if dialect == "pyspark":
        from lakeview.join import pyspark_code

        return pyspark_code.write
    if dialect == "sql":
        from lakeview.join import sql_code

        return sql_code.write
    raise InputError(f'there is code in "pandas", "pyspark" and "sql", not {dialect!r}')


@dataclass(frozen=True)
class Names:
    """The variables of exported code: the two sides and the result."""

    left: str
    right: str
    result: str


def names(plan: JoinPlan) -> Names:
    """Variables for the sides and the result, of which no two are equal."""
    left = identifier(plan.left.stem, "left")
    right = free(identifier(plan.right.stem), {left})
    return Names(left, right, free(f"{left}_{right}", {left, right}))


def values_of(plan: JoinPlan) -> tuple[KeyValues, KeyValues]:
    """The distinct values of both keys."""
    sides = ((plan.left, plan.left_on), (plan.right, plan.right_on))
    left, right = (
        key_values(side.key_series(column), f"{side.stem}.{column}", plan.normalize) for side, column in sides
    )
    return left, right


def keys(plan: JoinPlan, dialect: Dialect[V]) -> tuple[KeyCode[V], KeyCode[V]]:
    """How the dialect makes both keys."""
    return key_code(*values_of(plan), dialect)


def printed(plan: JoinPlan, dialect: Dialect[V]) -> V:
    """How the dialect prints the left key's values as the canonical rule does."""
    left, _ = values_of(plan)
    wanted = values.text(left.column)
    for variant in dialect.variants("text", left):
        try:
            made = dialect.keys(variant.apply(dialect.raw(left)))
        except Exception:  # a value that this way cannot print
            continue
        if isinstance(made, pa.Array | pa.ChunkedArray) and made.to_pylist() == wanted.to_pylist():
            return variant
    raise InputError(f"{dialect.name} cannot print the {left.family} values of {left.name} as text, as one key column "
                     "needs it: rename a key column, and both are kept")  # fmt: skip


def header(plan: JoinPlan, comment: str) -> str:
    """The first line: what is joined, and to how many rows."""
    return f"{comment} lakeview: {plan.summary}"


def helper(plan: JoinPlan, *choices: str) -> str:
    """A name for a column that lives during the join alone: the first choice that no column has."""
    taken = {*plan.left.columns, *plan.right.columns, *plan.columns.names}
    return next((name for name in choices if name not in taken), free(choices[-1], taken))
