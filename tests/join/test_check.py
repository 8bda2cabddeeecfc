"""A join as a check: each text runs, says nothing of what is as it was, and catches a duplicate, a null, an orphan and
a lost row. Standard SQL runs in SQLite here; the tools themselves run in tests/benchmarks/checks.py."""

from __future__ import annotations

import json
import sqlite3
import sys
import types
from typing import Any

import jinja2
import pandas as pd
import pytest
from joining import to_spark

import lakeview as lv
from lakeview.errors import InputError
from lakeview.join.plan import CompositePlan, equi_join
from lakeview.join.side import Side

VISITS = pd.DataFrame({"ward": ["n", "s", "n", "w"], "bed no": [1, 1, 2, 1]})
WARDS = pd.DataFrame({"ward": ["n", "s", "w"], "beds": [3, 1, 2]})
FAULTS = {
    "duplicate": (VISITS, pd.concat([WARDS, WARDS.head(1)], ignore_index=True)),
    "without a key on the left": (VISITS.assign(ward=["n", "s", None, "w"]), WARDS),
    "without a key on the right": (VISITS, pd.concat([WARDS, pd.DataFrame({"ward": [None]})], ignore_index=True)),
    "meet none": (VISITS.assign(ward=["n", "s", "z", "w"]), WARDS),
    "lost": (VISITS.head(3), WARDS),
}


def plan_of(left: pd.DataFrame = VISITS, right: pd.DataFrame = WARDS) -> lv.JoinPlan:
    return equi_join(Side.frame(left, "visits"), Side.frame(right, "wards"), "ward", "ward")


def in_sqlite(text: str, left: pd.DataFrame, right: pd.DataFrame) -> list[str]:
    """The demands that a dbt test finds not to be met."""
    select = jinja2.Template(text).render(ref=lambda model: f'"{model}"', adapter=types.SimpleNamespace(
        quote=lambda name: '"' + name.replace('"', '""') + '"'))  # fmt: skip
    with sqlite3.connect(":memory:") as base:
        left.to_sql("visits", base, index=False)
        right.to_sql("wards", base, index=False)
        return [row[0] for row in base.execute(select)]


def in_pandera(text: str, left: pd.DataFrame, right: pd.DataFrame) -> list[str]:
    """The demands that a stand-in of pandera finds not to be met."""
    failed: list[str] = []

    class Check:
        def __init__(self, holds: Any, name: str, error: str) -> None:
            self.holds, self.name = holds, name

    class Schema:
        def __init__(self, checks: list[Check]) -> None:
            self.checks = checks

        def validate(self, frame: Any, lazy: bool) -> None:
            failed.extend(check.name for check in self.checks if not check.holds(frame))

    fake = types.SimpleNamespace(Check=Check, DataFrameSchema=Schema)
    package, module = types.ModuleType("pandera"), types.ModuleType("pandera.pandas")
    vars(module).update(vars(fake))
    package.pandas = module  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "pandera", package)
        patch.setitem(sys.modules, "pandera.pandas", module)
        scope: dict[str, Any] = {}
        exec(text, scope)
        scope["check"](left, right, left.merge(right, on="ward", how="left"))
    return failed


def in_contract(text: str, left: pd.DataFrame, right: pd.DataFrame) -> list[str]:
    contract, failed = json.loads(text), []
    with sqlite3.connect(":memory:") as base:
        left.to_sql("visits", base, index=False)
        right.to_sql("wards", base, index=False)
        for rule in contract["models"]["visits"]["quality"]:
            if not base.execute(rule["query"]).fetchone()[0] < rule["mustBeLessThan"]:
                failed.append(rule["description"])
    return failed


RUN = {"dbt": in_sqlite, "pandera": in_pandera, "datacontract": in_contract}


@pytest.mark.parametrize("form", RUN)
def test_each_fault_is_caught_and_nothing_else(form):
    text = plan_of().check(form)
    assert RUN[form](text, VISITS, WARDS) == []
    for fault, frames in FAULTS.items():
        assert any(fault in said for said in RUN[form](text, *frames)), fault


@pytest.mark.parametrize("form", RUN)
def test_what_is_amiss_already_may_stay_but_not_grow(form):
    left = pd.concat([VISITS.assign(ward=["n", "s", "z", None]), VISITS.head(2)], ignore_index=True)
    right = pd.concat([WARDS, WARDS.head(1)], ignore_index=True)
    text = plan_of(left, right).check(form)
    assert RUN[form](text, left, right) == []
    assert any("match rate" in said for said in RUN[form](text, left.assign(ward=["z"] * 5 + ["n"]), right))
    more = pd.concat([right, WARDS.tail(1)], ignore_index=True)
    assert any("duplicate" in said for said in RUN[form](text, left, more))


@pytest.mark.parametrize("form", RUN)
def test_several_columns_are_one_key(form):
    beds = VISITS.drop_duplicates().assign(size=1)
    plan = CompositePlan(Side.frame(VISITS, "visits"), Side.frame(beds, "wards"), *[["ward", "bed no"]] * 2, "left")
    text = plan.check(form)
    if form != "pandera":
        assert RUN[form](text, VISITS, beds) == []
        assert any("meet none" in said for said in RUN[form](text, VISITS.assign(**{"bed no": [1, 1, 9, 1]}), beds))


def test_names_of_strangers_are_names(tmp_path):
    odd = "a'); DROP TABLE visits; --{{ 7 * 7 }}{% set x = 1 %}\"#`"
    left, right = (frame.rename(columns={"ward": odd}) for frame in (VISITS, WARDS))
    plan = equi_join(Side.frame(left, "visits"), Side.frame(right, "wards"), odd, odd)
    text = plan.check("dbt")
    assert "{% set" not in text and "{{ 7" not in text
    assert in_sqlite(text, left, right) == []
    assert in_contract(plan.check("datacontract"), left, right) == []
    assert any("meet none" in said for said in in_sqlite(text, left.assign(**{odd: ["n", "s", "z", "w"]}), right))


def test_what_cannot_be_checked_is_refused_in_one_line():
    with pytest.raises(InputError, match="form"):
        plan_of().check("great_expectations")
    with pytest.raises(InputError, match="as they lie"):
        plan_of(VISITS.assign(ward=["N", "s", "n", "w"])).check("dbt")
    fuzzy = lv.fuzzy_join(VISITS, WARDS, on="ward", threshold=0.5)
    with pytest.raises(InputError, match="keys that are equal"):
        fuzzy.check("sql")


@pytest.mark.spark
def test_spark_says_the_same(spark):
    upper = VISITS.assign(ward=["N", "s", "n", "w"])
    plan = plan_of(upper)
    sql, code = plan.check("sql"), plan.check("pyspark")
    for fault, (left, right) in {"": (upper, WARDS), **FAULTS}.items():
        frames = {"visits": to_spark(spark, left), "wards": to_spark(spark, right)}
        for name, frame in frames.items():
            frame.createOrReplaceTempView(name)
        found = [row["demand"] for row in spark.sql(sql.rstrip().rstrip(";")).collect()]
        assert (any(fault in said for said in found)) if fault else found == []
        if fault:
            with pytest.raises(AssertionError, match=fault):
                exec(code, {"spark": spark, **frames})
        else:
            exec(code, {"spark": spark, **frames})
