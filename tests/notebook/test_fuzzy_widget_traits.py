"""`lv.explore` of a fuzzy plan without a browser: what the script is told, and what it may ask; the saved picture."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pandas as pd
import pytest

import lakeview as lv
from lakeview.notebook.output import display
from lakeview.notebook.widgets import resulting

LEFT = pd.DataFrame({"name": ["dune hotel", "dune hotel", "fern cove", "salt creek", "pear <b>tree</b>"]})
RIGHT = pd.DataFrame({"name": ["dune hotex", "fern cove inn", "salt crook", "pear tree", "unlike"]})


@pytest.fixture(params=["N:1", "1:1", "N:M"])
def widget(request: pytest.FixtureRequest) -> object:
    return lv.explore(lv.fuzzy_join(LEFT, RIGHT, on="name", threshold=0.5, cardinality=request.param))


def check_steps(widget) -> None:
    for i, threshold in enumerate(widget.facts["thresholds"]):
        counts = widget.plan.at(threshold).counts()
        assert (widget.facts["joined"][i], widget.facts["used"][i]) == (counts.left_matched, counts.right_matched)
        assert widget.facts["kept"][i] == len(widget.plan.at(threshold).pairs)


def test_each_step_is_what_the_plan_would_be_there(widget) -> None:
    facts = widget.facts
    json.dumps(facts)
    assert facts["thresholds"][-1] == 1.0 and 0.5 in facts["thresholds"]
    check_steps(widget)
    for i, threshold in enumerate(facts["thresholds"]):
        assert all(facts["pairs"][n]["similarity"] >= threshold - 1e-9 for n in facts["above"][i])
        assert all(facts["pairs"][n]["similarity"] < threshold for n in facts["below"][i])
    assert (facts["leftRows"], facts["rightRows"]) == (5, 5)


def test_the_plan_follows_the_handle_and_judgements(widget) -> None:
    widget.threshold = 0.9
    assert widget.plan.threshold == 0.9 and widget.plan.pairs.empty
    number = next(pair["number"] for pair in widget.facts["pairs"] if pair["left"] == "salt creek")
    widget._received(widget, {"do": "judge", "pair": number, "verdict": "yes"}, [])
    assert widget.judged == [1, 0] and len(widget.plan.pairs) == 1 and widget.threshold == 0.9
    assert next(pair for pair in widget.facts["pairs"] if pair["left"] == "salt creek")["verdict"] == "yes"
    check_steps(widget)
    widget._received(widget, {"do": "undo"}, [])
    assert widget.judged == [0, 0] and widget.plan.pairs.empty
    widget._received(widget, {"do": "how", "how": "inner"}, [])
    assert widget.plan.how == "inner" and widget.plan.counts().rows_out == 0
    widget._received(widget, {"do": "dance"}, [])
    assert "dance" in widget.error


def test_a_join_takes_no_name_unasked(widget, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list = []
    monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append(content))
    held = {"LEFT": LEFT, "RIGHT": RIGHT, widget.result: 1}
    monkeypatch.setattr(resulting, "variables", lambda: held)
    widget._received(widget, {"do": "join", "name": widget.result}, [])
    widget._received(widget, {"do": "join", "name": widget.result, "replaces": True}, [])
    widget._received(widget, {"do": "join", "name": "alone", "unmatched": True}, [])
    widget._received(widget, {"do": "join", "name": "not a name"}, [])
    taken, *joins = sent
    assert taken == {"taken": widget.result} and "cannot be called" in widget.error
    assert [each["then"] for each in joins] == ["join", "join"]
    before = widget.result
    widget._received(widget, {"do": "name"}, [])
    assert widget.result not in held and widget.result != before
    names = dict(held)
    exec(joins[0]["code"], names)
    assert len(names[before]) == 5
    exec(joins[1]["code"], names)
    met = set(widget.plan.pairs["left"])
    assert names["alone"].index.tolist() == [row for row in range(5) if row not in met]


def test_pieces_measure_and_what_is_kept(widget) -> None:
    other = "1:1" if widget.plan.cardinality == "N:1" else "N:1"
    assert widget.choices["cardinality"]["value"] != other and other in widget.choices["cardinality"]["options"]
    number = next(pair["number"] for pair in widget.facts["pairs"] if pair["left"] == "salt creek")
    widget._received(widget, {"do": "judge", "pair": number, "verdict": "no"}, [])
    for message in ({"do": "keep", "cardinality": other}, {"do": "compare", "tokeniser": "2-grams"},
                    {"do": "compare", "measure": "dice"}):  # fmt: skip
        widget._received(widget, message, [])
        check_steps(widget)
    made = widget.plan
    assert (made.cardinality, made.tokeniser, made.measure) == (other, "2-grams", "dice")
    assert widget.ahead == "" and widget.judged == [0, 1] and widget.error == ""
    assert {name: each["value"] for name, each in widget.choices.items()} == {
        "tokeniser": "2-grams", "measure": "dice", "cardinality": other}  # fmt: skip
    widget._received(widget, {"do": "compare", "measure": "taste"}, [])
    assert "taste" in widget.error and widget.plan is made


def test_code_and_preview_are_handed_over(widget, monkeypatch) -> None:
    sent: list = []
    monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append(content))
    for do in ("preview", "join", "copy"):
        widget._received(widget, {"do": do}, [])
    assert len(sent[0]["preview"]["rows"]) == 5
    assert sent[1]["then"] == "join" and sent[2]["then"] == "copy"
    scope = {"LEFT": LEFT, "RIGHT": RIGHT}
    exec(sent[1]["code"], scope)
    pd.testing.assert_frame_equal(scope["LEFT_RIGHT"], widget.plan.to_pandas(), check_dtype=False)


def test_values_are_spelled_as_in_her_frames() -> None:
    left = pd.DataFrame({"name": ["Dune  HOTEL", "dune hotel", None, "Salt Creek"]})
    right = pd.DataFrame({"title": ["Ünlike", "DUNE hotex", "Salt CROOK"]})
    made = lv.explore(lv.fuzzy_join(left, right, left_on="name", right_on="title", threshold=0.5))
    said = [(pair["left"], pair["right"]) for pair in made.facts["pairs"]]
    assert sorted(said) == [("Dune  HOTEL", "DUNE hotex"), ("Salt Creek", "Salt CROOK")]
    made._received(made, {"do": "judge", "pair": said.index(("Salt Creek", "Salt CROOK")), "verdict": "no"}, [])
    assert [pair["verdict"] for pair in made.facts["pairs"] if pair["left"] == "Salt Creek"] == ["no"]


def worn_names() -> tuple[pd.DataFrame, pd.DataFrame]:
    names = [f"{a} {b} {c}" for a in ("harbor", "granite", "meadow", "orchard") for b in ("hotel", "inn", "cafe")
             for c in ("north", "south", "east", "west", "center")]  # fmt: skip
    worn = [name[: len(name) - i % 4] + "x" * (i % 3) for i, name in enumerate(names)]
    return pd.DataFrame({"name": worn}), pd.DataFrame({"name": names})


def test_a_judgement_is_not_set_by_hand() -> None:
    left, right = worn_names()
    made = lv.explore(lv.fuzzy_join(left, right, on="name", precision=0.9))
    assert made.advice["reached"] and made.plan.configuration == made.plan.advice.configuration
    was = made.threshold
    pairs = made.facts["pairs"]
    for place in made.facts["above"][made.facts["thresholds"].index(round(was, 6))]:
        number = pairs[place]["number"]
        made._received(made, {"do": "judge", "pair": number, "verdict": "no"}, [])
        if not made.advice["reached"]:
            break
        assert made.threshold == pytest.approx(made.advice["threshold"], abs=1e-6)  # it goes with the advice
        if made.threshold != pytest.approx(was, abs=1e-6):
            assert made.advice["before"] == pytest.approx(was, abs=1e-6) and made.advice["by"] == "No"
            break
    # what somebody has set stays where it is
    other = lv.explore(lv.fuzzy_join(left, right, on="name", precision=0.9))
    other.threshold = 0.95
    other._received(other, {"do": "judge", "pair": 0, "verdict": "no"}, [])
    assert other.threshold == 0.95 and "before" not in other.advice


def test_what_is_judged_is_the_pair_that_was_seen() -> None:
    """Whatever was drawn since: what somebody says takes its time to the kernel."""
    left, right = worn_names()
    made = lv.explore(lv.fuzzy_join(left, right, on="name", precision=0.9))
    seen = made.facts["pairs"]
    for message in ({"do": "compare", "measure": "dice"}, {"do": "compare", "tokeniser": "2-grams"}):
        made._received(made, message, [])
    assert [pair["left"] for pair in made.facts["pairs"]] != [pair["left"] for pair in seen]
    for pair in seen[::3]:
        made._received(made, {"do": "judge", "pair": pair["number"], "verdict": "no"}, [])
    assert sorted(made.plan.judgements.rejected) == sorted((pair["left"], pair["right"]) for pair in seen[::3])
    again = {pair["number"]: pair for pair in made.facts["pairs"]}
    assert all(again[pair["number"]]["left"] == pair["left"] for pair in seen if pair["number"] in again)


def test_the_saved_face_says_threshold_and_precision() -> None:
    left, right = worn_names()
    plan = lv.fuzzy_join(left, right, on="name", precision=0.9)
    bundle = display.fuzzy_bundle(plan)
    said = f"alike from {plan.threshold:.2f} up"
    assert "left.name ≈ right.name" in bundle["text/plain"] and said in bundle["text/plain"]
    assert said in bundle["text/html"] and " in 100 right (" in bundle["text/html"]
    asked = display.fuzzy_bundle(lv.fuzzy_join(left, right, on="name", threshold=0.6))
    assert "alike from 0.60 up" in asked["text/plain"]
    series = [f"report {year}" for year in range(2000, 2100)]
    none = lv.fuzzy_join(series, [f"report {year}" for year in range(1900, 2000)], precision=0.9)
    assert "joins nothing" in display.fuzzy_bundle(none)["text/plain"]
    lake = lv.open({"names": right})
    lake.index()
    equal = display.plan_bundle(lake.search(right.head(30), "name")[0].join())
    assert " = " in equal["text/plain"] and "≈" not in equal["text/plain"]


def test_other_measures() -> None:
    for how in ({"measure": "overlap", "threshold": 3}, {"measure": "edit", "threshold": 0.6}):
        made = lv.explore(lv.fuzzy_join(LEFT, RIGHT, on="name", **how))
        assert made.facts["precision"] == [] and max(made.facts["joined"]) > 0
        made._received(made, {"do": "advise"}, [])
        assert "the precision of" in made.error


def test_the_saved_picture() -> None:
    plan = lv.fuzzy_join(LEFT, RIGHT, on="name", threshold=0.5)
    bundle = display.fuzzy_bundle(plan)
    picture = ElementTree.fromstring(bundle["image/svg+xml"])
    assert "0.50: 4 best matches kept" in picture.attrib["aria-label"]
    assert bundle["image/svg+xml"] in bundle["text/html"]
    assert "as asked" in bundle["text/plain"]
    assert "image/svg+xml" not in display.fuzzy_bundle(
        lv.fuzzy_join(LEFT, RIGHT, on="name", threshold=0.5, measure="edit")
    )
