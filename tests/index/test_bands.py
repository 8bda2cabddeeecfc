import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeview.index.bands import DEPTHS, build, mixed, optimal_partitions
from lakeview.index.runs import Runs
from lakeview.sketch.minhash import agreements, one_permutation
from lakeview.sketch.minima import EMPTY, bucket_minima

K = 16


def columns(seed, count, most=60):
    """Overlapping columns: windows of a pool of tokens."""
    rng = np.random.default_rng(seed)
    pool = rng.integers(0, 2**64 - 1, 3 * most, dtype=np.uint64)
    found = []
    for _ in range(count):
        start, size = rng.integers(0, 2 * most), rng.integers(1, most)
        found.append(pool[start : start + size])
    return found


def sketches(found, k=K):
    return np.array([one_permutation(bucket_minima(c), k) for c in found]), np.array([len(c) for c in found])


@pytest.mark.parametrize("seed", range(5))
def test_counts_are_the_agreements_with_every_column(seed):
    found, sizes = sketches(columns(seed, 40))
    bands = build(np.arange(40), found, sizes)
    for query in found:
        same, union = agreements(bands.signatures, query)
        assert np.array_equal(bands.counts(query), same)
        assert np.array_equal(bands.agreements(query, np.arange(40)), same)
        assert np.array_equal(bands.union(query, np.arange(40)), union)


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("count", [1, 2])
def test_candidates_agree_in_a_whole_band(depth, count):
    for seed in range(8):
        found, sizes = sketches(columns(seed, 40, 400))
        bands = build(np.arange(40), found, sizes)
        for query in found[:10]:
            expected = [
                row
                for row in range(40)
                if any(
                    query[start] != EMPTY
                    and (bands.signatures[row, start : start + depth] == query[start : start + depth]).all()
                    for start in range(0, count * depth, depth)
                )
            ]
            assert bands.candidates(query, count, depth).tolist() == expected


def test_keys_ascend_and_rows_are_ordered_by_what_follows():
    found, sizes = sketches(columns(3, 60, 500))
    bands = build(np.arange(60), found, sizes)
    assert (np.diff(bands.keys.astype(object)) > 0).all()
    assert len(bands.rows) == bands.lists[-1] == (found != EMPTY).sum()
    first = np.repeat(bands.keys, np.diff(bands.lists))
    for tree, depth in ((0, 8), (8, 8), (4, 4), (2, 2)):
        held = found[:, tree][found[:, tree] != EMPTY]
        inside = np.isin(first, mixed(held))
        prefixes = [bands.signatures[row, tree : tree + depth] for row in bands.rows[inside]]
        assert len(prefixes) == len(held)
        assert mixed(np.array(prefixes)[:, 0]).tolist() == first[inside].tolist()
        order = [(key, *prefix.tolist()) for key, prefix in zip(first[inside].tolist(), prefixes, strict=True)]
        assert order == sorted(order)
    assert (np.diff(bands.sizes) >= 0).all()


def cost(sizes, cuts):
    return sum((1 - sizes[a:b] / sizes[b - 1]).sum() for a, b in itertools.pairwise([0, *cuts, len(sizes)]))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=9), st.integers(1, 4))
def test_partitions_are_the_best_of_all(sizes, count):
    sizes = np.sort(np.array(sizes, float))
    cuts = [i for i in range(1, len(sizes)) if sizes[i] > sizes[i - 1]]
    best = min(cost(sizes, chosen) for n in range(count) for chosen in itertools.combinations(cuts, n))
    found = optimal_partitions(sizes, count)
    assert (found[0], found[-1]) == (0, len(sizes)) and len(found) <= count + 1
    assert cost(sizes, found[1:-1]) == pytest.approx(best)


def test_the_papers_example_is_cut_between_small_and_large():
    sizes = np.array([3, 3, 3, 3, 4, 4, 4, 4, 99, 99, 99, 100, 100, 100], float)
    assert optimal_partitions(sizes, 2).tolist() == [0, 8, 14]


def test_many_sizes_are_lumped_at_little_cost():
    sizes = np.sort(np.random.default_rng(0).pareto(1, 3000) * 100 + 10)
    coarse, fine = (cost(sizes, optimal_partitions(sizes, 8, resolution)[1:-1]) for resolution in (256, 3000))
    assert coarse < 1.05 * fine


def same_bands(a, b):
    return all(np.array_equal(x, y) and x.dtype == y.dtype for x, y in
               zip(a.arrays().values(), b.arrays().values(), strict=True))  # fmt: skip


def test_an_index_that_grew_and_shrank_compacts_to_the_rebuilt_one():
    found, sizes = sketches(columns(1, 30))
    index = Runs()
    index.insert(np.arange(10), found[:10], sizes[:10])
    index.insert(np.arange(5, 20), found[15:30], sizes[15:30])
    index.remove(np.array([0, 7, 99]))
    index.insert(np.array([7]), found[7:8], sizes[7:8])
    assert len(index) == 19
    index.compact()
    ids = np.arange(1, 20)
    place = [7 if i == 7 else i if i < 5 else i + 10 for i in ids]
    assert len(index.runs) == 1 and same_bands(index.runs[0][0], build(ids, found[place], sizes[place]))


def test_a_saved_index_reopens_bit_for_bit_and_memory_mapped(tmp_path):
    found, sizes = sketches(columns(2, 30))
    index = Runs()
    index.insert(np.arange(20), found[:20], sizes[:20])
    index.insert(np.arange(20, 30), found[20:], sizes[20:])
    index.remove(np.array([3]))
    index.save(tmp_path / "index")
    again = Runs.open(tmp_path / "index")
    assert len(again) == 29
    for (one, alive), (other, still) in zip(index.runs, again.runs, strict=True):
        assert same_bands(one, other) and np.array_equal(alive, still)
    assert isinstance(again.runs[0][0].keys.base, np.memmap)
    again.insert(np.array([3]), found[3:4], sizes[3:4])
    assert len(again) == 30


def test_what_does_not_belong_is_refused():
    found, sizes = sketches(columns(2, 3))
    index = Runs()
    with pytest.raises(ValueError, match="twice"):
        index.insert(np.array([1, 1, 2]), found, sizes)
    index.insert(np.arange(3), found, sizes)
    with pytest.raises(ValueError, match="number of buckets"):
        index.insert(np.array([9]), sketches(columns(2, 1), 32)[0], [5])
    index.remove(np.arange(3))
    index.compact()
    assert len(index) == 0 and index.runs == []
