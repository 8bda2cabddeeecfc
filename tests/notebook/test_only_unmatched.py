"""The rows that meet nothing, alone: of every kind of join, as her frame has them and nothing beside."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from likeness import FIRMS, NAMES, SUPPLIERS, TURNED
from waiting import settled, stepped

import lakeview as lv
from lakeview.errors import InputError
from lakeview.notebook import cells
from lakeview.notebook.widgets.explore import explore
from lakeview.notebook.widgets.explore_rows import hit_details

TOWNS = [f"Town {letter}" for letter in "ABCDEFGHIJKLMNOPQRST"]
CODES = [f"{first}{second}" for first in "QXZJ" for second in "VWKYG"]
KEYS = [f"k{n}" for n in range(30)]
TABLES = {
    "other name": {"things": pd.DataFrame({"thing": [*KEYS[:25], "k3"], "n": range(26)})},
    "one name": {"things": pd.DataFrame({"key": [*KEYS[:25], "k3", None], "n": [None] * 27})},
    "key alone": {"things": pd.DataFrame({"key": KEYS[:25]})},
    "program": {"staff": pd.DataFrame({"name": NAMES, "desk": range(12)})},
    "program, one name": {"staff": pd.DataFrame({"who": NAMES, "desk": range(12)})},
    "bridge": {"map": pd.DataFrame({"town": TOWNS, "code": CODES}),
               "sales": pd.DataFrame({"code": CODES, "sum": range(20)})},
    "similar": {"firms": pd.DataFrame({"supplier": FIRMS, "seats": range(20)})},
}  # fmt: skip
# The column, the kind of its join, values that meet something, and others that do not.
ASKED: dict[str, tuple[str, str, list[str], list[str | None]]] = {
    "other name": ("key", "equi", KEYS[:20], ["k27", None, "K28"]),
    "one name": ("key", "equi", KEYS[:20], ["k27", None, "K28"]),
    "key alone": ("key", "equi", KEYS[:20], ["k27", None]),
    "program": ("who", "transform", TURNED, ["Nobody, At All", None]),
    "program, one name": ("who", "transform", TURNED, ["Nobody, At All", None]),
    "bridge": ("place", "bridge", TOWNS, ["Nowhere", None]),
    "similar": ("supplier", "fuzzy", SUPPLIERS, ["Nothing of that kind", None]),
}


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[pd.DataFrame, int]]:
    """A function that joins only what is unmatched, by the widget: the rows, and how many of them it announced."""

    def of(tables: dict[str, pd.DataFrame], mine: pd.DataFrame, on: Any, kind: str) -> tuple[pd.DataFrame, int]:
        for name, table in tables.items():
            table.to_csv(tmp_path / f"{name}.csv", index=False)
        lake = lv.open(tmp_path)
        lake.index(engine="local")
        names: dict[str, Any] = {"mine": mine, "lake": lake, "pd": pd}
        monkeypatch.setattr("lakeview.join.variable.notebook", lambda: names)
        shown = explore(mine, on, lake)
        widget = stepped(shown) if isinstance(on, str) else settled(shown)
        sent: list[Any] = []
        monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append(content))
        (hit, *_) = [row["id"] for row in widget.hits if row["kind"] == kind]
        widget._received(widget, {"do": "join", "how": "unmatched", "hit": hit, "name": "alone"}, [])
        assert settled(widget).error == ""
        exec(sent[-1]["code"], names)
        assert {name for name, value in names.items() if isinstance(value, pd.DataFrame)} == {"mine", "alone"}
        recipe = lv.recipe(tmp_path / "recipe.json")
        assert not recipe.left_out
        again = lv.replay(recipe.path, lake, frames={"mine": mine}).to_pandas()
        pd.testing.assert_frame_equal(again, names["alone"])
        return names["alone"], hit_details(widget._hit(hit), widget._answer.query)["rows"]["unmatched"]

    return of


@pytest.mark.parametrize("name", TABLES)
def test_they_are_her_rows(name: str, alone: Callable[..., tuple[pd.DataFrame, int]]) -> None:
    on, kind, met, without = ASKED[name]
    mine = pd.DataFrame({on: [*met, *without], "id": range(len(met) + len(without))})
    found, said = alone(TABLES[name], mine, on, kind)
    wanted = mine.iloc[len(met) :]
    assert found.columns.tolist() == [on, "id"] and found["id"].tolist() == wanted["id"].tolist()
    assert found[on].fillna("").tolist() == wanted[on].fillna("").tolist()
    assert said == len(wanted)


@pytest.mark.parametrize("names", [["place", "year"], ["town", "year"]], ids=str)
def test_of_several_columns(names: list[str], alone: Callable[..., tuple[pd.DataFrame, int]]) -> None:
    """One of which, or all, are called the same on both sides."""
    mine = pd.DataFrame({"town": ["Bonn", "Rome", "Oslo", "Bonn"], "year": [2020, 2021, 2022, 2020]})
    table = pd.DataFrame({"a": ["Bonn", "Rome", "Bonn"], "b": [2020, 2021, 2020], "n": [1, 2, 3]})
    counts = table.set_axis([*names, "n"], axis=1)
    found, said = alone({"counts": counts}, mine, ["town", "year"], "composite")
    assert found.to_dict("records") == [{"town": "Oslo", "year": 2022}] and said == 1


def test_of_spark_they_are_not_told_apart() -> None:
    class OfSpark:
        dialect = "pyspark"

    with pytest.raises(InputError, match="cannot be told apart"):
        cells.counting(OfSpark())
