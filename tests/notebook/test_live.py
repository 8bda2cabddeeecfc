"""A search's answer shows itself as a grid to work with; what cannot, or shall not, shows what is saved."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import pytest

import lakeview as lv
from lakeview.notebook.widgets import explore, live


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


def test_what_a_whole_frame_joins_with_has_a_face_of_its_own(lake: lv.Lake, shown: list[object]) -> None:
    with pytest.raises(NotImplementedError):
        live.show(lake.search(pd.DataFrame({"place": ["Rome", "Oslo", "Lima"], "n": [1, 2, 3]})))
    assert shown == []


def test_a_terminal_has_no_widgets() -> None:
    live.register(SimpleNamespace())  # nothing is registered, and nothing fails
    types = []
    formatter = SimpleNamespace(for_type_by_name=lambda *of: types.append(of))
    kernel = SimpleNamespace(kernel=1, display_formatter=SimpleNamespace(ipython_display_formatter=formatter))
    live.register(kernel)
    assert types == [("lakeview.search.hits", "Hits", live.show)]
