"""A transform plan as Spark SQL, and as PySpark that carries the same expressions."""

from __future__ import annotations

from typing import NamedTuple

from lakeview.errors import InputError
from lakeview.join.export import grain_code, pyspark_code, spark_keys, spark_read
from lakeview.join.export.draft import Names, views
from lakeview.join.export.pyspark_code import one_each
from lakeview.join.export.spark_read import identifier
from lakeview.join.export.sql_code import JOINS, create_views, left_table, nameable, right_table
from lakeview.join.naming import literal, sql_string
from lakeview.join.transform.code import Ingredients, Prepared
from lakeview.join.transform.model import TransformJoin
from lakeview.join.transform.operators import Constant, Operator, Split
from lakeview.join.transform.program import Program
from lakeview.join.transform.shapes import without_diacritics
from lakeview.join.transform.spark_shapes import shape_sql

CHANGES = (True, True)  # keys are columns of both frames


def statements(join: TransformJoin) -> list[str]:
    """CREATE VIEW for each table of the lake, and the SELECT."""
    nameable(join)
    parts = _check(join, "Spark SQL")
    parts.names = views(join)
    derived, keys_from = (f(join, parts.names) for f in (left_table, right_table)[:: -1 if join.reverse else 1])
    created = create_views(join, parts.names)
    made, keyed, key = parts.helper("made"), parts.helper("keyed"), parts.helper("key")
    programs = [parts.helper(f"key_{n}") for n in range(1, len(join.programs) + 1)]
    columns = {place: _prepared(column, identifier(str(column.label))) for place, column in parts.columns.items()}
    texts = [program_sql(program, columns, parts.characters) for program in join.programs]
    key_columns = {place: _prepared(column, identifier(str(column.label)))
                   for place, column in parts.key_columns.items()}  # fmt: skip
    there = _marked(program_sql(join.key_program, key_columns, parts.characters), join.refused)
    second = parts.helper("second_key")
    behind = behind_keyed = ""
    if join.second:
        behind = f", {program_sql(join.second.derived, columns, parts.characters)} AS {second}"
        behind_keyed = f", {program_sql(join.second.keyed, key_columns, parts.characters)} AS {second}"
    ctes = [f"{keyed} AS (SELECT *, {there} AS {key}{behind_keyed} FROM {keys_from})"]
    if parts.single:
        ctes.append(f"{made} AS (SELECT *, {texts[0]} AS {key}{behind} FROM {derived})")
    else:
        known, tried, near = parts.helper("known"), parts.helper("tried"), parts.helper("near")
        listed = ",\n    ".join(f"{text} AS {name}" for text, name in zip(texts, programs, strict=True))
        ctes.append(f"{known} AS (SELECT DISTINCT {key} FROM {keyed} WHERE {key} IS NOT NULL)")
        ctes.append(f"{tried} AS (SELECT *{behind},\n    {listed}\n  FROM {derived})")
        met = [parts.helper(f"met_{n}") for n in range(1, len(programs) + 1)]
        joins = [f"LEFT JOIN {known} AS {m} ON {tried}.{p} = {m}.{key}" for m, p in zip(met, programs, strict=True)]
        found = [f"{m}.{key}" for m in met]
        if parts.rest:
            pairs = ",\n    ".join(f"({sql_string(a)}, {sql_string(b)})" for a, b in parts.rest.items())
            said = "-- near keys, frozen: pairs that were found once, and no rule"
            ctes.append(f"{near}(look, near_key) AS (VALUES  {said}\n    {pairs})")
            looks = ", ".join(f"{tried}.{name}" for name in programs)
            joins.append(f"LEFT JOIN {near} ON coalesce({looks}) = {near}.look")
            found.append(f"{near}.near_key")
        joined = "\n  ".join(joins)
        ctes.append(f"{made} AS (SELECT {tried}.*, coalesce({', '.join(found)}) AS {key}\n  FROM {tried}\n  {joined})")
    meets = f"{{0}}.{key} = {{1}}.{key}"
    if join.second:
        rows, counted = parts.helper("key_rows"), []
        for name in (made, keyed):
            counted.append(parts.helper(f"{name}_counted"))
            ctes.append(f"{counted[-1]} AS (SELECT *, count(*) OVER (PARTITION BY {key}) AS {rows} FROM {name})")
        made, keyed = counted
        meets += f" AND ({{0}}.{rows} = 1 AND {{1}}.{rows} = 1 OR {{0}}.{second} = {{1}}.{second})"
    left, right = (keyed, made) if join.reverse else (made, keyed)
    if join.grain is not None:
        place, nth, each = (parts.helper(name) for name in (grain_code.PLACE, grain_code.NTH, "by_key"))
        one = parts.helper("one_key")
        ctes.append(f"{each} AS ({grain_code.in_sql(join, right, [(one, f'{right}.{key}')], place, nth)})")
        right, meets = each, f"{{0}}.{key} = {{1}}.{one}"
    columns_out = [f"{left}.{identifier(str(column))}" for column, _ in join.columns.left]
    for column, shown in join.columns.right:
        of_right = f"{right}.{identifier(str(column))}"
        columns_out.append(grain_code.column_in_sql(join, of_right, column, shown))
    head, joined = (
        "WITH " + ",\n".join(ctes) + "\n",
        f"{left}\n{JOINS[join.how]} {right} ON {meets.format(left, right)}",
    )
    checks = [] if join.grain is None else [head + grain_code.asserted_in_sql(join, joined, left)]
    return [*created, *checks, f"{head}SELECT {', '.join(columns_out)}\nFROM {joined}"]


def write_pyspark(join: TransformJoin, given: bool = False) -> str:
    """The code; the result is in the last variable that it sets, `spark` is the session. given: as in `write_keys`."""
    code, meets, names, right_key = write_keys(join, given)
    left, right, result = names.left, names.right, names.result
    lines = [] if join.grain is None else one_each(join, right, [right_key])
    lines += pyspark_code.renaming(join, right)
    out = ", ".join(literal(identifier(str(name))) for name in join.columns.names)
    counted = grain_code.counted_in_pyspark(join)
    lines.append(f"{result} = {left}.join(\n    {right}, {meets}, {literal(join.how)}\n).select({out}){counted}")
    if join.grain is not None and not given:
        lines.append(grain_code.asserted(join, result, left))
    return code + "\n".join(lines) + "\n"


class Keyed(NamedTuple):
    """Code that makes the keys of both tables: the condition on which their rows meet, the tables' variables, and the
    column of the right one's keys."""

    code: str
    meets: str
    names: Names
    right_key: str


def write_keys(join: TransformJoin, given: bool = False) -> Keyed:
    """The code that makes the keys of both tables.

    given: frames are bound to these variables already (`pyspark_code.frames`)."""
    parts = _check(join, "PySpark")
    parts.names, lines = pyspark_code.frames(join, CHANGES, given)
    made, keyed = parts.derived_variable, parts.keyed_variable
    key, there = parts.helper("key"), parts.helper("key_there")
    # The keys are made before the other side's columns come in, so each name means one column.
    columns = _pyspark_columns(parts, lines, parts.columns, made, "text")
    key_columns = _pyspark_columns(parts, lines, parts.key_columns, keyed, "key_text")
    expression = _marked(program_sql(join.key_program, key_columns, parts.characters), join.refused)
    lines.append(f"{keyed} = {keyed}.withColumn({literal(there)}, F.expr({_text(expression)}))")
    texts = [program_sql(program, columns, parts.characters) for program in join.programs]
    if parts.single:
        lines.append(f"{made} = {made}.withColumn({literal(key)}, F.expr({_text(texts[0])}))")
    else:
        known = parts.helper("known")
        lines.append(f"{known} = {keyed}.select({literal(there)}).dropna().distinct()")
        found = []
        programs = [parts.helper(f"key_{n}") for n in range(1, len(texts) + 1)]
        for name, text in zip(programs, texts, strict=True):
            lines.append(f"{made} = {made}.withColumn({literal(name)}, F.expr({_text(text)}))")
        for n, name in enumerate(programs, start=1):
            met = parts.helper(f"met_{n}")
            lines.append(f"{made} = {made}.join({known}.withColumnRenamed({literal(there)}, {literal(met)}), "
                         f"F.col({literal(name)}) == F.col({literal(met)}), \"left\")")  # fmt: skip
            found.append(met)
        if parts.rest:
            near, look, mapped = parts.helper("near"), parts.helper("look"), parts.helper("near_key")
            lines.append(
                f"{near} = spark.createDataFrame([  # near keys, frozen: pairs that were found once, and no rule"
            )
            lines += [f"    ({literal(a)}, {literal(b)})," for a, b in parts.rest.items()]
            lines.append(f"], {literal(f'{look} string, {mapped} string')})")
            looks = ", ".join(map(literal, programs))
            lines.append(f'{made} = {made}.join({near}, F.coalesce({looks}) == F.col({literal(look)}), "left")')
            found.append(mapped)
        lines.append(f"{made} = {made}.withColumn({literal(key)}, F.coalesce({', '.join(map(literal, found))}))")
    meets = f"F.col({literal(key)}) == F.col({literal(there)})"
    if join.second:
        seconds, rows = [], []
        for variable, held, by, program in ((made, columns, key, join.second.derived),
                                            (keyed, key_columns, there, join.second.keyed)):  # fmt: skip
            seconds.append(parts.helper(f"{by}_second"))
            rows.append(parts.helper(f"{by}_rows"))
            behind = program_sql(program, held, parts.characters)
            counted = f"count(*) OVER (PARTITION BY {identifier(by)})"
            lines.append(f"{variable} = {variable}.withColumn({literal(seconds[-1])}, F.expr({_text(behind)}))"
                         f".withColumn({literal(rows[-1])}, F.expr({_text(counted)}))")  # fmt: skip
        alone = f"(F.col({literal(rows[0])}) == 1) & (F.col({literal(rows[1])}) == 1)"
        agree = f"(F.col({literal(seconds[0])}) == F.col({literal(seconds[1])}))"
        meets = f"({meets})\n    & ({alone} | {agree})"
    head = ["from pyspark.sql import functions as F"]
    if any("nfkc(" in line for line in lines):
        head = ["import unicodedata", *head, spark_keys.NFKC]
    return Keyed("\n".join([*head, *lines]) + "\n", meets, parts.names, key if join.reverse else there)


def _pyspark_columns(parts: Ingredients, lines: list[str], prepared: dict[int, Prepared], variable: str,
                     name: str) -> dict[int, str]:  # fmt: skip
    """The expressions of the columns that programs read; what SQL lacks (NFKC) is made as a column first."""
    columns = {}
    for place, column in prepared.items():
        of = identifier(str(column.label))
        if all(v.sql for v in column.variants) and "${" not in of:  # which expr() would take for a variable
            columns[place] = _prepared(column, of)
            continue
        made = parts.helper(f"{name}_{place + 1}")
        expression = f"{variable}[{literal(of)}]"
        for variant in column.variants:
            expression = variant.pyspark.replace("{}", expression)
        lines.append(f"{variable} = {variable}.withColumn({literal(made)}, {expression})")
        columns[place] = _marked(identifier(made), column.marks)
    return columns


def _check(join: TransformJoin, name: str) -> Ingredients:
    if join.grain is not None and join.second is not None:
        raise InputError(f"{name} code of a key that is told apart by a second one has no one row a key: "
                         "the pandas code has it")  # fmt: skip
    for side in (join.left, join.right):
        spark_read.distinguishable(side)
    return Ingredients(join, spark_keys.Dialect(name))


def _text(sql: str) -> str:
    """A Python literal of an SQL expression: raw where its backslashes are all that is escaped."""
    source = literal(sql)
    raw = f'r"{sql}"'
    return raw if source == raw[1:].replace("\\", "\\\\") and "\\" in sql and sql[-1] != "\\" else source


def _prepared(column: Prepared, expression: str) -> str:
    for variant in column.variants:
        expression = variant.sql.replace("{}", expression)
    return _marked(expression, column.marks)


def _marked(expression: str, marks: tuple[str, ...]) -> str:
    if not marks:
        return expression
    return f"CASE WHEN {expression} NOT IN ({', '.join(map(sql_string, marks))}) THEN {expression} END"


def program_sql(program: Program, columns: dict[int, str], characters) -> str:  # type: ignore[no-untyped-def]
    """The program as one expression; `columns` holds that of each column that it reads."""
    parts = [_operator(op, columns, characters) for op in program.operators]
    return parts[0] if len(parts) == 1 else f"concat({', '.join(parts)})"


def _operator(operator: Operator, columns: dict[int, str], characters) -> str:  # type: ignore[no-untyped-def]
    if isinstance(operator, Constant):
        return sql_string(operator.text)
    column = columns[operator.column]
    sql = column
    for split in operator.splits:
        sql = f"trim({_split(split, sql)})"
    if operator.shape == "plain":
        changed = [c for c in characters(operator.column) if without_diacritics(c) != c]
        # translate() takes out what has no counterpart, so marks that vanish come last.
        changed.sort(key=lambda c: without_diacritics(c) == "")
        to = "".join(map(without_diacritics, changed))
        sql = f"translate({sql}, {sql_string(''.join(changed))}, {sql_string(to)})"
    elif operator.shape:
        sql = shape_sql(operator.shape, sql)
    sql = _slice(operator.start, operator.stop, sql)
    return sql if sql == column else f"nullif({sql}, '')"


def _split(split: Split, sql: str) -> str:
    if split.take == "part":
        return f"split_part({sql}, {sql_string(split.sep)}, {split.index + 1 if split.index >= 0 else split.index})"
    sep = "".join(c if c.isalnum() else f"\\{c}" for c in split.sep)
    if split.take == "before":
        pattern = "(?s)^(.*)" + f"{sep}.*" * -split.index
    else:
        pattern = "(?s)^" + f".*?{sep}" * split.index + "(.*)"
    return f"regexp_extract({sql}, {sql_string(pattern)}, 1)"


def _slice(start: int | None, stop: int | None, sql: str) -> str:
    if start is None and stop is None:
        return sql
    if start is None and stop is not None:
        return f"left({sql}, {stop})" if stop > 0 else f"left({sql}, greatest(length({sql}) - {-stop}, 0))"
    assert start is not None
    if stop is None:
        return f"substring({sql}, {start + 1})" if start >= 0 else f"right({sql}, {-start})"
    if start >= 0:
        return f"substring({sql}, {start + 1}, {stop - start})"
    return f"left(right({sql}, {-start}), greatest(least(length({sql}), {-start}) - {-stop}, 0))"
