"""Posting lists: for every token, the columns that hold it.

The inverted index behind exact search (MergeList of JOSIE, SIGMOD'19, section 3): tokens sorted, one list of column
numbers each, all in five flat arrays that memory-map. Tokens are uniform 64-bit hashes, so a directory over their top
bits finds a token in a step or two, where a binary search would miss the cache twenty times.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

COMPILED_FROM = 20_000  # query tokens from which the compiled kernel repays the import of numba
_BUCKET = 8  # tokens to a directory bucket, on average


@dataclass(frozen=True)
class Postings:
    """The inverted index of one segment.

    tokens     uint64[t], sorted, distinct
    offsets    int64[t + 1], where the list of each token starts
    columns    uint32[p], column numbers, ascending within a list
    directory  int64[2**bits + 1], where the tokens with given top `bits` start
    """

    tokens: np.ndarray
    offsets: np.ndarray
    columns: np.ndarray
    directory: np.ndarray

    @property
    def shift(self) -> int:
        """How far a token is shifted right to give its directory bucket."""
        return 64 - int(len(self.directory) - 1).bit_length() + 1

    def overlaps(self, query: np.ndarray, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
        """Overlap of the query with every column, and the evidence in it.

        query: uint64[q], sorted and distinct. Returns (overlap int64[n_columns], document frequency int64[q] of each
        query token in this segment).
        """
        if len(query) >= COMPILED_FROM:
            from lakeview.index._merge import merge_lists

            return merge_lists(
                self.tokens, self.offsets, self.columns, self.directory, np.uint64(self.shift), query, n_columns
            )
        starts, frequency = self._lists(query)
        return np.bincount(self._gather(starts, frequency), minlength=n_columns), frequency

    def weighted(self, query: np.ndarray, weights: np.ndarray, n_columns: int) -> np.ndarray:
        """Sum over each column's matching tokens of the tokens' weights: float64[n_columns]."""
        starts, frequency = self._lists(query)
        return np.bincount(self._gather(starts, frequency), weights=np.repeat(weights, frequency), minlength=n_columns)

    def _lists(self, query: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where the list of each query token starts and how long it is: int64[q] each, 0 for an unknown token."""
        if not len(self.tokens):
            return np.zeros(len(query), np.int64), np.zeros(len(query), np.int64)
        where = np.minimum(np.searchsorted(self.tokens, query), len(self.tokens) - 1)
        starts = self.offsets[where]
        return starts, np.where(self.tokens[where] == query, self.offsets[where + 1] - starts, 0)

    def _gather(self, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        """The lists end to end: uint32[sum of lengths]."""
        ends = np.cumsum(lengths)
        if not len(ends) or not ends[-1]:
            return np.zeros(0, np.uint32)
        return self.columns[np.arange(ends[-1]) + np.repeat(starts - (ends - lengths), lengths)]


def build(set_offsets: np.ndarray, set_tokens: np.ndarray) -> Postings:
    """Invert the columns' token sets.

    set_offsets: int64[n + 1]; set_tokens: uint64, the sorted distinct tokens of column i at
    set_offsets[i]:set_offsets[i + 1]. Works through slices of the token space, so that beside the result it holds about
    a sixteenth of the postings at a time.
    """
    n_postings = len(set_tokens)
    owner = np.repeat(np.arange(len(set_offsets) - 1, dtype=np.uint32), np.diff(set_offsets))
    slices = 16 if n_postings > 1 << 20 else 1
    parts, lengths, columns, filled = [], [], np.empty(n_postings, np.uint32), 0
    top = (np.asarray(set_tokens) >> np.uint64(60)).astype(np.uint8) if slices > 1 else None
    for s in range(slices):
        inside = slice(None) if top is None else np.flatnonzero(top == s)
        tokens, owners = np.asarray(set_tokens)[inside], owner[inside]
        order = np.argsort(tokens, kind="stable")
        tokens = tokens[order]
        columns[filled : filled + len(tokens)] = owners[order]
        filled += len(tokens)
        first = np.flatnonzero(np.concatenate(([True], tokens[1:] != tokens[:-1]))) if len(tokens) else order
        parts.append(tokens[first])
        lengths.append(np.diff(np.append(first, len(tokens))))
    distinct = np.concatenate(parts)
    offsets = np.zeros(len(distinct) + 1, np.int64)
    np.cumsum(np.concatenate(lengths), out=offsets[1:])
    return Postings(distinct, offsets, columns, directory(distinct))


def directory(tokens: np.ndarray) -> np.ndarray:
    """Where the tokens of each bucket of top bits start: int64[2**bits + 1]."""
    bits = max(1, int(len(tokens) // _BUCKET).bit_length())
    bounds = np.arange(1, 1 << bits, dtype=np.uint64) << np.uint64(64 - bits)
    return np.concatenate(([0], np.searchsorted(tokens, bounds), [len(tokens)])).astype(np.int64)


def intersect(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions in a and in b of the tokens that two sorted sets share."""
    if len(a) > len(b):
        at_b, at_a = intersect(b, a)
        return at_a, at_b
    if not len(b):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    where = np.minimum(np.searchsorted(b, a), len(b) - 1)
    at_a = np.flatnonzero(b[where] == a)
    return at_a, where[at_a]
