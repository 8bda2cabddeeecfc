"""Lattice counting against the paper's worked example and against all pairs of signatures."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeview.estimate import lattice
from lakeview.estimate.join_size import column_texts, curve, lattice_curve
from lakeview.estimate.signatures import signatures
from lakeview.estimate.similarity.collection import collections

# Figure 1 of the paper.
EXAMPLE = np.array([[4, 3, 5, 2], [4, 3, 3, 5], [4, 3, 2, 2], [3, 3, 3, 2], [1, 1, 1, 3]], np.int32)
ONES = np.ones(5, np.int64)

SIGNATURES = st.lists(st.lists(st.integers(0, 3), min_size=5, max_size=5), min_size=1, max_size=12)


def agreements(left: np.ndarray, right: np.ndarray | None) -> list[int]:
    if right is None:
        return [int((a == b).sum()) for i, a in enumerate(left) for b in left[:i]]
    return [int((a == b).sum()) for a in left for b in right]


def test_the_papers_example() -> None:
    levels = lattice.mine(EXAMPLE, None, ONES, None)
    # Example 3 counts levels 2 to 4; level 1 is all pairs that agree somewhere.
    assert levels.pairs[2:].tolist() == [8, 1, 0]
    assert (levels.counts[2][2], levels.counts[2][3], levels.counts[3][2]) == (2, 2, 1)
    assert lattice.lattice_counts(levels.pairs)[2] == 6


@settings(deadline=None)
@given(left=SIGNATURES, right=st.one_of(st.none(), SIGNATURES))
def test_level_sums_and_counts_are_those_of_all_pairs(left: list, right: list | None) -> None:
    a = np.array(left, np.int32)
    b = None if right is None else np.array(right, np.int32)
    matches = agreements(a, b)
    weights = None if b is None else np.ones(len(b), np.int64)
    levels = lattice.mine(a, b, np.ones(len(a), np.int64), weights)
    assert levels.pairs[1:].tolist() == [sum(comb(m, level) for m in matches) for level in range(1, 6)]
    counts = lattice.lattice_counts(levels.pairs)
    assert counts[1:].tolist() == [sum(m >= t for m in matches) for t in range(1, 6)]


@settings(deadline=None)
@given(left=SIGNATURES, support=st.integers(3, 6))
def test_minimum_support_hides_the_rare_patterns_alone(left: list, support: int) -> None:
    a = np.array(left, np.int32)
    every = lattice.mine(a, None, np.ones(len(a), np.int64), None)
    some = lattice.mine(a, None, np.ones(len(a), np.int64), None, support)
    width = some.counts.shape[1]
    assert (some.counts[:, support:] == every.counts[:, support:width]).all()
    assert not some.counts[:, :support].any()


def test_rows_weigh_by_how_often_they_occur() -> None:
    repeated = np.repeat(EXAMPLE, [3, 1, 2, 1, 1], axis=0)
    plain = lattice.mine(repeated, None, np.ones(8, np.int64), None)
    weighed = lattice.mine(EXAMPLE, None, np.array([3, 1, 2, 1, 1]), None, 2)
    assert plain.pairs.tolist() == weighed.pairs.tolist()


def test_power_law_fills_what_the_support_hides() -> None:
    levels = lattice.mine(EXAMPLE, None, ONES, None)
    x = np.arange(2, 200)
    counts = np.zeros((5, 200), np.int64)
    counts[1:, 2:] = (1e6 * x**-2.5).astype(int)
    whole = (counts[1, 2:] * x * (x - 1) / 2).sum()
    hidden = counts.copy()
    hidden[:, :10] = 0
    pairs = (hidden[1, 2:] * x * (x - 1) / 2).sum()
    found = lattice.level_sums(lattice.Levels(np.full(5, pairs), hidden, 10))
    assert found[1] == pytest.approx(whole, rel=0.02)
    assert lattice.level_sums(levels).tolist() == levels.pairs.tolist()


def test_relaxed_lattice_looks_at_few_levels() -> None:
    sums = np.array([0, 50, 40, 30, 20, 10.0])
    assert lattice.lattice_counts(sums, relax=1)[2] == 40 - 2 * 30
    assert lattice.lattice_counts(sums)[2] == 40 - 2 * 30 + 3 * 20 - 4 * 10


def test_what_the_relaxed_lattice_makes_of_a_pair_that_agrees_everywhere() -> None:
    """One pair of equal signatures is in C(10, l) patterns of each level; three levels alone count it 1,002 times."""
    sums = lattice.mine(np.ones((2, 10), np.int32), None, np.ones(2, np.int64), None).pairs
    assert lattice.lattice_counts(sums)[1:].tolist() == [1] * 10
    relaxed = lattice.lattice_counts(sums, relax=2)
    assert relaxed[3] == relaxed[5] == 252 - 5 * 210 + 15 * 120 == 1002


def test_on_sets_with_copies_it_is_near_and_nearer_by_halves() -> None:
    """Titles of rare words, every fourth one a copy of which some words are replaced: the paper's kind of data."""
    random = np.random.default_rng(0)
    made: list[list[int]] = []
    for place in range(2000):
        title = random.integers(0, 4000, 14).tolist()
        if place % 4 == 3:
            title = made[int(random.integers(0, place))][: int(random.integers(1, 15))] + title
        made.append(title[:14])
    texts = column_texts([" ".join(f"w{word}" for word in title) for title in made], None, "words", "fold")
    at = np.array([0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
    truth = curve(texts, "jaccard", at, "exact").pairs
    by_halves, papers = (lattice_curve(texts, at, halves=halves).pairs / truth for halves in (True, False))
    assert by_halves.max() < 2.5 and by_halves.min() > 0.6
    assert (np.abs(np.log(by_halves)) < np.abs(np.log(papers))).all()


def test_correction_undoes_the_shift_of_signatures() -> None:
    m = 10
    true = 10.0 ** np.arange(9, 9 - m - 1, -1)
    i = np.arange(m + 1) / m
    shift = np.array([comb(m, j) * i**j * (1 - i) ** (m - j) for j in range(m + 1)])
    observed = shift @ true
    assert observed[9] > 3 * true[9]
    assert lattice.correct(observed) == pytest.approx(true, rel=0.05)


def test_signatures_agree_as_often_as_their_sets_are_similar() -> None:
    sets = [range(0, 60), range(20, 80), range(100, 160)]
    tokens = np.concatenate([np.array(one, np.uint64) for one in sets])
    (made,), distinct = collections((tokens, np.array([0, 60, 120, 180])))
    found = signatures([made], distinct, 4000)[0][np.argsort(made.rows)]
    assert (found[0] == found[1]).mean() == pytest.approx(0.5, abs=0.05)
    assert not (found[0] == found[2]).any()


def test_empty_sets_agree_with_none() -> None:
    sides, distinct = collections(
        (np.array([5], np.uint64), np.array([0, 0, 1, 1])), (np.zeros(0, np.uint64), np.array([0, 0, 0]))
    )
    found = np.concatenate(signatures(sides, distinct, 3))
    assert len(np.unique(found[:, 0])) == 5
