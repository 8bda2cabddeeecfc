"""Posting lists: for every token, the columns that hold it.

The inverted index behind exact search, laid out as JOSIE has it (see `groups`), in flat arrays that memory-map.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from lakeview.index import few_sets
from lakeview.index.dictionary import directory, find, kernels
from lakeview.index.groups import Groups, gather, group, invert
from lakeview.index.rooms import InMemory, MakeRoom, put

_TAKEN = 1 << 17  # places that are looked up at a time


@dataclass(frozen=True)
class Postings:
    """The inverted index of one segment.

    tokens       uint64[t], sorted, distinct
    directory    int64[2**bits + 1], where the tokens with given top `bits` start
    groups       uint32[t], the duplicate group of each token, numbered in the global order
    offsets      int64[g + 1], where the list of each group starts
    columns      uint32[l], column numbers, ascending within a list
    rests        uint32[l], tokens that the column has after this group's
    set_offsets  int64[n + 1], where the groups of each column start
    set_groups   uint32[l], ascending within a column
    """

    tokens: np.ndarray
    directory: np.ndarray
    groups: np.ndarray
    offsets: np.ndarray
    columns: np.ndarray
    rests: np.ndarray
    set_offsets: np.ndarray
    set_groups: np.ndarray

    def match(self, query: np.ndarray) -> Match:
        """Look a query up: uint64[q], sorted and distinct."""
        found = find(self.tokens, self.directory, self.groups, query)
        groups = np.sort(found[found >= 0].astype(np.uint32)).astype(np.int64)  # narrow numbers sort faster
        new = np.flatnonzero(np.concatenate(([True], groups[1:] != groups[:-1]))) if len(groups) else groups
        return Match(found, groups[new], np.diff(np.append(new, len(groups))))

    def frequency(self, match: Match) -> np.ndarray:
        """The columns that hold each token of the query: int64[q]."""
        known = np.maximum(match.found, 0)
        if not len(self.offsets) > 1:
            return np.zeros(len(known), np.int64)
        return np.where(match.found >= 0, self.offsets[known + 1] - self.offsets[known], 0)

    def overlaps(self, match: Match) -> np.ndarray:
        """Overlap of the query with every column, all lists merged (MergeList-D): int64[n]."""
        n_columns = len(self.set_offsets) - 1
        compiled = kernels(int(match.weights.sum()))
        if compiled:
            return compiled.merge(self.offsets, self.columns, match.groups, match.weights, n_columns)  # type: ignore[no-any-return]
        return self._merge(match.groups, match.weights, n_columns).astype(np.int64)

    def weighted(self, match: Match, weights: np.ndarray) -> np.ndarray:
        """Sum over each column's matching tokens of the tokens' weights float64[q]: float64[n]."""
        return self._merge(match.groups, match.by_group(weights), len(self.set_offsets) - 1)

    def weighted_of(self, match: Match, summed: np.ndarray, column: int) -> float:
        """As `weighted`, of one column, from its set; the same to the last bit. summed: `match.by_group(weights)`."""
        start, stop = self.set_offsets[column], self.set_offsets[column + 1]
        compiled = kernels(len(match.groups))
        if compiled:
            return float(compiled.shared(self.set_groups, start, stop, match.groups, summed, 0)[0])
        at, _ = intersect(match.groups, self.set_groups[start:stop])
        return float(np.bincount(np.zeros(len(at), np.intp), summed[at], 1)[0])

    def _merge(self, groups: np.ndarray, weights: np.ndarray, n_columns: int) -> np.ndarray:
        starts = self.offsets[groups]
        lengths = self.offsets[groups + 1] - starts
        return np.bincount(
            gather(self.columns, starts, lengths), weights=np.repeat(weights, lengths), minlength=n_columns
        )


@dataclass(frozen=True)
class Match:
    """A query, looked up.

    found    int64[q], the group of each token, -1 where it is unknown
    groups   int64[m], those that occur, ascending
    weights  int64[m], query tokens in each
    """

    found: np.ndarray
    groups: np.ndarray
    weights: np.ndarray

    def by_group(self, weights: np.ndarray) -> np.ndarray:
        """Weights of the query's tokens, summed over those of each group: float64[m]."""
        known = self.found >= 0
        found, weights = self.found[known], weights[known]
        if len(self.groups) and self.groups[-1] < 16 * len(found):  # looking each up takes longer than a place for all
            return np.bincount(found, weights)[self.groups]
        return np.bincount(np.searchsorted(self.groups, found), weights, len(self.groups))


ARRAYS = tuple(field.name for field in fields(Postings))


def build(set_offsets: np.ndarray, set_tokens: np.ndarray, room: MakeRoom = InMemory) -> tuple[Postings, np.ndarray]:
    """Invert the columns' token sets.

    set_offsets: int64[n + 1]; set_tokens: uint64, the sorted distinct tokens of column i at
    set_offsets[i]:set_offsets[i + 1]. Also returns the place of each of these in `Postings.tokens`: uint32. room: for
    `tokens`, `groups` and these places, "ids".
    """
    tokens, ids, g = few_sets.invert(set_offsets, set_tokens, room) or _inverted(set_offsets, set_tokens, room)
    postings = Postings(
        tokens, directory(tokens), g.of_token, g.offsets, g.columns, g.rests, g.set_offsets, g.set_groups
    )
    return postings, ids


def _inverted(set_offsets: np.ndarray, set_tokens: np.ndarray, room: MakeRoom) -> tuple[np.ndarray, np.ndarray, Groups]:
    inverted = invert(set_offsets, set_tokens)
    groups = group(inverted, len(set_offsets) - 1)
    tokens, ids, of_token = (
        put(room, name, array)
        for name, array in (("tokens", inverted.tokens), ("ids", inverted.ids), ("groups", groups.of_token))
    )
    return tokens, ids, replace(groups, of_token=of_token)


class Places:
    """The sorted tokens of a set as their places, uint32, in the sorted tokens of an index; they are looked up where
    some are asked for."""

    def __init__(self, tokens: np.ndarray, ids: np.ndarray) -> None:
        self._tokens, self._ids = tokens, ids

    def __len__(self) -> int:
        return len(self._ids)

    def __getitem__(self, some: slice) -> np.ndarray:
        return taken(self._tokens, self._ids[some])

    def searchsorted(self, bounds: np.ndarray) -> np.ndarray:
        """As that of an array of the tokens."""
        return self._ids.searchsorted(self._tokens.searchsorted(bounds).astype(self._ids.dtype))


def taken(tokens: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Tokens at places uint32[n]. Some at a time, as NumPy makes eight bytes of each place."""
    out = np.empty(len(ids), tokens.dtype)
    for start in range(0, len(ids), _TAKEN):
        some = slice(start, start + _TAKEN)
        np.take(tokens, ids[some], out=out[some], mode="clip")  # which needs no copy to check them first
    return out


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
