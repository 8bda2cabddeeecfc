"""A join as PySpark code, in the DataFrame API.

The analyst's frames are Spark DataFrames in variables of their names, but where one is a pandas frame beside a Spark
frame: that one the code sends to Spark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeview.join.export import common, spark_keys, spark_read
from lakeview.join.export.draft import Names, in_spark
from lakeview.join.export.keys import KeyCode
from lakeview.join.export.pandas_read import read_lines
from lakeview.join.export.spark_read import identifier
from lakeview.join.naming import literal

if TYPE_CHECKING:
    from lakeview.join.plan import JoinPlan
    from lakeview.join.side import Side

WIDTH = 120
DIALECT = spark_keys.Dialect("PySpark")


def write(plan: JoinPlan) -> str:
    """The code; the result is in the last variable that it sets, `spark` is the session.

    Raises InputError where Spark lacks a step or a type that the keys need, or reads a file otherwise.
    """
    for side in (plan.left, plan.right):
        spark_read.distinguishable(side)
    left_key, right_key = common.keys(plan, DIALECT)
    names, lines = frames(plan, (False, bool(plan.columns.renamed)))
    lines += renaming(plan, names.right)
    right_names = {str(column): str(name) for column, name in plan.columns.right}
    right_on = right_names.get(str(plan.right_on), str(plan.right_on))
    sides = ((left_key, names.left, plan.left_on, "left_key"), (right_key, names.right, right_on, "right_key"))
    made = []
    for key, variable, column, name in sides:
        before, expression = key_of(key, column_of(variable, column), name)
        lines += before
        made.append(expression)
    condition = " == ".join(made)
    pieces = [names.left, f".join({names.right}, {condition}, {literal(plan.how)})"]
    if plan.columns.one_key and plan.how in ("left", "inner"):
        pieces.append(f".drop({column_of(names.right, right_on)})")
    elif plan.columns.one_key:
        columns = [_one_key(plan, names)]
        columns += [column_of(names.left, column) for column, _ in plan.columns.left if column != plan.left_on]
        columns += [column_of(names.right, name) for _, name in plan.columns.right]
        order = list(plan.columns.left).index((plan.left_on, plan.left_on))
        columns.insert(order, columns.pop(0))
        pieces.append(f".select({', '.join(columns)})")
    line = f"{names.result} = {''.join(pieces)}"
    if len(line) <= WIDTH:
        lines.append(line)
    else:
        lines += [f"{names.result} = (", *(f"    {piece}" for piece in pieces), ")"]
    return with_head(plan, lines)


def frames(plan: JoinPlan, changes: tuple[bool, bool], given: bool = False) -> tuple[Names, list[str]]:
    """The variables of both sides as Spark frames, and the lines that make them.

    changes: as in `draft.in_spark`. given: frames are bound to these variables already, but for tables of the lake."""
    names, bound = in_spark(plan, changes)
    lines = []
    for side, on, variable in ((plan.left, plan.left_on, names.left), (plan.right, plan.right_on, names.right)):
        if side.kind == "lake":
            lines += read_table(side, on, variable)
        elif side.in_catalog:
            lines.append(f"{variable} = spark.table({literal(side.name)})")
    return names, lines if given else [*lines, *bound]


def renaming(plan: JoinPlan, variable: str) -> list[str]:
    """The line that gives the right side's columns the names of the result, where these differ."""
    renamed = {str(column): str(name) for column, name in plan.columns.renamed.items()}
    return [f"{variable} = {variable}.withColumnsRenamed({literal(renamed)})"] if renamed else []


def with_head(plan: JoinPlan, lines: list[str]) -> str:
    """The code under its comment and the imports that it needs."""
    text = "\n".join(lines)
    head = [common.header(plan, "#")]
    if "nfkc(" in text:
        head += ["import unicodedata", "from pyspark.sql import functions as F", spark_keys.NFKC]
    elif "F." in text:
        head.append("from pyspark.sql import functions as F")
    return "\n".join([*head, *lines]) + "\n"


def read_table(side: Side, on: object, variable: str) -> list[str]:
    """The lines that read a table: Spark's reader, or pandas' where Spark would read something else."""
    try:
        source = spark_read.source(side, on, structs=True)
    except spark_read.CannotRead as reason:
        spark_read.distinguishable(side)
        return [
            f"# read by pandas: {reason}",
            "import pandas as pd",
            "import pyarrow as pa",
            *read_lines(side, on, variable),
            f"{variable} = spark.createDataFrame(pa.Table.from_pandas({variable}, preserve_index=False))",
        ]
    options = [literal(source.path)]
    if source.columns is not None:
        schema = ", ".join(f"{identifier(name)} {kind}" for name, kind in source.columns)
        if source.format == "parquet":
            return _flat([f"{variable} = spark.read.schema({literal(schema)}).parquet({options[0]})"], source, variable)
        options.append(f"schema={literal(schema)}")
    options += [f"{name}={literal(value)}" for name, value in source.options.items()]
    line = f"{variable} = spark.read.{source.format}({', '.join(options)})"
    if len(line) <= WIDTH:
        return _flat([line], source, variable)
    return [f"{variable} = spark.read.{source.format}(", *(f"    {option}," for option in options), ")"]


def _flat(lines: list[str], source: spark_read.Source, variable: str) -> list[str]:
    """The lines, and what takes structs apart."""
    if not source.leaves:
        return lines
    columns = [f"F.col({literal(path)}).alias({literal(name)})" for path, name in source.leaves]
    return [*lines, f"{variable} = {variable}.select(", *(f"    {column}," for column in columns), ")"]


def column_of(variable: str, column: object) -> str:
    return f"{variable}[{literal(identifier(str(column)))}]"


def key_of(key: KeyCode[spark_keys.Function], column: str, name: str) -> tuple[list[str], str]:
    """The key of a column, and the lines that make it step by step in a variable where it is long."""
    expression = column
    for variant in key.variants:
        expression = variant.pyspark.replace("{}", expression)
    if len(expression) <= 60 and not key.marks:
        return [], expression
    if len(expression) <= 80 or not key.variants:
        lines = [f"{name} = {expression}"]
    else:
        first, *others = key.variants
        lines = [f"{name} = {first.pyspark.replace('{}', column)}"]
        lines += [f"{name} = {variant.pyspark.replace('{}', name)}" for variant in others]
    if key.marks:
        lines.append(f"{name} = F.when(~{name}.isin({', '.join(map(literal, key.marks))}), {name})")
    return lines, name


def _one_key(plan: JoinPlan, names: Names) -> str:
    """The single key column of a right or outer join."""
    left, right = column_of(names.left, plan.left_on), column_of(names.right, plan.right_on)
    found = common.one_key(plan, DIALECT, left, right, lambda printer: printer.pyspark)
    return right if found == [right] else f"F.coalesce({', '.join(found)}).alias({literal(str(plan.left_on))})"
