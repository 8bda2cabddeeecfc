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
from lakeview.notebook import cells
from lakeview.notebook.output import shown
from lakeview.notebook.widgets.stoppable import Stoppable


@pytest.fixture
def lake(tmp_path: Path) -> Any:
    (tmp_path / "airports.csv").write_text("faa,city\nORD,Chicago\nATL,Atlanta\nBOS,Boston\n")
    opened = lv.open(tmp_path)
    opened.index(engine="local")
    return opened


flights = pd.DataFrame({"dest": ["ORD", "ORD", "ATL", "XXX"], "number": [1.5, 2.5, 3.5, 4.5]})


def test_hits_of_the_chosen_column(lake: Any) -> None:
    widget = settled(lv.explore(flights, "dest", lake))
    assert (widget.frame, widget.columns, widget.error) == ("flights", ["dest", "number"], "")
    (hit,) = widget.hits
    assert (hit["table"], hit["column"], hit["line"]) == ("airports.csv", "faa", "2 of 3 codes")
    assert (hit["percent"], hit["without"], hit["adds_names"]) == ("75 %", "1 without", "city")
    widget.chosen = [1]
    assert settled(widget).hits == [] and widget.answer["closest"] == []


def test_details_preview_and_code(lake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    widget = settled(lv.explore(flights, "dest", lake))
    sent: list[Any] = []
    monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append(content))
    for message in ({"do": "details"}, {"do": "preview", "how": "inner"}, {"do": "join", "how": "left"}):
        widget._received(widget, {"hit": widget.hits[0]["id"], **message}, [])
        settled(widget)
    details, rows, join = sent
    told = details["details"]
    assert told["missing"] == [["XXX", "1 row"]] and (told["matched"], told["without"]) == (3, 1)
    assert told["rows"] == {"left": 4, "inner": 3, "right": 4, "outer": 5, "unmatched": 1} and not told["multiplies"]
    assert rows["joined"]["rows"] == [["ORD", "ORD", "Chicago"], ["ORD", "ORD", "Chicago"], ["ATL", "ATL", "Atlanta"]]
    assert rows["joined"]["gets"] == [
        {"name": "city", "column": "city", "type": "abc", "samples": "Chicago, Atlanta"}]  # fmt: skip
    assert join["then"] == "join" and "flights.merge(" in join["code"]
    names = {"flights": flights}
    exec(join["code"], names)
    assert names["flights_airports"].equals(lake.search(flights, "dest")[0].join().to_pandas())


def test_a_cell_leaves_one_variable_and_says_what_was_joined(lake: Any) -> None:
    plan = lake.search(flights, "dest")[0].join()
    code = cells.result(plan, "mine", ["city"])
    first, second, *_, last = code.splitlines()
    assert first == "# lakeview: flights.dest = airports.faa, left join, 4 rows"
    assert second.startswith("# 3 of 4 rows matched, 1 without; 20") and last == "mine.head()"
    names = {"flights": flights, "pd": pd}
    exec(code, names)
    assert set(names) - {"__builtins__"} == {"flights", "pd", "mine"}
    assert list(names["mine"].columns) == ["dest", "number", "faa"]
    exec(cells.result(lake.search(flights, "dest")[0].join(many="first"), unmatched=True), names)
    assert names["flights_airports"].to_dict("records") == [{"dest": "XXX", "number": 4.5}]
    plan = lake.search(flights, "dest")[0].join()
    for name in ("not one", "class", "list", "flights", "airports"):
        with pytest.raises(InputError, match=r"cannot be called|take another name"):
            cells.result(plan, name)


def test_a_late_answer_is_dropped(lake: Any) -> None:
    """Cancelled while it searched: what comes then changes nothing."""
    widget = settled(lv.explore(flights, "dest", lake))
    before = widget.hits
    search = lake.search

    def slow(*arguments: Any, **options: Any) -> Any:
        time.sleep(0.3)
        return search(*arguments, **options)

    lake.search = slow
    widget.chosen = [1]
    widget._received(widget, {"do": "cancel"}, [])
    assert widget.busy == ""
    time.sleep(0.6)
    assert widget.hits == before


@pytest.mark.parametrize("how", ["cancel", "another column"])
def test_what_was_at_work_is_stopped(lake: Any, how: str) -> None:
    widget = settled(lv.explore(flights, "dest", lake))
    search, steps, asked = lake.search, [], []

    def endless(data: Any, column: Any, **options: Any) -> Any:
        asked.append(column)
        while column == "number":
            steps.append(time.sleep(0.001))
        return search(data, column, **options)

    lake.search = endless
    widget.chosen = [1]
    while not steps:
        time.sleep(0.001)
    if how == "cancel":
        widget._received(widget, {"do": "cancel"}, [])
    else:
        widget.chosen = [0]
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
    widget = settled(lv.explore(flights, "dest", lake))
    lake.search = lambda *arguments, **options: 1 / 0
    widget.chosen = [1]
    assert "division by zero" in settled(widget).error


def test_what_cannot_be_explored(lake: Any) -> None:
    with pytest.raises(InputError, match="DataFrame, not a list"):
        lv.explore([1, 2], lake=lake)
    with pytest.raises(InputError, match="no column 'nope'"):
        lv.explore(flights, "nope", lake=lake)
    levels = flights.set_axis(pd.MultiIndex.from_tuples([("a", "dest"), ("a", "number")]), axis=1)
    with pytest.raises(InputError, match=r"columns of 2 levels.*levels\.columns = "):
        lv.explore(levels, lake=lake)
    with pytest.raises(NotFound, match="no lake is open"):
        lv.explore(flights)


def sent_by(widget: Any, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the widget sends to its script from now on."""
    sent: list[Any] = []
    monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append(content))
    return sent


big = pd.DataFrame({"code": [f"c{i}" for i in range(6_000)]})


def test_an_exact_answer_takes_the_place_of_an_approximate_one() -> None:
    """Both are of one question, and name the hit alike, so that what is open stays open."""
    lake = lv.open({"there": pd.DataFrame({"key": [f"c{i}" for i in range(3_000, 9_000)]})})
    lake.index(engine="local")
    widget = settled(lv.explore(big, "code", lake))
    shown: list[Any] = []
    widget.observe(lambda change: shown.append((widget.hits, change["new"])), "answer")
    widget.search()
    settled(widget)
    (first, told), (then, told_then) = shown
    assert (first[0]["exact"], then[0]["exact"]) == (False, True)
    assert first[0]["id"] == then[0]["id"] and told["question"] == told_then["question"]
    assert first[0]["low"] <= then[0]["share"] == 0.5 <= first[0]["high"]


def test_a_hit_of_a_sketch_opens_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    big.to_parquet(tmp_path / "there.parquet")
    lake = lv.open(tmp_path)
    lake.index(engine="local", exact=False)
    widget = settled(lv.explore(big, "code", lake))
    sent = sent_by(widget, monkeypatch)
    widget._received(widget, {"do": "details", "hit": widget.hits[0]["id"]}, [])
    assert sent[0]["details"]["missing_title"].startswith("≈ ")
    assert sent[0]["details"]["matched"] == -1 and set(sent[0]["details"]["rows"].values()) == {-1}


def test_several_columns_together(monkeypatch: pytest.MonkeyPatch) -> None:
    visits = pd.DataFrame({"city": ["Bonn", "Bonn", "Rome"], "year": [1, 2, 1], "note": ["a", "b", "c"]})
    counts = pd.DataFrame({"town": ["Bonn", "Bonn", "Rome"], "when": [1, 2, 1], "n": [7, 8, 9]})
    lake = lv.open({"counts": counts})
    lake.index(engine="local")
    widget = settled(lv.explore(visits, ["city", "year"], lake=lake))
    (hit,) = widget.hits
    assert (hit["kind"], hit["column"], hit["percent"]) == ("composite", "(town, when)", "100 %")
    sent = sent_by(widget, monkeypatch)
    for do in ("details", "join"):
        widget._received(widget, {"do": do, "hit": hit["id"]}, [])
        settled(widget)
    assert sent[0]["details"]["missing"] == [] and sent[0]["details"]["matched"] == 3
    names = {"visits": visits, "counts": counts}
    exec(sent[1]["code"], names)
    assert names["visits_counts"]["n"].tolist() == [7, 8, 9]
    widget.chosen = [0]
    assert settled(widget).hits[0]["kind"] == "equi"


def test_marked_hits_are_compared_in_a_cell(lake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    widget = settled(lv.explore(flights, "dest", lake))
    sent = sent_by(widget, monkeypatch)
    widget._received(widget, {"do": "compare", "hits": [widget.hits[0]["id"]]}, [])
    (message,) = sent
    assert message["code"] == 'lake.compare(flights["dest"], "airports.csv.faa")'
    comparison = eval(message["code"], {"lake": lake, "flights": flights})
    assert comparison.names == ("dest", "airports.csv.faa") and comparison.overlap.value == 2


def test_an_answer_that_reads_as_the_one_before_is_told_too(lake: Any) -> None:
    """The script draws what it is told of; numbers may have settled although the head stayed the same."""
    widget = settled(lv.explore(flights, "dest", lake))
    told: list[Any] = []
    widget.observe(told.append, "answer")
    for _ in range(2):
        widget._show((widget._answer, widget._found, widget.hits, widget.answer))
    assert len(told) == 2


@pytest.mark.parametrize("do", ["preview", "join", "copy"])
def test_a_search_goes_on_after_what_is_asked_of_a_hit(lake: Any, monkeypatch: pytest.MonkeyPatch, do: str) -> None:
    widget = settled(lv.explore(flights, "dest", lake))
    search, searched = lake.search, []

    def slow(*arguments: Any, **options: Any) -> Any:
        searched.append(arguments)
        yield from search(*arguments, **options)
        while len(searched) == 1:
            time.sleep(0.001)

    lake.search = slow
    sent: list[Any] = []
    monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append(content))
    before = widget.answer["shown"]
    widget.search()
    while widget.answer["shown"] == before:
        time.sleep(0.001)
    question, hit = widget.answer["question"], widget.hits[0]["id"]
    widget._received(widget, {"do": do, "hit": hit}, [])
    while len(searched) < 2 or widget.busy:
        time.sleep(0.001)
    assert [message["hit"] for message in sent] == [hit]
    assert widget.answer["question"] == question and widget.answer["shown"] == before + 2
    widget._received(widget, {"do": do, "hit": hit}, [])  # nothing is left to go on with
    settled(widget)
    assert len(sent) == len(searched) == 2


def test_a_join_is_not_lost_to_rows_that_are_asked_for_after_it(lake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Details that come anew ask for rows by themselves, at times just after a click on Join."""
    widget = settled(lv.explore(flights, "dest", lake))
    sent: list[Any] = []
    monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append(content))
    result = cells.result
    monkeypatch.setattr(cells, "result", lambda *plan, **asked: (time.sleep(0.2), result(*plan, **asked))[1])
    hit = widget.hits[0]["id"]
    for do in ("preview", "join", "preview"):
        widget._received(widget, {"do": do, "hit": hit}, [])
    settled(widget)
    joined, *rows = sent
    assert joined["then"] == "join" and [set(row) for row in rows] == [{"joined", "hit"}]


@pytest.mark.spark
def test_join_leaves_code_that_runs_where_a_side_is_in_spark(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    visits = pd.DataFrame({"place": ["ORD", "ATL", "XXX"], "n": [1, 2, 3]})
    places = spark.createDataFrame(pd.DataFrame({"code": ["ORD", "ATL", "BOS"], "n": [7, 8, 9]}))
    lake = lv.open({"places": places}, store=tmp_path)
    lake.index()
    for mine in (visits, spark.createDataFrame(visits)):
        widget = settled(lv.explore(mine, "place", lake=lake))
        sent = sent_by(widget, monkeypatch)
        widget._received(widget, {"do": "join", "hit": widget.hits[0]["id"], "how": "left"}, [])
        settled(widget)
        for code in (sent[0]["code"], shown.code(shown.keep(lake.search(mine, "place")), 0)):
            names = {"mine": mine, "visits": mine, "places": places, "spark": spark}
            exec(code, names)
            rows = sorted((r["place"], r["n_places"]) for r in list(names.values())[-1].collect())
            assert rows == [("ATL", 8), ("ORD", 7), ("XXX", None)]
            assert names["mine"] is names["visits"] is mine and names["places"] is places
