"""Posting lists against plain sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeview.index import postings
from lakeview.index._merge import merge_lists

tokens = st.one_of(st.integers(0, 30), st.integers(0, 2**64 - 1))
sets = st.lists(st.frozensets(tokens, max_size=30), max_size=12)


def build(columns: list[frozenset[int]]) -> postings.Postings:
    arrays = [np.array(sorted(c), np.uint64) for c in columns]
    offsets = np.concatenate(([0], np.cumsum([len(a) for a in arrays]))).astype(np.int64)
    return postings.build(offsets, np.concatenate([np.zeros(0, np.uint64), *arrays]))


@given(sets, st.frozensets(tokens, max_size=40))
def test_overlaps_are_those_of_sets(columns, query):
    inverted = build(columns)
    asked = np.array(sorted(query), np.uint64)
    overlap, frequency = inverted.overlaps(asked, len(columns))
    assert overlap.tolist() == [len(c & query) for c in columns]
    assert frequency.tolist() == [sum(t in c for c in columns) for t in sorted(query)]


@given(sets, st.frozensets(tokens, max_size=40))
def test_the_compiled_kernel_agrees(columns, query):
    inverted = build(columns)
    asked = np.array(sorted(query), np.uint64)
    found = merge_lists(
        inverted.tokens, inverted.offsets, inverted.columns, inverted.directory, np.uint64(inverted.shift), asked,
        len(columns),
    )  # fmt: skip
    for a, b in zip(found, inverted.overlaps(asked, len(columns)), strict=True):
        assert a.tolist() == b.tolist()


@given(sets, st.lists(st.floats(0, 10), min_size=40, max_size=40), st.frozensets(tokens, max_size=40))
def test_weights_add_up(columns, weights, query):
    asked = sorted(query)
    weight = dict(zip(asked, weights, strict=False))
    found = build(columns).weighted(np.array(asked, np.uint64), np.array(weights[: len(asked)]), len(columns))
    assert found == pytest.approx([sum(weight[t] for t in c & query) for c in columns])


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
    inverted = postings.build(offsets, np.concatenate(columns))
    assert (inverted.tokens[1:] > inverted.tokens[:-1]).all()
    query = np.unique(rng.choice(pool, 30_000))  # large enough for the compiled kernel
    overlap, frequency = inverted.overlaps(query, len(columns))
    assert overlap.tolist() == [len(np.intersect1d(query, c)) for c in columns]
    assert frequency.sum() == overlap.sum()
