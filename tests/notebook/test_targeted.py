"""A target in the widget, without a browser: what its script is told, and what of parts and means is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from waiting import settled

import lakeview as lv
from lakeview.errors import InputError
from lakeview.notebook.widgets.explore import explore_hits
from lakeview.notebook.widgets.targeted import row
from lakeview.search.tells import Part, Tells

PLACES = [f"Kan{i}" for i in range(1000, 1080)]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder: Path = tmp_path_factory.mktemp("targeted")
    pd.DataFrame({"town": PLACES, "mayor": [f"m{i}" for i in range(80)]}).to_csv(folder / "people.csv", index=False)
    air = pd.DataFrame({"place": PLACES, "height": np.arange(80) * 1.5, "year": 2013})[:75]
    air.to_csv(folder / "air.csv", index=False)
    lake = lv.open(folder)
    lake.index(engine="local")
    return lake


@pytest.fixture(scope="module")
def trips() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    at = rng.integers(0, 80, 4000)
    when = pd.to_datetime("2024-01-01") + pd.to_timedelta(at, "D")
    return pd.DataFrame({"town": np.array(PLACES)[at], "delay": at + rng.normal(0, 5, 4000), "when": when})


def tables(widget: Any) -> list[str]:
    return [hit["table"] for hit in widget.hits]


def joined(widget: Any, monkeypatch: pytest.MonkeyPatch, place: int = 0, **asked: Any) -> Any:
    sent: list[Any] = []
    monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append(content))
    widget._received(widget, {"do": "preview", "hit": widget.hits[place]["id"], **asked}, [])
    settled(widget)
    return sent[0]["joined"]


def test_a_target_is_chosen_and_taken_back(lake: Any, trips: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    widget = settled(lv.explore(trips, "town", lake))
    assert (widget.targets, widget.target) == (["town", "delay", "when"], -1)
    assert tables(widget) == ["people.csv", "air.csv"] and "told" not in joined(widget, monkeypatch, 1)["gets"][0]
    widget.target = 1
    assert tables(settled(widget)) == ["air.csv", "people.csv"] and widget.hits[0]["adds_names"] == "height"
    height, year = joined(widget, monkeypatch)["gets"]
    assert height["told"]["why"] == "" and height["told"]["of"] == "delay" and len(height["told"]["means"]) == 6
    assert (year["told"]["why"], year["told"]["parts"]) == ("one value", [])
    widget.target = 2
    assert settled(widget).error.startswith("when is of type timestamp") and len(widget.hits) == 2, "rows stay"
    got = joined(widget, monkeypatch)
    assert "told" not in got["gets"][0] and got["untold"].startswith("when is of type")
    widget.target = -1
    assert tables(settled(widget)) == ["people.csv", "air.csv"] and widget.error == ""


def test_an_answer_with_a_target_is_shown_with_it(lake: Any, trips: pd.DataFrame) -> None:
    hits = lake.search(trips, "town", target="delay")
    widget = settled(explore_hits(hits))
    assert (widget.target, tables(widget)) == (1, ["air.csv", "people.csv"])
    assert "by what tells of delay" in widget.answer["facts"]
    assert "by what tells of delay" in widget.lasting()["text/html"]
    widget.target = -1
    assert tables(settled(widget)) == ["people.csv", "air.csv"]
    assert "by what tells" not in widget.lasting()["text/html"]


def test_an_overview_says_what_tells(lake: Any, trips: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    widget = settled(lv.explore(trips, lake=lake, target="delay"))
    line = next(line for line in widget.overview if line["name"] == "town")
    assert line["hit"]["table"] == "air.csv" and line["hit"]["line"].startswith("height explains 9")
    monkeypatch.setattr(lake, "search", None)  # it is not asked again for another target
    widget.target = -1
    line = next(line for line in settled(widget).overview if line["name"] == "town")
    assert line["hit"]["table"] == "people.csv" and "explains" not in line["hit"]["line"]
    with pytest.raises(InputError, match="no column 'nothing'"):
        lv.explore(trips, "town", lake, target="nothing")


def test_numbers_have_no_more_digits_than_they_need() -> None:
    def parts(*bounds: tuple[Any, Any]) -> list[str]:
        found = tuple(Part(low, high, 10, 1.0) for low, high in bounds)
        return row(Tells("x", "", 0.1, 0.0, "y", False, 1.0, found))["parts"]

    assert parts((12.71, 30.1), (30.2, 47.5), (47.7, 100.0)) == ["13–30", "30–48", "48–100"]
    assert parts((0.1101, 3.4), (3.41, 8.9)) == ["0.11–3.4", "3.4–8.9"]
    assert parts((-1234.5, -1200.0), (-1200.0, 5.0)) == ["-1234–-1200", "-1200–5.0"]
    assert parts((1.0001, 1.0002), (1.0003, 1.0004)) == ["1.0001–1.0002", "1.0003–1.0004"]
    assert parts((1e-9, 2e-9), (3e-9, 4e9)) == ["1.0e-09–2.0e-09", "3.0e-09–4.0e+09"]
    assert parts((1, 1), (2, 9)) == ["1", "2–9"]
    assert parts(("dry", "dry"), (None, None)) == ["dry", "others"]
    day = pd.Timestamp("2024-01-01")
    assert parts((day, day + pd.Timedelta("1D")), (day + pd.Timedelta("36h"), day + pd.Timedelta("3D"))) == [
        "2024-01-01–2024-01-02", "2024-01-02 12:00–2024-01-04"]  # fmt: skip


def test_means_in_words() -> None:
    def told(*means: float, share: bool = False) -> Any:
        found = tuple(Part(i, i, 1000, mean) for i, mean in enumerate(means))
        return row(Tells("x", "", 0.1, 0.0, "y", share, means[0], found))

    assert told(8.313, 23.66)["span"] == "8.3 to 23.7" and told(23.66, 8.313)["span"] == "23.7 to 8.3"
    assert told(0.831, 0.384, share=True)["span"] == "83 % to 38 %"
    assert told(1234.6, 99.1)["said"] == ["1,235", "99"]
    assert told(2e9, 1e9)["said"] == ["2e+09", "1e+09"] and told(0.0, 0.5)["rows"] == ["1,000", "1,000"]
