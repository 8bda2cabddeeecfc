"""`lv.explore(plans)` without a browser: what the widget's script is told, and what corrections do."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from waiting import settled

import lakeview as lv
from lakeview.notebook.widgets import transform_rows
from lakeview.notebook.widgets.transform_rows import Rows, plan_facts

PEOPLE = ["Mara Quist", "Ivo Dahl", "Tess Renner", "Olu Adeyemi", "Sana Mirza", "Pia Kern", "Hugo Brandt",
          "Lena Sorensen", "Abel Costa", "Nadia Petrova"]  # fmt: skip
source = pd.DataFrame({"person": ["{1}, {0} (19)".format(*n.split()) for n in PEOPLE] + ["Carter, James Earl (19)"]})
target = pd.DataFrame({"name": [*reversed(PEOPLE), "Ivo Dahl", "JC Plains"], "no": range(12)})


@pytest.fixture
def plans() -> Any:
    return lv.auto_join(source, target)


def test_rows_before_and_after(plans: Any):
    facts = plan_facts(Rows(plans[0]))
    assert facts["counts"] == {"uncovered": 1, "ambiguous": 1, "covered": 9}
    assert facts["keys"] == {"once": 11, "several": 0, "never": 1}
    (row,) = facts["rows"]["uncovered"]
    assert "".join(text for text, _ in row["before"]) == "Carter, James Earl (19)"
    assert row["made"] == "James Earl Carter"
    assert row["nearest"] is None or row["nearest"][0] == "JC Plains"
    marked = {step: text for text, step in row["before"] if step}
    after = {step: text for text, step in row["after"] if step}
    assert all(after[step].strip() in (text, text.strip()) or text in after[step] for step, text in marked.items())
    (doubtful,) = facts["rows"]["ambiguous"]
    assert doubtful["meets"] == 2 and all(key.startswith("Ivo Dahl · ") for key in doubtful["keys"])
    lengths = [len(row["made"]) for row in facts["rows"]["covered"]]
    assert lengths == sorted(lengths, reverse=True)


def test_lists_are_bounded(plans: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(transform_rows, "MOST", 3)
    facts = plan_facts(Rows(plans[0]))
    assert len(facts["rows"]["covered"]) == 3 and facts["counts"]["covered"] == 9


def test_corrections_learn_again(plans: Any):
    widget = settled(lv.explore(plans))
    assert (widget.chosen, widget.facts["counts"]["uncovered"], widget.error) == (0, 1, "")
    widget._received(widget, {"do": "correct", "row": 10, "key": "JC Plains"}, [])
    settled(widget)
    assert widget.facts["counts"] == {"uncovered": 0, "ambiguous": 1, "covered": 10}
    widget._received(widget, {"do": "wrong", "row": 1}, [])
    settled(widget)
    assert widget.facts["counts"] == {"uncovered": 1, "ambiguous": 0, "covered": 10}
    assert widget.plan.counts().left_matched == 10
    widget._received(widget, {"do": "correct", "row": 1, "key": "Nobody"}, [])
    assert "not a key" in settled(widget).error


def test_alternatives_kinds_of_join_and_code(plans: Any, monkeypatch: pytest.MonkeyPatch):
    widget = settled(lv.explore(plans))
    assert len(widget.alternatives) == len(plans) > 1
    assert "10 of 11" in widget.alternatives[0]["note"]
    widget._received(widget, {"do": "how", "how": "inner"}, [])
    assert settled(widget).sentence[0] == "11 rows out"
    widget._received(widget, {"do": "choose", "plan": 1}, [])
    assert settled(widget).chosen == 1
    widget._received(widget, {"do": "choose", "plan": 0}, [])
    settled(widget)
    sent: list[Any] = []
    monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append(content))
    for do in ("preview", "join"):
        widget._received(widget, {"do": do}, [])
        settled(widget)
    assert len(sent[0]["preview"]["rows"]) == 10
    scope = {"source": source, "target": target}
    exec(sent[1]["code"], scope)
    assert len(scope["source_target"]) == 11
    assert [name for name, _ in widget.codes] == ["pandas", "pyspark", "sql"]


def test_one_plan_and_none(plans: Any):
    assert len(lv.explore(plans[0]).alternatives) == 1
    with pytest.raises(lv.InputError, match="explain"):
        lv.explore(lv.auto_join(source, pd.DataFrame({"a": ["x"]})))


def test_a_plan_and_hits_as_outputs(plans: Any, tmp_path: Any):
    from lakeview.notebook.output import display

    text = display.plan_bundle(plans[0])["text/plain"]
    assert text.startswith("target.name = " + str(plans[0].programs[0]))
    lake = lv.open({"people": target}, store=tmp_path)
    lake.index(engine="local")
    text = display.hits_bundle(lake.search(source, "person", transform=True))["text/plain"]
    assert "10 of 11" in text and "\u2248" not in text


def test_what_is_shown_as_the_nearest_key_is_taken_for_it():
    """In the spelling of the table, which the programs do not read."""
    there = target.assign(name=[n.upper().replace(" ", "  ") for n in target["name"]])
    there.loc[11, "name"] = "Jimmy  CARTERET"
    widget = settled(lv.explore(lv.auto_join(source, there)))
    (row,) = widget.facts["rows"]["uncovered"]
    assert row["nearest"][0] == "Jimmy CARTERET"
    widget._received(widget, {"do": "correct", "row": row["row"], "key": row["nearest"][0]}, [])
    assert settled(widget).error == "" and widget.facts["counts"]["uncovered"] == 0


def test_a_join_is_of_what_was_asked_for_before_it(plans: Any, monkeypatch: pytest.MonkeyPatch):
    widget = settled(lv.explore(plans))
    sent: list[Any] = []
    monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append(content))
    for asked in (
        {"do": "correct", "row": 10, "key": "JC Plains"},
        {"do": "wrong", "row": 1},
        {"do": "how", "how": "inner"},
        {"do": "join"},
    ):
        widget._received(widget, asked, [])
    settled(widget)
    assert (widget.error, widget.how, widget.facts["counts"]) == (
        "", "inner", {"uncovered": 1, "ambiguous": 0, "covered": 10})  # fmt: skip
    names: dict[str, Any] = {"source": source, "target": target}
    exec(sent[-1]["code"], names)
    (joined,) = (each for name, each in names.items() if isinstance(each, pd.DataFrame) and len(each.columns) > 2)
    assert len(joined) == 10, "without the row that was said to be wrong, with the one that was corrected"
