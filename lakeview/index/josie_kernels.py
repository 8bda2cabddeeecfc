"""The compiled kernels of exact search; imported only where they pay, as numba takes its time to load.

The sets found so far are kept as three arrays of k places, best first: overlap, rank (which breaks ties, smaller first)
and number. `push` keeps them so; the last is the k-th.
"""

from __future__ import annotations

import numpy as np

from lakeview.estimate.similarity.compiled import COMPILED, compiled

__all__ = [
    "COMPILED", "add_lists", "beaten", "find", "merge", "merge_top", "probe_top", "push", "read_sets", "shared",
    "suffix", "write_sets",
]  # fmt: skip

TRIED = 0.1  # of what merging costs: sets that are read before their rate is judged by
BLOCK = 256  # query tokens
LEAP = 16  # times that one side is longer, from which leaping through it is quicker than walking


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
    """See `groups.sets`: from the last group to the first, each set's numbers are written from its end."""
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
def add_lists(offsets, columns, groups, weights, first, overlap):  # type: ignore[no-untyped-def]
    """Add the query's lists from the first-th on to overlap[n_sets]; returns how many postings they have. Where a
    block of lists starts is looked up ahead, as in `find`: most lists are short, and each lies elsewhere in memory."""
    postings = 0
    starts, ends = np.zeros(BLOCK, np.int64), np.zeros(BLOCK, np.int64)
    heads = np.zeros(BLOCK, np.int64)
    for block in range(first, len(groups), BLOCK):
        n = min(BLOCK, len(groups) - block)
        for i in range(n):
            starts[i], ends[i] = offsets[groups[block + i]], offsets[groups[block + i] + 1]
        for i in range(n):
            heads[i] = columns[starts[i]]
        for i in range(n):
            weight = weights[block + i]
            postings += ends[i] - starts[i]
            overlap[heads[i]] += weight
            for p in range(starts[i] + 1, ends[i]):
                overlap[columns[p]] += weight
    return postings


@compiled
def merge(offsets, columns, groups, weights, n_sets):  # type: ignore[no-untyped-def]
    """Overlap with every set: int64[n_sets]."""
    overlap = np.zeros(n_sets, np.int64)
    add_lists(offsets, columns, groups, weights, 0, overlap)
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
    add_lists(offsets, columns, groups, weights, 0, overlap)
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
    """Query tokens in set_groups[start:end], of the query's groups from place `at` on, and how many of the set's
    numbers were looked at; the shorter side leaps."""
    total, m, looked = 0, len(groups), 0
    if (end - start) > LEAP * (m - at):
        for a in range(at, m):
            start, steps = _leap(set_groups, start, end, groups[a])
            looked += steps
            if start == end:
                break
            if set_groups[start] == groups[a]:
                total += weights[a]
    elif (m - at) > LEAP * (end - start):
        looked = end - start
        for p in range(start, end):
            at, _ = _leap(groups, at, m, set_groups[p])
            if at == m:
                break
            if groups[at] == set_groups[p]:
                total += weights[at]
    else:
        first = start
        while start < end and at < m:
            x, q = np.int64(set_groups[start]), np.int64(groups[at])
            if x == q:
                total += weights[at]
            start += x <= q
            at += q <= x
        looked = start - first
    return total, looked


@compiled
def _leap(values, start, end, value):  # type: ignore[no-untyped-def]
    """The first place from `start` on of a number that is not less, by doubling steps, and how many of these."""
    step, steps = 1, 1
    while start < end and values[min(start + step, end) - 1] < value:
        start = min(start + step, end)
        step *= 2
        steps += 1
    high = min(start + step, end)
    while start < high:
        middle = (start + high) >> 1
        steps += 1
        if values[middle] < value:
            start = middle + 1
        else:
            high = middle
    return start, steps


@compiled
def probe_top(  # type: ignore[no-untyped-def]
    offsets, columns, rests, set_offsets, set_groups, groups, weights, cumulated, spent, s0, s1, may_merge,
    skip, rank, base, best_overlap, best_rank, best_number, n, counts,
):  # fmt: skip
    """ProbeSet-D: every set that a list brings up is read at once, unless the position filter (equation 2) says no.

    With `may_merge`, the rest of the lists is merged as soon as that costs less than probing on at the rate so far; the
    sets met before are done with, so nothing is read twice. Returns how many sets are among the best, and how many of
    the groups were probed.

    cumulated: int64[m + 1], query tokens before each group; spent: float64[m + 1], what merging the lists before each
    group costs; s0, s1: a set of which n numbers are looked at costs s0 + s1 n. counts: int64[5], added to: lists,
    postings with their positions, sets, numbers of sets looked at, postings without positions. Ties go by rank, so a
    filter only drops what the k-th set beats.
    """
    k, m = len(best_overlap), len(groups)
    total = cumulated[m]
    met = np.zeros(len(skip), np.bool_)
    a, p, end, sets, visited = 0, 0, 0, 0.0, 0
    probing, full = True, n == k
    while a < m and probing:
        if n == k and total - cumulated[a] < best_overlap[-1]:  # prefix filter
            return n, m
        group = groups[a]
        p, end = offsets[group], offsets[group + 1]
        counts[0] += 1
        counts[1] -= p
        while p < end and probing:
            x = columns[p]
            p += 1
            visited += 1
            if met[x] or skip[x]:
                continue
            rest = min(total - cumulated[a + 1], np.int64(rests[p - 1]))
            met[x] = True
            if n == k and beaten(best_overlap, best_rank, weights[a] + rest, rank[x]):
                continue
            overlap = weights[a]
            if rest:
                start, stop = suffix(set_offsets, set_groups, x, group)
                if may_merge and n < k and (k - n) * (s0 + s1 * min(stop - start, LEAP * (m - a))) > spent[m]:
                    probing, met[x] = False, False  # k such sets cost more than all lists
                    p -= 1
                    break
                more, looked = shared(set_groups, start, stop, groups, weights, a + 1)
                overlap += more
                counts[2] += 1
                counts[3] += looked
                sets += s0 + s1 * looked
            n = push(best_overlap, best_rank, best_number, n, overlap, rank[x], base + x)
            if not may_merge:
                continue
            if n < k:
                probing = sets * k <= TRIED * spent[m] * counts[2]  # what k sets will have cost
                continue
            if not full:  # from now on sets pass the k-th overlap, or do not
                full, sets, visited = True, 0.0, 0
            if sets > TRIED * spent[m]:
                last = np.searchsorted(cumulated[:m], total - best_overlap[-1] + 1)
                lists = max(0.0, spent[last] - spent[a + 1])
                probing = spent[m] - spent[a + 1] >= 2 * lists + sets / visited * _postings(offsets, groups, a, p, last)
        counts[1] += p
        a += probing
    if probing:
        return n, m
    counts[4] += end - p
    overlap = np.zeros(len(skip), np.int32)
    for q in range(p, end):
        overlap[columns[q]] += np.int32(weights[a])
    counts[0] += max(0, m - a - 1)
    counts[4] += add_lists(offsets, columns, groups, weights, a + 1, overlap)
    for x in range(len(skip)):
        if overlap[x] and not met[x] and not skip[x]:
            n = push(best_overlap, best_rank, best_number, n, np.int64(overlap[x]), rank[x], base + x)
    return n, a


@compiled
def _postings(offsets, groups, a, p, last):  # type: ignore[no-untyped-def]
    """Postings from p on in the query's a-th list and those up to the last-th."""
    n = 0 if last <= a else offsets[groups[a] + 1] - p
    for c in range(a + 1, last):
        n += offsets[groups[c] + 1] - offsets[groups[c]]
    return n


@compiled
def read_sets(set_offsets, set_groups, sets, others, after):  # type: ignore[no-untyped-def]
    """Count what each set shares with another, both after a group that they hold; for measuring. Returns how many
    numbers of each set were looked at."""
    looked = np.zeros(len(sets), np.int64)
    for i in range(len(sets)):
        first, last = suffix(set_offsets, set_groups, others[i], after[i])
        query = set_groups[first:last]
        start, end = suffix(set_offsets, set_groups, sets[i], after[i])
        _, looked[i] = shared(set_groups, start, end, query, query, 0)
    return looked
