"""The exact set-similarity join: all pairs at or above a threshold, from prefixes of rare tokens.

Order every set by how rare its tokens are. Two sets that share at least o tokens share one among the first
|r| - o + 1 of r and the first |s| - o + 1 of s (the prefix filter of Chaudhuri et al. 2006, Bayardo et al. 2007).
The first token that they share also bounds what they can share in all (the position filter of Xiao et al. 2008),
and so do two words of bits (Sandes et al. 2020). What is left is merged, and given up as soon as it falls short.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lakeview.estimate.similarity.collection import Collection
from lakeview.estimate.similarity.compiled import compiled
from lakeview.estimate.similarity.measures import CONTAINMENT, Bound, least_overlap, size_range, smallest_left

_BLOCK = 1 << 18  # pairs handed over at a time: 4 MB


@dataclass(frozen=True)
class Pairs:
    """Similar pairs: places in the left and right input, and how many tokens they share. All int64."""

    left: np.ndarray
    right: np.ndarray
    overlap: np.ndarray

    def __len__(self) -> int:
        return len(self.left)

    def take(self, which: np.ndarray) -> Pairs:
        return Pairs(self.left[which], self.right[which], self.overlap[which])


@dataclass(frozen=True)
class PrefixIndex:
    """Which right sets hold a token in their prefix: `sets[starts[token]:starts[token + 1]]`, at `positions`."""

    starts: np.ndarray
    sets: np.ndarray
    positions: np.ndarray


def prefix_index(right: Collection, bound: Bound, tokens: int, self_join: bool = False) -> PrefixIndex:
    """The index of `right` that serves every left set at this bound or a higher one.

    In a self-join each set is probed by sets of its size or more alone, which allows a shorter prefix.
    """
    return PrefixIndex(*_index(bound.kind, bound.p, bound.q, right.starts, right.ranks, tokens, self_join))


def blocks_of_pairs(
    left: Collection, right: Collection, bound: Bound, index: PrefixIndex, self_join: bool = False
) -> Iterator[Pairs]:
    """All pairs that reach the bound, in blocks, so that a join of any size can be counted in little memory.

    With `self_join` (left is right) each unordered pair comes once and no set is paired with itself.
    """
    if self_join and bound.kind == CONTAINMENT:
        raise ValueError("containment has a direction: a self-join has none")
    room = _BLOCK
    seen = np.full(len(right), -1, np.int64)
    size_starts = np.searchsorted(right.sizes, np.arange(right.largest + 2)).astype(np.int64)
    place = 0
    while place < len(left):
        out = np.empty((3, room), np.int64)
        place_after, filled = _probe(
            bound.kind, bound.p, bound.q, left.starts, left.ranks, left.bits, right.starts, right.ranks, right.bits,
            index.starts, index.sets, index.positions, size_starts, self_join, place, seen, out,
        )  # fmt: skip
        if place_after == place:  # one left set alone has more partners than there is room for
            room *= 4
        elif filled:
            yield Pairs(left.rows[out[0, :filled]], right.rows[out[1, :filled]], out[2, :filled].copy())
        place = place_after


def similar_pairs(left: Collection, right: Collection | None, bound: Bound, tokens: int) -> Pairs:
    """All pairs that reach the bound at once. `right` None joins `left` with itself."""
    self_join = right is None
    right = left if right is None else right
    index = prefix_index(right, bound, tokens, self_join)
    blocks = list(blocks_of_pairs(left, right, bound, index, self_join))
    if not blocks:
        return Pairs(*(np.zeros(0, np.int64) for _ in range(3)))
    return Pairs(*(np.concatenate([getattr(block, name) for block in blocks]) for name in ("left", "right", "overlap")))


def overlaps(left: Collection, right: Collection, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """int64: how many tokens the sets at places a[i] of `left` and b[i] of `right` share."""
    return _overlaps(left.starts, left.ranks, right.starts, right.ranks, a, b)  # type: ignore[no-any-return]


@compiled
def prefix_length(kind, p, q, size, partner):  # type: ignore[no-untyped-def]
    """How many of a set's rarest tokens decide, where `partner` is the size of its smallest partner."""
    return max(size - least_overlap(kind, p, q, size, partner) + 1, np.int64(0))


@compiled
def _index(kind, p, q, starts, ranks, tokens, self_join):  # type: ignore[no-untyped-def]
    n = len(starts) - 1
    token_starts = np.zeros(tokens + 1, np.int64)
    lengths = np.zeros(n, np.int64)
    for j in range(n):
        s = starts[j + 1] - starts[j]
        if s == 0:
            continue
        partner = s if self_join else smallest_left(kind, p, q, s)
        # The left set comes first in a measure that has a direction.
        lengths[j] = max(s - least_overlap(kind, p, q, partner, s) + 1, np.int64(0))
        for at in range(starts[j], starts[j] + lengths[j]):
            token_starts[ranks[at] + 1] += 1
    for token in range(tokens):
        token_starts[token + 1] += token_starts[token]
    sets = np.empty(token_starts[tokens], np.int32)
    positions = np.empty(token_starts[tokens], np.int32)
    free = token_starts[:-1].copy()
    for j in range(n):
        for position in range(lengths[j]):
            token = ranks[starts[j] + position]
            sets[free[token]] = j
            positions[free[token]] = position
            free[token] += 1
    return token_starts, sets, positions


@compiled
def _count_bits(word):  # type: ignore[no-untyped-def]
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@compiled
def _shared(left, a, a_end, right, b, b_end, least):  # type: ignore[no-untyped-def]
    """|left[a:a_end] & right[b:b_end]| of two ascending runs, or -1 as soon as it must be under `least`."""
    count = np.int64(0)
    while a < a_end and b < b_end:
        if left[a] == right[b]:
            count += 1
            a += 1
            b += 1
        elif left[a] < right[b]:
            a += 1
            if count + a_end - a < least:
                return np.int64(-1)
        else:
            b += 1
            if count + b_end - b < least:
                return np.int64(-1)
    return count if count >= least else np.int64(-1)


@compiled
def _overlaps(left_starts, left, right_starts, right, a, b):  # type: ignore[no-untyped-def]
    found = np.empty(len(a), np.int64)
    for i in range(len(a)):
        found[i] = _shared(
            left, left_starts[a[i]], left_starts[a[i] + 1], right, right_starts[b[i]], right_starts[b[i] + 1], 0
        )
    return found


@compiled
def _probe(  # type: ignore[no-untyped-def]
    kind, p, q, left_starts, left, left_bits, right_starts, right, right_bits,
    token_starts, sets, positions, size_starts, self_join, place, seen, out,
):  # fmt: skip
    """Probe the index with left sets from `place` on until `out` is full; (next place, pairs written)."""
    room = out.shape[1]
    largest = np.int64(len(size_starts) - 2)
    filled = 0
    seen[:] = -1
    for i in range(place, len(left_starts) - 1):
        r = left_starts[i + 1] - left_starts[i]
        if r == 0:
            continue
        smallest, most = size_range(kind, p, q, r, largest)
        if smallest > largest:
            continue
        first_set = size_starts[smallest]
        end_set = size_starts[min(most, largest) + 1]
        if self_join:
            end_set = min(end_set, i)
        filled_before = filled
        for a in range(prefix_length(kind, p, q, r, max(smallest, 1))):
            token = left[left_starts[i] + a]
            begin, end = token_starts[token], token_starts[token + 1]
            if begin == end:
                continue
            if sets[begin] < first_set:
                begin += np.searchsorted(sets[begin:end], first_set)
            for k in range(begin, end):
                j = sets[k]
                if j >= end_set:
                    break
                if seen[j] == i:
                    continue
                seen[j] = i
                # This is the first token that the two share, so nothing before it is shared.
                s = right_starts[j + 1] - right_starts[j]
                b = positions[k]
                least = least_overlap(kind, p, q, r, s)
                if min(r - a, s - b) < least:
                    continue
                apart = _count_bits(left_bits[i, 0] ^ right_bits[j, 0])
                apart += _count_bits(left_bits[i, 1] ^ right_bits[j, 1])
                if (r + s - apart) < 2 * least:
                    continue
                overlap = _shared(
                    left, left_starts[i] + a, left_starts[i + 1], right, right_starts[j] + b, right_starts[j + 1], least
                )
                if overlap < 0:
                    continue
                if filled == room:
                    return i, filled_before
                out[0, filled], out[1, filled], out[2, filled] = i, j, overlap
                filled += 1
    return len(left_starts) - 1, filled
