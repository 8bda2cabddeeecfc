"""The whole join against every pair tried one by one, and the troubles that people report."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lakeview as lv
from lakeview.errors import InputError, NotFound
from lakeview.join.model import JoinCounts

TEXT = st.one_of(st.none(), st.text(alphabet="abc d", max_size=7), st.sampled_from(["n/a", "abc abd", "abd abc"]))
COLUMN = st.lists(TEXT, min_size=1, max_size=9)


def canonical(value: str | None) -> str | None:
    text = " ".join(value.split()) if value else ""
    return None if text in ("", "n/a") else text


def tokens(text: str, kind: str) -> set[object]:
    padded = f"##{text}$$"
    grams: set[object] = {padded[i : i + 3] for i in range(len(padded) - 2)}
    words: set[object] = {(word,) for word in re.findall(r"[^\W_]+", text)}
    return {"3-grams": grams, "words": words, "both": grams | words}[kind]


def alike(a: str, b: str, kind: str, measure: str) -> float:
    r, s = tokens(a, kind), tokens(b, kind)
    o = len(r & s)
    if not o:
        return 0.0
    values = {"jaccard": o / len(r | s), "dice": 2 * o / (len(r) + len(s)), "cosine": o / (len(r) * len(s)) ** 0.5,
              "containment": o / len(r), "inclusion": o / min(len(r), len(s)), "overlap": float(o)}  # fmt: skip
    return values[measure]


def brute_force(left: list, right: list, kind: str, measure: str, threshold: float) -> list[tuple[int, int, float]]:
    """Each left row with the most similar right row, an identical one before others, else the first."""
    found = []
    for i, a in enumerate(map(canonical, left)):
        best = None
        for j, b in enumerate(map(canonical, right)):
            if a is None or b is None:
                continue
            value = alike(a, b, kind, measure)
            order = (value, a == b and value == alike(a, a, kind, measure), -j)
            if value and value >= threshold * (1 - 1e-15) and (best is None or order > best[0]):
                best = order, j, value
        if best:
            found.append((i, best[1], best[2]))
    return found


@pytest.mark.parametrize("measure", ["jaccard", "dice", "cosine", "containment", "inclusion", "overlap"])
@pytest.mark.parametrize("kind", ["3-grams", "words", "both"])
@settings(deadline=None, max_examples=40)
@given(left=COLUMN, right=COLUMN, data=st.data())
def test_each_left_row_meets_its_most_similar_right_row(kind, measure, left, right, data) -> None:
    attained = sorted({alike(a, b, kind, measure) for a in filter(None, map(canonical, left))
                       for b in filter(None, map(canonical, right))} - {0.0})  # fmt: skip
    threshold = data.draw(st.sampled_from(attained or [1.0]))
    plan = lv.fuzzy_join(left, right, threshold=threshold, tokeniser=kind, measure=measure)
    expected = brute_force(left, right, kind, measure, threshold)
    assert plan.pairs[["left", "right"]].values.tolist() == [[i, j] for i, j, _ in expected]
    assert plan.pairs.similarity.tolist() == pytest.approx([value for *_, value in expected])
    for other in attained:
        again = plan.at(other).pairs
        assert again[["left", "right"]].values.tolist() == [
            [i, j] for i, j, _ in brute_force(left, right, kind, measure, other)
        ]


@settings(deadline=None, max_examples=60)
@given(
    left=COLUMN, right=COLUMN, kind=st.sampled_from(["3-grams", "words", "both", "2-grams"]),
    measure=st.sampled_from(["jaccard", "cosine", "containment"]), threshold=st.sampled_from([0.2, 0.5, 0.8, 1.0]),
    lead=st.sampled_from([0.0, 0.1, 0.5]), cardinality=st.sampled_from(["N:1", "1:1", "N:M"]),
    how=st.sampled_from(["left", "inner"]),
)  # fmt: skip
def test_the_pandas_code_gives_the_same_result(left, right, kind, measure, threshold, lead, cardinality, how) -> None:
    left_frame = pd.DataFrame({"name": pd.Series(left, dtype=object), "n": range(len(left))})
    right_frame = pd.DataFrame({"name": pd.Series(right, dtype=object), "m": range(len(right))})
    plan = lv.fuzzy_join(left_frame, right_frame, on="name", threshold=threshold, tokeniser=kind, measure=measure,
                         lead=lead, cardinality=cardinality, how=how)  # fmt: skip
    scope = {"left_frame": left_frame, "right_frame": right_frame}
    code = plan.code("pandas")
    assert "lakeview" not in code.split("\n", 1)[1]
    exec(code, scope)
    pd.testing.assert_frame_equal(scope["left_frame_right_frame"], plan.to_pandas(), check_dtype=False)


def test_code_carries_the_steps_that_matter() -> None:
    """Full-width letters, no-break spaces, numbers and null marks; a plain column needs none of it."""
    left = pd.DataFrame({"key": ["Ｂlue harbor", "5.00", "NULL", "dune\u00a0 hotel"]})
    right = pd.DataFrame({"key": ["blue harbor", "+5", "null", "dune hotel"]})
    plan = lv.fuzzy_join(left, right, on="key", threshold=0.9)
    scope = {"left": left, "right": right}
    exec(plan.code("pandas"), scope)
    pd.testing.assert_frame_equal(scope["left_right"], plan.to_pandas(), check_dtype=False)
    assert plan.pairs.left.tolist() == [0, 1, 3]
    plain = lv.fuzzy_join(["ab cd"], ["ab ce"], threshold=0.3).code("pandas")
    assert "unicodedata" not in plain and "lower" not in plain


def test_pairs_exactly_on_the_threshold_belong() -> None:
    # 24 of 30 grams, 14 of 20 grams; the last shares 12 of 18 and lies under .7
    left = ["gray owl tavern 17 of kent", "green valley inn", "salt creek"]
    right = ["gray owl tavern 17 of kens", "green valley inm", "salt creem"]
    for threshold in (0.6, 0.7, 0.75, 0.8):
        sets = [(tokens(a, "3-grams"), tokens(b, "3-grams")) for a, b in zip(left, right, strict=True)]
        expected = [i for i, (r, s) in enumerate(sets) if len(r & s) * 100 >= round(threshold * 100) * len(r | s)]
        assert lv.fuzzy_join(left, right, threshold=threshold).pairs.left.tolist() == expected


def test_missing_values_match_nothing() -> None:
    left, right = ["", " \t", "N/A", None, "Gable", "gable"], [None, "", "-", "gable"]
    plan = lv.fuzzy_join(left, right, threshold=0.01)
    assert plan.pairs.values.tolist() == [[4, 3, 1.0], [5, 3, 1.0]]
    assert plan.counts() == JoinCounts(6, 2, 4, 1, 6, 1)
    assert plan.to_pandas().iloc[:4, 1].isna().all()


def test_one_to_one_keeps_the_most_similar_left_row() -> None:
    plan = lv.fuzzy_join(["gable inn", "gable inm", "gable inn"], ["gable inn"], threshold=0.3, cardinality="1:1")
    assert plan.pairs.values.tolist() == [[0, 0, 1.0]]


def test_the_same_text_wins_over_the_same_words_and_needs_no_lead() -> None:
    plan = lv.fuzzy_join(["b a"], ["a b", "b a"], threshold=0.5, tokeniser="words", lead=0.2)
    assert plan.pairs.values.tolist() == [[0, 1, 1.0]]
    assert lv.fuzzy_join(["b a c"], ["a b", "b a"], threshold=0.5, tokeniser="words", lead=0.2).pairs.empty


def test_a_runner_up_just_under_the_threshold_still_forbids(monkeypatch: pytest.MonkeyPatch) -> None:
    """However dear its partners below the threshold are: a lead counts from the second, not from what is joined."""
    monkeypatch.setattr("lakeview.join.fuzzy.matched._SECONDS", 0.0)
    left, right = ["dune hotel"], ["dune hotex", "dune hoxey"]  # 9/15 and 7/17; 9/10 and 8/10
    for measure, threshold in (("jaccard", 0.55), ("edit", 0.85)):
        assert len(lv.fuzzy_join(left, right, threshold=threshold, measure=measure).pairs) == 1
        assert lv.fuzzy_join(left, right, threshold=threshold, lead=0.2, measure=measure).pairs.empty


def test_result_keeps_both_keys_and_adds_the_similarity() -> None:
    left = pd.DataFrame({"similarity": [1], "name": ["dune hotel"]}, index=[7])
    right = pd.DataFrame({"name": ["dune hotex"], "stars": [4]}, index=[9])
    made = lv.fuzzy_join(left, right, on="name", threshold=0.5).to_pandas()
    assert made.columns.tolist() == ["similarity", "name", "name_right", "stars", "similarity_2"]
    assert made.values.tolist() == [[1, "dune hotel", "dune hotex", 4, 9 / 15]]


def test_curve_counts_all_pairs_and_joined_at_the_joined_rows() -> None:
    plan = lv.fuzzy_join(["dune hotel", "dune hotel"], ["dune hotex", "dune hotey"], threshold=0.6)
    curve = plan.curve.set_index("threshold")
    assert curve.loc[0.6, "pairs"] == 4 and curve.loc[0.65, "pairs"] == 0 and curve.exact.all()
    assert plan.joined_at([0.5, 0.6, 0.61]).tolist() == [2, 2, 0]
    assert list(plan.curve.columns) == ["threshold", "pairs", "low", "high", "exact"]


def test_candidates_show_the_runner_up_nearest_the_threshold_first() -> None:
    plan = lv.fuzzy_join(["dune hotel", "fern cove"], ["fern covy", "dune hotex", "dune hot"], threshold=0.6)
    first = plan.candidates.iloc[0]
    assert first.left_value == "dune hotel" and first.right_value == "dune hotex" and first.joined
    assert first.runner_up == "dune hot" and first.runner_up_similarity < first.similarity


@pytest.mark.parametrize("wrong", [
    {"threshold": 0.5, "precision": 0.9}, {"threshold": 0}, {"threshold": 1.2}, {"precision": 0}, {"precision": 90},
    {"threshold": 0.5, "measure": "hamming"}, {"threshold": 0.5, "tokeniser": "letters"},
    {"threshold": 0.5, "lead": -1},
    {"threshold": 0.5, "cardinality": "1:N"}, {"threshold": 0.5, "how": "outer"}, {"threshold": 0.5, "normalize": "no"},
])  # fmt: skip
def test_refusals(wrong: dict) -> None:
    with pytest.raises(InputError):
        lv.fuzzy_join(["dune"], ["dunes"], **wrong)


def test_unknown_column() -> None:
    frame = pd.DataFrame({"name": ["dune"]})
    with pytest.raises(NotFound, match="title"):
        lv.fuzzy_join(frame, frame, "name", "title", threshold=0.5)
    with pytest.raises(InputError, match="left_on"):
        lv.fuzzy_join(frame, frame, threshold=0.5)


def test_nothing_on_a_side() -> None:
    for left, right in (([], ["a"]), (["a"], []), ([None], [None])):
        for how in ({"threshold": 0.5}, {"precision": 0.9}):
            plan = lv.fuzzy_join(pd.Series(left, dtype=object), pd.Series(right, dtype=object), **how)
            assert plan.pairs.empty and len(plan.to_pandas()) == len(left)
            assert not plan.curve.pairs.any() or not len(plan.curve)


def test_moving_the_threshold_is_quick() -> None:
    """Re-thresholding 1e5 pairs joins nothing again."""
    import time

    random = np.random.default_rng(0)
    left = [f"{a:06d} {b:06d}" for a, b in random.integers(0, 10**6, (100_000, 2))]
    right = [text[:-1] + "x" for text in left]
    plan = lv.fuzzy_join(left, right, threshold=0.6)
    assert len(plan.pairs) == 100_000
    started = time.process_time()
    moved = plan.joined_at(np.linspace(0.6, 0.99, 40))
    assert moved[0] == 100_000
    assert time.process_time() - started < 0.5  # tenths where the machine is busy
