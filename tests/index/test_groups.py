"""The layout of an inverted index: duplicate groups in the global order."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeview.index import groups, josie_kernels
from lakeview.index.groups import group, invert

tokens = st.one_of(st.integers(0, 8), st.integers(0, 2**64 - 1))
sets = st.lists(st.frozensets(tokens, max_size=30), max_size=12)


def flat(columns) -> tuple[np.ndarray, np.ndarray]:
    arrays = [np.array(sorted(c), np.uint64) for c in columns]
    offsets = np.concatenate(([0], np.cumsum([len(a) for a in arrays]))).astype(np.int64)
    return offsets, np.concatenate([np.zeros(0, np.uint64), *arrays])


def check(columns) -> None:
    offsets, flat_tokens = flat(columns)
    inverted = invert(offsets, flat_tokens)
    lists = defaultdict(list)
    for i, column in enumerate(columns):
        for token in column:
            lists[token].append(i)
    assert inverted.tokens.tolist() == sorted(lists)
    assert inverted.tokens[inverted.ids].tolist() == flat_tokens.tolist()
    found = group(inverted, len(columns))
    members = defaultdict(set)
    for token, g in zip(inverted.tokens.tolist(), found.of_token.tolist(), strict=True):
        members[g].add(token)
        assert found.columns[found.offsets[g] : found.offsets[g + 1]].tolist() == lists[token]
    by_list = defaultdict(set)
    for token, columns_of in lists.items():
        by_list[tuple(columns_of)].add(token)
    assert sorted(map(sorted, members.values())) == sorted(map(sorted, by_list.values()))
    assert found.sizes.tolist() == [len(members[g]) for g in range(len(members))]
    assert (np.diff(np.diff(found.offsets)) >= 0).all(), "groups go by frequency"
    for i, column in enumerate(columns):
        held = found.set_groups[found.set_offsets[i] : found.set_offsets[i + 1]].tolist()
        assert held == sorted({g for g in members if members[g] <= column})
        for g in held:
            at = found.offsets[g] + lists[min(members[g])].index(i)
            assert found.rests[at] == sum(len(members[h]) for h in held if h > g)


@settings(deadline=None)
@given(sets)
def test_groups_are_the_tokens_of_equal_lists(columns):
    check(columns)


@settings(deadline=None)
@given(sets)
def test_lists_whose_hashes_collide_stay_apart(columns):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(groups, "_hashes", lambda offsets, *_: np.zeros(len(offsets) - 1, np.uint64))
        check(columns)


@settings(deadline=None)
@given(sets)
def test_numpy_and_small_pieces_give_the_same(columns):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(groups, "kernels", lambda work: None)
        patch.setattr(groups, "_CHUNK", 3)
        patch.setattr(groups, "_SLICED_FROM", 1)
        check(columns)


def test_kernels_are_compiled_here():
    assert josie_kernels.COMPILED
