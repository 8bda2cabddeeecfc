"""The rows that show a join before it runs: the first, or where none of them has a match the first that have one."""

from __future__ import annotations

import pandas as pd
import pytest

import lakeview as lv
from lakeview.join.plan import JoinPlan
from lakeview.join.side import Side
from lakeview.notebook.output import plan_html
from lakeview.notebook.output.first_rows import NOTE, first_rows, preview

LEFT = pd.DataFrame({"k": [f"a{i}" for i in range(40)] + ["b1", "b2"], "x": range(42)})


def plan_of(right: pd.DataFrame, how: str = "left") -> JoinPlan:
    return JoinPlan(Side.frame(LEFT, "left"), Side.frame(right, "right"), "k", "k", how)  # type: ignore[arg-type]


def test_rows_that_have_a_match_where_the_first_have_none():
    plan = plan_of(pd.DataFrame({"k": ["b2", "b1"], "y": ["two", "one"]}))
    frame, note = preview(plan, 5)
    assert frame["y"].tolist() == ["one", "two"] and note == NOTE
    assert first_rows(plan)["rows"] == [["b1", "40", "one"], ["b2", "41", "two"]]
    shown = plan_html.look(plan)
    assert NOTE in str(plan_html.plan_html(plan, shown)) and "one" in str(plan_html.plan_html(plan, shown))


@pytest.mark.parametrize(
    "right",
    [
        pd.DataFrame({"k": ["a3", "b1"], "y": ["three", "one"]}),  # one of the first has a match
        pd.DataFrame({"k": ["zz"], "y": ["none"]}),  # none has
        pd.DataFrame({"k": ["b1"]}),  # nothing is brought
    ],
)
def test_else_the_first(right: pd.DataFrame):
    frame, note = preview(plan_of(right), 5)
    assert frame["k"].tolist() == ["a0", "a1", "a2", "a3", "a4"] and not note
    assert NOTE not in str(plan_html.plan_html(plan_of(right), plan_html.look(plan_of(right))))


def test_a_fuzzy_join_too():
    names = pd.DataFrame({"name": [f"nothing {i} like it" for i in range(30)] + ["Harbor View Cafe"]})
    plan = lv.fuzzy_join(names, pd.DataFrame({"name": ["harbor view cafes"], "y": [1]}), on="name", threshold=0.4)
    frame, note = preview(plan, 5)
    assert frame["name"].tolist() == ["Harbor View Cafe"] and note == NOTE
