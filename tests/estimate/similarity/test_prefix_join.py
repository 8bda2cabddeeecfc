"""The join against every pair tried one by one, at thresholds that pairs lie exactly on."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lakeview.errors import InputError
from lakeview.estimate.similarity.collection import collections
from lakeview.estimate.similarity.measures import MEASURES, bound, similarity
from lakeview.estimate.similarity.prefix_join import Pairs, blocks_of_pairs, prefix_index, similar_pairs

SETS = st.lists(st.sets(st.integers(0, 14), max_size=10), min_size=1, max_size=14)
SYMMETRIC = [measure for measure in MEASURES if measure != "containment"]


def as_tokens(sets: list[set[int]]) -> tuple[np.ndarray, np.ndarray]:
    tokens = np.array([token for one in sets for token in sorted(one)], np.uint64)
    return tokens, np.concatenate([[0], np.cumsum([len(one) for one in sets])]).astype(np.int64)


def exactly(measure: str, r: set[int], s: set[int]) -> Fraction:
    """The similarity, squared for cosine, without any rounding."""
    o = len(r & s)
    return {
        "jaccard": lambda: Fraction(o, len(r | s)),
        "dice": lambda: Fraction(2 * o, len(r) + len(s)),
        "cosine": lambda: Fraction(o * o, len(r) * len(s)),
        "containment": lambda: Fraction(o, len(r)),
        "inclusion": lambda: Fraction(o, min(len(r), len(s))),
        "overlap": lambda: Fraction(o),
    }[measure]()


def found(pairs: Pairs) -> dict[tuple[int, int], int]:
    result = dict(zip(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True), pairs.overlap.tolist(), strict=True))
    assert len(result) == len(pairs), "a pair came twice"
    return result


def attainable(data: st.DataObject, measure: str) -> tuple[float, Fraction]:
    """(threshold as a user would write it, the exact value that it stands for)."""
    a = data.draw(st.integers(1, 20))
    b = data.draw(st.integers(a, 20))
    if measure == "overlap":
        return a, Fraction(a)
    if measure == "cosine":
        return math.sqrt(a / b), Fraction(a, b)
    return a / b, Fraction(a, b)


@pytest.mark.parametrize("measure", MEASURES)
@settings(deadline=None)  # the first example compiles
@given(left=SETS, right=SETS, data=st.data())
def test_two_collections(measure: str, left: list[set[int]], right: list[set[int]], data: st.DataObject) -> None:
    threshold, exact = attainable(data, measure)
    (one, other), tokens = collections(as_tokens(left), as_tokens(right))
    limit = bound(measure, threshold, max(one.largest, other.largest))
    expected = {
        (i, j): len(r & s)
        for i, r in enumerate(left)
        for j, s in enumerate(right)
        if r & s and exactly(measure, r, s) >= exact
    }
    assert found(similar_pairs(one, other, limit, tokens)) == expected


@pytest.mark.parametrize("measure", SYMMETRIC)
@settings(deadline=None)
@given(sets=SETS, data=st.data())
def test_self_join(measure: str, sets: list[set[int]], data: st.DataObject) -> None:
    threshold, exact = attainable(data, measure)
    (one,), tokens = collections(as_tokens(sets))
    expected = {
        frozenset((i, j)): len(r & s)
        for i, r in enumerate(sets)
        for j, s in enumerate(sets[:i])
        if r & s and exactly(measure, r, s) >= exact
    }
    pairs = similar_pairs(one, None, bound(measure, threshold, one.largest), tokens)
    assert {frozenset(pair): overlap for pair, overlap in found(pairs).items()} == expected
    assert len(pairs) == len(expected)


@settings(max_examples=300, deadline=None)
@given(a=st.integers(1, 300), b=st.integers(1, 300), c=st.integers(1, 300))
@example(5, 7, 14)
@example(1, 3, 300)
@example(1, 49, 98)  # 1/49 * 49 < 1 in floats
def test_a_float_means_the_fraction_that_it_came_from(a: int, b: int, c: int) -> None:
    a, b = min(a, b), max(a, b)
    size = b * c // math.gcd(b, c)
    limit = bound("containment", a / b, size)
    assert limit.least_overlap(np.array([size]), np.array([size])) == [size * a // b]


@settings(deadline=None)
@given(o=st.integers(1, 60), r=st.integers(1, 60), s=st.integers(1, 60))
def test_a_pair_reaches_its_own_similarity_and_nothing_above(o: int, r: int, s: int) -> None:
    o = min(o, r, s)
    for measure in MEASURES:
        value = float(similarity(measure, o, r, s))
        assert bound(measure, value, 60).reached([o], [r], [s]) == [True]
        above = value * (1 + 1e-9) if measure != "overlap" else value + 1
        if above <= 1 or measure == "overlap":
            assert bound(measure, above, 60).reached([o], [r], [s]) == [False]


def test_a_block_too_small_for_one_set_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lakeview.estimate.similarity.prefix_join._BLOCK", 3)
    sets = [{1, 2, 3}] * 20 + [{7}]
    (one,), tokens = collections(as_tokens(sets))
    limit = bound("jaccard", 1.0, one.largest)
    blocks = list(blocks_of_pairs(one, one, limit, prefix_index(one, limit, tokens, True), True))
    assert sum(map(len, blocks)) == 190
    assert len(blocks) > 1


def test_a_part_of_a_collection_finds_its_own_pairs() -> None:
    rng = np.random.default_rng(1)
    sets = [set(rng.integers(0, 12, rng.integers(0, 8)).tolist()) for _ in range(60)]
    (one, other), tokens = collections(as_tokens(sets), as_tokens(sets[::-1]))
    limit = bound("jaccard", 0.5, one.largest)
    everything = found(similar_pairs(one, other, limit, tokens))
    members = np.arange(0, len(one), 3)
    rows = set(one.rows[members].tolist())
    assert found(similar_pairs(one.take(members), other, limit, tokens)) == {
        pair: overlap for pair, overlap in everything.items() if pair[0] in rows
    }


def test_long_sets() -> None:
    """Sets of thousands of tokens: the sort of many, saturated bits, large denominators."""
    rng = np.random.default_rng(0)
    sets = [set(rng.choice(9000, 6000, replace=False).tolist()) for _ in range(6)] + [set(range(9000))]
    (one,), tokens = collections(as_tokens(sets))
    exact = Fraction(len(sets[0] & sets[1]), len(sets[0] | sets[1]))
    pairs = found(similar_pairs(one, None, bound("jaccard", float(exact), one.largest), tokens))
    expected = {frozenset((i, j)) for i in range(7) for j in range(i) if exactly("jaccard", sets[i], sets[j]) >= exact}
    assert {frozenset(pair) for pair in pairs} == expected


@pytest.mark.parametrize("measure,threshold", [("jaccard", 0), ("jaccard", 1.01), ("overlap", 0.5), ("hamming", 0.5)])
def test_refusals(measure: str, threshold: float) -> None:
    with pytest.raises(InputError):
        bound(measure, threshold, 10)
