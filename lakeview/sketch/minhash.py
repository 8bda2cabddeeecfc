"""MinHash of a column's tokens, in two forms.

One permutation (Li, Owen, Zhang 2012): the per-bucket minima of `minima`, coarsened to K buckets. It costs one pass
over the tokens, whatever K. It is kept undensified, because only then do two sketches merge exactly; `densify` fills
the empty buckets (optimal densification: Shrivastava, ICML 2017) for those who need K values from a small column.

K permutations (Broder 1997): one hash function per value of the sketch, K times the work, the same in the estimate.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lakeview.sketch.minima import EMPTY, coarser


def one_permutation(minima: np.ndarray, k: int = 256) -> np.ndarray:
    """The undensified one-permutation sketch: uint64[..., k], `EMPTY` where no token fell.

    `minima` are the per-bucket minima of a scan, or a sketch with more buckets; k is a power of two.
    """
    return coarser(minima, k)


def agreements(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Matching buckets and occupied buckets of two undensified sketches, along the last axis.

    A bucket is occupied where either column has a token there; it then holds the smallest token of the union, which
    both have with probability |A ∩ B| / |A ∪ B|. So matching / occupied estimates the Jaccard similarity.
    """
    same = (a == b) & (a != EMPTY)
    occupied = np.minimum(a, b) != EMPTY
    return same.sum(axis=-1), occupied.sum(axis=-1)


def densify(sketch: np.ndarray) -> np.ndarray:
    """Fill each empty bucket from a randomly chosen occupied one: uint64[..., k] to the same shape.

    The choice depends on the bucket and the attempt alone, so two sketches draw from the same places; it is
    independent from bucket to bucket, which makes the variance optimal (Shrivastava 2017, algorithm 1). A densified
    sketch is for comparing. Never merge it, and never densify it again after a merge. A column without tokens stays
    empty.
    """
    sketch = np.asarray(sketch, dtype=np.uint64)
    rows = sketch.reshape(-1, sketch.shape[-1])
    filled = rows.copy()
    row, bucket = np.nonzero(rows == EMPTY)
    hopeful = (rows != EMPTY).any(axis=1)
    row, bucket = row[hopeful[row]], bucket[hopeful[row]]
    attempt = 0
    while len(row):
        attempt += 1
        probe = _mix(bucket.astype(np.uint64) + np.uint64(attempt << 16)) % np.uint64(rows.shape[1])
        found = rows[row, probe.astype(np.intp)]
        filled[row, bucket] = found
        again = found == EMPTY
        row, bucket = row[again], bucket[again]
    return filled.reshape(sketch.shape)


@dataclass(frozen=True)
class MinHash:
    """A K-permutation sketch: `values[i]` is the minimum of permutation i over the tokens.

    scheme says how a permutation is made; values of different schemes, or of different permutations of one scheme,
    do not compare. "affine64" is ours: a·mix(token) + b modulo 2^64 with odd a, which is also what
    `datasketch.MinHash(scheme="affine64")` computes. Sketches from datasketch keep the scheme that they came with.
    """

    values: np.ndarray
    a: np.ndarray = field(repr=False)
    b: np.ndarray = field(repr=False)
    scheme: str = "affine64"

    @classmethod
    def of(cls, tokens: np.ndarray, k: int = 256, seed: int = 1) -> MinHash:
        """Sketch uint64[n] tokens, in any order and with repeats."""
        random = np.random.default_rng(seed)
        a = random.integers(0, 2**64, k, dtype=np.uint64) | np.uint64(1)
        b = random.integers(0, 2**64, k, dtype=np.uint64)
        mixed = _mix(np.asarray(tokens, dtype=np.uint64))
        values = np.full(k, EMPTY)
        if len(mixed):
            for i in range(k):
                values[i] = (mixed * a[i] + b[i]).min()
        return cls(values, a, b)

    def merge(self, other: MinHash) -> MinHash:
        """The sketch of the union, bit for bit that of sketching both columns at once."""
        self._check(other)
        return MinHash(np.minimum(self.values, other.values), self.a, self.b, self.scheme)

    def jaccard(self, other: MinHash) -> float:
        """The share of equal values, an unbiased estimate of the Jaccard similarity."""
        self._check(other)
        return float(np.mean(self.values == other.values))

    def to_datasketch(self) -> Any:
        """A `datasketch.MinHash` with these values; tokens (as int) can be added to it by `update`."""
        import datasketch

        return datasketch.MinHash(
            hashvalues=self.values, permutations=(self.a, self.b), scheme=self.scheme, hashfunc=int
        )

    @classmethod
    def from_datasketch(cls, sketch: Any) -> MinHash:
        """The values of a `datasketch.MinHash`, with its scheme and permutations."""
        a, b = sketch.permutations
        return cls(np.array(sketch.hashvalues), np.array(a), np.array(b), getattr(sketch, "scheme", "legacy"))

    def _check(self, other: MinHash) -> None:
        if self.scheme != other.scheme or not (np.array_equal(self.a, other.a) and np.array_equal(self.b, other.b)):
            raise ValueError(f"MinHash values of different permutations do not compare: {self.scheme}, {other.scheme}")


def _mix(x: np.ndarray) -> np.ndarray:
    """The 64-bit finalizer of MurmurHash3, a bijection that spreads every input bit over the output."""
    x = x ^ (x >> np.uint64(33))
    x = x * np.uint64(0xFF51AFD7ED558CCD)
    x = x ^ (x >> np.uint64(33))
    x = x * np.uint64(0xC4CEB9FE1A85EC53)
    return x ^ (x >> np.uint64(33))
