"""Inverting few large sets by merging gives what sorting gives, bit for bit."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeview.index import few_sets, merging
from lakeview.index.groups import Groups, group, invert

tokens = st.one_of(st.integers(0, 8), st.integers(0, 2**64 - 1), st.integers(2**64 - 4, 2**64 - 1))
sets = st.lists(st.frozensets(tokens, max_size=30), max_size=12)


@pytest.fixture(autouse=True, scope="module")
def compiled_and_in_slices():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "COMPILED_FROM", 1)
        patch.setattr(few_sets, "_SLICE", 20)
        patch.setattr(merging, "_SLICE", 20)
        yield


def flat(columns) -> tuple[np.ndarray, np.ndarray]:
    arrays = [np.array(sorted(c), np.uint64) for c in columns]
    return np.cumsum([0, *map(len, arrays)]), np.concatenate([np.zeros(0, np.uint64), *arrays])


def check(offsets: np.ndarray, flat_tokens: np.ndarray) -> None:
    n = len(offsets) - 1
    found = few_sets.invert(offsets, flat_tokens)
    assert found is not None
    inverted = invert(offsets, flat_tokens)
    expected = group(inverted, n)
    assert np.array_equal(found[0], inverted.tokens) and np.array_equal(found[1], inverted.ids)
    for field in fields(Groups):
        ours, theirs = getattr(found[2], field.name), getattr(expected, field.name)
        assert np.array_equal(ours, theirs) and ours.dtype == theirs.dtype, field.name


@settings(deadline=None)
@given(sets.filter(any))
def test_any_sets(columns):
    check(*flat(columns))


def test_as_many_sets_as_there_are_bits():
    rng = np.random.default_rng(0)
    base = np.unique(rng.integers(0, 2**64, 3_000, np.uint64))
    columns = [set(rng.choice(base, rng.integers(1, 40), replace=False).tolist()) for _ in range(few_sets.MOST)]
    check(*flat(columns))
    assert few_sets.invert(*flat([*columns, {1}])) is None


def test_lists_of_too_many_kinds_are_left_to_sorting(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(few_sets, "_KINDS", 2)
    assert few_sets.invert(*flat([{1, 2, 3}, {2, 3}])) is not None
    assert few_sets.invert(*flat([{1, 2, 3}, {2, 3}, {3}])) is None


@settings(deadline=None)
@given(st.lists(st.dictionaries(tokens, st.integers(-9, 9), max_size=40), max_size=8))
def test_merging_adds_up(runs):
    arrays = [np.array(sorted(run), np.uint64) for run in runs]
    sums = [np.array([run[t] for t in sorted(run)], np.int64) for run in runs]
    found, added = merging.merge(arrays, sums)
    expected: dict[int, int] = {}
    for run in runs:
        for token, n in run.items():
            expected[token] = expected.get(token, 0) + n
    assert found.tolist() == sorted(expected) and added.tolist() == [expected[t] for t in sorted(expected)]
    assert found.dtype == np.uint64 and added.dtype == np.int64
    slices = list(merging.merged(list(zip(arrays, sums, strict=True))))
    assert [t for some, _ in slices for t in some.tolist()] == found.tolist()
    assert [n for _, some in slices for n in some.tolist()] == added.tolist()
