import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeview.sketch.minima import (
    BUCKETS,
    EMPTY,
    bucket_minima,
    coarser,
    merge_minima,
    no_minima,
    sorted_minima,
    with_token,
)

tokens = st.lists(st.integers(0, 2**64 - 2), max_size=60).map(lambda t: np.array(t, dtype=np.uint64))


def slowly(values, bits=12):
    minima = [2**64 - 1] * (1 << bits)
    for value in values.tolist():
        minima[value >> (64 - bits)] = min(minima[value >> (64 - bits)], value)
    return np.array(minima, dtype=np.uint64)


@given(tokens)
def test_each_bucket_holds_its_smallest_token(values):
    assert np.array_equal(bucket_minima(values), slowly(values))


@given(tokens)
def test_of_sorted_tokens_too(values):
    assert np.array_equal(sorted_minima(np.unique(values)), slowly(values))
    near = np.unique(values >> np.uint64(50))  # few buckets, of many tokens
    assert np.array_equal(sorted_minima(near), slowly(near))


@given(tokens, tokens)
def test_parts_merge_to_the_sketch_of_the_union(a, b):
    assert np.array_equal(merge_minima(bucket_minima(a), bucket_minima(b)), bucket_minima(np.concatenate([a, b])))


@given(tokens, st.integers(0, 2**64 - 2))
def test_one_more_token(values, token):
    before = bucket_minima(values)
    kept = before.copy()
    assert np.array_equal(with_token(before, token), slowly(np.append(values, np.uint64(token))))
    assert np.array_equal(before, kept)


@pytest.mark.parametrize("bits", [0, 1, 6, 8, 12])
def test_coarser_buckets_equal_a_scan_with_fewer(bits):
    values = np.random.default_rng(bits).integers(0, 2**64 - 1, 3_000, dtype=np.uint64)
    assert np.array_equal(coarser(bucket_minima(values), 1 << bits), slowly(values, bits))


@pytest.mark.parametrize("buckets", [0, 3, 8192])
def test_coarser_refuses_what_is_no_coarsening(buckets):
    with pytest.raises(ValueError, match="power of two"):
        coarser(no_minima(), buckets)


def test_nothing_seen():
    assert np.array_equal(bucket_minima(np.array([], dtype=np.uint64)), np.full(BUCKETS, EMPTY))
