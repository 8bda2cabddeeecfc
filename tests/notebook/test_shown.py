"""The buttons of a search's output: code and rows of the hit that they stand at, or what to do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import lakeview as lv
from lakeview.notebook.output import display, shown
from lakeview.notebook.panel import comm

flights = pd.DataFrame({"dest": ["ORD", "ORD", "ATL", "XXX"]})


@pytest.fixture
def hits(tmp_path: Path) -> Any:
    (tmp_path / "airports.csv").write_text("faa,city\nORD,Chicago\nATL,Atlanta\nBOS,Boston\n")
    lake = lv.open(tmp_path)
    lake.index(engine="local")
    return lake.search(flights, "dest")


def ask(kind: str, hits: str, hit: int) -> Any:
    reply = comm.answer({"id": 1, "kind": kind, "job": None, "refresh": False, "table": None, "hits": hits, "hit": hit})
    return reply["result"] if reply["error"] is None else reply["error"]["message"]


def test_the_buttons_of_an_output(hits: Any) -> None:
    html = display.hits_bundle(hits)["text/html"]
    buttons = re.findall(r'<button [^>]*hidden data-lakeview="(\w+) (\w+) (\d+)">', html)
    assert [(act, place) for act, _, place in buttons] == [("preview", "0"), ("join", "0")]
    names = {"flights": flights}
    exec(ask("join", buttons[1][1], 0)["code"], names)
    assert names["flights_airports"].equals(hits[0].join().to_pandas())
    table = ask("preview", buttons[0][1], 0)["table"]
    assert [row[-1] for row in table["rows"]] == ["Chicago", "Chicago", "Atlanta", None]


def test_what_is_no_longer_there_says_what_to_do(hits: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, place in (("of another kernel", 0), (shown.keep(hits), 99)):
        assert "run its cell again" in ask("join", name, place)
    first = shown.keep(hits)
    for _ in range(shown.KEPT):
        shown.keep(hits)
    assert "run its cell again" in ask("preview", first, 0)
    monkeypatch.setattr(shown, "is_cheap", lambda plan: False)
    assert "hits[0].join().preview()" in ask("preview", shown.keep(hits), 0)


def test_a_series_cannot_be_joined_and_has_no_buttons(tmp_path: Path, hits: Any) -> None:
    lake = lv.open(tmp_path)
    assert "lv-Act" not in display.hits_bundle(lake.search(flights["dest"]))["text/html"]
