"""Per-bucket minima: the one summary that a scan keeps of a column.

A token is already a 64-bit hash. Its top 12 bits name one of 4,096 buckets; a column's summary is the smallest
token in each bucket. The HyperLogLog registers (`hyperloglog`) and the one-permutation MinHash of any power-of-two
K up to 4,096 (`minhash`) both follow from it, and two summaries merge exactly: the minima of a union are the
elementwise minimum. Deletions are beyond it.
"""

from __future__ import annotations

import numpy as np

BITS = 12
BUCKETS = 1 << BITS
EMPTY = np.uint64(2**64 - 1)  # also a possible token, with probability 2**-64; it reads as an empty bucket

_SHIFT = np.uint64(64 - BITS)


def no_minima() -> np.ndarray:
    """The minima of a column without values: uint64[4096], all `EMPTY`."""
    return np.full(BUCKETS, EMPTY, dtype=np.uint64)


def bucket_minima(tokens: np.ndarray) -> np.ndarray:
    """Smallest token in each bucket: uint64[n], in any order and with repeats, to uint64[4096]."""
    tokens = np.asarray(tokens, dtype=np.uint64)
    minima = no_minima()
    np.minimum.at(minima, (tokens >> _SHIFT).astype(np.intp), tokens)
    return minima


def sorted_minima(tokens: np.ndarray) -> np.ndarray:
    """As `bucket_minima`, of tokens that ascend: each bucket's smallest is its first, and no others are looked at."""
    minima = no_minima()
    first = np.searchsorted(tokens, np.arange(BUCKETS, dtype=np.uint64) << _SHIFT)
    found = tokens[first[first < len(tokens)]]  # for an empty bucket, the first of the next one
    minima[found >> _SHIFT] = found
    return minima


def merge_minima(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The minima of the union of two columns (or of two parts of one): bit for bit those of scanning both."""
    return np.minimum(a, b)


def with_token(minima: np.ndarray, token: int | np.uint64) -> np.ndarray:
    """A copy of `minima` that has seen one more token."""
    token = np.uint64(token)
    minima = minima.copy()
    bucket = int(token >> _SHIFT)
    minima[bucket] = min(minima[bucket], token)
    return minima


def coarser(minima: np.ndarray, buckets: int) -> np.ndarray:
    """The minima over `buckets` (a power of two, at most as many as there are), along the last axis.

    Neighbouring buckets share their leading bits, so the result equals what a scan with fewer buckets would keep.
    """
    minima = np.asarray(minima, dtype=np.uint64)
    if buckets < 1 or buckets & (buckets - 1) or buckets > minima.shape[-1]:
        raise ValueError(f"buckets must be a power of two of at most {minima.shape[-1]}, not {buckets}")
    return minima.reshape(*minima.shape[:-1], buckets, -1).min(axis=-1)
