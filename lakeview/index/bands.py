"""Band tables: the sketches of many columns, findable by any run of their values.

One prefix tree for each bucket p of a k-bucket sketch, of depth 8 where 8 divides p, else 4, 2 or 1. A tree is a
sorted array: its columns in lexicographic order of the values that follow from p, so every prefix is a range, found
by binary search (LSH Forest, Bawa et al. 2005, without the pointers). At depth r the trees 0, r, 2r, ... are the
bands of an LSH of r rows; at depth 1 they are an inverted list of (bucket, value), which counts agreements outright.

A value of a one-permutation sketch carries its bucket in its leading bits, so all trees share one sorted array of
first values, each with the list of its columns. These are in the order of `mixed`: minima crowd at the low end of
their buckets, and a directory of leading bits wants them spread. A column is absent from the trees of its empty
buckets: emptiness is no agreement.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from lakeview.index.dictionary import directory, shift
from lakeview.index.groups import gather
from lakeview.sketch.minima import EMPTY

DEPTHS = (1, 2, 4, 8)
ODD = np.uint64(0x9E3779B97F4A7C15)  # by the golden ratio, as in Fibonacci hashing
_INVERSE = np.uint64(pow(int(ODD), -1, 1 << 64))


@dataclass(frozen=True)
class Reordered:
    """Rows of an array in another order, without a copy: row i is row order[i] of it."""

    array: np.ndarray
    order: np.ndarray

    def __getitem__(self, key: np.ndarray | tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """Some rows, or one element of each."""
        rows, *columns = key if isinstance(key, tuple) else (key,)
        return self.array[(self.order[rows], *columns)]  # type: ignore[no-any-return]

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape


@dataclass(frozen=True)
class Bands:
    """The tables of n columns and k buckets, in flat arrays that memory-map. Rows ascend by size.

    ids         int64[n], the caller's number of each column
    sizes       float64[n], distinct tokens of each column
    signatures  uint64[n, k], undensified one-permutation sketches; an array, or `Reordered` rows of one
    occupied    uint64[n, ceil(k / 64)], a bit for each bucket that is not empty
    keys        uint64[d], the first values of all trees, mixed, ascending
    lists       int64[d + 1], where the rows of each key start, and e
    rows        uint32[e], the columns that have each key
    partitions  int64[p + 1], rows where the size partitions start, and n
    """

    ids: np.ndarray
    sizes: np.ndarray
    signatures: np.ndarray | Reordered
    occupied: np.ndarray
    keys: np.ndarray
    lists: np.ndarray
    rows: np.ndarray
    partitions: np.ndarray

    def __len__(self) -> int:
        return len(self.ids)

    def arrays(self) -> dict[str, np.ndarray]:
        """All arrays by name: what `Bands(**arrays)` is made of."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def starts(self) -> np.ndarray:
        """The directory of the keys; see `dictionary`."""
        return directory(self.keys)

    @cached_property
    def shift(self) -> np.uint64:
        """How far a mixed value is shifted right to give its place in `starts`."""
        return np.uint64(shift(self.starts))

    def counts(self, signature: np.ndarray) -> np.ndarray:
        """Agreements of a sketch uint64[k] with every column: int64[n]."""
        return np.bincount(self._rows(*self._ranges(signature)), minlength=len(self))

    def entries(self, signature: np.ndarray) -> int:
        """Agreements of a sketch with all columns together: what `counts` has to read."""
        low, high = self._ranges(signature)
        return int((high - low).sum())

    def candidates(self, signature: np.ndarray, bands: int, depth: int) -> np.ndarray:
        """Rows that agree with a sketch throughout at least one of the first `bands` bands of `depth` buckets.

        depth is one of `DEPTHS` and divides k; rows ascend, without repeats.
        """
        trees = np.arange(bands) * depth
        trees = trees[signature[trees] != EMPTY]
        low, high = self._lists_of(signature[trees])
        for step in range(1, depth):
            wanted = signature[trees + step]
            low, high = (
                self._bisect(low, high, trees + step, wanted, right=False),
                self._bisect(low, high, trees + step, wanted, right=True),
            )
        return np.unique(self._rows(low, high))

    def agreements(self, signature: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Agreements of a sketch with the columns of some rows."""
        return ((self.signatures[rows] == signature) & (signature != EMPTY)).sum(axis=1)

    def union(self, signature: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Buckets that the sketch or the column of each row occupies."""
        return np.bitwise_count(self.occupied[rows] | occupied_bits(signature[None])).sum(axis=1, dtype=np.int64)

    def _ranges(self, signature: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where the list of each value of a sketch lies among the rows."""
        return self._lists_of(signature[signature != EMPTY])

    def _lists_of(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where each value's list starts and ends, the same where it has none."""
        if not len(self.keys):
            return np.zeros(len(values), np.int64), np.zeros(len(values), np.int64)
        wanted = mixed(values)
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return self.lists[at], self.lists[at + (self.keys[at] == wanted)]

    def _rows(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        return gather(self.rows, low, high - low)

    def _bisect(
        self, low: np.ndarray, high: np.ndarray, bucket: np.ndarray, value: np.ndarray, right: bool
    ) -> np.ndarray:
        """Binary search in many ranges at once, by the value in a further bucket of each range's columns."""
        low, high = low.copy(), high.copy()
        while (open_ := low < high).any():
            middle = (low + high) // 2
            found = self.signatures[self.rows[np.minimum(middle, len(self.rows) - 1)], bucket]
            below = open_ & ((found <= value) if right else (found < value))
            low = np.where(below, middle + 1, low)
            high = np.where(open_ & ~below, middle, high)
        return low


def build(ids: np.ndarray, signatures: np.ndarray, sizes: np.ndarray, partitions: int = 16) -> Bands:
    """The tables of n columns.

    ids: int64[n]; signatures: uint64[n, k], undensified one-permutation sketches (`sketch.minhash`; k a power of two
    of at least 8); sizes: distinct tokens of each column. At most `partitions` partitions, optimal for these sizes.
    """
    signatures = np.ascontiguousarray(signatures, dtype=np.uint64)
    sizes = np.asarray(sizes, dtype=np.float64)
    by_size = np.argsort(sizes, kind="stable")
    signatures, sizes, ids = signatures[by_size], sizes[by_size], np.asarray(ids, np.int64)[by_size]
    n, k = signatures.shape

    # The place of each (row, bucket) among all, by the values that follow: doubling the depth as suffix arrays do.
    rank = _dense_rank(signatures.ravel()).reshape(n, k)
    final = first = rank
    for depth in DEPTHS[1:]:
        pairs = rank[:, 0::2] << np.uint64(32) | rank[:, 1::2]
        rank = _dense_rank(pairs.ravel()).reshape(n, k // depth)
        final = final.copy()
        final[:, ::depth] = rank
    row, bucket = np.nonzero(signatures != EMPTY)
    order = np.argsort(first[row, bucket] << np.uint64(32) | final[row, bucket], kind="stable")
    row, values = row[order].astype(np.uint32), signatures[row[order], bucket[order]]
    starts = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1]))[: len(values)])
    keys, lengths = mixed(values[starts]), np.diff(starts, append=len(values))
    order = np.argsort(keys)
    lists = np.concatenate(([0], np.cumsum(lengths[order])))
    return Bands(
        ids, sizes, signatures, occupied_bits(signatures), keys[order], lists,
        gather(row, starts[order], lengths[order]), optimal_partitions(sizes, partitions),
    )  # fmt: skip


def mixed(values: np.ndarray) -> np.ndarray:
    """Values of sketches spread over all 64 bits, one to one: uint64, any shape."""
    return values * ODD


def unmixed(values: np.ndarray) -> np.ndarray:
    """The inverse of `mixed`."""
    return values * _INVERSE


def optimal_partitions(sizes: np.ndarray, count: int, resolution: int = 1024) -> np.ndarray:
    """Where to cut ascending sizes: int64[p + 1] starts of at most `count` partitions, and the end.

    LSH Ensemble's bound on false positives, Σ N_x (1 - x / u) over a partition with largest size u (equation 2.16),
    minimised by dynamic programming over the last cut (2.19, with the minimum that the printed recursion lacks).
    Above `resolution` distinct sizes neighbours are lumped, as nothing finer can matter.
    """
    sizes = np.asarray(sizes, float)
    if not len(sizes):
        return np.zeros(1, np.int64)
    starts = np.flatnonzero(np.diff(sizes, prepend=-1.0) > 0)
    if len(starts) > resolution:
        starts = np.unique(starts[np.linspace(0, len(starts) - 1, resolution).astype(int)])
    ends = np.append(starts[1:], len(sizes))
    largest = sizes[ends - 1]
    total = np.concatenate([[0.0], np.cumsum(sizes)])
    # cost[i, j]: one partition from group i to group j
    cost = (ends[None, :] - starts[:, None]) - (total[ends][None, :] - total[starts][:, None]) / largest[None, :]
    cost = np.where(np.arange(len(starts))[:, None] <= np.arange(len(starts))[None, :], cost, np.inf)
    best, cuts = cost[0], []
    for _ in range(min(count, len(starts)) - 1):
        # the last partition starts at group i, after the best of what comes before
        before = np.concatenate([[np.inf], best[:-1]])[:, None] + cost
        cut = before.argmin(axis=0)
        better = before[cut, np.arange(len(starts))]
        cuts.append(np.where(better < best, cut, -1))
        best = np.minimum(best, better)
    found, at = [], len(starts) - 1
    for cut in reversed(cuts):
        if at >= 0 and cut[at] > 0:
            found.append(starts[cut[at]])
            at = int(cut[at]) - 1
    return np.array([0, *reversed(found), len(sizes)], np.int64)


def _dense_rank(values: np.ndarray) -> np.ndarray:
    """The place of each value among the distinct ones: uint64[n]."""
    order = np.argsort(values)
    ordered = values[order]
    rank = np.empty(len(values), np.uint64)
    rank[order] = np.cumsum(np.concatenate([[False], ordered[1:] != ordered[:-1]]))[: len(values)]
    return rank


def occupied_bits(signatures: np.ndarray) -> np.ndarray:
    """Occupied buckets as bits: uint64[n, k] to uint64[n, ceil(k / 64)]."""
    packed = np.packbits(signatures != EMPTY, axis=1)
    padded = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view(np.uint64)
