"""A join that a click inserts: nothing that the analyst has is overwritten, and it works on what she means."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from waiting import settled

import lakeview as lv
from lakeview.notebook.output import shown
from lakeview.notebook.panel import comm

CODES = {"dest": ["ORD", "ATL", "XXX"]}


@pytest.fixture
def lake(tmp_path: Path) -> Any:
    (tmp_path / "airports.csv").write_text("faa,city\nORD,Chicago\nATL,Atlanta\nBOS,Boston\n")
    opened = lv.open(tmp_path)
    opened.index(engine="local")
    return opened


def click(hits: Any) -> Any:
    """What the Join button of a search's output is answered with."""
    reply = comm.answer({"id": 1, "kind": "join", "hits": shown.keep(hits), "hit": 0})
    return reply["result"]["code"] if reply["error"] is None else reply["error"]["message"]


def test_two_joins_beside_her_variables(shell: Any, lake: Any) -> None:
    flights = pd.DataFrame(CODES)
    mine = dict.fromkeys(("airports", "pd", "np", "flights_airports", "left_key", "right_key"), "hers")
    shell.user_ns.update(mine, flights=flights, lake=lake)
    hits = lake.search(flights, "dest")
    expected = hits[0].join().to_pandas()
    for _ in range(3):
        before = dict(shell.user_ns)
        assert shell.run_cell(click(hits)).success
        after = shell.user_ns
        assert all(after[name] is value for name, value in before.items() if not name.startswith(("_", "In", "Out")))
        (result,) = [value for name, value in after.items() if name not in before and name.startswith("flights_")]
        assert result.equals(expected)


def test_modules_that_are_there_stay_what_they_are(shell: Any, lake: Any) -> None:
    shell.user_ns.update(flights=pd.DataFrame(CODES), pd=pd, np=np)
    code = click(lake.search(shell.user_ns["flights"], "dest"))
    assert "import pandas as pd\n" in code and "flights_airports = flights.merge" in code


def test_a_frame_under_another_name_and_one_that_is_gone(shell: Any, lake: Any) -> None:
    frame = pd.DataFrame(CODES)
    shell.user_ns["flights"] = frame
    hits = lake.search(frame, "dest")
    shell.user_ns.update(trips=frame, flights=pd.DataFrame({"dest": ["BOS"]}))
    del frame
    code = click(hits)
    assert shell.run_cell(code).success
    assert shell.user_ns["trips_airports"]["city"].tolist()[:2] == ["Chicago", "Atlanta"]
    del shell.user_ns["trips"]
    assert "no variable holds" in click(hits)


def test_from_the_widgets_thread(shell: Any, lake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.user_ns.update(flights=pd.DataFrame(CODES), airports="hers", flights_airports="hers", lake=lake)
    widget = settled(lv.explore(shell.user_ns["flights"], "dest", lake))
    sent: list[Any] = []
    monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append(content))
    widget._received(widget, {"do": "join", "hit": widget.hits[0]["id"], "how": "left"}, [])
    settled(widget)
    widget._received(widget, {"do": "compare", "hits": [widget.hits[0]["id"]]}, [])
    assert sent[1]["code"] == 'lake.compare(flights["dest"], "airports.csv.faa")'
    assert shell.run_cell(sent[0]["code"]).success
    assert shell.user_ns["airports"] == shell.user_ns["flights_airports"] == "hers"
    assert shell.user_ns["flights_airports_2"]["city"].tolist()[:2] == ["Chicago", "Atlanta"]


def test_a_fuzzy_join_twice(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("tokens", "match", "canonical", "found", "texts", "known", "similarity", "re", "rows")
    shell.user_ns.update(dict.fromkeys(names, "hers"))
    shell.user_ns["reference"] = pd.DataFrame({"name": ["dune hotel", "fern cove", "salt creek"]})
    shell.user_ns["matches"] = pd.DataFrame({"name": ["dune hotex", "fern cove inn", "salt crook"], "n": [1, 2, 3]})
    plan = lv.fuzzy_join(shell.user_ns["reference"], shell.user_ns["matches"], on="name", threshold=0.5)
    widget = lv.explore(plan)
    sent: list[Any] = []
    monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append(content))
    for _ in range(2):
        widget._received(widget, {"do": "join"}, [])
        assert widget.error == "" and shell.run_cell(sent[-1]["code"]).success
    assert all(shell.user_ns[name] == "hers" for name in names)
    assert (
        shell.user_ns["reference_matches_2"]["n"].tolist()
        == shell.user_ns["reference_matches"]["n"].tolist()
        == [1, 2, 3]
    )
