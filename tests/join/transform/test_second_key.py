"""Namesakes told apart by a second column, composite keys split by their structure, and the codes of both."""

from __future__ import annotations

import random

import pandas as pd
import pytest

import lakeview as lv
from lakeview.join.side import Side
from lakeview.join.transform.columns import Column, Columns
from lakeview.join.transform.composite import aligned_parts
from lakeview.join.transform.second_key import second_key, several

NAMES = ["Mara Quist", "Ivo Dahl", "Tess Renner", "Olu Adeyemi", "Sana Mirza", "Pia Kern", "Hugo Brandt",
         "Lena Sorensen", "Abel Costa", "Nadia Petrova", "Erik Holm", "Zoe Laurent"]  # fmt: skip
TERMS = [(name, 1900 + 7 * i) for i, name in enumerate([*NAMES, "Ivo Dahl", "Mara Quist", "Mara Quist"])]


def shuffled(values: list, seed: int) -> list:
    return random.Random(seed).sample(values, len(values))


def terms() -> tuple[pd.DataFrame, pd.DataFrame, list[list[int]]]:
    """Office holders, three of whom came back, and the pairs that are right."""
    a, b = shuffled(TERMS, 1), shuffled(TERMS, 2)
    days = [f"{m} {d}" for m, d in zip(["May", "June", "July", "March", "April"] * 3, range(11, 26), strict=True)]
    source = pd.DataFrame({"holder": ["{1}, {0}".format(*n.split()) for n, _ in a],
                           "took office": [f"{day}, {y}" for day, (_, y) in zip(days, a, strict=True)]})  # fmt: skip
    target = pd.DataFrame({"who": [n for n, _ in b], "years": [f"({y} - {y + 7})" for _, y in b]})
    return source, target, [[i, b.index(term)] for i, term in enumerate(a)]


def test_namesakes_are_told_apart():
    source, target, right = terms()
    plan = lv.auto_join(source, target)[0]
    assert plan.second is not None
    assert plan.pairs.to_numpy().tolist() == right
    assert "took office" in plan.program and "years" in plan.program
    assert plan.counts().rows_out == len(TERMS)


def test_a_second_key_is_more_than_chance():
    """A column that agrees by chance alone tells nobody apart: all rows of a name join."""
    source, target, right = terms()
    plan = lv.auto_join(source.assign(**{"took office": "May"}), target.assign(years=range(15)))[0]
    assert plan.second is None
    assert len(plan.pairs) > len(right)


@pytest.mark.parametrize("how", ["left", "inner", "right", "outer"])
@pytest.mark.parametrize("swap", [False, True])
def test_code_with_a_second_key(how: str, swap: bool):
    sides = terms()[:2]
    plan = lv.auto_join(*(sides[::-1] if swap else sides), how=how)[0]
    assert plan.second is not None
    scope = {"source": plan.left.to_pandas(), "target": plan.right.to_pandas()}
    exec(plan.code("pandas"), scope)
    pd.testing.assert_frame_equal(scope["source_target"], plan.to_pandas(), check_dtype=False)


def composite() -> tuple[pd.DataFrame, pd.DataFrame, list[list[int]]]:
    """Both key columns hold more than the name."""
    draw = random.Random(4)
    towns = ["Oslo", "Bergen", "Graz", "Turin", "Cadiz", "Leeds"]
    a, b = shuffled(NAMES, 1), shuffled(NAMES, 2)
    source = pd.DataFrame({"person": ["{1}, {0}; {2}".format(*n.split(), draw.choice(towns)) for n in a]})
    target = pd.DataFrame({"entry": [f"{n} [{draw.randrange(10**5, 10**6)}]" for n in b]})
    return source, target, [[i, b.index(name)] for i, name in enumerate(a)]


def test_composite_keys_on_both_sides():
    source, target, right = composite()
    plans = lv.auto_join(source, target, how="inner")
    assert plans[0].pairs.to_numpy().tolist() == right
    assert 'against entry before "["' in plans[0].program
    scope = {"source": source, "target": target}
    exec(plans[0].code("pandas"), scope)
    assert scope["source_target"].to_numpy().tolist() == plans[0].to_pandas().to_numpy().tolist()


def test_parts_of_aligned_columns():
    assert aligned_parts(Column("a", 0, ["x-1", "y2", "z-3-4"])) == []
    parts = aligned_parts(Column("a", 0, ["ann (lee)", "bob (orr) ", None]))
    assert [[part.value(text) for text in ("ann (lee)", "x")] for part in parts] == [["ann", "x"], ["lee", None]]


def test_several():
    assert several(["a", None, "b", "a", None]) == {"a"}


@pytest.mark.spark
def test_second_and_composite_keys_on_spark(spark):
    for make in (terms, composite):
        source, target, right = make()
        source["n"], target["m"] = range(len(source)), range(len(target))
        for tables in ((source, target), (target, source)):
            plan = lv.auto_join(*tables, how="inner")[0]
            wanted = sorted(map(tuple, right))
            assert sorted(map(tuple, plan.to_pandas()[["n", "m"]].to_numpy().tolist())) == wanted
            assert sorted((r.n, r.m) for r in plan.to_spark(spark).select("n", "m").collect()) == wanted
            there = plan.again("left", Side.frame(spark.createDataFrame(plan.left.to_pandas()), plan.left.name))
            assert there.counts() == plan.again("left").counts()
            for side in (plan.left, plan.right):  # by the names of the variables here
                spark.createDataFrame(side.to_pandas()).createOrReplaceTempView(side.name)
            result = [spark.sql(statement) for statement in plan.statements()][-1]
            assert sorted((r.n, r.m) for r in result.select("n", "m").collect()) == wanted


@pytest.mark.parametrize(("parties", "tells"), [("aaaaaaabbbccdaaaaaabbb", False), ("abcdefghijklmnopqrstuv", True)])
def test_what_agrees_by_chance_tells_nobody_apart(parties: str, tells: bool):
    """A party that most have agrees on all pairs, but on many that are none, too."""
    names = [f"name {chr(97 + i)}{chr(110 - i // 2)}" for i in range(20)] + ["twin", "twin"]
    table = Columns([Column("name", 0, names), Column("party", 1, [f"{p}-party" for p in parties])], 22)
    found = second_key(table, table, list(names), list(names))
    assert (found is not None) == tells
