"""All inclusions in one pass, against a count with sets, however the sets are cut into parts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeview.index import inclusions
from lakeview.index.inclusions import Part, Wanted
from lakeview.index.postings import build

sets = st.lists(st.sets(st.integers(0, 30), max_size=20), min_size=1, max_size=9)
TABLES = 3


def parts_of(columns: list[set[int]], cuts: list[int], left_out: set[int]) -> list[Part]:
    """The columns cut into inverted indexes; those left out are in their lists without a place."""
    made = []
    for start, stop in zip([0, *cuts], [*cuts, len(columns)], strict=True):
        tokens = [np.array(sorted(c), np.uint64) << np.uint64(58) for c in columns[start:stop]]
        offsets = np.cumsum([0, *map(len, tokens)])
        places = [-1 if i in left_out else i for i in range(start, stop)]
        made.append(Part.of(build(offsets, np.concatenate([np.zeros(0, np.uint64), *tokens]))[0], np.array(places)))
    return made


def spread(columns: list[set[int]]) -> list[set[int]]:
    """The same sets with tokens that differ in their top six bits, where a directory looks first."""
    return [{(n * 11) % 61 for n in column} for column in columns]


def wanted_by(draw: st.DataObject, columns: list[set[int]]) -> Wanted:
    n = len(columns)

    def some(strategy: st.SearchStrategy, dtype: type, count: int = n) -> np.ndarray:
        return np.array(draw.draw(st.lists(strategy, min_size=count, max_size=count)), dtype)

    mates = draw.draw(st.lists(st.sets(st.integers(0, TABLES - 1)), min_size=TABLES, max_size=TABLES))
    return Wanted(
        np.array([len(c) for c in columns], np.int64),
        *(some(st.integers(0, TABLES - 1), np.int64) for _ in range(3)),
        *(some(st.sampled_from([0, 1, 2, 3]), np.uint64, 2 * n).reshape(n, 2) for _ in range(2)),
        *(some(st.booleans(), bool) for _ in range(4)),
        np.cumsum([0, *map(len, mates)]),
        np.array([t for some_ in mates for t in sorted(some_)], np.int64),
    )


def is_wanted(w: Wanted, i: int, j: int) -> bool:
    named = all(a & b for a, b in zip(w.says[i].tolist(), w.called[j].tolist(), strict=True))
    if w.unique[j] and (named or (w.silent[i] and w.folders[i] == w.folders[j])):
        return True
    if w.tables[i] == w.tables[j]:
        return False
    mates = w.mates[w.mate_offsets[w.tables[i]] : w.mate_offsets[w.tables[i] + 1]]
    return bool((named and w.part[j] and w.keyed[i]) or (w.alike[i] == w.alike[j] and w.tables[j] in mates))


@settings(max_examples=100)
@given(sets, st.data(), st.sampled_from([0.2, 0.5, 0.8, 1.0]), st.sampled_from([1, 3, 1 << 20]))
def test_inclusions_are_a_count_with_sets(columns, draw, least, room):
    columns, n = spread(columns), len(columns)
    cuts = sorted(draw.draw(st.lists(st.integers(0, n), max_size=2)))
    left_out = draw.draw(st.sets(st.integers(0, n - 1), max_size=2))
    w = wanted_by(draw, columns)
    needed = np.maximum(np.ceil(least * w.sizes - 1e-9), 1).astype(np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inclusions, "ROOM", room)
        found = [
            pair
            for batch in inclusions.all_pairs(parts_of(columns, cuts, left_out), w, needed)
            for pair in zip(*(part.tolist() for part in batch), strict=True)
        ]
    ends = [i for i in range(n) if i not in left_out]
    expected = {
        (i, j, len(columns[i] & columns[j]))
        for i in ends
        for j in ends
        if i != j and columns[i] and len(columns[i] & columns[j]) >= needed[i] and is_wanted(w, i, j)
    }
    assert len(found) == len(set(found))
    assert set(found) == expected
    for i in ends:
        assert w.of(i, np.array(ends)).tolist() == [i != j and is_wanted(w, i, j) for j in ends]


@given(sets, st.data())
def test_sums_over_the_tokens_of_columns(columns, draw):
    columns, n = spread(columns), len(columns)
    parts = parts_of(columns, sorted(draw.draw(st.lists(st.integers(0, n), max_size=2))), set())
    holders = {token: sum(token in c for c in columns) for c in columns for token in c}
    sums = np.concatenate([inclusions.summed(p, inclusions.frequencies(p, parts).astype(float)) for p in parts])
    assert sums.tolist() == [sum(holders[token] for token in c) for c in columns]


@pytest.mark.parametrize("room", [1, 1 << 20])
def test_long_lists_and_long_sets(room: int, monkeypatch: pytest.MonkeyPatch):
    """Lists that are read and sets that are searched; sets of which a token may be missing anywhere; and more pairs
    than there is room for at a time."""
    monkeypatch.setattr(inclusions, "ROOM", room)
    rng = np.random.default_rng(2)
    columns = [set(range(n)) for n in rng.integers(1, 60, 300).tolist()]
    columns += [set(rng.permutation(400)[:n].tolist()) for n in rng.integers(50, 400, 60).tolist()]
    columns += [set(sorted(c)[: int(0.97 * len(c))]) | {500 + i} for i, c in enumerate(columns[-60:])]
    tokens = [np.array(sorted(c), np.uint64) * np.uint64(0x9E3779B97F4A7C15) for c in columns]
    sizes = np.array([len(c) for c in columns])
    n, zeros, bits = len(columns), np.zeros(len(columns), np.int64), np.ones((len(columns), 2), np.uint64)
    yes = np.ones(n, bool)
    w = Wanted(sizes, np.arange(n), zeros, zeros, bits, bits, yes, yes, yes, yes, np.zeros(n + 1, np.int64), zeros[:0])
    needed = np.ceil(0.9 * sizes - 1e-9).astype(np.int64)
    with np.errstate(over="ignore"):
        whole = build(np.cumsum([0, *map(len, tokens)]), np.concatenate([np.sort(t) for t in tokens]))[0]
    found = {pair for batch in inclusions.all_pairs([Part.of(whole, np.arange(n))], w, needed)
             for pair in zip(*(part.tolist() for part in batch), strict=True)}  # fmt: skip
    assert found == {(i, j, len(a & b)) for i, a in enumerate(columns) for j, b in enumerate(columns)
                     if i != j and len(a & b) >= needed[i]}  # fmt: skip
