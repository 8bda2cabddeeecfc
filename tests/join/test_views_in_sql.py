"""What both sides are called in Spark SQL, where the case of a name does not tell views apart."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from joining import lake

from lakeview.join.export.draft import Names, views
from lakeview.join.plan import equi_join
from lakeview.join.side import Side

KEYS = pd.DataFrame({"k": ["a", "b"]})


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The variables of a notebook that runs."""
    held: dict[str, Any] = {}
    monkeypatch.setattr("lakeview.join.variable._shell", lambda: SimpleNamespace(user_ns=held, user_ns_hidden={}))
    return held


@pytest.fixture
def table(tmp_path: Path) -> Side:
    return Side.lake(lake(tmp_path, {"keyed.csv": "k\na\n"})["keyed.csv"])


def called(left: Side, right: Side) -> Names:
    return views(equi_join(left, right, "k", "k"))


def test_the_view_of_a_table_has_the_name_of_no_variable_and_a_frame_keeps_its_own(notebook, table):
    notebook |= {"other": KEYS, "KEYED": KEYS.copy()}
    other = Side.frame(KEYS, "other")
    assert called(table, other) == Names("keyed_2", "other", "", ("keyed_2", "other"))
    assert called(other, table) == Names("other", "keyed_2", "", ("other", "keyed_2"))


def test_a_table_gives_way_to_the_name_of_the_other_side(table):
    frame = Side.frame(KEYS, "Keyed")
    assert called(table, frame) == Names("keyed_2", "Keyed", "", ("keyed_2", "Keyed"))
    assert called(frame, table) == Names("Keyed", "keyed_2", "", ("Keyed", "keyed_2"))


def test_one_frame_on_both_sides_is_one_view_under_two_names():
    frame = Side.frame(KEYS, "keys")
    assert called(frame, frame) == Names("keys", "keys_2", "", ("keys", "keys"))
