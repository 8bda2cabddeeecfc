"""A join as Spark SQL: a view of each table of the lake, then one SELECT. The left frame is a view of its name."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial

from lakeview.errors import InputError
from lakeview.join.as_one import is_stacked, label_of, members
from lakeview.join.export import common, grain_code, spark_keys, spark_read
from lakeview.join.export.draft import Names, views
from lakeview.join.export.keys import KeyCode
from lakeview.join.export.spark_read import identifier
from lakeview.join.model import Join
from lakeview.join.naming import free, sql_string
from lakeview.join.side import Side
from lakeview.join.variable import variables

DIALECT = spark_keys.Dialect("Spark SQL")
JOINS = {"left": "LEFT JOIN", "inner": "INNER JOIN", "right": "RIGHT JOIN", "outer": "FULL OUTER JOIN"}
WIDTH = 120


def statements(join: Join) -> list[str]:
    """The statements, without semicolons: CREATE VIEW for each table of the lake, and the SELECT.

    Raises InputError where Spark SQL lacks a step or a type that the keys need, or reads a file otherwise.
    """
    nameable(join)
    names = views(join)
    made = common.keys(join, DIALECT)
    created = create_views(join, names)
    if join.grain is not None:
        return [*created, *_one_each(join, names, made)]
    columns = _columns(join, names)
    listed = ", ".join(columns)
    select = f"SELECT {listed}" if len(listed) < WIDTH - 7 else "SELECT\n  " + ",\n  ".join(columns)
    conditions = [
        f"{key_of(left_key, names.left, left_on)} = {key_of(right_key, names.right, right_on)}"
        for (left_key, right_key), left_on, right_on in zip(made, join.left_on, join.right_on, strict=True)
    ]
    tables = f"FROM {left_table(join, names)}\n{JOINS[join.how]} {right_table(join, names)}"
    return [*created, f"{select}\n{tables}\n  ON " + "\n  AND ".join(conditions)]


def _one_each(join: Join, names: Names, made: Sequence[common.BothKeys]) -> list[str]:
    """A view of the right side brought to one row a key, one of the result, the check of its rows, and the result."""
    several = len(made) > 1
    keys, conditions = [], []
    for number, (left_key, right_key) in enumerate(made):
        nth = f"_{number + 1}" if several else ""
        key = identifier(common.helper(join, f"key{nth}", f"join_key{nth}"))
        keys.append((key, key_of(right_key, names.right, join.right_on[number])))
        conditions.append(f"{key_of(left_key, names.left, join.left_on[number])} = {identifier(names.right)}.{key}")
    place, nth = (identifier(common.helper(join, each, f"row_{each}")) for each in (grain_code.PLACE, grain_code.NTH))
    one_each = grain_code.in_sql(join, right_table(join, names), keys, place, nth)
    return checked(join, names, one_each, conditions)


def checked(join: Join, names: Names, one_each: str, conditions: Sequence[str]) -> list[str]:
    """The statements that join the left side with what a SELECT makes of the right one, under its name."""
    taken = {name.lower() for name in (names.left, names.right, *names.given, *variables())}
    by_key = identifier(free(f"{names.right}_by_key", taken, fold=True))
    columns = [f"{identifier(names.left)}.*"]
    columns += [grain_code.column_in_sql(join, column_of(names.right, column), column, name)
                for column, name in join.columns.right]  # fmt: skip
    on, listed = "\n  AND ".join(conditions), ", ".join(columns)
    listed = listed if len(listed) < WIDTH - 7 else "\n  " + ",\n  ".join(columns)
    left = left_table(join, names)
    joined = f"{left}\n{JOINS[join.how]} {by_key} AS {identifier(names.right)}\n  ON {on}"
    return [
        f"CREATE OR REPLACE TEMPORARY VIEW {by_key} AS\n{one_each}",
        grain_code.asserted_in_sql(join, joined, left),
        f"SELECT {listed}\nFROM {joined}",
    ]


def nameable(join: Join) -> None:
    """Raises InputError where Spark SQL cannot name a column of the join."""
    for side in (join.left, join.right):
        spark_read.distinguishable(side)
    for name in map(str, (*join.left.columns, *join.right.columns, join.left.name, join.right.name)):
        if "${" in name:
            raise InputError(f"Spark SQL takes ${{…}} in {name!r} for a variable: rename it, or use PySpark")
        if not name.isprintable():  # backticks know no escapes
            raise InputError(f"Spark SQL has no way to write the name {name!r}: rename it, or use PySpark")


def left_table(join: Join, names: Names) -> str:
    """The left side as FROM takes it, under its name."""
    return _table(join.left, names.given[0], names.left)


def right_table(join: Join, names: Names) -> str:
    return _table(join.right, names.given[1], names.right)


def _table(side: Side, view: str, name: str) -> str:
    if side.in_catalog:
        return f"{side.name} AS {identifier(name)}"
    return identifier(view) if view == name else f"{identifier(view)} AS {identifier(name)}"


def create_views(join: Join, names: Names) -> list[str]:
    """The statements that make a view of each table of the lake."""
    sides = ((join.left, join.left_on, names.left), (join.right, join.right_on, names.right))
    taken = names.left, names.right
    return [line for side, on, view in sides if side.kind == "lake" for line in view_of(side, on, view, taken)]


def view_of(side: Side, on: tuple[Hashable, ...], view: str, taken: Sequence[str] = ()) -> list[str]:
    """A view of a table of the lake; where that has structs, one of the file and one of the columns in it. taken: names
    of other views."""
    if is_stacked(side.table):
        return _stacked(side, on, view, taken)
    source = spark_read.source(side, on, structs=True)
    if not source.leaves:
        return [_reading(source, view)]
    file = free(f"{view}_file", {name.lower() for name in (*taken, *variables())}, fold=True)
    columns = ",\n  ".join(f"{path} AS {identifier(name)}" for path, name in source.leaves)
    flat = f"CREATE OR REPLACE TEMPORARY VIEW {identifier(view)} AS SELECT\n  {columns}\nFROM {identifier(file)}"
    return [_reading(source, file), flat]


def _stacked(side: Side, on: tuple[Hashable, ...], view: str, others: Sequence[str]) -> list[str]:
    """A view of each of several tables, and one of all of them, with the name of each as a column."""
    taken = {name.lower() for name in (*others, *variables())}
    made, selects, label = [], [], label_of(side.table)
    columns = [str(column) for column in side.columns]
    for n, ((name, one), (_, source)) in enumerate(zip(members(side), spark_read.sources(side, on), strict=True), 1):
        part = free(f"{view}_{n}", taken, fold=True)
        taken.add(part.lower())
        there = set(map(str, one.columns))
        listed = ", ".join(
            f"{sql_string(name)} AS {identifier(column)}" if column == label
            else identifier(column) if column in there else f"NULL AS {identifier(column)}"
            for column in columns
        )  # fmt: skip
        made.append(_reading(source, part))
        selects.append(f"SELECT {listed} FROM {identifier(part)}")
    union = "\nUNION ALL\n".join(selects)
    return [*made, f"CREATE OR REPLACE TEMPORARY VIEW {identifier(view)} AS\n{union}"]


def _reading(source: spark_read.Source, view: str) -> str:
    schema = ""
    if source.columns is not None:
        columns = [f"{identifier(name)} {kind}" for name, kind in source.columns]
        line = ", ".join(columns)
        schema = f" ({line})" if len(line) < WIDTH - 50 else " (\n  " + ",\n  ".join(columns) + "\n)"
    options = {"path": source.path} | {
        name: str(value).lower() if isinstance(value, bool) else value for name, value in source.options.items()
    }
    listed = ", ".join(f"{name} {sql_string(value)}" for name, value in options.items())
    return f"CREATE OR REPLACE TEMPORARY VIEW {identifier(view)}{schema}\nUSING {source.format}\nOPTIONS ({listed})"


def _columns(join: Join, names: Names) -> list[str]:
    left = [f"{identifier(names.left)}.*"]
    if join.shared and join.how in ("right", "outer"):
        keys = _coalesced(join, names)
        left = [keys.get(column, column_of(names.left, column)) for column, _ in join.columns.left]
    if not join.columns.renamed and not join.shared:
        return [*left, f"{identifier(names.right)}.*"]
    right = []
    for column, name in join.columns.right:
        found = column_of(names.right, column)
        right.append(found if name == column else f"{found} AS {identifier(str(name))}")
    return [*left, *right]


def column_of(view: str, column: object) -> str:
    return f"{identifier(view)}.{identifier(str(column))}"


def key_of(key: KeyCode[spark_keys.Function], view: str, column: object) -> str:
    expression = column_of(view, column)
    for variant in key.variants:
        expression = variant.sql.replace("{}", expression)
    if key.marks:
        marks = ", ".join(map(sql_string, key.marks))
        expression = f"CASE WHEN {expression} NOT IN ({marks}) THEN {expression} END"
    return expression


def _coalesced(join: Join, names: Names) -> dict[Hashable, str]:
    """The key columns that a right or outer join has once."""
    left, right = partial(column_of, names.left), partial(column_of, names.right)
    found = common.coalesced(join, DIALECT, left, right, lambda printer: printer.sql)
    return {column: f"coalesce({', '.join(some)}) AS {identifier(str(column))}" if len(some) > 1 else some[0]
            for column, some in found.items()}  # fmt: skip
