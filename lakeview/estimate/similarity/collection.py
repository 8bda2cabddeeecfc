"""Many token sets as one array, ready to be joined: rarest token first in each set, smallest set first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lakeview.estimate.similarity.compiled import compiled
from lakeview.estimate.similarity.tokens import sort_few

WORDS_OF_BITS = 2


@dataclass(frozen=True)
class Collection:
    """n token sets. Set k is `ranks[starts[k]:starts[k + 1]]`; `rows[k]` says which input it was.

    ranks: int32, a token's place when all tokens of the join are ordered by how many sets hold them, rarest first,
        ascending within a set.
    bits: uint64[n, 2], a bit per token, so that two words bound an intersection from above.
    """

    starts: np.ndarray
    ranks: np.ndarray
    rows: np.ndarray
    bits: np.ndarray

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> np.ndarray:
        return np.diff(self.starts)

    @property
    def sizes_by_row(self) -> np.ndarray:
        """The number of tokens of each input, in the order of the input."""
        sizes = np.empty(len(self), np.int64)
        sizes[self.rows] = self.sizes
        return sizes

    @property
    def largest(self) -> int:
        return int(self.sizes.max(initial=1))

    def take(self, members: np.ndarray) -> Collection:
        """The sets at `members` (places in this collection, ascending), as a collection over the same ranks."""
        sizes = self.sizes[members]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        places = np.repeat(self.starts[members] - starts[:-1], sizes) + np.arange(starts[-1])
        return Collection(starts, self.ranks[places], self.rows[members], self.bits[members])


def collections(*sides: tuple[np.ndarray, np.ndarray]) -> tuple[list[Collection], int]:
    """One collection a side, over one common order of tokens, and the number of distinct tokens.

    Each side is (tokens uint64, starts int64) as `tokenise` gives it.
    """
    ids, distinct = _number(np.concatenate([tokens for tokens, _ in sides]))
    held = np.bincount(ids, minlength=distinct)
    rank = np.empty(distinct, np.int32)
    rank[np.argsort(held, kind="stable")] = np.arange(distinct, dtype=np.int32)
    ranks = rank[ids]
    made, at = [], 0
    for tokens, starts in sides:
        made.append(_arrange(ranks[at : at + len(tokens)], starts))
        at += len(tokens)
    return made, distinct


class Vocabulary:
    """The tokens of an indexed side in their order, to bring other sets to it batch by batch.

    A token that the indexed side lacks is shared with none of its sets: all such have rank 0, the rarest of all.
    """

    def __init__(self, tokens: np.ndarray, starts: np.ndarray) -> None:
        known, held = np.unique(tokens, return_counts=True)
        rank = np.empty(len(known), np.int32)
        rank[np.argsort(held, kind="stable")] = np.arange(1, len(known) + 1, dtype=np.int32)
        self._known, self._rank = known, rank
        self.indexed = self.collection(tokens, starts)

    def __len__(self) -> int:
        return len(self._known) + 1

    def collection(self, tokens: np.ndarray, starts: np.ndarray) -> Collection:
        """Token sets as `tokenise` gives them, over this order."""
        ranks = np.zeros(len(tokens), np.int32)
        if len(self._known):
            place = np.minimum(np.searchsorted(self._known, tokens), len(self._known) - 1)
            ranks = np.where(self._known[place] == tokens, self._rank[place], np.int32(0))
        return _arrange(ranks, starts)


def _arrange(ranks: np.ndarray, starts: np.ndarray) -> Collection:
    rows = np.argsort(np.diff(starts), kind="stable").astype(np.int64)
    ordered, ordered_starts, bits = _gather(ranks, starts, rows)
    return Collection(ordered_starts, ordered, rows, bits)


@compiled
def _number(tokens):  # type: ignore[no-untyped-def]
    """(ids int32, how many): equal tokens get equal numbers, in order of first appearance."""
    room = 1024
    keys = np.zeros(room, np.uint64)
    numbers = np.full(room, -1, np.int32)
    ids = np.empty(len(tokens), np.int32)
    count = 0
    for i in range(len(tokens)):
        if 2 * count >= room:  # keep half of the table empty
            old_keys, old_numbers = keys, numbers
            room *= 4
            keys = np.zeros(room, np.uint64)
            numbers = np.full(room, -1, np.int32)
            for k in range(len(old_keys)):
                if old_numbers[k] >= 0:
                    slot = _slot(old_keys[k], room)
                    while numbers[slot] >= 0:
                        slot = (slot + 1) & (room - 1)
                    keys[slot] = old_keys[k]
                    numbers[slot] = old_numbers[k]
        slot = _slot(tokens[i], room)
        while numbers[slot] >= 0 and keys[slot] != tokens[i]:
            slot = (slot + 1) & (room - 1)
        if numbers[slot] < 0:
            keys[slot] = tokens[i]
            numbers[slot] = count
            count += 1
        ids[i] = numbers[slot]
    return ids, count


@compiled
def _slot(token, room):  # type: ignore[no-untyped-def]
    return np.int64((token * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & (room - 1)


@compiled
def _gather(ranks, starts, rows):  # type: ignore[no-untyped-def]
    """The sets in the order of `rows`, each ascending by rank, with their bits."""
    ordered = np.empty(len(ranks), np.int32)
    ordered_starts = np.zeros(len(rows) + 1, np.int64)
    bits = np.zeros((len(rows), WORDS_OF_BITS), np.uint64)
    filled = 0
    for k in range(len(rows)):
        begin = filled
        for at in range(starts[rows[k]], starts[rows[k] + 1]):
            ordered[filled] = ranks[at]
            filled += 1
            bit = np.uint64(ranks[at]) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(57)
            bits[k, bit >> np.uint64(6)] |= np.uint64(1) << (bit & np.uint64(63))
        sort_few(ordered, begin, filled)
        ordered_starts[k + 1] = filled
    return ordered, ordered_starts, bits
