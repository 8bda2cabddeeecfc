"""`lv.explore` without a browser: what the widget's script is told."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from waiting import settled

import lakeview as lv
from lakeview.errors import InputError, NotFound
from lakeview.notebook.scripts import bundled
from lakeview.notebook.stoppable import Stoppable


@pytest.fixture
def lake(tmp_path: Path) -> Any:
    (tmp_path / "airports.csv").write_text("faa,city\nORD,Chicago\nATL,Atlanta\nBOS,Boston\n")
    opened = lv.open(tmp_path)
    opened.index(engine="local")
    return opened


flights = pd.DataFrame({"dest": ["ORD", "ORD", "ATL", "XXX"], "number": [1.5, 2.5, 3.5, 4.5]})


def test_hits_of_the_chosen_column(lake: Any) -> None:
    widget = settled(lv.explore(flights, lake=lake))
    assert (widget.frame, widget.columns, widget.error) == ("flights", ["dest", "number"], "")
    (hit,) = widget.hits
    assert (hit["table"], hit["column"], hit["overlap_text"], hit["key"]) == ("airports.csv", "faa", "2 of 3", True)
    widget.column = 1
    assert settled(widget).hits == [] and widget.answer["closest"] == []


def test_details_preview_and_code(lake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    widget = settled(lv.explore(flights, lake=lake))
    sent: list[Any] = []
    monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append(content))
    for message in ({"do": "details"}, {"do": "preview", "how": "inner"}, {"do": "join", "how": "left"}):
        widget._received(widget, {"hit": 0, **message}, [])
        settled(widget)
    details, preview, join = sent
    assert [rows for _, rows in details["details"]["matching"]] == ["2 rows", "1 row"]
    assert details["details"]["joins"]["left"][0] == ["Rows", "4 → 4"]
    assert details["details"]["joins"]["inner"][0] == ["Rows", "4 → 3"]
    assert len(preview["preview"]["rows"]) == 3
    assert join["then"] == "join" and "flights.merge(" in join["code"]
    names = {"flights": flights}
    exec(join["code"], names)
    assert names["flights_airports"].equals(lake.search(flights, "dest")[0].join().to_pandas())


def test_a_late_answer_is_dropped(lake: Any) -> None:
    """Cancelled while it searched: what comes then changes nothing."""
    widget = settled(lv.explore(flights, lake=lake))
    before = widget.hits
    search = lake.search

    def slow(*arguments: Any, **options: Any) -> Any:
        time.sleep(0.3)
        return search(*arguments, **options)

    lake.search = slow
    widget.column = 1
    widget._received(widget, {"do": "cancel"}, [])
    assert widget.busy == ""
    time.sleep(0.6)
    assert widget.hits == before


@pytest.mark.parametrize("how", ["cancel", "another column"])
def test_what_was_at_work_is_stopped(lake: Any, how: str) -> None:
    widget = settled(lv.explore(flights, lake=lake))
    search, steps, asked = lake.search, [], []

    def endless(data: Any, column: Any, **options: Any) -> Any:
        asked.append(column)
        while column == "number":
            steps.append(time.sleep(0.001))
        return search(data, column, **options)

    lake.search = endless
    widget.column = 1
    while not steps:
        time.sleep(0.001)
    if how == "cancel":
        widget._received(widget, {"do": "cancel"}, [])
    else:
        widget.column = 0
    settled(widget)
    time.sleep(0.1)
    done = len(steps)
    time.sleep(0.1)
    assert len(steps) == done and widget.error == ""
    assert asked == ["number"] if how == "cancel" else ["number", "dest"]


def test_work_that_is_stopped_as_it_ends_says_nothing() -> None:
    """Stopped at every moment of a short life: either its answer comes, or nothing does, and no thread dies loudly."""
    said: list[Any] = []
    loud: list[Any] = []
    hook, threading.excepthook = threading.excepthook, loud.append
    try:
        for i in range(300):
            work = Stoppable("test", lambda i=i: sum(range(i * 10)), lambda *answer: said.append(answer)).start()
            if i % 3:
                time.sleep(i * 1e-7)
            before = len(said)
            work.stop()
            work._thread.join(5)
            assert not work._thread.is_alive() and len(said) <= before + 1
    finally:
        threading.excepthook = hook
    assert loud == [] and all(error is None for _, error in said)


def test_an_error_is_shown(lake: Any) -> None:
    widget = settled(lv.explore(flights, lake=lake))
    lake.search = lambda *arguments, **options: 1 / 0
    widget.column = 1
    assert "division by zero" in settled(widget).error


def test_what_cannot_be_explored(lake: Any) -> None:
    with pytest.raises(InputError, match="DataFrame, not a list"):
        lv.explore([1, 2], lake=lake)
    with pytest.raises(InputError, match="no column 'nope'"):
        lv.explore(flights, "nope", lake=lake)
    levels = flights.set_axis(pd.MultiIndex.from_tuples([("a", "dest"), ("a", "number")]), axis=1)
    with pytest.raises(InputError, match=r"several levels.*df\.columns = "):
        lv.explore(levels, lake=lake)
    with pytest.raises(NotFound, match="no lake is open"):
        lv.explore(flights)


def test_the_script_writes_no_markup() -> None:
    script = bundled("explore_parts.js", "explore.js")
    assert not any(word in script for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "http", "import("))
