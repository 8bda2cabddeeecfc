"""The exported code, executed: each dialect must give the plan's own pairs."""

from __future__ import annotations

import random
import re

import pandas as pd
import pyarrow as pa
import pytest

import lakeview as lv
from lakeview import values
from lakeview.join.side import Side
from lakeview.join.transform import TransformPlan
from lakeview.join.transform.fuzzy_rest import Match, Rest
from lakeview.join.transform.operators import Constant, Operator, Piece, Split
from lakeview.join.transform.program import Program
from lakeview.join.transform.shapes import SHAPES, date_shape, shape
from lakeview.join.transform.spark_shapes import shape_sql

TEXTS = ["Obama, Barack (1961-)", "bush,  George W.(1946)", "de-Jesus O'Neil", "José Núñez", "a---b", "007", "12", "3",
         "March 2020", "Sept", "a.b|c$d", None, "", "N/A", "x",
         " 'quoted' \"text\" ", "tab\tnewline\n!", "Zürich \\ Genève",
         "sep 5", "${x} {} %s", "ＷＩＤＥ \u200bzero",
         "31.12.1999", "2.3.2024", "29.2.2023", "12/31/24", "1/2/69", "20100501", "2010050", "20100231", "2010-05",
         "Monday, 05 May 2003", "may 5, 2003", "5-Sep-98", "$1,234.50", "(12) 1.234,5 €", "1 234 567", "eur -3,50",
         "12,345", "No. 00026627", "AW-17", "0.50 kg", "1,23,4", "+7.00"]  # fmt: skip

DATES = [("%d.%m.%Y", "%Y-%m-%d"), ("%m/%d/%y", "%-d %B %Y"), ("%Y%m%d", "%m/%d/%Y"), ("%Y-%m", "%b %Y"),
         ("%A, %d %B %Y", "%Y%m%d"), ("%b %d, %Y", "%-m/%-d/%y"), ("%d-%b-%y", "%A, %-d %b %Y")]  # fmt: skip
OPERATORS: list[list[Operator]] = [
    [Piece(0)],
    [Piece(0, (Split("(", 0), Split(",", 1))), Constant(" "), Piece(0, (Split(",", 0),))],
    [Piece(0, (Split("-", -1, "before"),))],
    [Piece(0, (Split("-", -2, "before"),)), Constant("'\"\\$")],
    [Piece(0, (Split("-", 1, "after"),))],
    [Piece(0, (Split(" ", 1, "after"),), "", 1, None)],
    [Piece(0, (Split(" ", -2),), "", None, -1)],
    [Piece(0, (), "", None, 3), Constant("${y} {}"), Piece(1)],
    [Piece(0, (), "", -4, None)],
    [Piece(0, (), "", 2, 5)],
    [Piece(0, (), "", -5, -2)],
    [Piece(0, (Split(".", 1), Split("|", 0)))],
    [Piece(0, (Split("$", -1),))],
    *([Piece(0, (), name)] for name in SHAPES if name not in ("", "sorted")),
    [Piece(0, (Split(" ", 0),), "month_number"), Constant("/"), Piece(0, (Split(" ", 1),))],
]

NAMED = [*filter(None, SHAPES), "pad2", "pad5", "pad8", "digits", "digits0", "digits8", "number point", "number comma",
         *(date_shape(source, to) for source, to in DATES)]  # fmt: skip
SHAPED: list[list[Operator]] = [[Piece(0, (), name)] for name in NAMED if name not in SHAPES or name == "sorted"]
SHAPED.append([Piece(0, (Split(" ", -1),), "number comma"), Constant(" eur")])
NO_REST = Rest()


def plan_of(programs: tuple[Program, ...], reverse: bool = False, rest: Rest = NO_REST, how: str = "inner",
            texts: list = TEXTS) -> TransformPlan:  # fmt: skip
    """A plan whose keys are what the programs make, in another order, and some others."""
    made = pd.DataFrame({"a name": texts, "key": [str(i % 4) for i in range(len(texts))], "made": range(len(texts))})
    probe = TransformPlan(Side.frame(made, "s"), Side.frame(pd.DataFrame({"k": ["?"]}), "t"), programs, "k")
    from lakeview.join.transform.columns import Columns

    table = Columns.of(probe.left)
    keys = sorted({text for program in programs for text in program.apply(table) if text is not None})
    random.Random(1).shuffle(keys)
    keyed = pd.DataFrame({"key": [*keys, None, "other", *[match.key for match in rest.matches]]})
    keyed["there"] = range(len(keyed))
    sides = (keyed, made) if reverse else (made, keyed)
    return TransformPlan(Side.frame(sides[0], "source"), Side.frame(sides[1], "target"), programs, "key", rest, reverse,
                         how)  # fmt: skip


NAMES = ("a name", "key", "made")
REST = Rest((Match("x", "ex", 0.5), Match("12", "twelve", 0.4)), "words", "Jaccard", 0.4, 0.9)
PLANS = [plan_of((Program(tuple(ops), NAMES),), bool(i % 2)) for i, ops in enumerate(OPERATORS)]
PLANS.append(plan_of((Program(tuple(OPERATORS[1]), NAMES), Program(tuple(OPERATORS[4]), NAMES),
                      Program(tuple(OPERATORS[9]), NAMES))))  # fmt: skip
several = (Program((Piece(0, (Split("-", 1, "after"),)),), NAMES), Program((Piece(0, (), "", None, 2),), NAMES))
PLANS.append(plan_of(several, rest=REST))
PLANS.append(plan_of(several, True, rest=REST))
IDS = [f"{i} {p.programs[0]}"[:60] for i, p in enumerate(PLANS)]


def pairs(plan: TransformPlan, result: pd.DataFrame) -> list[tuple[int, int]]:
    columns = ("there", "made") if plan.reverse else ("made", "there")
    return sorted((int(a), int(b)) for a, b in zip(*(result[c] for c in columns), strict=True))


def wanted(plan: TransformPlan) -> list[tuple[int, int]]:
    found = sorted(map(tuple, plan.pairs.to_numpy().tolist()))
    assert found
    return found


OF_SHAPES = [plan_of((Program(tuple(ops), NAMES),)) for ops in SHAPED]


@pytest.mark.parametrize("plan", [*PLANS, *OF_SHAPES], ids=[*IDS, *(str(p.programs[0]) for p in OF_SHAPES)])
def test_pandas(plan: TransformPlan):
    scope = {"source": plan.left.to_pandas(), "target": plan.right.to_pandas()}
    exec(plan.code("pandas"), scope)
    assert pairs(plan, scope["source_target"]) == wanted(plan)
    assert list(scope["source_target"].columns) == plan.columns.names
    assert "import lakeview" not in plan.code("pandas")


@pytest.mark.parametrize("how", ["left", "right", "outer"])
@pytest.mark.parametrize("reverse", [False, True])
def test_other_joins_in_pandas(how: str, reverse: bool):
    plan = plan_of((Program(tuple(OPERATORS[1]), NAMES),), reverse, how=how)
    scope = {"source": plan.left.to_pandas(), "target": plan.right.to_pandas()}
    exec(plan.code("pandas"), scope)
    result = plan.to_pandas()
    assert len(result) == plan.counts().rows_out
    pd.testing.assert_frame_equal(scope["source_target"], result, check_dtype=False)


@pytest.mark.parametrize("dialect", ["pandas", "pyspark", "sql"])
def test_near_keys_are_named_as_frozen_values(dialect: str):
    source, target = pd.DataFrame({"a": ["abc", "cde"]}), pd.DataFrame({"key": ["ab", "seedy"]})
    program = Program((Piece(0, (), "", None, 2),), ("a",))
    rest = Rest((Match("cd", "seedy", 0.5),))
    plan = TransformPlan(Side.frame(source, "source"), Side.frame(target, "target"), (program,), "key", rest)
    assert "near keys, frozen" in plan.code(dialect)


@pytest.mark.parametrize("dialect", ["pandas", "pyspark"])
def test_no_variable_of_the_analyst_is_bound_anew(dialect: str):
    """Whatever her frames are called: these are names that the code likes for its own."""
    frames = [side.to_pandas() for side in (PLANS[-2].left, PLANS[-2].right)]
    for names in (("known", "near"), ("near", "known"), ("key", "text_1")):
        plan = PLANS[-2].again("left", *(Side.frame(*named) for named in zip(frames, names, strict=True)))
        bound = re.findall(r"^(\w+) = ", plan.code(dialect), re.MULTILINE)
        assert bound and not {*names} & {*bound}


@pytest.mark.spark
def test_spark(spark):
    """PySpark, SQL and to_spark give the plan's pairs; what SQL lacks is refused."""
    refused = 0
    for plan in PLANS:
        frames = {name: spark.createDataFrame(side.to_pandas().astype(object).where(side.to_pandas().notna(), None),
                                              schema=", ".join(f"`{c}` {'long' if c in ('made', 'there') else 'string'}"
                                                               for c in side.columns))
                  for name, side in (("source", plan.left), ("target", plan.right))}  # fmt: skip
        scope = {**frames, "spark": spark}
        try:
            code = plan.code("pyspark")
        except lv.InputError:
            refused += 1
            continue
        exec(code, scope)
        assert pairs(plan, scope["source_target"].toPandas()) == wanted(plan), code
        if plan in (*PLANS[:2], *PLANS[-3:]):  # one of each kind: counting takes a second
            there = plan.again("outer", *(Side.frame(frame, name) for name, frame in frames.items()))
            assert there.counts() == plan.again("outer").counts(), code
        for name, frame in frames.items():
            frame.createOrReplaceTempView(name)
        try:
            statements = plan.statements()
        except lv.InputError:
            refused += 1
            continue
        result = [spark.sql(statement) for statement in statements][-1]
        assert pairs(plan, result.toPandas()) == wanted(plan), statements[-1]
    assert refused < len(PLANS)


@pytest.mark.spark
def test_shapes_in_spark(spark):
    """Every shape of every text, in one query."""
    texts = [text for text in values.canonical(pa.array(TEXTS)).to_pylist() if text]
    frame = spark.createDataFrame([(text,) for text in texts], "text string")
    chosen = [name for name in NAMED if name != "plain"]  # which depends on the characters
    made = frame.selectExpr("text", *(f"nullif({shape_sql(name, 'text')}, '')" for name in chosen)).collect()
    for text, *found in made:
        for name, one in zip(chosen, found, strict=True):
            assert one == (shape(name)(text) or None), (name, text)


@pytest.mark.spark
def test_spark_frames(spark):
    """Learned from Spark frames, run on Spark."""
    names = [("Ada", "Lovelace"), ("Alan", "Turing"), ("Grace", "Hopper"), ("Edsger", "Dijkstra"), ("Donald", "Knuth"),
             ("Barbara", "Liskov"), ("Tony", "Hoare"), ("Frances", "Allen")]  # fmt: skip
    source = spark.createDataFrame([(f"{last}, {first}",) for first, last in names], "person string")
    keys = [(f"{first} {last}", i) for i, (first, last) in enumerate(names)]
    target = spark.createDataFrame(keys, "name string, n int")
    plan = lv.auto_join(source, target, how="inner")[0]
    rows = {tuple(row) for row in plan.to_spark().select("person", "n").collect()}
    assert rows == {(f"{last}, {first}", i) for i, (first, last) in enumerate(names)}
    more = source.union(spark.createDataFrame([("Ritchie, Dennis",), ("Hopper, Grace",), (None,)], "person string"))
    wanted = lv.auto_join(source.toPandas(), target.toPandas())[0].again("left", Side.frame(more.toPandas(), "source"))
    for how in ("left", "outer"):
        there = plan.again(how, Side.frame(more, "source"))
        assert there.counts() == wanted.again(how).counts(), how
        assert there.counts().rows_out == there.to_spark().count()
