"""The delta against an index rebuilt from the same sets, after any mix of changes."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeview.index import josie, postings
from lakeview.index.delta import Delta

tokens = st.integers(0, 25)
numbers = st.integers(0, 7)
whole = st.frozensets(tokens, max_size=20)
changes = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["add", "delete"]), tokens, numbers),
        st.tuples(st.just("add_set"), numbers, whole),
        st.tuples(st.just("delete_set"), numbers),
    ),
    max_size=60,
)


def array(held) -> np.ndarray:
    return np.array(sorted(held), np.uint64)


def changed(steps) -> tuple[Delta, dict[int, set[int]]]:
    """A delta and, beside it, plain sets that went through the same."""
    delta, sets = Delta(), {n: set() for n in range(8)}
    change(delta, sets, steps)
    return delta, sets


def change(delta: Delta, sets: dict[int, set[int]], steps) -> None:
    for what, *rest in steps:
        if what == "add":
            delta.add(*rest)
            sets[rest[1]].add(rest[0])
        elif what == "delete":
            delta.delete(*rest)
            sets[rest[1]].discard(rest[0])
        elif what == "add_set":
            delta.add_set(rest[0], array(rest[1]))
            sets[rest[0]] = set(rest[1])
        else:
            delta.delete_set(*rest)
            sets[rest[0]] = set()


def rebuilt(sets: dict[int, set[int]]) -> postings.Postings:
    arrays = [array(sets[n]) for n in sorted(sets)]
    offsets = np.concatenate(([0], np.cumsum([len(a) for a in arrays]))).astype(np.int64)
    return postings.build(offsets, np.concatenate(arrays))[0]


@settings(max_examples=150, deadline=None)
@given(changes, whole, st.integers(1, 9))
def test_after_any_changes_the_answers_are_a_rebuilt_indexs(steps, query, k):
    delta, sets = changed(steps)
    assert len(delta) == sum(map(bool, sets.values())) and all((n in delta) == bool(sets[n]) for n in sets)
    found, overlaps = delta.top_k(array(query), k)
    expected, expected_overlaps, _ = josie.top_k(rebuilt(sets), array(query), k)
    assert (found.tolist(), overlaps.tolist()) == (expected.tolist(), expected_overlaps.tolist())


@settings(max_examples=150, deadline=None)
@given(changes, changes, whole, st.integers(1, 9))
def test_what_happens_to_a_delta_does_not_reach_its_state(steps, later, query, k):
    delta, sets = changed(steps)
    state, was = delta.state(), {number: set(held) for number, held in sets.items()}
    change(delta, sets, later)
    for found, told in ((state, was), (delta, sets)):
        assert list(map(list, found.top_k(array(query), k))) == list(
            map(list, josie.top_k(rebuilt(told), array(query), k)[:2])
        )
        assert found.overlaps(found.match(array(query))) == {
            n: o for n, held in told.items() if (o := len(query & held))
        }


@settings(max_examples=150, deadline=None)
@given(changes, st.lists(whole, min_size=1, max_size=8), whole, st.integers(1, 6), st.integers(0, 100))
def test_the_best_of_segments_are_carried_on(steps, segment, query, k, seed):
    delta, sets = changed(steps)
    rank = np.random.default_rng(seed).permutation(len(segment) + 8)
    inverted, asked = rebuilt(dict(enumerate(map(set, segment)))), array(query)
    best = josie.Best.of(k)
    skip = np.zeros(len(segment), bool)
    josie.search(inverted, inverted.match(asked), best, "merge", josie.Costs(), skip, rank[: len(segment)])
    named = {n: (len(segment) + n, int(rank[len(segment) + n])) for n in range(8)}
    delta.search(delta.match(asked), best, named)
    both = [*segment, *(sets[n] for n in range(8))]
    overlaps = [(i, len(query & held)) for i, held in enumerate(both) if query & held]
    expected = sorted(overlaps, key=lambda pair: (-pair[1], rank[pair[0]]))[:k]
    assert list(zip(*(a.tolist() for a in best.found()), strict=True)) == expected


def test_positions_follow_the_order_in_which_tokens_came():
    delta = Delta()

    def positions(token: int) -> dict[int, int]:
        place = order().index(token)
        return {n: delta._sets[n].tolist().index(place) for n in delta._lists[delta._list[place]]}

    def order() -> list[int]:
        return delta._tokens[np.argsort(delta._places)].tolist()

    delta.add_set(1, np.array([7, 3, 9], np.uint64))
    delta.add(3, 2)  # known token, new set
    delta.add(4, 1)  # new token, known set: to the end of both
    delta.add(5, 3)  # both new
    assert order() == [7, 3, 9, 4, 5]
    assert {n: held.tolist() for n, held in delta._sets.items()} == {1: [0, 1, 2, 3], 2: [1], 3: [4]}
    delta.delete(3, 1)  # the positions after it go down by one
    assert [positions(token)[1] for token in (7, 9, 4)] == [0, 1, 2]
    assert positions(3) == {2: 0}
    delta.add(3, 1)  # and up again
    assert [positions(token)[1] for token in (7, 3, 9, 4)] == [0, 1, 2, 3]
    delta.delete(5, 3)
    assert 3 not in delta and len(delta) == 2


def test_equal_lists_are_kept_once():
    delta = Delta()
    delta.add_set(1, np.arange(100, dtype=np.uint64))
    delta.add_set(2, np.arange(50, 150, dtype=np.uint64))
    assert delta._lists == [(), (1,), (2,), (1, 2)]
    assert np.bincount(delta._list).tolist() == [0, 50, 50, 50]
    delta.delete_set(2)
    assert np.bincount(delta._list).tolist() == [50, 100]
    assert delta.idle == 2 / 3  # of the lists
    delta.delete(0, 1)
    delta.add_set(3, np.arange(1, 150, dtype=np.uint64))
    assert delta._lists[4:] == [(3,), (1, 3)]
    delta.delete_set(1)
    delta.delete_set(3)
    assert delta.idle == 1.0


def test_filters_spare_reading():
    delta = Delta()
    query = np.arange(50, dtype=np.uint64)
    delta.add_set(0, query)
    delta.add_set(500, query[:30])
    for n in range(1, 200):
        delta.add_set(n, np.array([n % 50, 1_000 + n], np.uint64))
    named = {n: (n, n) for n in [*range(200), 500]}
    match = delta.match(query)
    assert delta.search(match, josie.Best.of(1), named).sets == 1
    assert delta.search(match, josie.Best.of(2), named).sets == 2
    only = {500: named[500]}
    best = josie.Best.of(2)
    assert delta.search(match, best, only).sets == 1  # the others are passed over
    assert [found.tolist() for found in best.found()] == [[500], [30]]


@settings(max_examples=100, deadline=None)
@given(changes, whole, st.integers(0, 100))
def test_merging_counts_and_weighs_as_brute_force(steps, query, seed):
    delta, sets = changed(steps)
    asked = array(query)
    match, weights = delta.match(asked), np.random.default_rng(seed).random(len(asked))
    assert dict(delta.overlaps(match)) == {n: len(query & held) for n, held in sets.items() if query & held}
    assert delta.frequency(match).tolist() == [sum(token in held for held in sets.values()) for token in sorted(query)]
    summed = match.by_group(weights)
    for n, held in sets.items():
        expected = sum(w for token, w in zip(sorted(query), weights, strict=True) if token in held)
        assert abs(delta.weighted_of(match, summed, n) - expected) < 1e-9
