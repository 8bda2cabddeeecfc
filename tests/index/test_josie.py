"""Every plan against brute force: the same sets in the same order, whatever is read on the way."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks import josie_d
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeview.index import josie, josie_kernels, postings
from lakeview.index.josie import Best
from lakeview.index.josie_cost import FITTED_FROM, Costs, fit

assert josie_kernels.COMPILED  # and loaded, so that small queries use it too
PLANS: dict[str, josie.Plan] = {"auto": "auto", "merge": "merge", "probe": "probe", "josie": josie_d.josie}
few = st.integers(0, 12)
tokens = st.one_of(few, few, st.integers(0, 60), st.integers(0, 2**64 - 1))
sets = st.lists(st.frozensets(tokens, max_size=40), min_size=1, max_size=25)
costs = st.builds(Costs, *(st.sampled_from([1e-9, 1e-7, 1e-4]) for _ in range(4)))


def build(columns: list[frozenset[int]]) -> postings.Postings:
    arrays = [np.array(sorted(c), np.uint64) for c in columns]
    offsets = np.concatenate(([0], np.cumsum([len(a) for a in arrays]))).astype(np.int64)
    return postings.build(offsets, np.concatenate([np.zeros(0, np.uint64), *arrays]))[0]


def brute(columns, query, k, skip, rank) -> list[tuple[int, int]]:
    overlaps = [(i, len(c & query)) for i, c in enumerate(columns) if not skip[i] and c & query]
    return sorted(overlaps, key=lambda found: (-found[1], rank[found[0]]))[:k]


@settings(max_examples=300, deadline=None)
@given(sets, st.frozensets(tokens, max_size=60), st.integers(1, 30), costs, st.data())
def test_plans_are_brute_force(columns, query, k, costs, data):
    n = len(columns)
    skip = np.array(data.draw(st.lists(st.integers(0, 5).map(lambda i: i == 0), min_size=n, max_size=n)))
    rank = np.array(data.draw(st.permutations(range(n))))
    batch = data.draw(st.sampled_from([1, 2, 20]))
    inverted, asked = build(columns), np.array(sorted(query), np.uint64)
    expected = brute(columns, query, k, skip, rank)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(josie_d, "BATCH", batch)
        for plan in PLANS.values():
            numbers, overlaps, statistics = josie.top_k(inverted, asked, k, plan, costs, skip, rank)
            assert list(zip(numbers.tolist(), overlaps.tolist(), strict=True)) == expected, plan
            assert statistics.lists <= statistics.of_lists


@settings(max_examples=100, deadline=None)
@given(st.lists(sets, min_size=2, max_size=4), st.frozensets(tokens, max_size=60), st.integers(1, 8), costs)
def test_the_best_are_carried_through_segments(segments, query, k, costs):
    columns = [c for segment in segments for c in segment]
    rank = np.random.default_rng(k).permutation(len(columns))
    asked = np.array(sorted(query), np.uint64)
    for plan in PLANS.values():
        best, base = Best.of(k), 0
        for segment in segments:
            inverted, n = build(segment), len(segment)
            skip = np.zeros(n, bool)
            josie.search(inverted, inverted.match(asked), best, plan, costs, skip, rank[base : base + n], base)
            base += n
        found = list(zip(*(a.tolist() for a in best.found()), strict=True))
        assert found == brute(columns, query, k, np.zeros(len(columns), bool), rank), plan


@given(sets, st.frozensets(tokens, max_size=60), st.integers(1, 30))
def test_without_compiled_kernels_the_answers_are_the_same(columns, query, k):
    inverted, asked = build(columns), np.array(sorted(query), np.uint64)
    with pytest.MonkeyPatch.context() as patch:
        for module in ("dictionary", "postings", "josie"):
            patch.setattr(f"lakeview.index.{module}.kernels", lambda work: None)
        numbers, overlaps, statistics = josie.top_k(inverted, asked, k, josie_d.josie)
    assert statistics.plan == "merge"
    expected = brute(columns, query, k, [False] * len(columns), range(len(columns)))
    assert list(zip(numbers.tolist(), overlaps.tolist(), strict=True)) == expected


def skewed(n_sets: int = 1_500, seed: int = 1) -> tuple[postings.Postings, list[np.ndarray]]:
    """Sets of Zipf sizes over tokens of Zipf frequencies."""
    rng = np.random.default_rng(seed)
    sizes = np.minimum(30 / rng.random(n_sets) ** 1.2, 40_000).astype(int)
    columns = [np.unique((60_000 * rng.random(s) ** 4).astype(np.uint64)) for s in sizes]
    hashed = [np.sort(c * np.uint64(0x9E3779B97F4A7C15)) for c in columns]
    offsets = np.concatenate(([0], np.cumsum([len(c) for c in hashed]))).astype(np.int64)
    return postings.build(offsets, np.concatenate(hashed))[0], hashed


def test_plans_agree_on_a_skewed_lake_and_read_what_the_paper_says():
    inverted, columns = skewed()
    read = {plan: np.zeros(3, np.int64) for plan in PLANS}
    for number in range(0, len(columns), 25):
        answers = set()
        for plan, chosen in PLANS.items():
            numbers, overlaps, statistics = josie.top_k(inverted, columns[number], 10, chosen, fit(inverted))
            answers.add((tuple(numbers), tuple(overlaps)))
            read[plan] += statistics.lists, statistics.sets, statistics.bytes
        assert len(answers) == 1
    assert read["merge"][1] == 0
    assert read["josie"][1] <= read["probe"][1]
    assert read["josie"][0] < read["merge"][0]


def test_a_dear_read_of_lists_is_spared():
    """One long list in common with many sets, and one set that holds all of a query: the long list is left."""
    query = frozenset(range(50))
    others = [frozenset([0, 100 + i]) for i in range(5_000)]
    inverted = build([query, *(frozenset([i, 100 + i]) for i in range(1, 50)), *others])
    _, overlaps, statistics = josie.top_k(inverted, np.array(sorted(query), np.uint64), 1, "auto", Costs(1e-7, 1e-6))
    assert overlaps.tolist() == [50]
    assert (statistics.plan, statistics.sets) == ("probe", 1)
    assert statistics.bytes < 1_000
    _, _, statistics = josie.top_k(inverted, np.array(sorted(query), np.uint64), 1, "auto", Costs(s0=1.0))
    assert (statistics.plan, statistics.sets) == ("merge", 0)
    assert "no set can be read for what all lists cost" in repr(statistics)


def test_the_planner_comes_near_the_best_plan_by_what_it_reads():
    inverted, columns = skewed()
    for costs in (Costs(), Costs(2e-5, 1e-9, 1e-4, 1e-9)):  # memory; a disk, where places count
        for k in (1, 10):
            spent = dict.fromkeys(PLANS, 0.0)
            for number in range(0, len(columns), 10):
                for plan, chosen in PLANS.items():
                    spent[plan] += josie.top_k(inverted, columns[number], k, chosen, costs)[2].expected
            assert spent["auto"] <= 1.2 * min(spent[plan] for plan in PLANS if plan != "auto"), (k, costs, spent)


def test_probing_turns_to_merging_where_sets_are_dear():
    """A query that shares a little with many sets: sets are tried, then the lists that are left are merged."""
    rng = np.random.default_rng(3)
    columns = [frozenset(rng.choice(400, 60, replace=False).tolist()) for _ in range(300)]
    inverted, asked = build(columns), np.arange(0, 200, dtype=np.uint64)
    costs = Costs(s0=1e-7, s1=1e-9)
    numbers, overlaps, statistics = josie.top_k(inverted, asked, 3, "auto", costs)
    assert list(zip(numbers.tolist(), overlaps.tolist(), strict=True)) == brute(
        columns, frozenset(range(200)), 3, [False] * 300, range(300)
    )
    assert (statistics.plan, statistics.lists) == ("merge", statistics.of_lists)
    assert 3 <= statistics.sets < 100
    assert "that costs less than probing on" in statistics.why


def test_costs_are_measured_on_large_indexes():
    inverted, _ = skewed(6_000)
    assert len(inverted.columns) > FITTED_FROM
    found = fit(inverted)
    assert found != Costs()
    assert all(1e-12 < c < 1e-3 for c in found.array())
    assert fit(skewed(50)[0]) == Costs()
