"""What a comparison shows of the values that one side alone has."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import lakeview as lv
from lakeview.join import lake_table
from lakeview.notebook.output import display
from lakeview.notebook.output.comparison_html import comparison_text
from lakeview.options import options


@pytest.fixture
def lake(tmp_path: Path) -> lv.Lake:
    (tmp_path / "airports.csv").write_text("faa,city\n ord ,Chicago\nATL,Atlanta\nBOS,Boston\nNA,\n")
    opened = lv.open(tmp_path)
    opened.index(engine="local")
    return opened


MINE = pd.Series(["ORD", "SJU", "SJU", None, "BQN", "Atl", "sju "], name="dest")


def test_values_of_one_side_alone_as_they_are_spelled(lake: lv.Lake) -> None:
    found = lake.compare(MINE, "airports.csv.faa")
    assert found.apart == (("SJU", "BQN"), ("BOS",))
    assert lake.compare("airports.csv.faa", MINE).apart == (("BOS",), ("SJU", "BQN"))
    assert lake.compare(lake.query_of("airports.csv", "faa"), MINE).apart[0] == ("BOS",)
    assert lake.compare(MINE, MINE).apart == ((), ())
    assert lake.compare(MINE, pd.Series([], dtype=object)).apart[0] == ("ORD", "SJU", "BQN", "Atl")
    many = lake.compare(pd.Series([f"v{i}" for i in range(100)]), "airports.csv.faa")
    assert many.apart[0] == ("v0", "v1", "v2", "v3", "v4", "v5")  # five are shown
    assert "v4 …" in comparison_text(many)
    five = lake.compare(pd.Series([f"v{i}" for i in range(5)]), "airports.csv.faa")
    assert "v4\n" in comparison_text(five) and "…" not in comparison_text(five)


def test_a_large_table_is_not_read_for_them(lake: lv.Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lake_table, "HERE", 1)
    assert lake.compare(MINE, "airports.csv.faa").apart == (("SJU", "BQN"), ())


def test_they_are_shown_and_saved_where_values_may_be(lake: lv.Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    found = lake.compare(MINE, "airports.csv.faa")
    shown = display.comparison_bundle(found)
    assert "Only in dest: SJU, BQN" in shown["text/plain"]
    assert "Only in <code>airports.csv.faa</code>: <code>BOS</code>" in shown["text/html"]
    monkeypatch.setattr(options, "save_values", False)
    hidden = display.comparison_bundle(found)
    assert "SJU" not in hidden["text/plain"] and "BOS" not in hidden["text/html"]
