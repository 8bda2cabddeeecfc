"""Bridges, tables with more rows and stacks as they are shown: bounded, escaped, the same in html, text and JSON."""

from __future__ import annotations

import pandas as pd
import pytest

import lakeview as lv
from lakeview.notebook.output.display import bridges_bundle, hits_bundle, more_rows_bundle, plan_bundle, stack_bundle
from lakeview.notebook.output.saved import MIME

EVIL = "<img src=x onerror=alert(1)>"
NAMES = [
    f"{word} of the {end}" for word in ("House", "Isle", "Vale", "Land", "Town") for end in ("north", "west", "sea")
]
CODES = [f"qx{i}z" for i in range(15)]


@pytest.fixture(scope="module")
def lake():
    lake = lv.open({
        "map.csv": pd.DataFrame({"name": NAMES, EVIL: CODES}),
        "facts.csv": pd.DataFrame({EVIL: CODES[2:], "amount": range(13)}),
        "more.csv": pd.DataFrame({"place": NAMES[:9], EVIL: CODES[:9], f"{EVIL} too": "blue"}),
    })  # fmt: skip
    lake.index(engine="local")
    return lake


def test_what_is_shown_is_data(lake):
    frame = pd.DataFrame({"place": NAMES, EVIL: CODES})
    bridges, rows = lake.bridge(frame, "place", to=f"facts.csv.{EVIL}"), lake.more_rows(frame)
    assert bridges and rows
    for bundle in (bridges_bundle(bridges), more_rows_bundle(rows), stack_bundle(rows[0]), plan_bundle(bridges[0])):
        assert "<img" not in bundle["text/html"] and "&lt;img" in bundle["text/html"]
        assert bundle["text/plain"] and bundle[MIME]["title"]
    assert "map.csv: name" in bridges_bundle(bridges)["text/plain"]
    assert [row[0] for row in more_rows_bundle(rows)[MIME]["rows"]] == [plan.what for plan in rows]


def test_nothing_found_says_why(lake):
    bridges = lake.bridge(pd.Series(["a", "b", "c", "d"]), to=pd.Series(["e", "f"]))
    bundle = bridges_bundle(bridges)
    assert bridges.explain() in bundle["text/plain"] and "nothing to start from" in bundle["text/html"]
    assert "No table of this lake" in more_rows_bundle(lake.more_rows(pd.DataFrame({"z": range(9)})))["text/plain"]


def test_an_answer_shows_what_bridges_reach_beyond_it(lake):
    hits = lake.search(pd.Series(NAMES, name="place"), rank="join")
    assert [plan.right.name for plan in hits.bridges] == ["facts.csv"]
    bundle = hits_bundle(hits)
    assert "Through tables between" in bundle["text/html"] and "<img" not in bundle["text/html"]
    assert "facts.csv" in bundle["text/plain"] and "through map.csv: name" in bundle["text/plain"]
    assert lake.search(pd.Series(NAMES), rank="overlap").bridges == []
    assert lake.search(pd.Series(CODES), rank="join").bridges == [], "the codes meet the facts as they are"
