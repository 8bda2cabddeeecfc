import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeview.sketch.minhash import MinHash, agreements, densify, one_permutation
from lakeview.sketch.minima import EMPTY, bucket_minima, merge_minima

tokens = st.lists(st.integers(0, 2**64 - 2), max_size=80).map(lambda t: np.array(t, dtype=np.uint64))


def overlapping(rng, shared, only_a, only_b):
    all_tokens = rng.integers(0, 2**64 - 1, shared + only_a + only_b, dtype=np.uint64)
    return all_tokens[: shared + only_a], np.delete(all_tokens, np.s_[shared : shared + only_a])


@given(tokens, tokens, st.sampled_from([1, 16, 256, 4096]))
def test_merged_sketches_equal_the_sketch_of_the_union(a, b, k):
    merged = np.minimum(one_permutation(bucket_minima(a), k), one_permutation(bucket_minima(b), k))
    assert np.array_equal(merged, one_permutation(bucket_minima(np.concatenate([a, b])), k))
    assert np.array_equal(merged, one_permutation(merge_minima(bucket_minima(a), bucket_minima(b)), k))


@given(tokens, tokens, st.integers(0, 2**32))
def test_k_permutations_merge_to_the_sketch_of_the_union(a, b, seed):
    merged = MinHash.of(a, 16, seed).merge(MinHash.of(b, 16, seed))
    assert np.array_equal(merged.values, MinHash.of(np.concatenate([a, b]), 16, seed).values)


def test_agreements_are_exact_where_every_bucket_holds_one_token():
    a = np.arange(10, dtype=np.uint64) << np.uint64(56)
    b = np.arange(4, 12, dtype=np.uint64) << np.uint64(56)
    same, occupied = agreements(one_permutation(bucket_minima(a)), one_permutation(bucket_minima(b)))
    assert (same, occupied) == (6, 12)


@pytest.mark.parametrize("sketch", ["one", "dense", "many"])
def test_each_form_estimates_the_jaccard_similarity(sketch):
    rng = np.random.default_rng(5)
    found = []
    for trial in range(60):
        a, b = overlapping(rng, 60, 30, 60)  # J = 0.4; at K = 128 a third of the buckets are empty
        if sketch == "many":
            found.append(MinHash.of(a, 128, trial).jaccard(MinHash.of(b, 128, trial)))
            continue
        one, two = (one_permutation(bucket_minima(t), 128) for t in (a, b))
        if sketch == "dense":
            one, two = densify(one), densify(two)
        same, occupied = agreements(one, two)
        found.append(same / occupied)
    assert np.mean(found) == pytest.approx(0.4, abs=4 * 0.06 / np.sqrt(60))
    assert np.std(found) < 0.08


def test_densified_sketches_keep_what_was_there_and_fill_the_rest():
    sketch = one_permutation(bucket_minima(np.array([3, 2**63, 2**64 - 9], dtype=np.uint64)))
    dense = densify(sketch)
    assert (dense != EMPTY).all()
    assert set(dense.tolist()) == set(sketch[sketch != EMPTY].tolist())
    assert np.array_equal(dense[sketch != EMPTY], sketch[sketch != EMPTY])
    # The places drawn from are spread: no value takes nearly all.
    assert np.unique(dense, return_counts=True)[1].min() > 50


def test_densifying_many_rows_is_densifying_each():
    rng = np.random.default_rng(2)
    columns = [rng.integers(0, 2**63, n, dtype=np.uint64) for n in (0, 1, 9, 900)]
    rows = np.array([one_permutation(bucket_minima(column)) for column in columns])
    dense = densify(rows)
    assert all(np.array_equal(dense[i], densify(rows[i])) for i in range(4))
    assert (dense[0] == EMPTY).all()


def test_datasketch_goes_there_and_back():
    datasketch = pytest.importorskip("datasketch")
    values = np.random.default_rng(1).integers(0, 2**63, 200, dtype=np.uint64)
    ours = MinHash.of(values[:100], 64)
    theirs = ours.to_datasketch()
    theirs.update_batch(values[100:].tolist())
    back = MinHash.from_datasketch(theirs)
    assert back.scheme == "affine64"
    assert np.array_equal(back.values, MinHash.of(values, 64).values)

    legacy = datasketch.MinHash(64, scheme="legacy")
    legacy.update(b"x")
    kept = MinHash.from_datasketch(legacy)
    assert kept.scheme == "legacy" and np.array_equal(kept.values, legacy.hashvalues)
    assert kept.to_datasketch().jaccard(legacy) == 1.0
    with pytest.raises(ValueError, match="do not compare"):
        kept.jaccard(ours)


def test_other_permutations_do_not_compare():
    with pytest.raises(ValueError, match="do not compare"):
        MinHash.of(np.array([1], np.uint64), 16, 1).jaccard(MinHash.of(np.array([1], np.uint64), 16, 2))
