"""The signatures of a segment's columns (`values.signatures`), inverted: which columns have a hash is one look."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from lakeview.values.signatures import CLASSES, LIMITS, classes_of

_COLUMN = np.uint64(32)


class Signed:
    """The signatures of n columns.

    hashes  uint32[h]  all hashes, ascending
    lengths uint32[h]  how many columns have each
    columns uint32[s]  these columns, ascending, hash after hash
    """

    def __init__(self, n: int, hashes: np.ndarray, lengths: np.ndarray, columns: np.ndarray) -> None:
        self._n, self.hashes, self.lengths, self.columns = n, hashes, lengths, columns

    @cached_property
    def _offsets(self) -> np.ndarray:
        return np.concatenate(([0], np.cumsum(self.lengths, dtype=np.int64)))

    @cached_property
    def _by_column(self) -> tuple[np.ndarray, np.ndarray]:
        """The signatures one behind the other, and where each column's begins, and the last one's ends."""
        keys = (self.columns.astype(np.uint64) << _COLUMN) | np.repeat(self.hashes, self.lengths)
        keys.sort()
        return keys.astype(np.uint32), np.searchsorted(keys, np.arange(self._n + 1, dtype=np.uint64) << _COLUMN)

    def of(self, column: int) -> np.ndarray:
        """A column's signature; empty where it has none."""
        hashes, bounds = self._by_column
        return hashes[bounds[column] : bounds[column + 1]]

    @cached_property
    def has_some(self) -> np.ndarray:
        """Which columns have a signature: bool[n]."""
        return np.bincount(self.columns, minlength=self._n) > 0

    @cached_property
    def reach(self) -> np.ndarray:
        """Up to which hash each column holds all of a class: uint32[classes, n]."""
        reach = np.full((len(CLASSES), self._n), np.iinfo(np.uint32).max, np.uint32)
        classes = classes_of(self.hashes)
        for place, limit in enumerate(LIMITS):
            members = classes == place
            own = self.columns[np.repeat(members, self.lengths)]
            last = np.zeros(self._n, np.uint32)
            last[own] = np.repeat(self.hashes[members], self.lengths[members])  # they ascend, and the last one stays
            full = np.bincount(own, minlength=self._n) >= limit
            reach[place, full] = last[full]
        return reach

    def hits(self, asked: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The columns that have some hashes (uint32), and the place of the hash that each one has: int64, int64."""
        low, high = (self._offsets[np.searchsorted(self.hashes, asked, side)] for side in ("left", "right"))
        times = high - low
        at = np.arange(times.sum()) + np.repeat(high - np.cumsum(times), times)
        return self.columns[at].astype(np.int64), np.repeat(np.arange(len(asked)), times)


def inverted(
    signatures: np.ndarray, offsets: np.ndarray, low: int = 0, high: int = 1 << 32
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The arrays of `Signed`, of the hashes from `low` to below `high`.

    signatures: uint32, one behind the other; offsets: int64[n + 1], where each begins, and where the last one ends."""
    at = np.flatnonzero((signatures >= low) & (signatures < high))
    keys = signatures[at].astype(np.uint64) << _COLUMN
    keys |= np.repeat(np.arange(len(offsets) - 1, dtype=np.uint64), np.diff(np.searchsorted(at, offsets)))
    keys.sort()
    hashes = (keys >> _COLUMN).astype(np.uint32)
    is_first = np.ones(len(hashes), bool)
    is_first[1:] = hashes[1:] != hashes[:-1]
    first = np.flatnonzero(is_first)
    return hashes[first], np.diff(first, append=len(hashes)).astype(np.uint32), keys.astype(np.uint32)
