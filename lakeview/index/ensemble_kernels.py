"""The compiled kernel of `ensemble`: a run is searched by counting agreements, in one pass, with the same answer.

Places are unsigned where every nanosecond counts: numba need not ask then whether they count from the end.
"""

from __future__ import annotations

import numpy as np

from lakeview.estimate.similarity.compiled import COMPILED, compiled
from lakeview.index.bands import ODD
from lakeview.sketch.minima import EMPTY

__all__ = ["COMPILED", "least_agreements", "place", "popcount", "ranges", "search"]

_ODD, _PAIRS, _NIBBLES, _BYTES = (
    np.uint64(mask) for mask in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F, 0x0101010101010101)
)
_ONE, _TWO, _FOUR, _TOP = (np.uint64(bits) for bits in (1, 2, 4, 56))


@compiled
def search(  # type: ignore[no-untyped-def]
    ids, sizes, occupied, keys, lists, rows, starts, shift, alive, signature, size, threshold, slack, counted,
):  # fmt: skip
    """See `LshEnsemble._run`: whether there are at most `counted` agreements, and the answer if so."""
    low, high = ranges(keys, lists, starts, shift, signature)
    if (high - low).sum() > counted:
        none = np.zeros(0, np.int64)
        return False, (none, np.zeros(0, np.float64), none, none, none)
    n = len(sizes)
    counts = np.zeros(n, np.int16)  # sketches have at most 4,096 buckets
    for i in range(len(low)):
        for p in range(np.uint64(low[i]), np.uint64(high[i])):
            counts[rows[p]] += 1

    needed = np.ceil(threshold * size - 1e-9)
    first = place(sizes, 0, n, needed)
    hit = np.empty(n - first, np.int64)
    hits = 0
    for row in range(np.uint64(first), np.uint64(n)):
        hit[hits] = row
        hits += (counts[row] > 0) & alive[row]
    bits = np.zeros(occupied.shape[1], np.uint64)
    for bucket in range(len(signature)):  # as `np.packbits` lays them
        bits[bucket >> 6] |= np.uint64(signature[bucket] != EMPTY) << np.uint64((bucket & 56) + 7 - (bucket & 7))
    union, hit_sizes = np.empty(hits, np.float64), np.empty(hits, np.float64)
    for i in range(hits):
        column, both = np.uint64(hit[i]), 0
        for word in range(np.uint64(len(bits))):
            both += popcount(occupied[column, word] | bits[word])
        union[i], hit_sizes[i] = both, sizes[column]
    least = np.empty(hits, np.float64)
    for i in range(hits):  # apart, so that the processor takes several at once
        least[i] = least_agreements(needed, size, hit_sizes[i], union[i], slack)
    m = 0
    for i in range(hits):  # what does not stay is written over
        hit[m], union[m], hit_sizes[m] = hit[i], union[i], hit_sizes[i]
        m += counts[np.uint64(hit[i])] >= least[i]
    found, same, occupied_by = np.empty(m, np.int64), np.empty(m, np.int64), np.empty(m, np.int64)
    for i in range(m):
        column = np.uint64(hit[i])
        found[i], same[i], occupied_by[i] = ids[column], counts[column], union[i]

    large, end = first, n  # larger columns need no more agreements
    while large < end:
        middle = (large + end) >> 1
        if least_agreements(needed, size, sizes[middle], float(len(signature)), slack) <= 0:
            end = middle
        else:
            large = middle + 1
    possible = np.empty(n - large, np.int64)
    p = 0
    for row in range(np.uint64(large), np.uint64(n)):
        possible[p] = ids[row]
        p += (counts[row] == 0) & alive[row]
    return True, (found, hit_sizes[:m].copy(), same, occupied_by, possible[:p].copy())


@compiled
def ranges(keys, lists, starts, shift, signature):  # type: ignore[no-untyped-def]
    """Where the list of each value of a sketch starts and ends, of those that have one: int64[b] both."""
    low, high = np.empty(len(signature), np.int64), np.empty(len(signature), np.int64)
    m = 0
    for value in signature:
        if value != EMPTY:
            wanted = value * ODD
            bucket = wanted >> shift
            at, end = np.uint64(starts[bucket]), np.uint64(starts[bucket + _ONE])
            while at < end and keys[at] < wanted:
                at += _ONE
            if at < end and keys[at] == wanted:
                low[m], high[m] = lists[at], lists[at + _ONE]
                m += 1
    return low[:m], high[:m]


@compiled
def place(values, start, end, value):  # type: ignore[no-untyped-def]
    """The first place in ascending values[start:end] of one that is not less, by halving."""
    while start < end:
        middle = (start + end) >> 1
        if values[np.uint64(middle)] < value:
            start = middle + 1
        else:
            end = middle
    return start


@compiled
def least_agreements(needed, size, column, occupied, slack):  # type: ignore[no-untyped-def]
    """See `LshEnsemble._least`, for one column; not rounded up, as whole numbers are compared with it.

    `np.true_divide` divides without asking for zeros, which the last line excludes.
    """
    union = size + column - needed
    share = np.true_divide(needed, union)
    rest = min(max(np.true_divide(union - occupied, max(union - 1, 1.0)), 0.0), 1.0)
    spread = np.sqrt(occupied * max(share * (1 - share), 0.0) * rest)
    least = occupied * share - slack * spread - 0.5 * (spread > 0) - 1e-9
    return least if (union > 0) & (occupied <= union) else np.inf


@compiled
def popcount(word):  # type: ignore[no-untyped-def]
    """Bits that are set in a uint64."""
    word = word - ((word >> _ONE) & _ODD)
    word = (word & _PAIRS) + ((word >> _TWO) & _PAIRS)
    return np.int64((((word + (word >> _FOUR)) & _NIBBLES) * _BYTES) >> _TOP)
