"""A bridge as plain code: each map is made of two columns of its table, and the joins follow, one after the other."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from lakeview.errors import InputError
from lakeview.join.export import pyspark_code, sql_code
from lakeview.join.export.draft import Names, frame_of, names, views
from lakeview.join.export.draft import called as variable_of
from lakeview.join.export.fitted import bare, fitted, imports_first, marked, renamed
from lakeview.join.export.pandas_read import read_lines
from lakeview.join.export.spark_read import identifier as quoted
from lakeview.join.lookup import Lookup, MapSide
from lakeview.join.naming import comment, free, identifier, literal, sql_string
from lakeview.join.plan import JoinPlan
from lakeview.join.variable import variables

LISTED = 2_000  # pairs of a map that code lists, where it cannot make them of the table


@dataclass(frozen=True)
class _Step:
    """A step through a map: `table` is the variable of the map's table, `map` that of the map."""

    side: MapSide
    table: str
    map: str
    in_spark: bool = False

    @property
    def lookup(self) -> Lookup:
        return self.side.lookup

    @property
    def columns(self) -> list[str]:
        """The two columns as the table has them."""
        return [str(self.lookup.source), str(self.lookup.target)]

    @property
    def called(self) -> dict[str, str]:
        """Those that the map calls otherwise."""
        labels = map(str, self.side.columns)
        return {name: label for name, label in zip(self.columns, labels, strict=True) if name != label}

    @property
    def listed(self) -> list[list[str | None]]:
        """The pairs of a map that code has to list. Raises InputError where they are too many, or no text."""
        frame = self.lookup.frame
        if len(frame) > LISTED:
            raise InputError(
                f"{self.lookup.what} has values with several meanings and too many to list in code: use to_pandas()"
            )
        return [[str(value) for value in column] for column in (frame.iloc[:, 0], frame.iloc[:, 1])]


def write(steps: Sequence[JoinPlan], dialect: str) -> str:
    """The draft of the code, in "pandas" or "pyspark"; the result is in the last variable that it sets."""
    given = {names(steps[0].join).given[0], names(steps[-1].join).given[1]}
    parts: list[str] = []
    for plan in steps[:-1]:
        side = _map_of(plan)
        step = _Step(side, marked(_called(side.lookup, given)), names(plan.join).right, plan.join.in_spark)
        parts += [*_made(step, dialect), plan.draft(dialect)]
    parts.append(renamed(steps[-1].draft(dialect), _other_target(steps, names(steps[-1].join))))
    return imports_first("\n".join(part.rstrip("\n") for part in parts))


def map_in_pandas(side: MapSide, table: str, variable: str) -> str:
    """The draft that makes a map in a variable; table: that of its table, which is read here, or of its frame."""
    return imports_first("\n".join(_made(_Step(side, table, variable), "pandas")))


def _map_of(plan: JoinPlan) -> MapSide:
    """The map that a step goes through."""
    assert isinstance(plan.right, MapSide)
    return plan.right


def _called(lookup: Lookup, given: Collection[str]) -> str:
    """The variable of a map's table: the analyst's own of a frame, else one that is none of hers."""
    if lookup.side.is_frame:
        return variable_of(lookup.side)
    return free(identifier(lookup.side.stem), map(bare, given))


def headed(
    head: Sequence[str], written: str, steps: Sequence[JoinPlan], lookups: Sequence[Lookup], dialect: str
) -> str:
    """The code under its heading, beside the variables that the analyst has."""
    lines = "".join(f"{comment(line, '--' if dialect == 'sql' else '#')}\n" for line in head)
    if dialect == "sql":
        return lines + written
    sides = ((steps[0].left, names(steps[0].join).given[0]), (steps[-1].right, names(steps[-1].join).given[1]))
    frames = [variable for side, variable in sides if side.is_frame]
    frames += [marked(variable_of(lookup.side)) for lookup in lookups if lookup.side.is_frame]
    return fitted(lines + written, frames, variables())


def _other_target(steps: Sequence[JoinPlan], last: Names) -> dict[str, str]:
    """Another variable for a table of the lake that is called as the analyst's frame or a map of the steps before."""
    taken = {bare(name) for plan in steps[:-1] for name in (*names(plan.join).given, names(plan.join).result)}
    target = last.given[1]
    if steps[-1].right.is_frame or bare(target) not in taken:
        return {}
    return {target: marked(free(bare(target), {*taken, bare(last.result)}))}


def _made(step: _Step, dialect: str) -> list[str]:
    """The lines that make a map."""
    in_pandas = dialect == "pandas" or step.in_spark
    if step.lookup.form == "listed":
        about = comment(f"what most rows of {step.lookup.side.name} say")
        columns = dict(zip(map(str, step.side.columns), step.listed, strict=True))
        if in_pandas:
            return ["import pandas as pd", about, f"{step.map} = pd.DataFrame({literal(columns)})"]
        rows = literal([tuple(row) for row in zip(*columns.values(), strict=True)])
        return [about, f"{step.map} = spark.createDataFrame({rows}, {literal(list(columns))})"]
    keys, side = (step.lookup.source, step.lookup.target), step.lookup.side
    if in_pandas:
        read = [] if side.is_frame else read_lines(side, keys, step.table)
        read = ["import pandas as pd", *read]
        made = f"{frame_of(side, step.table) if side.is_frame else step.table}[{literal(step.columns)}]"
        calls = {"all": "", "present": ".dropna()", "distinct": ".dropna().drop_duplicates()"}[step.lookup.form]
        made += calls + (f".rename(columns={literal(step.called)})" if step.called else "")
        return [*read, f"{step.map} = {made}"]
    read = [] if side.is_frame else pyspark_code.read_table(side, keys, step.table)
    made = f"{step.table}.select({', '.join(literal(quoted(name)) for name in step.columns)})"
    calls = {"all": "", "present": ".dropna()", "distinct": ".dropna().distinct()"}[step.lookup.form]
    made += calls + (f".withColumnsRenamed({literal(step.called)})" if step.called else "")
    return [*read, f"{step.map} = {made}"]


def statements(steps: Sequence[JoinPlan]) -> list[str]:
    """The SQL statements, without semicolons: a view of each table, of each map and of the rows that it is joined with;
    then the last join."""
    found: list[str] = []
    for plan in steps[:-1]:
        view, side = views(plan.join), _map_of(plan)
        table = free(f"{view.right}_table", {view.left, view.right}, fold=True)
        if side.lookup.side.is_frame:
            table = variable_of(side.lookup.side)
        step = _Step(side, table, view.right, plan.join.in_spark)
        sql_code.nameable(plan.join)
        *before, select = plan.statements()
        found += [*_views(step), *before, f"CREATE OR REPLACE TEMPORARY VIEW {quoted(plan_rows(plan))} AS\n{select}"]
    return [*found, *steps[-1].statements()]


def plan_rows(plan: JoinPlan) -> str:
    """The view of the rows of a step, under which the next step knows them."""
    return bare(names(plan.join).result)


def _views(step: _Step) -> list[str]:
    labels = [quoted(str(label)) for label in step.side.columns]
    head = f"CREATE OR REPLACE TEMPORARY VIEW {quoted(step.map)}"
    if step.lookup.form == "listed":
        rows = zip(*step.listed, strict=True)
        listed = ", ".join(f"({', '.join(sql_string(str(value)) for value in row)})" for row in rows)
        return [f"{head} AS\nSELECT * FROM VALUES {listed} AS pairs({', '.join(labels)})"]
    keys = (step.lookup.source, step.lookup.target)
    own = [quoted(name) for name in step.columns]
    columns = ", ".join(
        f"{name} AS {label}" if name != label else name for name, label in zip(own, labels, strict=True)
    )
    distinct = "DISTINCT " if step.lookup.form == "distinct" else ""
    where = f"\nWHERE {own[0]} IS NOT NULL AND {own[1]} IS NOT NULL" if step.lookup.form != "all" else ""
    read = [] if step.lookup.side.is_frame else sql_code.view_of(step.lookup.side, keys, step.table)
    return [*read, f"{head} AS\nSELECT {distinct}{columns} FROM {quoted(step.table)}{where}"]
