"""The compiled kernels of exact search; imported only where they pay, as numba takes its time to load.

The sets found so far are kept as three arrays of k places, best first: overlap, rank (which breaks ties, smaller first)
and number. `push` keeps them so; the last is the k-th.
"""

from __future__ import annotations

import numpy as np

from lakeview.estimate.similarity.compiled import COMPILED, compiled

__all__ = [
    "COMPILED",
    "beaten",
    "find",
    "merge",
    "merge_top",
    "probe_top",
    "push",
    "read_lists",
    "read_sets",
    "shared",
    "suffix",
    "write_sets",
]


BLOCK = 256  # query tokens


@compiled
def find(tokens, starts, shift, groups, query):  # type: ignore[no-untyped-def]
    """See `dictionary.find`. A block of tokens is looked up in the directory first, without a branch, so that the
    memory serves many at a time."""
    out = np.full(len(query), -1, np.int64)
    last = len(tokens) - 1
    reached = np.zeros(BLOCK, np.int64)
    below = np.zeros(BLOCK, np.bool_)
    for first in range(0, len(query), BLOCK):
        n = min(BLOCK, len(query) - first)
        for i in range(n):
            reached[i] = starts[np.int64(query[first + i] >> shift)]
        for i in range(n):
            below[i] = tokens[min(reached[i], last)] < query[first + i]
        for i in range(n):
            token = query[first + i]
            at, end = reached[i] + below[i], starts[np.int64(token >> shift) + 1]
            while at < end and tokens[at] < token:
                at += 1
            reached[i] = at if at < end and tokens[at] == token else -1
        for i in range(n):
            if reached[i] >= 0:
                out[first + i] = groups[reached[i]]
    return out


@compiled
def write_sets(offsets, columns, sizes, set_offsets):  # type: ignore[no-untyped-def]
    """See `groups._sets`: from the last group to the first, each set's numbers are written from its end."""
    n_sets = len(set_offsets) - 1
    rests = np.empty(len(columns), np.uint32)
    set_groups = np.empty(len(columns), np.uint32)
    place = set_offsets[1:].copy()
    after = np.zeros(n_sets, np.int64)
    for group in range(len(sizes) - 1, -1, -1):
        for p in range(offsets[group], offsets[group + 1]):
            column = columns[p]
            place[column] -= 1
            set_groups[place[column]] = group
            rests[p] = after[column]
            after[column] += sizes[group]
    return rests, set_offsets, set_groups


@compiled
def merge(offsets, columns, groups, weights, n_sets):  # type: ignore[no-untyped-def]
    """Overlap with every set: int64[n_sets]."""
    overlap = np.zeros(n_sets, np.int64)
    for a in range(len(groups)):
        for p in range(offsets[groups[a]], offsets[groups[a] + 1]):
            overlap[columns[p]] += weights[a]
    return overlap


@compiled
def push(best_overlap, best_rank, best_number, n, overlap, rank, number):  # type: ignore[no-untyped-def]
    """Put a set where it belongs among the best n; returns how many there are then."""
    k = len(best_overlap)
    if overlap <= 0 or (n == k and beaten(best_overlap, best_rank, overlap, rank)):
        return n
    at = n if n < k else k - 1
    while at > 0 and (best_overlap[at - 1] < overlap or (best_overlap[at - 1] == overlap and best_rank[at - 1] > rank)):
        best_overlap[at] = best_overlap[at - 1]
        best_rank[at] = best_rank[at - 1]
        best_number[at] = best_number[at - 1]
        at -= 1
    best_overlap[at], best_rank[at], best_number[at] = overlap, rank, number
    return n + 1 if n < k else k


@compiled
def beaten(best_overlap, best_rank, most, rank):  # type: ignore[no-untyped-def]
    """Whether a set of at most that overlap comes after the k-th of k sets."""
    last = best_overlap[-1]
    return most < last or (most == last and rank > best_rank[-1])


@compiled
def merge_top(offsets, columns, groups, weights, skip, rank, base, best_overlap, best_rank, best_number, n):  # type: ignore[no-untyped-def]
    """MergeList-D: read every list, then take the best. Returns how many sets are among the best."""
    overlap = np.zeros(len(skip), np.int32)
    for a in range(len(groups)):
        weight = np.int32(weights[a])
        for p in range(offsets[groups[a]], offsets[groups[a] + 1]):
            overlap[columns[p]] += weight
    for x in range(len(skip)):
        if overlap[x] and not skip[x]:
            n = push(best_overlap, best_rank, best_number, n, np.int64(overlap[x]), rank[x], base + x)
    return n


@compiled
def suffix(set_offsets, set_groups, column, group):  # type: ignore[no-untyped-def]
    """Where the groups of a set that come after `group` start and end."""
    low, end = set_offsets[column], set_offsets[column + 1]
    high = end
    while low < high:
        middle = (low + high) >> 1
        if set_groups[middle] <= group:
            low = middle + 1
        else:
            high = middle
    return low, end


@compiled
def shared(set_groups, start, end, groups, weights, at):  # type: ignore[no-untyped-def]
    """Query tokens in set_groups[start:end], of the query's groups from place `at` on; the shorter side leaps."""
    total, m = 0, len(groups)
    if (end - start) > 16 * (m - at):
        for a in range(at, m):
            start = _leap(set_groups, start, end, groups[a])
            if start == end:
                break
            if set_groups[start] == groups[a]:
                total += weights[a]
    elif (m - at) > 16 * (end - start):
        for p in range(start, end):
            at = _leap(groups, at, m, set_groups[p])
            if at == m:
                break
            if groups[at] == set_groups[p]:
                total += weights[at]
    else:
        while start < end and at < m:
            x, q = np.int64(set_groups[start]), np.int64(groups[at])
            if x == q:
                total += weights[at]
            start += x <= q
            at += q <= x
    return total


@compiled
def _leap(values, start, end, value):  # type: ignore[no-untyped-def]
    """The first place from `start` on of a number that is not less, by doubling steps."""
    step = 1
    while start < end and values[min(start + step, end) - 1] < value:
        start = min(start + step, end)
        step *= 2
    high = min(start + step, end)
    while start < high:
        middle = (start + high) >> 1
        if values[middle] < value:
            start = middle + 1
        else:
            high = middle
    return start


@compiled
def probe_top(  # type: ignore[no-untyped-def]
    offsets, columns, rests, set_offsets, set_groups, groups, weights, cumulated, skip, rank, base,
    best_overlap, best_rank, best_number, n, counts,
):  # fmt: skip
    """ProbeSet-D: every set that a list brings up is read at once, unless the position filter (equation 2) says no.

    cumulated: int64[m + 1], query tokens before each group. counts: int64[5], added to: lists, postings with
    their positions, sets, groups of sets. Ties go by rank, so a filter only drops what the k-th set beats.
    """
    k, m = len(best_overlap), len(groups)
    total = cumulated[m]
    met = np.zeros(len(skip), np.bool_)
    for a in range(m):
        if n == k and total - cumulated[a] < best_overlap[-1]:  # prefix filter
            break
        group = groups[a]
        counts[0] += 1
        counts[1] += offsets[group + 1] - offsets[group]
        for p in range(offsets[group], offsets[group + 1]):
            x = columns[p]
            if met[x] or skip[x]:
                continue
            met[x] = True
            rest = min(total - cumulated[a + 1], np.int64(rests[p]))
            if n == k and beaten(best_overlap, best_rank, weights[a] + rest, rank[x]):
                continue
            overlap = weights[a]
            if rest:
                start, end = suffix(set_offsets, set_groups, x, group)
                counts[2] += 1
                counts[3] += end - start
                overlap += shared(set_groups, start, end, groups, weights, a + 1)
            n = push(best_overlap, best_rank, best_number, n, overlap, rank[x], base + x)
    return n


@compiled
def read_lists(offsets, columns, lists, counters):  # type: ignore[no-untyped-def]
    """Read lists as merging does; for measuring."""
    for a in range(len(lists)):
        for p in range(offsets[lists[a]], offsets[lists[a] + 1]):
            counters[columns[p]] += 1


@compiled
def read_sets(set_offsets, set_groups, sets, after):  # type: ignore[no-untyped-def]
    """Read each set after a group, from one end to the other; for measuring."""
    total = 0
    for a in range(len(sets)):
        start, end = suffix(set_offsets, set_groups, sets[a], after[a])
        for p in range(start, end):
            total += set_groups[p]
    return total
