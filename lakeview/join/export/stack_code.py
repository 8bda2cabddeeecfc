"""Stacked tables as plain code: each is read, brought into the frame's columns, and put under it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lakeview.errors import InputError
from lakeview.join.export import pyspark_code, spark_read, sql_code
from lakeview.join.export.draft import called, frame_of
from lakeview.join.export.fitted import bare, fitted, imports_first, marked
from lakeview.join.export.pandas_read import read_lines
from lakeview.join.export.spark_read import identifier as quoted
from lakeview.join.naming import comment, free, literal
from lakeview.join.stacked import Stack, as_text
from lakeview.join.variable import variables

_INDENT = "    "


def write(plan: Stack, dialect: str) -> str:
    """The code, in "pandas", "pyspark" or "sql"; the result is in the last variable that it sets, or in the last
    statement. Raises InputError where the dialect cannot name a column, or reads a file otherwise than the lake."""
    head = f"lakeview: {plan.what} under {plan.left.name}, {plan.rows:,} rows more"
    if dialect == "sql":
        return "".join([f"{comment(head, '--')}\n", *(f"{statement};\n" for statement in statements(plan))])
    lines = _pandas(plan) if dialect == "pandas" else _pyspark(plan)
    draft = "\n".join([comment(head), imports_first("\n".join(lines))])
    given = [marked(called(plan.left, "left"))] if plan.left.is_frame else []
    return fitted(draft, given, variables())


def _variables(plan: Stack) -> tuple[str, list[str], str]:
    """The variables of a draft: the frame, each table, the result."""
    left = called(plan.left, "left")
    names: list[str] = []
    for piece in plan.pieces:
        names.append(free(called(piece.side), {left, *names}))
    return marked(left), list(map(marked, names)), marked(free(f"{left}_more", {left, *names}))


def _pandas(plan: Stack) -> list[str]:
    if plan.left.kind == "spark":
        raise InputError(f'{plan.left.name} is a Spark frame: ask for the "pyspark" or the "sql" code')
    left, names, result = _variables(plan)
    lines = ["import pandas as pd"]
    if plan.left.kind == "lake":
        lines += read_lines(plan.left, (), left)
    parts = [frame_of(plan.left, left) if plan.left.is_frame else left]
    for piece, name in zip(plan.pieces, names, strict=True):
        if piece.side.kind == "lake":
            lines += read_lines(piece.side, as_text(piece, plan.left), name)
        theirs = {theirs: label for label, theirs in piece.columns.items()}
        renamed = {theirs: label for theirs, label in theirs.items() if theirs != label}
        call = f".rename(columns={literal(renamed)})" if renamed else ""
        parts.append(f"{name}[{literal(list(theirs))}]{call}.reindex(columns={_her_columns(plan, left)})")
    return [*lines, f"{result} = pd.concat([", *(f"{_INDENT}{part}," for part in parts), "], ignore_index=True)"]


def _her_columns(plan: Stack, left: str) -> str:
    """Her columns, in order, as code has them."""
    levels = plan.left.calls
    return f"{left}.columns" if not levels else literal(list(plan.left.columns))


def _pyspark(plan: Stack) -> list[str]:
    left, names, result = _variables(plan)
    for side in (plan.left, *(piece.side for piece in plan.pieces)):
        spark_read.distinguishable(side)
    lines: list[str] = []
    if plan.left.kind == "lake":
        lines += pyspark_code.read_table(plan.left, (), left)
    calls = []
    for piece, name in zip(plan.pieces, names, strict=True):
        if piece.side.kind == "lake":
            lines += pyspark_code.read_table(piece.side, as_text(piece, plan.left), name)
        elif piece.side.in_catalog:
            lines.append(f"{name} = spark.table({literal(piece.side.name)})")
        columns = ", ".join(
            f"{pyspark_code.column_of(name, theirs)}.alias({literal(str(label))})" if theirs != label
            else pyspark_code.column_of(name, theirs)
            for label, theirs in piece.columns.items()
        )  # fmt: skip
        calls.append(f".unionByName({name}.select({columns}), allowMissingColumns=True)")
    return [*lines, f"{result} = (", f"{_INDENT}{left}", *(f"{_INDENT}{call}" for call in calls), ")"]


def statements(plan: Stack) -> list[str]:
    """The SQL statements, without semicolons: a view of each table of the lake, then the SELECT of all."""
    left, names, _ = _variables(plan)
    views = {name: bare(name) for name in (left, *names)}
    for label in map(str, (*plan.left.columns, *(name for piece in plan.pieces for name in piece.columns.values()))):
        if "${" in label or not label.isprintable():
            raise InputError(f"Spark SQL has no way to write the name {label!r}: rename it, or use PySpark")
    found = sql_code.view_of(plan.left, (), views[left], list(views.values())) if plan.left.kind == "lake" else []
    selects = [_select([quoted(str(label)) for label in plan.left.columns], views[left])]
    for piece, name in zip(plan.pieces, names, strict=True):
        if piece.side.kind == "lake":
            found += sql_code.view_of(piece.side, as_text(piece, plan.left), views[name], list(views.values()))
        source = piece.side.name if piece.side.in_catalog else quoted(views[name])
        selects.append(_select(_named(plan, piece.columns), source, named=True))
    return [*found, "\nUNION ALL\n".join(selects)]


def _named(plan: Stack, columns: Mapping[object, str]) -> Sequence[str]:
    return [
        (f"{quoted(columns[label])} AS {quoted(str(label))}" if columns[label] != label else quoted(columns[label]))
        if label in columns
        else f"NULL AS {quoted(str(label))}"
        for label in plan.left.columns
    ]


def _select(columns: Sequence[str], source: str, named: bool = False) -> str:
    return f"SELECT {', '.join(columns)}\nFROM {source if named else quoted(source)}"
