"""Posting lists against plain sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeview.index import dictionary, josie_kernels, postings

tokens = st.one_of(st.integers(0, 30), st.integers(0, 2**64 - 1))
sets = st.lists(st.frozensets(tokens, max_size=30), max_size=12)


def build(columns: list[frozenset[int]]) -> postings.Postings:
    arrays = [np.array(sorted(c), np.uint64) for c in columns]
    offsets = np.concatenate(([0], np.cumsum([len(a) for a in arrays]))).astype(np.int64)
    return postings.build(offsets, np.concatenate([np.zeros(0, np.uint64), *arrays]))[0]


def overlaps(inverted: postings.Postings, query: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    match = inverted.match(query)
    return inverted.overlaps(match), inverted.frequency(match)


@given(sets, st.frozensets(tokens, max_size=40))
def test_overlaps_are_those_of_sets(columns, query):
    inverted = build(columns)
    asked = np.array(sorted(query), np.uint64)
    overlap, frequency = overlaps(inverted, asked)
    assert overlap.tolist() == [len(c & query) for c in columns]
    assert frequency.tolist() == [sum(t in c for c in columns) for t in sorted(query)]


@given(sets, st.frozensets(tokens, max_size=40))
def test_numpy_agrees_with_the_compiled_kernels(columns, query):
    assert josie_kernels.COMPILED
    inverted = build(columns)
    asked = np.array(sorted(query), np.uint64)
    compiled = overlaps(inverted, asked)
    with pytest.MonkeyPatch.context() as patch:
        for module in ("dictionary", "postings"):
            patch.setattr(f"lakeview.index.{module}.kernels", lambda work: None)
        for a, b in zip(compiled, overlaps(inverted, asked), strict=True):
            assert a.dtype == b.dtype
            assert a.tolist() == b.tolist()


@given(st.frozensets(tokens, max_size=40), st.frozensets(tokens), st.lists(tokens, max_size=9), st.data())
def test_a_set_as_places_reads_as_its_tokens(known, chosen, bounds, data):
    whole = np.array(sorted(known), np.uint64)
    ids = np.flatnonzero(np.isin(whole, np.array(sorted(chosen), np.uint64))).astype(np.uint32)
    places, expected = postings.Places(whole, ids), whole[ids]
    start, stop = data.draw(st.integers(0, 40)), data.draw(st.integers(0, 40))
    asked = np.array(bounds, np.uint64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings, "_TAKEN", 4)
        assert len(places) == len(expected) and places[:].tolist() == expected.tolist()
        assert places[start:stop].tolist() == expected[start:stop].tolist()
    assert places.searchsorted(asked).tolist() == expected.searchsorted(asked).tolist()


@given(st.lists(st.frozensets(tokens, max_size=60)))
def test_a_directory_says_where_the_tokens_of_a_bucket_start(columns):
    whole = np.array(sorted(frozenset().union(*columns)), np.uint64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dictionary, "_COUNTED", 7)
        starts = dictionary.directory(whole)
    buckets = len(starts) - 1
    own = [token * buckets >> 64 for token in whole.tolist()]
    assert starts.tolist() == [sum(bucket < at for bucket in own) for at in range(buckets + 1)]


@given(sets, st.lists(st.floats(0, 10), min_size=40, max_size=40), st.frozensets(tokens, max_size=40))
def test_weights_add_up(columns, weights, query):
    asked = sorted(query)
    weight = dict(zip(asked, weights, strict=False))
    inverted, by_place = build(columns), np.array(weights[: len(asked)])
    match = inverted.match(np.array(asked, np.uint64))
    found = inverted.weighted(match, by_place)
    assert found == pytest.approx([sum(weight[t] for t in c & query) for c in columns])
    assert [inverted.weighted_of(match, match.by_group(by_place), i) for i in range(len(columns))] == found.tolist()


@given(st.frozensets(tokens), st.frozensets(tokens))
def test_intersect(a, b):
    left, right = np.array(sorted(a), np.uint64), np.array(sorted(b), np.uint64)
    at_left, at_right = postings.intersect(left, right)
    assert left[at_left].tolist() == right[at_right].tolist() == sorted(a & b)


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**32))
def test_large_lists_are_built_in_slices(seed):
    rng = np.random.default_rng(seed)
    pool = rng.integers(0, 2**64, 400_000, dtype=np.uint64)
    columns = [np.unique(rng.choice(pool, 60_000)) for _ in range(20)]  # over the size that is built at once
    offsets = np.concatenate(([0], np.cumsum([len(c) for c in columns]))).astype(np.int64)
    inverted, ids = postings.build(offsets, np.concatenate(columns))
    assert (inverted.tokens[1:] > inverted.tokens[:-1]).all()
    assert (inverted.tokens[ids] == np.concatenate(columns)).all()
    query = np.unique(rng.choice(pool, 30_000))  # large enough for the compiled kernel
    overlap, frequency = overlaps(inverted, query)
    assert overlap.tolist() == [len(np.intersect1d(query, c)) for c in columns]
    assert frequency.sum() == overlap.sum()
