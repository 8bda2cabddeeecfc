"""Exact counts against every pair tried one by one; estimates against the exact counts."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lakeview as lv
from lakeview.errors import InputError
from lakeview.estimate import join_size as module
from lakeview.estimate import sampling
from lakeview.estimate.join_size import column_texts, curve

COLUMN = st.lists(st.one_of(st.none(), st.text(alphabet="ab c", max_size=6)), max_size=9)
TENTHS = [i / 10 for i in range(1, 11)]


def grams(value: str | None) -> frozenset[str]:
    text = " ".join((value or "").split())
    padded = f"##{text}$$"
    return frozenset(padded[i : i + 3] for i in range(len(padded) - 2)) if text else frozenset()


def count(pairs: list[tuple[frozenset, frozenset]], threshold: float) -> int:
    exact = Fraction(round(threshold * 10), 10)
    return sum(bool(r & s) and Fraction(len(r & s), len(r | s)) >= exact for r, s in pairs)


@settings(deadline=None)
@given(left=COLUMN, right=COLUMN)
def test_two_columns(left: list, right: list) -> None:
    pairs = [(grams(a), grams(b)) for a in left for b in right]
    found = lv.join_size(left, right, TENTHS)
    assert found.pairs.tolist() == [count(pairs, threshold) for threshold in TENTHS]
    assert found.exact.all() and (found.low == found.pairs).all() and (found.high == found.pairs).all()


@settings(deadline=None)
@given(column=COLUMN)
def test_one_column_counts_unordered_pairs_of_rows(column: list) -> None:
    pairs = [(grams(a), grams(b)) for i, a in enumerate(column) for b in column[:i]]
    found = lv.join_size(column, thresholds=TENTHS, method="exact")
    assert found.pairs.tolist() == [count(pairs, threshold) for threshold in TENTHS]


def test_the_order_of_the_thresholds_is_kept() -> None:
    found = lv.join_size(["acme", "acme", "acne"], thresholds=[1.0, 0.2, 0.5])
    assert found.threshold.tolist() == [1.0, 0.2, 0.5]
    assert found.pairs.tolist() == [1, 3, 1]
    assert lv.join_size(["acme"]).threshold.is_monotonic_increasing


def similar_strings(n: int, seed: int = 0) -> list[str]:
    """Names of which many are near another: a base, and copies with a few letters changed."""
    random = np.random.default_rng(seed)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    made = []
    for base in random.choice(letters, (n // 8, 20)):
        for _ in range(8):
            copy = base.copy()
            changed = random.integers(0, 20, random.integers(0, 12))
            copy[changed] = random.choice(letters, len(changed))
            made.append("".join(copy))
    return made


@pytest.mark.parametrize("method", ["sampling", "hashed", "lsh", "lattice"])
@pytest.mark.parametrize("two", [False, True])
def test_estimates_fall_with_the_threshold_and_hold_their_interval(method: str, two: bool) -> None:
    left = similar_strings(1600)
    right = similar_strings(1600)[::2] if two else None
    found = lv.join_size(left, right, TENTHS, method=method)
    assert not found.exact.any()
    assert (found.low <= found.pairs).all() and (found.pairs <= found.high).all()
    for name in ("pairs", "low", "high"):
        assert found[name].is_monotonic_decreasing
    assert found.pairs.max() <= len(left) * len(right if two else left)


@pytest.mark.parametrize("two", [False, True])
def test_row_sampling_is_close_and_covers(two: bool) -> None:
    left = similar_strings(4000)
    right = similar_strings(4000)[::2] if two else None
    at = np.array([0.3, 0.4, 0.5, 0.6, 0.8])
    texts = column_texts(left, right, "3-grams", "fold")
    truth = curve(texts, "jaccard", at, "exact").pairs
    covered, worst = [], 1.0
    for seed in range(20):
        found = curve(texts, "jaccard", at, "sampling", seed)
        covered.append((found.low <= truth) & (truth <= found.high))
        worst = max(worst, float(np.max(np.maximum(found.pairs / truth, truth / np.maximum(found.pairs, 1)))))
    assert np.mean(covered) >= 0.9
    assert worst < 2


def repeated(texts: list[str], seed: int, how: str) -> list[str]:
    """The texts with repeats: geometric ones, a heavy tail, a few very often."""
    random, n = np.random.default_rng(seed), len(texts)
    times = {
        "a little": random.geometric(0.5, n),
        "heavy tail": np.minimum(random.zipf(1.5, n), 5_000),
        "a few often": np.where(random.random(n) < 0.003, 1_000, 1),
    }[how]
    return np.repeat(texts, times).tolist()


@pytest.mark.parametrize("how", ["a little", "heavy tail", "a few often"])
@pytest.mark.parametrize("two", [False, True])
def test_intervals_hold_where_texts_repeat(two: bool, how: str) -> None:
    texts = similar_strings(4000)
    sides = [repeated(part, seed, how) for seed, part in enumerate((texts, similar_strings(4000)[::2]))][: 1 + two]
    both = column_texts(sides[0], sides[1] if two else None, "3-grams", "fold")
    at = np.array([0.3, 0.4, 0.5, 0.6, 0.8])
    truth = curve(both, "jaccard", at, "exact").pairs
    covered = []
    for seed in range(20):
        found = curve(both, "jaccard", at, "sampling", seed)
        covered.append((found.low <= truth + 0.5) & (truth <= found.high + 0.5))
        assert (np.maximum(found.pairs / truth, truth / found.pairs) < 1.5).all()
    assert np.mean(covered) >= 0.93


@settings(deadline=None)
@given(left=COLUMN, right=st.one_of(st.none(), COLUMN), measure=st.sampled_from(["jaccard", "dice", "inclusion"]))
def test_a_sample_of_all_texts_is_the_count(left: list, right: list | None, measure: str) -> None:
    truth = lv.join_size(left, right, TENTHS, method="exact", measure=measure)
    found = lv.join_size(left, right, TENTHS, method="sampling", measure=measure)
    for name in ("pairs", "low", "high"):
        assert found[name].tolist() == truth.pairs.tolist()


@pytest.mark.parametrize("two", [False, True])
def test_samples_are_right_on_average(two: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "_LEAST", 12)
    texts = similar_strings(80)
    left = repeated(texts, 1, "heavy tail") + texts[:3] * 40
    both = column_texts(left, texts[:2] * 60 + texts[::2] if two else None, "3-grams", "fold")
    at = np.array([0.3, 0.5, 1.0])
    truth = curve(both, "jaccard", at, "exact").pairs
    found = np.array([curve(both, "jaccard", at, "sampling", seed).pairs for seed in range(400)])
    assert (np.abs(found.mean(axis=0) - truth) <= 3.5 * found.std(axis=0) / 20 + 1e-6).all()
    assert (found[:, 2] == truth[2]).all() and (found[:, 0] != truth[0]).any()  # equal texts are counted


def test_a_sample_of_texts_that_are_a_sample_already_stands_for_all_of_them() -> None:
    left, right = similar_strings(6000), similar_strings(6000)[::3]
    at, covered = np.array([0.3, 0.4, 0.5, 0.7, 1.0]), []
    truth = curve(column_texts(left, right, "3-grams", "fold"), "jaccard", at, "exact").pairs
    for seed in range(20):
        here = np.random.default_rng(seed).choice(len(left), 2000, replace=False)
        part = column_texts([left[i] for i in here], right, "3-grams", "fold")
        found = sampling.sample_rows(part, "jaccard", at, 0.1, seed, population=6000)
        covered.append((found.low <= truth) & (truth <= found.high))
        assert (found.high < 2 * truth).all() and (found.low > truth / 3).all()
    assert np.mean(covered) >= 0.93


@given(st.lists(st.integers(1, 10_000), min_size=1, max_size=60), st.integers(1, 70), st.integers(0, 9))
def test_chances_follow_the_rows_and_samples_follow_the_chances(rows: list[int], taken: int, seed: int) -> None:
    weights = np.array(rows)
    chance = sampling.inclusion(weights, taken)
    assert chance.sum() == pytest.approx(min(taken, len(rows))) and (chance <= 1).all()
    some = chance < 1
    assert np.ptp(chance[some] / weights[some]) <= 1e-9 if some.any() else True
    assert weights[some].max(initial=0) <= weights[~some].min(initial=10_000)
    chosen = sampling.drawn(chance, np.random.default_rng(seed))
    assert len(np.unique(chosen)) == len(chosen) and abs(len(chosen) - min(taken, len(rows))) <= 1
    assert np.isin(np.flatnonzero(~some), chosen).all()


def test_auto_counts_what_is_cheap_and_samples_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    column = similar_strings(4000)
    truth = lv.join_size(column, thresholds=TENTHS, method="exact")
    assert lv.join_size(column, thresholds=TENTHS).equals(truth)
    monkeypatch.setattr(module, "BUDGET", 0.01)
    monkeypatch.setattr(module, "predicted_seconds", lambda texts, limit: (1 - limit.p / limit.q) / 50)
    found = lv.join_size(column, thresholds=TENTHS)
    assert found.exact.tolist() == [False] * 4 + [True] * 6
    assert found.pairs[found.exact].tolist() == truth.pairs[found.exact].tolist()
    assert found.pairs.is_monotonic_decreasing


def test_equal_rows_count_by_their_number() -> None:
    column = ["acme works"] * 300 + ["acme worms"] * 200
    same = 300 * 299 // 2 + 200 * 199 // 2
    assert lv.join_size(column, thresholds=[0.5, 1.0]).pairs.tolist() == [500 * 499 // 2, same]
    near = lv.join_size(column, thresholds=[0.5, 1.0], method="lsh")
    assert near.pairs.tolist()[1] == same


def test_other_measures_and_tokenisers() -> None:
    left, right = pd.Series(["north pier", "pier"]), pd.Series(["pier north cafe"])
    for measure, expected in (("containment", 2), ("dice", 1), ("inclusion", 2)):
        found = lv.join_size(left, right, [0.8], tokeniser="words", measure=measure)
        assert found.pairs.tolist() == [expected], measure
    assert Counter(lv.join_size(left, right, [1, 2], tokeniser="words", measure="overlap").pairs) == Counter([2, 1])


@pytest.mark.parametrize("wrong", [
    {"method": "guess"}, {"measure": "hamming"}, {"measure": "containment"}, {"thresholds": [0]},
    {"thresholds": [1.5]}, {"tokeniser": "letters"}, {"method": "lattice", "measure": "dice"},
])  # fmt: skip
def test_refusals(wrong: dict) -> None:
    with pytest.raises(InputError):
        lv.join_size(["acme", "acne"], **wrong)
