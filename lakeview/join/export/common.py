"""A join as plain code in three dialects: what they share."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import pyarrow as pa

from lakeview import values
from lakeview.errors import InputError
from lakeview.join.export.keys import Dialect, KeyCode, V, key_code
from lakeview.join.export.needed import KeyValues, key_values, share_a_column
from lakeview.join.model import Join
from lakeview.join.naming import free
from lakeview.join.side import Side


def values_of(join: Join) -> list[tuple[KeyValues, KeyValues]]:
    """The distinct values of each pair of key columns; those of a Spark frame are fetched."""
    sides = ((join.left, join.left_on), (join.right, join.right_on))
    left, right = ([_values(side, column, join.normalize) for column in on] for side, on in sides)
    return list(zip(left, right, strict=True))


def _values(side: Side, column: Hashable, normalize: values.Normalize) -> KeyValues:
    name = f"{side.stem}.{column}"
    if side.kind != "spark":
        return key_values(side.key_series(column), name, normalize)
    counted = side.counted(column)
    series, rows = counted.column(0).to_pandas(), counted.column(1).to_numpy()
    present = series.notna().to_numpy()
    return KeyValues(name, series[present].reset_index(drop=True), rows[present], int(rows[~present].sum()),
                     normalize)  # fmt: skip


BothKeys = tuple[KeyCode[Any], KeyCode[Any]]


def keys(join: Join, dialect: Dialect[V]) -> list[tuple[KeyCode[V], KeyCode[V]]]:
    """How the dialect makes the keys of each pair of columns."""
    return [key_code(left, right, dialect) for left, right in values_of(join)]


def printers(join: Join, dialect: Dialect[V]) -> list[tuple[V | None, V | None]]:
    """How each pair of key columns becomes text, where an outer join has one column for both and they are of two
    kinds."""
    if not join.shared or join.how != "outer":
        return [(None, None)] * len(join.left_on)
    return [
        (None, None)
        if column not in join.shared or share_a_column(left.family, right.family)
        else (_printer(left, dialect), _printer(right, dialect))
        for column, (left, right) in zip(join.left_on, values_of(join), strict=True)
    ]


def coalesced(
    join: Join, dialect: Dialect[V], left: Callable[[Hashable], str], right: Callable[[Hashable], str],
    text: Callable[[V], str],
) -> dict[Hashable, list[str]]:  # fmt: skip
    """For each key column that a right or outer join has once, the expressions of which the first that is there is it.

    left, right: how a column of that side is written; text: what a printer is written as, "{}" for the column.
    """
    if join.how == "right":
        return {column: [right(column)] for column in join.shared}
    found = {}
    for column, both in zip(join.left_on, printers(join, dialect), strict=True):
        if column in join.shared and join.how == "outer":
            pairs = zip((left(column), right(column)), both, strict=True)
            found[column] = [name if how is None else text(how).replace("{}", name) for name, how in pairs]
    return found


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


def helper(join: Join, *choices: str) -> str:
    """A name for a column that lives during the join alone: the first choice that no column has, in any case."""
    taken = {str(name).lower() for name in (*join.left.columns, *join.right.columns, *join.columns.names)}
    return next((name for name in choices if name.lower() not in taken), free(choices[-1], taken, fold=True))
