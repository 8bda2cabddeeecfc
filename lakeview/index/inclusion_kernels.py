"""The compiled kernel of `inclusions`."""

from __future__ import annotations

import numpy as np

from lakeview.estimate.similarity.compiled import compiled

LEAP = 32  # entries of a list that are read in the time that a set is searched for a group


@compiled
def include(first, room, columns, asked, held, across, wanted, needed, mates):  # type: ignore[no-untyped-def]
    """Which of `columns[first:]` of the index `asked` lie in which columns of the index `held`; see `inclusions`.

    across: the groups of `held` that have tokens of each group of `asked`, and how many. mates: int64[tables], the
    table whose copies were last marked, -1 at first. Ends before a column that finds more than `room` has left. Returns
    where it ended, and what it found: source, target, overlap.
    """
    sources, targets = np.empty(room, np.int32), np.empty(room, np.int32)
    overlaps = np.empty(room, np.int64)
    n_held = len(held.places)
    seen, met = (
        np.full(n_held, -1, np.int32),
        np.full(n_held, -1, np.int32),
    )  # for which source, and with which of its groups
    candidates, less, place = np.empty(n_held, np.int32), np.empty(n_held, np.int64), np.empty(n_held, np.int64)
    found = 0
    for at in range(first, len(columns)):
        i = asked.places[columns[at]]
        groups, weights = sorted_groups(asked, columns[at], across)
        spare = wanted.sizes[i] - needed[i]  # tokens that may be missing
        missed = wanted.sizes[i] - weights.sum()
        mark(wanted, wanted.tables[i], mates)
        n = 0
        for k in range(len(groups)):
            start, stop = held.offsets[groups[k]], held.offsets[groups[k] + 1]
            if missed <= spare:  # what misses no more than is spare is on one of these lists, of the rarest tokens
                for p in range(start, stop):
                    column = held.columns[p]
                    met[column] = k
                    if seen[column] == at:
                        continue
                    seen[column] = at
                    j = held.places[column]
                    if j >= 0 and j != i and wanted.sizes[j] >= needed[i] and is_wanted(wanted, i, j, mates):
                        candidates[n], less[n], place[column] = column, missed, held.set_offsets[column]
                        n += 1
            elif n == 0:
                break
            elif stop - start < LEAP * n:
                for p in range(start, stop):
                    met[held.columns[p]] = k
            else:
                for c in range(n):
                    column = candidates[c]
                    end = held.set_offsets[column + 1]
                    place[column] = sought(held.set_groups, place[column], end, groups[k])
                    there = place[column] < end and held.set_groups[place[column]] == groups[k]
                    met[column] = k if there else -1
            missed += weights[k]
            kept = 0
            for c in range(n):
                missing = less[c] + weights[k] * (met[candidates[c]] != k)
                if missing <= spare:
                    candidates[kept], less[kept] = candidates[c], missing
                    kept += 1
            n = kept
        if n > room - found:
            return at, sources[:found], targets[:found], overlaps[:found]
        for c in range(n):
            sources[found], targets[found] = i, held.places[candidates[c]]
            overlaps[found] = wanted.sizes[i] - less[c]
            found += 1
    return len(columns), sources[:found], targets[:found], overlaps[:found]


@compiled
def sorted_groups(asked, column, across):  # type: ignore[no-untyped-def]
    """The groups that have tokens of a column, rarest first, and how many of them each has."""
    offsets, groups, weights = across
    start, stop = asked.set_offsets[column], asked.set_offsets[column + 1]
    n = 0
    for p in range(start, stop):
        group = asked.set_groups[p]
        n += offsets[group + 1] - offsets[group]
    mine, of = np.empty(n, np.int64), np.empty(n, np.int64)
    n = 0
    for p in range(start, stop):
        group = asked.set_groups[p]
        for x in range(offsets[group], offsets[group + 1]):
            mine[n], of[n] = groups[x], weights[x]
            n += 1
    sort_together(mine, of)
    return mine, of


@compiled
def sort_together(values, others):  # type: ignore[no-untyped-def]
    """Sort an array in place, and another one along with it (Shell's sort). numba's own sorts are not to be trusted in
    code that is kept: those of two files may be taken for each other."""
    gap = 1
    while 3 * gap + 1 < len(values):
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(gap, len(values)):
            value, other = values[k], others[k]
            at = k
            while at >= gap and values[at - gap] > value:
                values[at], others[at] = values[at - gap], others[at - gap]
                at -= gap
            values[at], others[at] = value, other
        gap //= 3


@compiled
def mark(wanted, table, mates):  # type: ignore[no-untyped-def]
    """Mark the tables that may be copies of a table."""
    for p in range(wanted.mate_offsets[table], wanted.mate_offsets[table + 1]):
        mates[wanted.mates[p]] = table


@compiled
def is_wanted(wanted, i, j, mates):  # type: ignore[no-untyped-def]
    """See `inclusions.Wanted`. What rules most pairs out comes first."""
    unique, in_key = wanted.unique[j], wanted.part[j] and wanted.keyed[i]
    if unique or in_key:
        if (wanted.says[i, 0] & wanted.called[j, 0]) != 0 and (wanted.says[i, 1] & wanted.called[j, 1]) != 0:
            if unique or wanted.tables[i] != wanted.tables[j]:
                return True
        elif unique and wanted.silent[i] and wanted.folders[i] == wanted.folders[j]:
            return True
    if wanted.alike[i] != wanted.alike[j] or wanted.tables[i] == wanted.tables[j]:
        return False
    return mates[wanted.tables[j]] == wanted.tables[i]


@compiled
def sought(values, at, end, value):  # type: ignore[no-untyped-def]
    """The first place from `at` on of an ascending array's part whose value is not below the one sought."""
    if at == end or values[at] >= value:
        return at
    step = 1
    while at + step < end and values[at + step] < value:
        at += step
        step *= 2
    low, high = at + 1, min(at + step, end)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low
