"""What a notebook's file keeps of a widget: html, text and the saved table, as the widget showed it last."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from waiting import settled

import lakeview as lv
from lakeview.notebook import state
from lakeview.notebook.output import lasting
from lakeview.notebook.output.saved import MIME

WIDGET = "application/vnd.jupyter.widget-view+json"
CODES = pd.DataFrame({"dest": ["ORD", "ATL", "XXX"], "who": ["Doe, Ann", "Roe, Ben", "Ott, Cem"]})


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Any]:
    (tmp_path / "airports.csv").write_text("faa,city\nORD,Chicago\nATL,Atlanta\nBOS,Boston\n")
    (tmp_path / "staff.csv").write_text("name,desk\nAnn Doe,1\nBen Roe,2\nCem Ott,3\nDora Lang,4\n")
    opened = lv.open(tmp_path)
    opened.index(engine="local")
    yield opened
    state.set_lake(None)


@pytest.fixture
def outputs(shell: Any, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The outputs of the page, by their ids; those without one under their number."""
    shown: dict[str, Any] = {}

    def publish(data: Any, metadata: Any = None, *, transient: Any = None, update: bool = False, **more: Any) -> None:
        name = (transient or {}).get("display_id", str(len(shown)))
        assert not update or name in shown
        shown[name] = data

    monkeypatch.setattr(shell.display_pub, "publish", publish)
    monkeypatch.setattr(lasting, "REST", 0.05)
    return shown


def until(condition: Any) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_the_widget_and_beneath_it_what_lasts(lake: Any, outputs: dict[str, Any], shell: Any) -> None:
    shell.display_formatter.format(lv.explore(CODES, "dest", lake))
    live, left = outputs.values()
    assert WIDGET in live and set(left) == {"text/plain", "text/html", MIME}
    assert "airports.csv.faa" in left["text/plain"]
    assert left[MIME]["rows"][0][:2] == ["airports.csv", "faa"] and left[MIME]["title"] == "Joins for CODES.dest"
    assert "lv-Act" not in left["text/html"]  # nobody would answer


def test_it_follows_what_the_widget_shows(lake: Any, outputs: dict[str, Any], shell: Any) -> None:
    widget = lv.explore(CODES, "dest", lake)
    shell.display_formatter.format(widget)
    name = list(outputs)[1]
    widget.chosen = [1]
    until(lambda: outputs[name][MIME]["title"] == "Joins for CODES.who")
    until(lambda: any("staff.csv" in row for row in outputs[name][MIME]["rows"]))
    assert len(outputs) == 2 and widget.look in outputs[name]["text/html"]


def test_a_slow_answer_comes_when_it_comes(
    lake: Any, outputs: dict[str, Any], shell: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lasting, "WAIT", 0.05)
    search, go_on = lake.search, []

    def slow(*arguments: Any, **options: Any) -> Any:
        until(lambda: go_on)
        yield from search(*arguments, **options)

    lake.search = slow
    shell.display_formatter.format(lv.explore(CODES, "dest", lake))
    name = list(outputs)[1]
    assert "not found yet" in outputs[name]["text/plain"] and outputs[name][MIME]["rows"] == []
    go_on.append(True)
    until(lambda: outputs[name][MIME]["rows"])


def test_what_it_shows_between_two_others_does_not_last(
    lake: Any, outputs: dict[str, Any], shell: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    widget = lv.explore(CODES, "dest", lake)
    shell.display_formatter.format(widget)
    name = list(outputs)[1]
    first, search, go_on, at_work = outputs[name], lake.search, [], []

    def slow(*arguments: Any, **options: Any) -> Any:
        for hits in search(*arguments, **options):
            yield hits
            at_work.append(True)
            until(lambda: go_on)
        yield hits

    lake.search = slow
    widget.chosen = [1]
    until(lambda: at_work)
    time.sleep(6 * lasting.REST)  # an answer is shown, and a better one may come
    assert outputs[name] is first
    go_on.append(True)
    until(lambda: outputs[name][MIME]["title"] == "Joins for CODES.who")
    lake.search = search
    for chosen in ([0], [1], [0]):
        widget.chosen = chosen
    until(lambda: outputs[name][MIME]["title"] == "Joins for CODES.dest")
    settled(widget)
    time.sleep(6 * lasting.REST)
    assert outputs[name][MIME]["rows"] == first[MIME]["rows"] != []
    assert "dest" in outputs[name]["text/plain"] and "CODES.who" not in outputs[name]["text/html"]


def test_it_is_told_anew_only_where_it_is_another(
    lake: Any, outputs: dict[str, Any], shell: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden = settled(lv.explore(CODES, "dest", lake))
    hidden.changed()
    assert hidden._timer is None, "nobody sees it"
    widget = settled(lv.explore(CODES, "dest", lake))
    shell.display_formatter.format(widget)
    name = list(outputs)[1]
    first = outputs[name]
    with monkeypatch.context() as patch:
        patch.setattr(type(widget), "lasting", lambda self: {}["no such"])
        widget._follow()
        assert outputs[name] is first, "what stands there stays"
    widget._follow()
    assert outputs[name] is first

    class Later(lasting.datetime):  # type: ignore[name-defined, misc]
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return cls(2031, 1, 1, 23, 58)

    monkeypatch.setattr(lasting, "datetime", Later)
    widget._follow()
    assert first[MIME]["at"] in outputs[name]["text/html"] and "23:58" not in outputs[name]["text/html"]
    shell.display_formatter.format(widget)
    assert len(outputs) == 3 and list(outputs)[1] == name, "shown twice, both follow"


def test_it_follows_once_it_rests(
    lake: Any, outputs: dict[str, Any], shell: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    widget, told = settled(lv.explore(CODES, "dest", lake)), []
    as_told = type(widget).lasting

    def tell(self: Any) -> Any:
        told.append(self.is_settled())
        return as_told(self)

    monkeypatch.setattr(type(widget), "lasting", tell)
    monkeypatch.setattr(type(widget), "is_settled", lambda self: bool(self._display))
    monkeypatch.setattr(lasting, "WAIT", 0)
    shell.display_formatter.format(widget)  # where it comes to rest while it is shown, nothing else says so
    until(lambda: len(told) == 2)
    for _ in range(5):
        widget.changed()
    until(lambda: len(told) == 3)
    time.sleep(6 * lasting.REST)
    assert len(told) == 3


def test_a_column_that_is_left_does_not_last(lake: Any, outputs: dict[str, Any], shell: Any) -> None:
    widget = settled(lv.explore(CODES, lake=lake))
    widget.chosen = [0]
    settled(widget)
    shell.display_formatter.format(widget)
    name = list(outputs)[1]
    assert outputs[name][MIME]["title"] == "Joins for CODES.dest"
    widget.chosen = []
    until(lambda: outputs[name][MIME]["title"] != "Joins for CODES.dest" and not widget.busy)
    before = outputs[name]
    time.sleep(6 * lasting.REST)
    assert outputs[name] is before

    def fails(*arguments: Any, **options: Any) -> Any:
        raise lv.StoreError("the index is gone")

    lake.search = fails
    widget.chosen = [1]
    until(lambda: outputs[name]["text/plain"] == "Joins for CODES.who: the index is gone")


def test_an_error_lasts_too(lake: Any, outputs: dict[str, Any], shell: Any) -> None:
    def fails(*arguments: Any, **options: Any) -> Any:
        raise lv.StoreError("the index <b>is gone</b>")

    lake.search = fails
    shell.display_formatter.format(lv.explore(CODES, "dest", lake))
    left = list(outputs.values())[1]
    assert "the index <b>is gone</b>" in left["text/plain"] and "<b>is gone" not in left["text/html"]


def test_fuzzy_plans_and_programs(outputs: dict[str, Any], shell: Any) -> None:
    left = pd.DataFrame({"name": ["dune hotel", "fern cove", "salt creek"]})
    right = pd.DataFrame({"name": ["dune hotex", "fern cove inn", "salt crook"]})
    fuzzy = lv.explore(lv.fuzzy_join(left, right, on="name", threshold=0.5))
    shell.display_formatter.format(fuzzy)
    name = list(outputs)[1]
    before = outputs[name]
    assert "3" in str(before[MIME]["facts"]) and "name" in before["text/plain"]
    fuzzy.threshold = 0.9
    until(lambda: outputs[name] != before)
    people = pd.DataFrame({"who": [f"{a}, {b}" for a in ("Doe", "Roe", "Ott") for b in ("Ann", "Ben", "Cem", "Ida")]})
    staff = pd.DataFrame({"name": [" ".join(reversed(who.split(", "))) for who in people.who], "desk": range(12)})
    programs = lv.explore(lv.auto_join(people, staff))
    shell.display_formatter.format(programs)
    live, kept = list(outputs.values())[2:]
    assert WIDGET in live and len(kept[MIME]["rows"]) and "12" in kept["text/plain"]
    programs._received(programs, {"do": "how", "how": "inner"}, [])
    until(lambda: "inner" in str(list(outputs.values())[3][MIME]["facts"]))


def test_all_in_one_bundle(lake: Any) -> None:
    data, _ = settled(lv.explore(CODES, "dest", lake))._repr_mimebundle_()
    assert {WIDGET, MIME, "text/html", "text/plain"} == set(data)


def test_values_that_are_not_to_be_saved(lake: Any, outputs: dict[str, Any], shell: Any) -> None:
    lv.options.save_values = False
    try:
        shell.display_formatter.format(lv.explore(CODES, "dest", lake))
    finally:
        lv.options.save_values = True
    assert "ORD" not in str(list(outputs.values())[1])
