"""How code brings the right side of a join to one row a key: pieces for pandas, expressions for Spark."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from lakeview.join.export.spark_read import identifier
from lakeview.join.grain import Made
from lakeview.join.model import Join
from lakeview.join.naming import literal, sql_string
from lakeview.join.one_each import CALLED, OF_OBJECTS, of_objects

WIDTH = 120
PLACE, NTH = "place", "nth"
"""What helps Spark along the way: a row's place in the order of its table, and its number within its key."""

_SPARK = {
    "rows": "count(*)", "sum": "coalesce(sum({0}), 0)", "mean": "avg({0})", "min": "min({0})", "max": "max({0})",
    "count": "count({0})", "distinct": "count(DISTINCT {0})",
    "first": "min_by({0}, CASE WHEN {0} IS NOT NULL THEN {1} END)",
    "last": "max_by({0}, CASE WHEN {0} IS NOT NULL THEN {1} END)",
    "list": "transform(array_sort(collect_list(named_struct('at', {1}, 'held', {0}))), one -> one.held)",
}  # fmt: skip


def pandas_pieces(join: Join, keys: Sequence[Hashable]) -> list[str]:
    """The calls on the right frame that bring it to one row for each value of `keys`, which are columns of it."""
    grain, on = join.grain, literal(keys[0] if len(keys) == 1 else list(keys))
    assert grain is not None
    if grain.picks:
        kept = "first" if grain.many == "first" else "last"
        by = literal(grain.when)
        ordered = [f'.sort_values({by}, kind="stable", na_position="first")'] if grain.many == "latest" else []
        return [*ordered, f'.drop_duplicates({on}, keep="{kept}")']
    frame = join.right.to_pandas(join.right_on)
    observed = ", observed=True" if any(str(frame[c].dtype) == "category" for c in join.right_on) else ""
    columns = [(made.name, f"({literal(keys[0] if made.how == 'rows' else made.column)}, {_called(frame, made)})")
               for made in join.made]  # fmt: skip
    simple = all(name.isidentifier() and name.isascii() for name, _ in columns)
    listed = [f"{name}={value}" if simple else f"{literal(name)}: {value}" for name, value in columns]
    start, end = ("(", ")") if simple else ("(**{", "})")
    line = ", ".join(listed)
    if len(line) > WIDTH - 20:
        line = "\n        " + ",\n        ".join(listed) + ",\n    "
    return [f".groupby({on}, as_index=False, sort=False{observed})", f".agg{start}{line}{end}"]


def _called(frame: object, made: Made) -> str:
    if made.how == "list":
        return "list"
    return OF_OBJECTS[made.how] if of_objects(frame, made) else f'"{CALLED.get(made.how, made.how)}"'  # type: ignore


def counted_in_pandas(join: Join) -> list[str]:
    """The calls that make the rows of what met none 0."""
    rows = [literal(made.name) for made in join.made if made.how == "rows"]
    return [f'.fillna({{{name}: 0}}).astype({{{name}: "int64"}})' for name in rows]


def in_order(join: Join) -> bool:
    """Whether the order of the rows matters to what becomes of them."""
    return not join.made or any("{1}" in _SPARK[made.how] for made in join.made)


def expressions(join: Join, column: dict[Hashable, str], place: str = PLACE) -> list[tuple[str, str]]:
    """Pairs of the name and the SQL expression of what is made of the rows of a key. column: how each is written."""
    return [(made.name, _SPARK[made.how].format(column.get(made.column, ""), place)) for made in join.made]


def nth_of_key(join: Join, keys: Sequence[str], when: str, place: str = PLACE) -> str:
    """The SQL expression that is 1 for the row of its key that stays."""
    grain = join.grain
    assert grain is not None
    order = {"first": place, "last": f"{place} DESC"}.get(grain.many, f"{when} DESC NULLS LAST, {place} DESC")
    return f"row_number() OVER (PARTITION BY {', '.join(keys)} ORDER BY {order})"


def in_sql(join: Join, source: str, keys: Sequence[tuple[str, str]], place: str, nth: str) -> str:
    """The SELECT of the right side brought to one row a key. keys: pairs of the name and the expression of each."""
    columns = {column: identifier(str(column)) for column in join.right.columns}
    grain = join.grain
    assert grain is not None
    made = ",\n    ".join(f"{expression} AS {name}" for name, expression in keys)
    placed = f",\n    monotonically_increasing_id() AS {place}" if in_order(join) else ""
    rows = f"SELECT *,\n    {made}{placed}\n  FROM {source}"
    names = [name for name, _ in keys]
    there = " AND ".join(f"{name} IS NOT NULL" for name in names)
    if grain.picks:
        numbered = nth_of_key(join, names, columns.get(grain.when, ""), place)
        return f"SELECT * FROM (\n  SELECT *, {numbered} AS {nth}\n  FROM ({rows})\n  WHERE {there}\n) WHERE {nth} = 1"
    listed = [*names, *(f"{how} AS {identifier(name)}" for name, how in expressions(join, columns, place))]
    out = ",\n  ".join(listed)
    return f"SELECT {out}\nFROM ({rows})\nWHERE {there}\nGROUP BY {', '.join(names)}"


def in_pyspark(join: Join, variable: str, keys: Sequence[str], place: str, nth: str) -> list[str]:
    """The lines that bring the right frame in a variable to one row for each value of `keys`, which are columns."""
    columns = {column: identifier(str(column)) for column in join.right.columns}
    grain, named = join.grain, ", ".join(map(literal, keys))
    assert grain is not None
    placed = f"{variable} = {variable}.dropna(subset={literal(list(keys))})"
    if in_order(join):
        placed += f".withColumn({literal(place)}, F.monotonically_increasing_id())"
    if grain.picks:
        numbered = nth_of_key(join, [identifier(key) for key in keys], columns.get(grain.when, ""), place)
        return [
            placed,
            f"{variable} = {variable}.withColumn(",
            f"    {literal(nth)}, F.expr({literal(numbered)})",
            ")",
            f"{variable} = {variable}.where({literal(f'{nth} = 1')}).drop({literal(nth)}, {literal(place)})",
        ]
    listed = [f"    F.expr({literal(how)}).alias({literal(name)})," for name, how in expressions(join, columns, place)]
    return [placed, f"{variable} = {variable}.groupBy({named}).agg(", *listed, ")"]


def counted_in_pyspark(join: Join) -> str:
    """The call that makes the rows of what met none 0."""
    rows = [made.name for made in join.made if made.how == "rows"]
    return f".fillna(0, subset={literal(rows)})" if rows else ""


def column_in_sql(join: Join, of_right: str, column: Hashable, name: Hashable) -> str:
    """A right column of the result under its name, 0 where it counts the rows of what met none."""
    if any(made.how == "rows" and made.name == name for made in join.made):
        return f"coalesce({of_right}, 0) AS {identifier(str(name))}"
    return of_right if name == column else f"{of_right} AS {identifier(str(name))}"


def asserted(join: Join, result: str, left: str) -> str:
    """The line of Python that says so where rows became more (or, in a left join, fewer)."""
    return f"assert {result}.count() {'==' if join.how == 'left' else '<='} {left}.count(), {literal(SAID)}"


def asserted_in_sql(join: Join, joined: str, left: str) -> str:
    """The SELECT that fails where rows became more (or, in a left join, fewer). joined, left: what FROM takes."""
    sign = "=" if join.how == "left" else "<="
    of_joined, of_left = (f"(SELECT count(*) FROM {tables})" for tables in (joined, left))
    return f"SELECT assert_true({of_joined} {sign} {of_left}, {sql_string(SAID)})"


SAID = "a row of the left side became several, or was lost"
