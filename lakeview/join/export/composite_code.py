"""A join on several columns as plain code: each pair's keys are made as where it is joined alone."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from lakeview.join.export import common as shared
from lakeview.join.export import pandas_keys, pyspark_code, spark_read, sql_code
from lakeview.join.export.draft import Names, finished, in_pandas, views
from lakeview.join.export.keys import KeyCode, key_code
from lakeview.join.export.pandas_read import read_lines
from lakeview.join.naming import literal

if TYPE_CHECKING:
    from lakeview.join.composite import CompositePlan
    from lakeview.join.plan import Dialect


def code(plan: CompositePlan, dialect: Dialect) -> str:
    """The code of a join; see JoinPlan.code."""
    if dialect == "pandas":
        return finished(plan, dialect, _pandas(plan))
    if dialect == "pyspark":
        return finished(plan, dialect, _pyspark(plan))
    return shared.header(plan, "--") + "\n" + "".join(f"{statement};\n" for statement in statements(plan, "sql"))


def _keys(plan: CompositePlan, dialect: Any) -> list[tuple[KeyCode, KeyCode]]:
    return [key_code(shared.key_values_of(plan.left, left, plan.normalize),
                     shared.key_values_of(plan.right, right, plan.normalize), dialect)
            for left, right in plan.pairs_of_columns]  # fmt: skip


# ---- pandas ----------------------------------------------------------------------------------------------------------


def _pandas(plan: CompositePlan) -> str:
    from lakeview.join.export.pandas_code import exportable, key_pieces

    exportable(plan)
    names, bound = in_pandas(plan)
    made = _keys(plan, pandas_keys)
    lines = ["import pandas as pd"]
    for side, on, variable in ((plan.left, plan.left_on, names.left), (plan.right, plan.right_on, names.right)):
        if side.kind == "lake":
            lines += read_lines(side, on, variable)
    lines += bound
    renamed = plan.columns.renamed
    plain = all(left.plain and right.plain for left, right in made) and plan.how in ("left", "inner")
    columns = plan.shared if plain and len(plan.shared) == len(made) else []
    keys: list[Hashable] = list(columns) or [shared.helper(plan, f"key_{n}", f"join_key_{n}")
                                             for n in range(1, len(made) + 1)]  # fmt: skip
    parts = []
    for which, variable, on in ((0, names.left, plan.left_on), (1, names.right, plan.right_on)):
        made_here = [f"{key}={''.join(key_pieces(variable, column, pair[which]))}"
                     for key, column, pair in zip(keys, on, made, strict=True)]  # fmt: skip
        part = variable if columns else f"{variable}.assign({', '.join(made_here)})"
        parts.append(part)
    left, right = parts
    if renamed:
        right += f".rename(columns={literal(renamed)})"
    drop = f".dropna(subset={literal(keys)})"
    if plan.how == "right":
        left += drop
    elif any(pair[1].nulls for pair in made):
        right += drop
    if plan.shared and not columns:
        gone = f".drop(columns={literal(plan.shared)})"
        if plan.how == "right":
            left += gone
        elif plan.how != "outer":
            right += gone
    same = f"on={literal(keys)}"
    if plan.how != "outer":
        end = "" if columns else f".drop(columns={literal(keys)})"
        if plan.how == "right" and plan.shared:
            end = f"[{literal(list(plan.columns.names))}]"
        merged = f"    .merge({right}, how={literal(plan.how)}, {same}){end}"
        lines += [f"{names.result} = (", f"    {left}", merged, ")"]
    else:
        lines += _outer(plan, names, left, right, drop, keys)
    head = ["import numpy as np"] if any("np." in line for line in lines) else []
    return "\n".join([shared.header(plan, "#"), *head, *lines]) + "\n"


def _outer(plan: CompositePlan, names: Names, left: str, right: str, drop: str, keys: list[Hashable]) -> list[str]:
    """Left rows with what they meet, then the right rows that are left over: merge() would sort by the keys."""
    left_keyed, right_keyed = "keyed_left", "keyed_right"
    right = right.removesuffix(drop)
    merged = f"{right_keyed}{drop}" + (f".drop(columns={literal(plan.shared)})" if plan.shared else "")
    listed = literal(keys)
    return [
        f"{left_keyed} = {left}",
        f"{right_keyed} = {right}",
        f"met = pd.MultiIndex.from_frame({right_keyed}[{listed}].astype(object)).isin("
        f"pd.MultiIndex.from_frame({left_keyed}[{listed}].astype(object)))",
        f"{names.result} = pd.concat([",
        f'    {left_keyed}.merge({merged}, how="left", on={listed}),',
        f"    {right_keyed}[~met | {right_keyed}[{listed}].isna().any(axis=1)],",
        f"], ignore_index=True)[{literal(list(plan.columns.names))}]",
    ]


# ---- Spark -----------------------------------------------------------------------------------------------------------


def _pyspark(plan: CompositePlan) -> str:
    for side in (plan.left, plan.right):
        spark_read.distinguishable(side)
    made = _keys(plan, pyspark_code.DIALECT)
    names, lines = pyspark_code.frames(plan, (False, bool(plan.columns.renamed)))
    lines += pyspark_code.renaming(plan, names.right)
    conditions: list[str] = []
    for (left_key, right_key), (left_on, right_on) in zip(made, plan.pairs_of_columns, strict=True):
        found = str(plan.columns.renamed.get(right_on, right_on)) if right_on not in plan.shared else str(right_on)
        equal = []
        for key, variable, column, side_name in (
            (left_key, names.left, str(left_on), "left"), (right_key, names.right, found, "right")
        ):  # fmt: skip
            name = f"{side_name}_key_{len(conditions) + 1}"
            before, expression = pyspark_code.key_of(key, pyspark_code.column_of(variable, column), name)
            lines += before
            equal.append(expression)
        conditions.append(f"({' == '.join(equal)})")
    columns = []
    for label in plan.left.columns:
        column = pyspark_code.column_of(names.left, label)
        if label in plan.shared and plan.how in ("right", "outer"):
            other = pyspark_code.column_of(names.right, label)
            column = other if plan.how == "right" else f"F.coalesce({column}, {other}).alias({literal(str(label))})"
        columns.append(column)
    columns += [pyspark_code.column_of(names.right, shown) for _, shown in plan.columns.right]
    lines.append(f"{names.result} = (")
    lines.append(f"    {names.left}.join({names.right}, {' & '.join(conditions)}, {literal(plan.how)})")
    if plan.shared and plan.how in ("left", "inner"):
        lines.append(f"    .drop({', '.join(pyspark_code.column_of(names.right, name) for name in plan.shared)})")
    elif plan.shared:
        lines.append(f"    .select({', '.join(columns)})")
    lines.append(")")
    return pyspark_code.with_head(plan, lines)


def statements(plan: CompositePlan, dialect: Dialect) -> list[str]:
    """The SQL statements, without semicolons: CREATE VIEW for each table of the lake, and the SELECT."""
    sql_code.nameable(plan)
    names = views(plan)
    made = _keys(plan, sql_code.DIALECT)
    created = sql_code.create_views(plan, names)
    columns = []
    for name in plan.left.columns:
        column = sql_code.column_of(names.left, name)
        if name in plan.shared and plan.how in ("right", "outer"):
            other = sql_code.column_of(names.right, name)
            alias = spark_read.identifier(str(name))
            column = other if plan.how == "right" else f"coalesce({column}, {other}) AS {alias}"
        columns.append(column)
    for name, shown in plan.columns.right:
        column = sql_code.column_of(names.right, name)
        columns.append(column if name == shown else f"{column} AS {spark_read.identifier(str(shown))}")
    conditions = [
        f"{sql_code.key_of(left_key, names.left, left_on)} = {sql_code.key_of(right_key, names.right, right_on)}"
        for (left_key, right_key), (left_on, right_on) in zip(made, plan.pairs_of_columns, strict=True)
    ]
    join = f"FROM {sql_code.left_table(plan, names)}\n{sql_code.JOINS[plan.how]} "
    join += f"{sql_code.right_table(plan, names)}\n  ON " + "\n  AND ".join(conditions)
    return [*created, "SELECT\n  " + ",\n  ".join(columns) + f"\n{join}"]
