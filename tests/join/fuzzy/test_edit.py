"""Edit distance and Jaro-Winkler against rapidfuzz on every pair: the candidates lose none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lakeview as lv

rapidfuzz = pytest.importorskip("rapidfuzz")

COLUMN = st.lists(st.text(alphabet="abcde", min_size=1, max_size=9), min_size=1, max_size=8)


def similarity(a: str, b: str, measure: str) -> float:
    if measure == "jaro_winkler":
        return rapidfuzz.distance.JaroWinkler.similarity(a, b)
    longest = max(len(a), len(b))
    return (longest - rapidfuzz.distance.Levenshtein.distance(a, b)) / longest


@pytest.mark.parametrize("measure", ["edit", "jaro_winkler"])
@settings(deadline=None)
@given(left=COLUMN, right=COLUMN, data=st.data())
def test_best_partner_of_all_pairs(measure: str, left: list[str], right: list[str], data: st.DataObject) -> None:
    scores = [[similarity(a, b, measure) for b in right] for a in left]
    attained = sorted({value for row in scores for value in row if value > 0})
    threshold = data.draw(st.sampled_from(attained or [1.0]))
    least = threshold * (1 - 1e-15)  # one sum of floats reaches another up to rounding
    expected = [[i, row.index(max(row)), max(row)] for i, row in enumerate(scores) if max(row) >= least]
    plan = lv.fuzzy_join(left, right, threshold=threshold, measure=measure)
    assert plan.pairs.values.tolist() == expected


@pytest.mark.parametrize("measure", ["edit", "jaro_winkler"])
def test_code(measure: str) -> None:
    left, right = ["martha", "dwayne", "zzz"], ["marhta", "duane", "martha x"]
    plan = lv.fuzzy_join(left, right, threshold=0.6, measure=measure)
    import pandas as pd

    scope = {"left": pd.DataFrame({"value": left}), "right": pd.DataFrame({"value": right})}
    exec(plan.code("pandas"), scope)
    pd.testing.assert_frame_equal(scope["left_right"], plan.to_pandas(), check_dtype=False)
    assert len(plan.pairs) == 2
