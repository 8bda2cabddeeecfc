"""A join as PySpark code, in the DataFrame API.

The analyst's frames are Spark DataFrames in variables of their names, but where one is a pandas frame beside a Spark
frame: that one the code sends to Spark.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial

from lakeview.join.as_one import is_stacked, label_of
from lakeview.join.export import common, grain_code, spark_keys, spark_read
from lakeview.join.export.draft import Names, in_spark
from lakeview.join.export.keys import KeyCode
from lakeview.join.export.pandas_read import read_lines
from lakeview.join.export.spark_read import identifier
from lakeview.join.model import Join
from lakeview.join.naming import literal
from lakeview.join.side import Side

WIDTH = 120
DIALECT = spark_keys.Dialect("PySpark")


def write(join: Join) -> str:
    """The code; the result is in the last variable that it sets, `spark` is the session.

    Raises InputError where Spark lacks a step or a type that the keys need, or reads a file otherwise.
    """
    for side in (join.left, join.right):
        spark_read.distinguishable(side)
    made = common.keys(join, DIALECT)
    names, lines = frames(join, (False, bool(join.columns.renamed or join.grain)))
    if join.grain is not None:
        return _grained(join, made, names, lines)
    lines += renaming(join, names.right)
    right_names = {str(column): str(name) for column, name in join.columns.right}
    right_on = [right_names.get(str(column), str(column)) for column in join.right_on]
    conditions = []
    for number, (left_key, right_key) in enumerate(made):
        nth = f"_{number + 1}" if len(made) > 1 else ""
        before, left = key_of(left_key, column_of(names.left, join.left_on[number]), f"left_key{nth}")
        more, right = key_of(right_key, column_of(names.right, right_on[number]), f"right_key{nth}")
        lines += [*before, *more]
        conditions.append(f"{left} == {right}")
    pieces = [names.left, f".join({names.right}, {_all_of(conditions)}, {literal(join.how)})"]
    if join.shared and join.how in ("left", "inner"):
        pieces.append(f".drop({', '.join(column_of(names.right, column) for column in join.shared)})")
    elif join.shared:
        keys = _coalesced(join, names)
        columns = [keys.get(column, column_of(names.left, column)) for column, _ in join.columns.left]
        columns += [column_of(names.right, name) for _, name in join.columns.right]
        pieces.append(f".select({', '.join(columns)})")
    line = f"{names.result} = {''.join(pieces)}"
    if len(line) <= WIDTH:
        lines.append(line)
    else:
        lines += [f"{names.result} = (", *(f"    {piece}" for piece in pieces), ")"]
    return "\n".join([*_imports(lines), *lines]) + "\n"


def _grained(join: Join, made: Sequence[common.BothKeys], names: Names, lines: list[str]) -> str:
    """The code where the right side is brought to one row a key first."""
    conditions, keys = [], []
    for number, (left_key, right_key) in enumerate(made):
        nth = f"_{number + 1}" if len(made) > 1 else ""
        before, left = key_of(left_key, column_of(names.left, join.left_on[number]), f"left_key{nth}")
        more, right = key_of(right_key, column_of(names.right, join.right_on[number]), f"right_key{nth}")
        keys.append(common.helper(join, f"key{nth}", f"join_key{nth}"))
        lines += [*before, *more, f"{names.right} = {names.right}.withColumn({literal(keys[-1])}, {right})"]
        conditions.append(f"{left} == {column_of(names.right, keys[-1])}")
    lines += one_each(join, names.right, keys)
    lines += renaming(join, names.right)
    columns = [column_of(names.left, column) for column, _ in join.columns.left]
    columns += [column_of(names.right, name) for _, name in join.columns.right]
    lines += [
        f"{names.result} = (",
        f"    {names.left}.join({names.right}, {_all_of(conditions)}, {literal(join.how)})",
        "    .select(",
        *(f"        {column}," for column in columns),
        f"    ){grain_code.counted_in_pyspark(join)}",
        ")",
        grain_code.asserted(join, names.result, names.left),
    ]
    return "\n".join([*_imports(lines), *lines]) + "\n"


def one_each(join: Join, variable: str, keys: Sequence[str]) -> list[str]:
    """The lines that bring the right frame in a variable to one row for each value of `keys`, which are columns."""
    place, nth = (common.helper(join, each, f"row_{each}") for each in (grain_code.PLACE, grain_code.NTH))
    return grain_code.in_pyspark(join, variable, keys, place, nth)


def _all_of(conditions: Sequence[str]) -> str:
    return conditions[0] if len(conditions) == 1 else " & ".join(f"({one})" for one in conditions)


def frames(join: Join, changes: tuple[bool, bool], given: bool = False) -> tuple[Names, list[str]]:
    """The variables of both sides as Spark frames, and the lines that make them.

    changes: as in `draft.in_spark`. given: frames are bound to these variables already, but for tables of the lake."""
    names, bound = in_spark(join, changes)
    lines = []
    for side, on, variable in ((join.left, join.left_on, names.left), (join.right, join.right_on, names.right)):
        if side.kind == "lake":
            lines += read_table(side, on, variable)
        elif side.in_catalog:
            lines.append(f"{variable} = spark.table({literal(side.name)})")
    return names, lines if given else [*lines, *bound]


def renaming(join: Join, variable: str) -> list[str]:
    """The line that gives the right side's columns the names of the result, where these differ."""
    renamed = {str(column): str(name) for column, name in join.columns.renamed.items()}
    return [f"{variable} = {variable}.withColumnsRenamed({literal(renamed)})"] if renamed else []


def _imports(lines: Sequence[str]) -> list[str]:
    """The imports that the code needs."""
    text = "\n".join(lines)
    if "nfkc(" in text:
        return ["import unicodedata", "from pyspark.sql import functions as F", spark_keys.NFKC]
    return ["from pyspark.sql import functions as F"] if "F." in text else []


def read_table(side: Side, on: tuple[Hashable, ...], variable: str) -> list[str]:
    """The lines that read a table: Spark's reader, or pandas' where Spark would read something else."""
    try:
        if is_stacked(side.table):
            return _stacked(side, on, variable)
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
    options = _options(source)
    if source.columns is not None and source.format == "parquet":
        schema = options[1].removeprefix("schema=")
        return _flat([f"{variable} = spark.read.schema({schema}).parquet({options[0]})"], source, variable)
    reader = f"{variable} = spark.read.{source.format}("
    lines = [f"{reader}{', '.join(options)})"]
    if len(lines[0]) > WIDTH:
        lines = [reader, *(f"    {option}," for option in options), ")"]
    return _flat(lines, source, variable)


def _stacked(side: Side, on: tuple[Hashable, ...], variable: str) -> list[str]:
    """The lines that read several tables one below the other, with the name of each as a column."""
    label = literal(label_of(side.table))
    read = (
        f"    spark.read.{source.format}({', '.join(_options(source))}).withColumn({label}, F.lit({literal(name)})),"
        for name, source in spark_read.sources(side, on)
    )
    union = f"{variable} = reduce(lambda above, below: above.unionByName(below, allowMissingColumns=True), ["
    columns = ", ".join(literal(identifier(str(column))) for column in side.columns)
    return ["from functools import reduce", union, *read, "])", f"{variable} = {variable}.select({columns})"]


def _options(source: spark_read.Source) -> list[str]:
    """What Spark's reader is called with."""
    options = [literal(source.path)]
    if source.columns is not None:
        schema = ", ".join(f"{identifier(name)} {kind}" for name, kind in source.columns)
        options.append(f"schema={literal(schema)}")
    return options + [f"{name}={literal(value)}" for name, value in source.options.items()]


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


def _coalesced(join: Join, names: Names) -> dict[Hashable, str]:
    """The key columns that a right or outer join has once."""
    left, right = partial(column_of, names.left), partial(column_of, names.right)
    found = common.coalesced(join, DIALECT, left, right, lambda printer: printer.pyspark)
    return {column: f"F.coalesce({', '.join(some)}).alias({literal(str(column))})" if len(some) > 1 else some[0]
            for column, some in found.items()}  # fmt: skip
