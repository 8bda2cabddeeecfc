"""Answers and plans show themselves as widgets to work with; what cannot, or shall not, shows what is saved."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from waiting import settled

import lakeview as lv
from lakeview.notebook.widgets import explore, fuzzy_widget, live, transform_widget


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What was shown as a grid."""
    seen: list[object] = []

    def grid(hits: object) -> SimpleNamespace:
        return SimpleNamespace(_ipython_display_=lambda: seen.append(hits))

    monkeypatch.setattr(explore, "explore_hits", grid)
    return seen


@pytest.fixture
def lake() -> lv.Lake:
    lake = lv.open({"towns": pd.DataFrame({"town": ["Bonn", "Rome", "Oslo", "Lima"], "n": range(4)})})
    lake.index(engine="local")
    return lake


def test_an_answer_is_a_grid_unless_that_is_turned_off(lake: lv.Lake, shown: list[object]) -> None:
    hits = lake.search(pd.DataFrame({"place": ["Rome", "Oslo", "Lima"]}), "place")
    live.show(hits)
    assert shown == [hits]
    lv.options.widgets = False
    try:
        with pytest.raises(NotImplementedError):  # IPython goes on with html and text
            live.show(hits)
    finally:
        lv.options.widgets = True
    assert shown == [hits]


def test_what_a_whole_frame_joins_with_is_an_overview(lake: lv.Lake) -> None:
    hits = lake.search(pd.DataFrame({"place": ["Rome", "Oslo", "Lima"], "n": [1, 2, 3]}))
    widget = settled(explore.explore_hits(hits))
    assert widget.whole and [line["name"] for line in widget.overview] == ["place", "n"]
    assert widget.overview[0]["hit"]["full"] == "towns.town"


def test_a_terminal_has_no_widgets() -> None:
    live.register(SimpleNamespace())  # nothing is registered, and nothing fails
    types = []
    formatter = SimpleNamespace(for_type_by_name=lambda *of: types.append(of))
    kernel = SimpleNamespace(kernel=1, display_formatter=SimpleNamespace(ipython_display_formatter=formatter))
    live.register(kernel)
    shown_by = {("lakeview.search.hits", "Hits", live.show), ("lakeview.search.whole_frame", "FrameHits", live.show)}
    assert shown_by <= set(types)


PEOPLE = pd.DataFrame({"who": ["Doe, Ann", "Poe, Bob", "Roe, Cyd", "Low, Dan", "Kay, Eve", "Fox, Flo"]})
STAFF = pd.DataFrame({"name": ["Ann Doe", "Bob Poe", "Cyd Roe", "Dan Low", "Eve Kay", "Flo Fox"], "desk": range(6)})


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What an IPython that has a kernel shows of a cell's last line, widgets by what they are of."""
    from IPython.core.formatters import DisplayFormatter

    seen: list[object] = []

    def widget(of: object) -> SimpleNamespace:
        return SimpleNamespace(_ipython_display_=lambda: seen.append(of))

    for module, name in ((transform_widget, "_widget_class"), (fuzzy_widget, "_widget_class")):
        monkeypatch.setattr(module, name, lambda: widget)
    monkeypatch.setattr("IPython.display.display", lambda data, raw: seen.append(data))
    formatter = DisplayFormatter()
    live.register(SimpleNamespace(kernel=1, display_formatter=formatter))

    def last_line(value: object) -> object:
        """The widget's object, or what was displayed, or the text."""
        seen.clear()
        data, _ = formatter.format(value)
        return seen[0] if seen else data["text/plain"]

    return last_line


def test_learned_and_fuzzy_joins_show_their_editors(shell: Any) -> None:
    plans = lv.auto_join(PEOPLE, STAFF)
    assert shell(plans) == list(plans) and len(plans)
    fuzzy = lv.fuzzy_join(PEOPLE, STAFF, "who", "name", threshold=0.5)
    assert shell(fuzzy) is fuzzy
    lv.options.widgets = False
    try:
        assert str(shell(plans)).startswith("[JoinPlan(") and isinstance(shell(fuzzy), str)
    finally:
        lv.options.widgets = True


def test_where_nothing_joins_it_is_said_why(shell: Any) -> None:
    none = lv.auto_join(PEOPLE, pd.DataFrame({"a": ["x"]}))
    assert not none and shell(none) == {"text/plain": none.explain()}
    assert "No program joins these tables." in none.explain()


def test_rows_in_spark_and_long_tables_show_what_is_saved(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plans = lv.auto_join(PEOPLE, STAFF)
    monkeypatch.setattr(type(plans[0]), "dialect", "pyspark")
    assert isinstance(shell(plans), str)
    fuzzy = lv.fuzzy_join(PEOPLE, STAFF, "who", "name", threshold=0.5)
    monkeypatch.setattr("lakeview.notebook.output.plan_html.is_cheap", lambda plan: False)
    assert isinstance(shell(fuzzy), str)
