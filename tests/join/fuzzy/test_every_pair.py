"""All pairs above a threshold against every pair tried one by one; judged pairs, numbers, and too many of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_fuzzy_join import COLUMN, alike, canonical

import lakeview as lv
from lakeview.errors import InputError
from lakeview.join.fuzzy import every_pair
from lakeview.join.model import JoinCounts

LEFT = pd.DataFrame({"name": ["dune hotel", "fern cove", None, "dune hotel", "zzz"], "x": range(5)})
RIGHT = pd.DataFrame({"name": ["dune hotex", "fern cave", "dune hotel", "dune hotex"], "y": list("abcd")})


def brute_force(left: list, right: list, kind: str, measure: str, threshold: float) -> list[tuple[int, int, float]]:
    """Every pair at or above the threshold, those of a left row the most similar first."""
    ours, theirs = list(map(canonical, left)), list(map(canonical, right))
    first = {text: row for row, text in reversed([*enumerate(theirs)])}
    found = []
    for i, a in enumerate(ours):
        pairs = [(-alike(a, b, kind, measure), first[b], j) for j, b in enumerate(theirs) if a and b]
        found += [(i, j, -value) for value, _, j in sorted(pairs) if value and -value >= threshold * (1 - 1e-15)]
    return found


@pytest.mark.parametrize("measure", ["jaccard", "dice", "cosine", "containment", "inclusion", "overlap"])
@pytest.mark.parametrize("kind", ["3-grams", "words", "both"])
@settings(deadline=None, max_examples=30)
@given(left=COLUMN, right=COLUMN, data=st.data())
def test_each_left_row_meets_all_that_are_alike(kind, measure, left, right, data) -> None:
    attained = sorted({alike(a, b, kind, measure) for a in filter(None, map(canonical, left))
                       for b in filter(None, map(canonical, right))} - {0.0})  # fmt: skip
    threshold = data.draw(st.sampled_from(attained or [1.0]))
    lead = data.draw(st.sampled_from([0.0, 0.2]))  # says nothing here
    plan = lv.fuzzy_join(left, right, threshold=threshold, tokeniser=kind, measure=measure, lead=lead,
                         cardinality="N:M")  # fmt: skip
    expected = brute_force(left, right, kind, measure, threshold)
    assert plan.pairs[["left", "right"]].values.tolist() == [[i, j] for i, j, _ in expected]
    assert plan.pairs.similarity.tolist() == pytest.approx([value for *_, value in expected])
    check(plan)
    above = [each for each in attained if each >= plan.configuration.floor]
    assert plan.joined_at(above).tolist() == [plan.at(each).counts().left_matched for each in above]
    rows = plan.to_pandas()
    assert len(rows) == plan.counts().rows_out and rows.equals(plan.preview(len(rows)))
    assert len(plan.preview(2, matched=True)) == min(2, len(expected))
    met = {canonical(left[i]) for i, _, _ in expected}
    assert {t for t, m in zip(plan.keys_seen.left, plan.keys_seen.met, strict=True) if m} == met


def check(plan: Any) -> None:
    """The counts, from the pairs."""
    pairs, rows = plan.pairs, len(plan.left.to_pandas())
    fan = np.bincount(pairs.left, minlength=rows)
    out = len(pairs) + (int((fan == 0).sum()) if plan.how == "left" else 0)
    assert plan.counts() == JoinCounts(rows, int((fan > 0).sum()), len(plan.right.to_pandas()), pairs.right.nunique(),
                                       out, int(fan.max(initial=0)))  # fmt: skip


@pytest.mark.parametrize(("measure", "threshold"), [("edit", 0.6), ("jaro_winkler", 0.8), ("jaccard", 0.5)])
@pytest.mark.parametrize("how", ["left", "inner"])
def test_judged_pairs_and_the_code(measure: str, threshold: float, how: Any) -> None:
    plan = lv.fuzzy_join(LEFT, RIGHT, on="name", threshold=threshold, measure=measure, cardinality="N:M", how=how)
    assert plan.pairs[["left", "right"]].values.tolist() == [
        [0, 2], [0, 0], [0, 3], [1, 1], [3, 2], [3, 0], [3, 3]]  # fmt: skip
    assert "all pairs" in plan.summary and "not estimated" in plan.explain()
    judged = plan.reject("dune hotel", "dune hotex").accept("zzz", "fern cave").accept("fern cove", "dune hotel")
    assert judged.pairs[["left", "right"]].values.tolist() == [[0, 2], [1, 1], [1, 2], [3, 2], [4, 1]]
    assert judged.at(1.0).pairs[["left", "right"]].values.tolist() == [[0, 2], [1, 2], [3, 2], [4, 1]]
    assert judged.joined_at([threshold, 1.0]).tolist() == [4, 4]
    for each in (plan, judged):
        check(each)
        scope = {"LEFT": LEFT, "RIGHT": RIGHT}
        exec(each.code(), scope)
        pd.testing.assert_frame_equal(scope["LEFT_RIGHT"], each.to_pandas(), check_dtype=False)
    best = judged.candidates.set_index("left_value").joined
    assert best["dune hotel"] and best["fern cove"]
    assert judged.with_many("first").cardinality == "N:1" and judged.with_many("all") is judged


def test_numbers_that_contradict_each_other_part_pairs() -> None:
    names = [f"{n}th street clinic, {town}" for n in (4, 5, 6) for town in ("Bonn", "Rome", "Oslo", "Lima", "Kiel")]
    worn = [name.replace("clinic", "klinic") for name in names]
    plan = lv.fuzzy_join(worn, names, precision=0.9, cardinality="N:M").at(0.5)
    assert plan.configuration.numbers
    numbers = [worn[i][0] == names[j][0] for i, j in plan.pairs[["left", "right"]].values.tolist()]
    assert len(numbers) > len(names) and all(numbers)
    check(plan)
    scope: dict = {"left": pd.DataFrame({"value": worn}), "right": pd.DataFrame({"value": names})}
    exec(plan.code(), scope)
    assert len(scope["left_right"]) == plan.counts().rows_out


def test_nothing_is_joined_unasked_and_too_many_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = lv.fuzzy_join(["zzz"], ["fern cove"], precision=0.9, cardinality="N:M")
    assert nothing.threshold is None and nothing.pairs.empty and len(nothing.to_pandas()) == 1
    plan = lv.fuzzy_join(["dune hotel"] * 3, ["dune hotex", "dune hotel"], threshold=0.5, cardinality="N:M")
    monkeypatch.setattr(every_pair, "MOST", 1)
    assert plan.counts().rows_out == 6
    with pytest.raises(InputError, match="raise the threshold"):
        plan.to_pandas()
