"""A comparison that can be joined from where it is shown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import lakeview as lv
from lakeview.notebook import magics, state
from lakeview.notebook.output import shown
from lakeview.notebook.output.display import comparison_bundle

flights = pd.DataFrame({"dest": ["ORD", "ORD", "ATL", "XXX"]})


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    (tmp_path / "airports.csv").write_text("faa,city\nORD,Chicago\nATL,Atlanta\nBOS,Boston\n")
    (tmp_path / "routes.csv").write_text("src,dst\nORD,ATL\nBOS,ORD\n")
    lake = lv.open(tmp_path)
    lake.index(engine="local")
    monkeypatch.setattr(state, "_current", lake)
    held = {"flights": flights, "codes": ["ORD"], "lake": lake}
    monkeypatch.setattr("lakeview.join.variable.notebook", lambda: held)
    return held


@pytest.mark.parametrize(
    ("line", "left", "city"),
    [
        ("flights.dest --with airports.csv.faa", 4, ["Chicago", "Chicago", "Atlanta", None]),
        ("routes.csv.src --with airports.csv.faa", 2, ["Chicago", "Boston"]),
        ("airports.csv.faa --with flights.dest", 4, ["Chicago", "Chicago", "Atlanta", "Boston"]),
    ],
)
def test_its_button_leaves_the_join(names: dict[str, Any], line: str, left: int, city: list[Any]) -> None:
    found = magics.run(f"compare {line}", names)
    html = comparison_bundle(found)["text/html"]
    (result,) = re.findall(r'data-lakeview="join (\w+) 0"', html)
    code = shown.code(result, 0)
    exec(code, names)
    made = found.join().to_pandas()
    assert len(made) == left and made["city"].astype(object).where(made["city"].notna(), None).tolist() == city
    assert "merge" in code


def test_values_without_a_table_have_none(names: dict[str, Any]) -> None:
    found = magics.run("compare codes --with airports.csv.faa", names)
    assert found.overlap.value == 1 and found.plan is None
    assert "data-lakeview" not in comparison_bundle(found)["text/html"]
    assert "data-lakeview" not in comparison_bundle(names["lake"].compare(["ORD"], "airports.csv.faa"))["text/html"]
