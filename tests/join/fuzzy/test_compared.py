"""The plan under another tokeniser or measure, and with another cardinality."""

from __future__ import annotations

import pandas as pd
import pytest

import lakeview as lv
from lakeview.errors import InputError

LEFT = ["dune hotel", "hotel dune", "fern cove", "salt creek inn", "north pier", "blue harbor"]
RIGHT = ["dune hotex", "fern cave", "salt creek", "north piers", "blue harbour", "ember hill"]


@pytest.mark.parametrize("measure", ["cosine", "dice", "containment", "inclusion", "edit", "jaro_winkler"])
@pytest.mark.parametrize("tokeniser", ["2-grams", "both"])
def test_by_threshold_it_is_the_plan_that_was_asked_for_so(tokeniser: str, measure: str) -> None:
    plan = lv.fuzzy_join(LEFT, RIGHT, threshold=0.5, cardinality="1:1", how="inner").accept("hotel dune", "ember hill")
    made = plan.compared_by(tokeniser, measure)
    asked = lv.fuzzy_join(LEFT, RIGHT, threshold=0.5, tokeniser=tokeniser, measure=measure, cardinality="1:1",
                          how="inner").accept("hotel dune", "ember hill")  # fmt: skip
    pd.testing.assert_frame_equal(made.pairs, asked.pairs)
    assert made.configuration == asked.configuration and made.explain() == asked.explain()
    if measure not in ("edit", "jaro_winkler"):
        pd.testing.assert_frame_equal(made.curve, asked.curve)
    assert plan.measure == "jaccard" and plan.pairs.similarity.max() < 1  # the old plan is as it was


def test_by_precision_the_threshold_is_chosen_anew() -> None:
    reference = [f"{a} {b} {c}" for a in ("amber", "willow", "quarry", "lagoon") for b in ("north", "south", "upper")
                 for c in ("hotel", "museum", "library", "bakery")]  # fmt: skip
    plan = lv.fuzzy_join([text[:-1] for text in reference], reference, precision=0.9)
    for measure in ("dice", "containment", "cosine"):
        made = plan.compared_by("3-grams", measure)
        assert (made.tokeniser, made.measure) == ("3-grams", measure)
        assert made.advice.target == 0.9 and made.advice.configuration == made.configuration
        assert made.threshold is None or made.advice.reached
        assert made.evidence.measure == measure
    by_hand = plan.compared_by(measure="edit")
    assert by_hand.advice is None and by_hand.threshold == plan.threshold
    assert by_hand.compared_by(measure="overlap").threshold == 3


def test_another_cardinality_and_refusals() -> None:
    plan = lv.fuzzy_join(["dune hotel", "dune hotels"], ["dune hotel"], threshold=0.5)
    assert len(plan.pairs) == 2
    assert plan.with_cardinality("1:1").pairs.left.tolist() == [0]
    assert plan.with_cardinality("1:1").joined_at([0.5, 1.0]).tolist() == [1, 1]
    assert plan.joined_at([0.5, 1.0]).tolist() == [2, 1]
    for wrong in (lambda: plan.with_cardinality("1:N"), lambda: plan.compared_by("letters"),
                  lambda: plan.compared_by(measure="hamming")):  # fmt: skip
        with pytest.raises(InputError):
            wrong()
