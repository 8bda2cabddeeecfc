"""Exported code beside the analyst's variables: it runs whatever they are called, and leaves each what it was."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from joining import in_order, lake, rows, to_spark

import lakeview as lv
from lakeview.join.export.fitted import fitted
from lakeview.join.fuzzy.prepare import prepare
from lakeview.join.model import HOWS
from lakeview.join.plan import CompositePlan, JoinPlan, equi_join
from lakeview.join.side import Side
from lakeview.join.transform.operators import Constant, Piece, Split
from lakeview.join.transform.plan import TransformPlan
from lakeview.join.transform.program import Program
from lakeview.join.transform.second_key import SecondKey
from lakeview.search.transforming import TransformHit

LEFT = pd.DataFrame({
    "name": ["Ann Doe", "bob  roe", "CAT POE", "Dan Loe", "Ann Doe", "Ann Doe", None],
    "code": ["1.0", "+2", "3", "x", "1", "-", None], "note": list("abcdefg"),
})  # fmt: skip
RIGHT = pd.DataFrame({
    "name": ["Doe, Ann", "Roe, Bob", "Poe, Cat", "Zoe, Eve", "Doe, Ann"], "id": [1.0, 2.0, 3.0, 9.0, 4.0],
    "label": ["ann doe", "bob roe", "cat pow", "eve", "ANN  DOE"], "note": list("vwxyz"),
})  # fmt: skip
OUTPUT = "name,id,label,note\n" + "".join(f'"{a}",{b:g},{c},{d}\n' for a, b, c, d in RIGHT.itertuples(index=False))


def equi(left: Side, right: Side, how: str) -> JoinPlan:
    return equi_join(left, right, "name", "label", how)


def numbers(left: Side, right: Side, how: str) -> JoinPlan:
    return equi_join(left, right, "code", "id", how)


def composite(left: Side, right: Side, how: str) -> JoinPlan:
    return CompositePlan(left, right, ["code", "name"], ["id", "label"], how)


def transform(left: Side, right: Side, how: str) -> JoinPlan:
    """Doe, Ann of Ann Doe; what is met twice by the first letter of the notes."""
    places = tuple(map(str, left.columns))
    words = [Piece(0, (Split(" ", place),)) for place in (1, 0)]
    programs = (Program((words[0], Constant(", "), words[1]), places), Program((Piece(0),), places))
    second = SecondKey(Program((Piece(2),), places), Program((Piece(3),), tuple(map(str, right.columns))))
    return TransformPlan(left, right, programs, "name", how=how, second=second if how == "left" else None)


def fuzzy(left: Side, right: Side, how: str, **options: Any) -> JoinPlan:
    options = {
        "tokeniser": "both",
        "measure": "jaccard",
        "threshold": 0.4,
        "lead": 0.01,
        "cardinality": "N:1",
    } | options
    return prepare(left, right, "name", "label", how, "fold", options["threshold"], None, options["tokeniser"],
                   options["measure"], options["lead"], options["cardinality"])  # fmt: skip


def judged(left: Side, right: Side, how: str) -> JoinPlan:
    return fuzzy(left, right, how, cardinality="1:1").accept("Dan Loe", "eve").reject("Ann Doe", "ann doe")


def edited(left: Side, right: Side, how: str) -> JoinPlan:
    return fuzzy(left, right, how, measure="edit", tokeniser="3-grams")


KINDS: dict[Callable[[Side, Side, str], JoinPlan], tuple[str, ...]] = {
    equi: HOWS, numbers: HOWS, composite: HOWS, transform: HOWS, fuzzy: ("left", "inner"), judged: ("left", "inner"),
    edited: ("left",),
}  # fmt: skip
CASES = [(kind, how) for kind, hows in KINDS.items() for how in hows]


@pytest.fixture
def sides(tmp_path) -> dict[str, Callable[[str], Side]]:
    """A right side as a frame, and as a table of the lake, by the name that it is to have."""

    def table(name: str) -> Side:
        found = lake(tmp_path / name, {f"{name}.csv": OUTPUT})
        return Side.lake(found[f"{name}.csv"], {"id": "number"})

    return {"frame": lambda name: Side.frame(RIGHT, name), "table": table}


def used(code: str) -> set[str]:
    """Every name in the code: variables, builtins, modules, functions and their arguments."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found |= set(filter(str.isidentifier, (node.name, node.asname or "")))
    return found


def bound(code: str) -> set[str]:
    table = symtable.symtable(code, "code", "exec")
    return {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported() or s.is_namespace()}


def run(code: str, scope: dict[str, Any], held: Any = ()) -> Any:
    """What the code makes last, having run beside some variables, which it left as they were."""
    before = dict(scope)
    exec(compile(code, "<exported>", "exec"), scope)
    for name in [*before, *held]:
        assert scope[name] is before[name], f"{name} is another thing now"
    last = [node for node in ast.parse(code).body if isinstance(node, ast.Assign)][-1].targets[0]
    return scope[last.id if isinstance(last, ast.Name) else last.value.id]


def agrees(found: pd.DataFrame, plan: JoinPlan) -> None:
    expected = plan.to_pandas()
    assert list(found.columns) == list(map(str, expected.columns))
    assert in_order(rows(found)) == in_order(rows(expected))


def names_of(kind: Any, how: str, right: Side) -> set[str]:
    return used(kind(Side.frame(LEFT, "people"), right, how).code("pandas")) - {"people", "airlines"}


@pytest.mark.parametrize("kind, how", CASES)
@pytest.mark.parametrize("right", ["frame", "table"])
def test_a_frame_may_be_called_like_anything_in_the_code(sides, kind, how, right):
    other = sides[right]("airlines")
    names = names_of(kind, how, other)
    assert len(names) > 2
    for name in sorted(names):
        plan = kind(Side.frame(LEFT, name), other, how)
        scope = {name: LEFT} | ({"airlines": RIGHT} if right == "frame" else {})
        agrees(run(plan.code("pandas"), scope), plan)


@pytest.mark.parametrize("kind, how", CASES)
def test_a_table_may_be_called_like_anything_in_the_code(sides, kind, how):
    for name in sorted(names_of(kind, how, sides["table"]("airlines")) - {"_"}):  # a file of that name is no table
        plan = kind(Side.frame(LEFT, "people"), sides["table"](name), how)
        agrees(run(plan.code("pandas"), {"people": LEFT}), plan)
    other = kind(Side.frame(LEFT, "people"), sides["frame"]("tokens"), how)
    agrees(run(other.code("pandas"), {"people": LEFT, "tokens": RIGHT}), other)


@pytest.fixture
def notebook(monkeypatch) -> dict[str, Any]:
    """The variables of a notebook that runs."""
    held: dict[str, Any] = {}
    monkeypatch.setattr("lakeview.join.variable._shell", lambda: SimpleNamespace(user_ns=held, user_ns_hidden={}))
    return held


@pytest.mark.parametrize("kind, how", CASES)
@pytest.mark.parametrize("right", ["frame", "table"])
def test_whatever_she_has_stays_what_it_was(sides, notebook, kind, how, right):
    plan = kind(Side.frame(LEFT, "people"), sides[right]("airlines"), how)
    plain = plan.code("pandas")
    notebook |= {"people": LEFT} | ({"airlines": RIGHT} if right == "frame" else {})
    assert plan.code("pandas") == plain, "what is free keeps its name"
    notebook |= {name: object() for name in used(plain) - set(notebook)}
    for _ in range(2):  # the second time beside what the first one bound
        held = set(notebook)
        code = plan.code("pandas")
        assert not bound(code) & held
        agrees(run(code, notebook, held), plan)
        notebook.pop("__builtins__")


def test_modules_and_functions_that_she_has_are_not_had_twice(sides, notebook):
    plan = fuzzy(Side.frame(LEFT, "people"), sides["table"]("airlines"), "left")
    plain = plan.code("pandas")
    notebook["people"] = LEFT
    run(plain, notebook)
    again = plan.code("pandas")
    assert {"pd", "re", "Counter", "defaultdict"} <= bound(again)
    assert "people_airlines_2" in bound(again) and "people_airlines" not in bound(again)
    assert "tokens_2" in bound(again), "she may have changed it"


def test_a_result_is_not_lost_by_the_next_one(sides, notebook):
    notebook["people"] = LEFT
    plan = equi(Side.frame(LEFT, "people"), sides["table"]("airlines"), "left")
    first = run(plan.code("pandas"), notebook)
    notebook["airlines"] = "her own"
    second = run(plan.code("pandas"), notebook)
    assert notebook["people_airlines"] is first and notebook["people_airlines_2"] is second
    assert notebook["airlines"] == "her own"


def test_a_frame_is_known_by_the_variable_that_holds_it(notebook):
    notebook |= {"_": LEFT, "_3": LEFT, "flyers": LEFT, "codes": RIGHT, "left": 5}
    plan = equi(Side.frame(LEFT, "left"), Side.frame(RIGHT, "right"), "left")
    agrees(run(plan.code("pandas"), notebook), plan)
    assert {"flyers", "codes"} <= used(plan.code("pandas"))
    del notebook["flyers"]  # an output of a cell is no variable of hers
    assert not {"_", "_3"} & used(plan.code("pandas"))


def test_a_series_is_made_a_frame(notebook):
    notebook |= {"people": LEFT["name"], "labels": RIGHT["label"].tolist()}
    plan = lv.fuzzy_join(notebook["people"], notebook["labels"], threshold=0.5)
    people, labels = notebook["people"], notebook["labels"]
    found = run(plan.code("pandas"), notebook)
    agrees(found, plan)
    assert notebook["people"] is people and notebook["labels"] is labels


def test_what_is_made_of_a_series_takes_no_name_of_the_other_side(notebook):
    notebook |= {"people": LEFT["name"], "people_made": RIGHT["label"].tolist()}
    plan = lv.fuzzy_join(notebook["people"], notebook["people_made"], threshold=0.5)
    agrees(run(plan.code("pandas"), notebook), plan)


@pytest.mark.parametrize("kind", [equi, fuzzy])
def test_a_frame_and_a_table_may_have_one_name(sides, kind):
    plan = kind(Side.frame(LEFT, "airlines"), sides["table"]("airlines"), "left")
    agrees(run(plan.code("pandas"), {"airlines": LEFT}), plan)


def test_a_hit_of_a_series_names_the_frame_that_is_joined(sides):
    """A program is learned from the values alone; what is joined then has a name of its own."""
    hit = object.__new__(TransformHit)
    values = Side.column(LEFT["name"], "name", "name")
    words = [Piece(0, (Split(" ", place),)) for place in (1, 0)]
    program = Program((words[0], Constant(", "), words[1]), ("name",))
    hit._right = sides["table"]("airlines")
    hit.plan = TransformPlan(values, hit._right, (program,), "name")
    flyers = LEFT[["note", "name"]]
    plan = hit.join(left=flyers)
    assert plan.counts().left_matched > 0
    assert "flyers" in used(plan.code("pandas")) and "left" not in used(plan.code("pandas"))
    agrees(run(plan.code("pandas"), {"flyers": flyers}), plan)


def test_both_sides_may_be_one_frame():
    for kind in (equi, fuzzy):
        frame = LEFT.assign(label=LEFT["name"].str.lower())
        plan = kind(Side.frame(frame, "people"), Side.frame(frame, "people"), "left")
        agrees(run(plan.code("pandas"), {"people": frame}), plan)


def test_a_name_is_written_as_python_reads_it(tmp_path):
    tables = lake(tmp_path, {"Cafe\u0301 ﬁne.csv": OUTPUT, "हिन्दी.csv": OUTPUT, "a\ufe0fb.csv": OUTPUT})
    found = []
    for table in tables.values():
        plan = equi(Side.frame(LEFT, "people"), Side.lake(table), "left")
        agrees(run(plan.code("pandas"), {"people": LEFT}), plan)
        found += bound(plan.code("pandas")) - {"pd"}
    assert {"people_Café_fine", "हिन्दी", "ab"} <= set(found)


def test_fitting_renames_variables_alone():
    draft = (
        "# len, pd and key\nimport pandas as pd\nfrom collections import Counter\n\n"
        "def key(value, *more):\n    'key'\n    return len(value), more\n\n"
        "tableꞏ = pd.DataFrame({'key': [key(1), 'pd']}).key.assign(key=key, len=(len))\n"
    )
    assert fitted(draft, [], {}) == draft.replace("ꞏ", "")
    held = {"len": 1, "pd": 2, "key": 3, "table": 4, "value": 5, "table_2": 6}
    assert fitted(draft, [], held) == (
        "# len, pd and key\nfrom builtins import len as len_2\nimport pandas as pd_2\n"
        "from collections import Counter\n\n"
        "def key_2(value, *more):\n    'key'\n    return len_2(value), more\n\n"
        "table_3 = pd_2.DataFrame({'key': [key_2(1), 'pd']}).key.assign(key=key_2, len=(len_2))\n"
    )
    assert fitted("x = 1\nx_2 = x\n", [], {"x": 5}) == "x_3 = 1\nx_2 = x_3\n"
    session = SimpleNamespace(createDataFrame=None)
    assert fitted("x = spark.table('a')\n", [], {"spark": session}) == "x = spark.table('a')\n"
    assert "spark_2 = SparkSession.active()\nx = spark_2.table" in fitted("x = spark.table('a')\n", [], {"spark": 1})


# ---- Spark -----------------------------------------------------------------------------------------------------------


@pytest.mark.spark
@pytest.mark.parametrize("kind", list(KINDS))
def test_pyspark_code_beside_her_variables(spark, sides, notebook, kind):
    frames = {"people": to_spark(spark, LEFT), "airlines": to_spark(spark, RIGHT)}
    plan = kind(Side.frame(LEFT, "people"), Side.frame(RIGHT, "airlines"), "left")
    names = used(plan.code("pyspark")) - {"people", "airlines"}
    for name in sorted(names):  # compiled and looked at, not run: one of these tells of the others
        code = kind(Side.frame(LEFT, name), Side.frame(RIGHT, "airlines"), "left").code("pyspark")
        assert name not in bound(code)
        assert name in used(code)
    for name in ("spark", "F", "key"):
        other = kind(Side.frame(LEFT, name), Side.frame(RIGHT, "airlines"), "left")
        scope = {"spark": spark, name: frames["people"], "airlines": frames["airlines"]}
        agrees(run(other.code("pyspark"), scope).toPandas(), other)
    notebook |= {"spark": spark} | frames | {name: object() for name in names - {"spark"}}
    held = set(notebook)
    code = plan.code("pyspark")
    assert not bound(code) & held
    agrees(run(code, notebook, held).toPandas(), plan)


@pytest.mark.spark
def test_one_spark_frame_on_both_sides(spark):
    frame = spark.createDataFrame(LEFT.assign(label=LEFT["name"].str.lower()))
    for kind in (equi, composite_of_one):
        plan = kind(Side.frame(frame, "people"), Side.frame(frame, "people"), "left")
        agrees(run(plan.code("pyspark"), {"spark": spark, "people": frame}).toPandas(), plan)


def composite_of_one(left: Side, right: Side, how: str) -> JoinPlan:
    return CompositePlan(left, right, ["name", "note"], ["label", "note"], how)


@pytest.mark.spark
@pytest.mark.parametrize("kind", [equi, numbers, composite, transform])
def test_sql_beside_her_views(spark, notebook, tmp_path, kind):
    """Views of her frames stay, whatever they are called; in SQL `Made` and `made` are one."""
    right = Side.lake(lake(tmp_path, {"Keyed.csv": OUTPUT})["Keyed.csv"], {"id": "number"})
    plan = kind(Side.frame(LEFT, "Made"), right, "left")
    notebook |= {"Made": LEFT, "keyed": RIGHT}
    for name, frame in notebook.items():
        to_spark(spark, frame).createOrReplaceTempView(name)
    for statement in plan.statements("sql"):
        found = spark.sql(statement)
    agrees(found.toPandas(), plan)
    assert spark.table("keyed").count() == len(RIGHT) and spark.table("made").count() == len(LEFT)
