"""A join as Spark SQL: a view of each table of the lake, then one SELECT. The left frame is a view of its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeview.errors import InputError
from lakeview.join.export import common, spark_keys, spark_read
from lakeview.join.export.draft import Names, views
from lakeview.join.export.keys import KeyCode
from lakeview.join.export.spark_read import identifier
from lakeview.join.naming import free, sql_string
from lakeview.join.variable import variables

if TYPE_CHECKING:
    from lakeview.join.plan import JoinPlan
    from lakeview.join.side import Side

DIALECT = spark_keys.Dialect("Spark SQL")
JOINS = {"left": "LEFT JOIN", "inner": "INNER JOIN", "right": "RIGHT JOIN", "outer": "FULL OUTER JOIN"}
WIDTH = 120


def write(plan: JoinPlan) -> str:
    """The statements under a comment, each ended by a semicolon and a line break."""
    return common.header(plan, "--") + "\n" + "".join(f"{statement};\n" for statement in statements(plan))


def statements(plan: JoinPlan) -> list[str]:
    """The statements, without semicolons: CREATE VIEW for each table of the lake, and the SELECT.

    Raises InputError where Spark SQL lacks a step or a type that the keys need, or reads a file otherwise.
    """
    nameable(plan)
    names = views(plan)
    left_key, right_key = common.keys(plan, DIALECT)
    created = create_views(plan, names)
    columns = _columns(plan, names)
    listed = ", ".join(columns)
    select = f"SELECT {listed}" if len(listed) < WIDTH - 7 else "SELECT\n  " + ",\n  ".join(columns)
    condition = f"{key_of(left_key, names.left, plan.left_on)} = {key_of(right_key, names.right, plan.right_on)}"
    join = f"FROM {left_table(plan, names)}\n{JOINS[plan.how]} {right_table(plan, names)}"
    return [*created, f"{select}\n{join}\n  ON {condition}"]


def nameable(plan: JoinPlan) -> None:
    """Raises InputError where Spark SQL cannot name a column of the join."""
    for side in (plan.left, plan.right):
        spark_read.distinguishable(side)
    for name in map(str, (*plan.left.columns, *plan.right.columns, plan.left.name, plan.right.name)):
        if "${" in name:
            raise InputError(f"Spark SQL takes ${{…}} in {name!r} for a variable: rename it, or use PySpark")
        if not name.isprintable():  # backticks know no escapes
            raise InputError(f"Spark SQL has no way to write the name {name!r}: rename it, or use PySpark")


def left_table(plan: JoinPlan, names: Names) -> str:
    """The left side as FROM takes it, under its name."""
    return _table(plan.left, names.given[0], names.left)


def right_table(plan: JoinPlan, names: Names) -> str:
    return _table(plan.right, names.given[1], names.right)


def _table(side: Side, view: str, name: str) -> str:
    if side.in_catalog:
        return f"{side.name} AS {identifier(name)}"
    return identifier(view) if view == name else f"{identifier(view)} AS {identifier(name)}"


def create_views(plan: JoinPlan, names: Names) -> list[str]:
    """The statements that make a view of each table of the lake."""
    sides = ((plan.left, plan.left_on, names.left), (plan.right, plan.right_on, names.right))
    return [line for side, on, view in sides if side.kind == "lake" for line in _view(side, on, view, names)]


def _view(side: Side, on: object, view: str, names: Names) -> list[str]:
    """A view of a table of the lake; where that has structs, one of the file and one of the columns in it."""
    source = spark_read.source(side, on, structs=True)
    if not source.leaves:
        return [_reading(source, view)]
    file = free(f"{view}_file", {name.lower() for name in (names.left, names.right, *variables())}, fold=True)
    columns = ",\n  ".join(f"{path} AS {identifier(name)}" for path, name in source.leaves)
    flat = f"CREATE OR REPLACE TEMPORARY VIEW {identifier(view)} AS SELECT\n  {columns}\nFROM {identifier(file)}"
    return [_reading(source, file), flat]


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


def _columns(plan: JoinPlan, names: Names) -> list[str]:
    left = [f"{identifier(names.left)}.*"]
    if plan.columns.one_key and plan.how in ("right", "outer"):
        left = [_one_key(plan, names) if column == plan.left_on else column_of(names.left, column)
                for column, _ in plan.columns.left]  # fmt: skip
    if not plan.columns.renamed and not plan.columns.one_key:
        return [*left, f"{identifier(names.right)}.*"]
    right = []
    for column, name in plan.columns.right:
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


def _one_key(plan: JoinPlan, names: Names) -> str:
    """The single key column of a right or outer join."""
    left, right = column_of(names.left, plan.left_on), column_of(names.right, plan.right_on)
    found = common.one_key(plan, DIALECT, left, right, lambda printer: printer.sql)
    return right if found == [right] else f"coalesce({', '.join(found)}) AS {identifier(str(plan.left_on))}"
