"""What joins after a step, as the widget of a column looks for it: found, stopped, gone on, given up."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest
from likeness import FIRMS, NAMES, SUPPLIERS, TURNED
from waiting import settled, stepped

import lakeview as lv
from lakeview.errors import InputError, StoreError
from lakeview.notebook import magics, state
from lakeview.notebook.widgets import steps
from lakeview.notebook.widgets.explore_rows import hit_details, joined_rows
from lakeview.notebook.widgets.steps import Sight
from lakeview.search import transforming

people = pd.DataFrame({"who": TURNED})
staff = pd.DataFrame({"name": NAMES, "desk": range(12)})


@pytest.fixture(scope="module")
def lake() -> Any:
    """A table that holds all the names, one that holds three of them, and one that a program meets."""
    made = lv.open({"staff": staff, "notes": people.assign(note=range(12)), "some": people.head(3).assign(n=range(3))})
    made.index(engine="local")
    return made


def sent_by(widget: Any, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    sent: list[Any] = []
    monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append(content))
    return sent


def test_they_stand_below_what_joins_as_it_is(lake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows above stay as they were, and what joins already is not verified."""
    verified: list[str] = []
    verify = transforming._verify
    monkeypatch.setattr(transforming, "_verify", lambda *those: [verified.append(those[2].name), verify(*those)][1])
    widget = stepped(lv.explore(people, "who", lake))
    assert [(hit["kind"], hit["table"], hit["step"]) for hit in widget.hits] == [
        ("equi", "notes", False), ("equi", "some", False), ("transform", "staff", True)]  # fmt: skip
    assert widget.hits[2]["percent"] == "100 %" and widget.hits[2]["pro"][0].count(" → ") == 1
    assert "notes" not in verified and "staff" in verified
    assert "looked through in" in widget.steps["said"] and widget.error == ""
    sent = sent_by(widget, monkeypatch)
    widget._received(widget, {"do": "preview", "hit": widget.hits[2]["id"]}, [])
    settled(widget)
    assert hit_details(widget._hit(widget.hits[2]["id"]), widget._answer.query)["rows"]["unmatched"] == 0
    assert len(sent[0]["joined"]["rows"]) == 5 and "Ann Doe" in sent[0]["joined"]["rows"][0]
    assert widget.steps["state"] == "done" and len(widget.hits) == 3


def test_a_bridge_is_one() -> None:
    towns = [f"Town {letter}" for letter in "ABCDEFGHIJKLMNOPQRST"]
    codes = [f"{first}{second}" for first in "QXZJ" for second in "VWKYG"]
    lake = lv.open({
        "map": pd.DataFrame({"town": towns, "code": codes}),
        "sales": pd.DataFrame({"code": codes, "sum": range(20)}),
    })  # fmt: skip
    lake.index(engine="local")
    widget = stepped(lv.explore(pd.DataFrame({"place": towns}), "place", lake))
    (bridge,) = [hit for hit in widget.hits if hit["kind"] == "bridge"]
    assert (bridge["table"], bridge["column"], bridge["step"], bridge["rows_out"]) == ("sales", "code", True, 20)
    assert bridge["pro"] == ["through map: town → code"] and bridge["percent"] == "100 %"
    hit = widget._hit(bridge["id"])
    assert hit.join("inner").to_pandas()["sum"].tolist() == list(range(20))
    assert hit.join(many="aggregate").to_pandas()["sales_rows"].tolist() == [1] * 20
    shown = joined_rows(hit.join())
    assert (shown["mine"], shown["theirs"], shown["new"]) == (["place"], ["code"], ["sum"])
    assert shown["rows"][:2] == [["Town A", "QV", "0"], ["Town B", "QW", "1"]]


def test_similar_text_is_one_too() -> None:
    """Joined from left or inner alone, as there is no other fuzzy join; estimates say so."""
    lake = lv.open({"firms": pd.DataFrame({"firm": FIRMS, "seats": range(20)})})
    lake.index(engine="local")
    widget = stepped(lv.explore(pd.DataFrame({"supplier": SUPPLIERS}), "supplier", lake))
    (row,) = [hit for hit in widget.hits if hit["kind"] == "fuzzy"]
    assert row["step"] and row["percent"].startswith("≈") and " ≈ " in row["pro"][0]
    told = hit_details(widget._hit(row["id"]), widget._answer.query)
    assert set(told["rows"]) == {"left", "inner", "unmatched"}
    assert told["about"] == "≈ "
    joined = widget._hit(row["id"]).join().to_pandas()
    assert joined["seats"].tolist() == list(range(20))


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Sights that come one by one, each when it is let."""
    let = threading.Semaphore(0)
    asked: list[int] = []

    def sights(answer: Any) -> Iterator[Sight]:
        for place in range(4):
            asked.append(place)
            let.acquire()
            yield Sight([], "transformations", place, 4)

    monkeypatch.setattr(steps, "sights", sights)
    yield let, asked
    for _ in range(9):
        let.release()


def reach(widget: Any, **facts: Any) -> None:
    for _ in range(3000):
        if all(widget.steps[name] == value for name, value in facts.items()):
            return
        threading.Event().wait(0.01)
    raise AssertionError((widget.steps, facts))


def test_stopped_it_goes_on_from_there(lake: Any, slow: Any) -> None:
    let, asked = slow
    widget = settled(lv.explore(people, "who", lake))
    let.release()
    let.release()
    reach(widget, state="looking", tried=1, said="looking for transformations: 1 of 4 tables")
    widget._received(widget, {"do": "stop"}, [])
    reach(widget, state="stopped", said="stopped: 1 of 4 tables looked through")
    let.release()  # the table that is being tried is the last one
    reach(widget, state="stopped", tried=2)
    widget._received(widget, {"do": "stop"}, [])
    assert asked == [0, 1, 2]
    widget._received(widget, {"do": "further"}, [])
    reach(widget, state="looking", tried=2)
    let.release()
    reach(widget, state="done", tried=3)
    assert widget.steps["said"].startswith("3 of 4 tables looked through in ")
    assert asked == [0, 1, 2, 3]


def test_another_question_ends_it(lake: Any, slow: Any) -> None:
    _, asked = slow
    both = people.assign(other=[f"x{n}" for n in range(12)])
    widget = settled(lv.explore(both, "who", lake))
    first = widget._further
    reach(widget, state="looking")
    widget.chosen = [1]
    settled(widget)
    assert widget._further is not first and first._over
    reach(widget, state="looking", tried=0)
    while len(asked) < 2:
        threading.Event().wait(0.01)
    assert asked == [0, 0]


def test_what_went_wrong_is_said(lake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def sights(answer: Any) -> Iterator[Sight]:
        yield Sight([], "transformations")
        raise StoreError("the index is gone: lake.index()")

    monkeypatch.setattr(steps, "sights", sights)
    widget = stepped(lv.explore(people, "who", lake))
    assert widget.steps["said"] == "the index is gone: lake.index()" and len(widget.hits) == 2


def test_its_editor_is_a_line_of_its_own(lake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"people": people, "lake": lake}
    monkeypatch.setattr("lakeview.join.variable.notebook", lambda: names)
    monkeypatch.setattr(state, "has_magics", lambda: True)
    monkeypatch.setattr(state, "_current", lake)
    widget = stepped(lv.explore(people, "who", lake))
    sent = sent_by(widget, monkeypatch)
    widget._received(widget, {"do": "editor", "hit": widget.hits[2]["id"]}, [])
    assert sent == [{"code": '%lakeview auto_join people.who --with "staff"["name"]', "then": "join"}]
    plans = magics.run(sent[0]["code"].removeprefix("%lakeview "), names)
    assert plans[0].to_pandas()["desk"].tolist() == list(range(12))
    plan = magics.run('fuzzy_join people.who --with "notes"["who"]', names)
    assert plan.to_pandas()["note"].tolist() == list(range(12))
    for line, said in {
        "auto_join people.who": "--with table.column",
        "auto_join --with staff.name": "join which column",
        "fuzzy_join people --with staff.name": "which column of people",
    }.items():
        with pytest.raises(InputError, match=said):
            magics.run(line, names)
