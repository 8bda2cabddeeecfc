"""Which whole numbers, small decimals and days the columns of an index hold, told from their tokens; and how many of
some such numbers other columns hold. Numbers go by their places in one line (`evidence.standins.line`)."""

from __future__ import annotations

import numpy as np

from lakeview.estimate.similarity.compiled import compiled
from lakeview.index.inclusion_kernels import sought
from lakeview.index.inclusions import Part

Lists = tuple[np.ndarray, np.ndarray]  # offsets int64[n + 1], and what lies between them


def known(part: Part, columns: np.ndarray, tokens: np.ndarray, numbers: np.ndarray) -> Lists:
    """The numbers of some columns, ascending: int64. tokens: uint64, sorted, of the numbers int64."""
    if not len(part.tokens):
        return np.zeros(len(columns) + 1, np.int64), np.zeros(0, np.int64)
    at = np.minimum(np.searchsorted(part.tokens, tokens), len(part.tokens) - 1)
    there = np.flatnonzero(part.tokens[at] == tokens)
    groups, numbers = part.groups[at[there]], numbers[there]
    order = np.argsort(groups, kind="stable")
    offsets = np.searchsorted(groups[order], np.arange(len(part.offsets)))
    starts, found = _gathered(part.set_offsets, part.set_groups, columns, offsets, numbers[order])
    return starts, found[np.lexsort((found, np.repeat(np.arange(len(columns)), np.diff(starts))))]


@compiled
def _gathered(set_offsets, set_groups, columns, offsets, numbers):  # type: ignore[no-untyped-def]
    starts = np.zeros(len(columns) + 1, np.int64)
    for c in range(len(columns)):
        starts[c + 1] = starts[c]
        for p in range(set_offsets[columns[c]], set_offsets[columns[c] + 1]):
            starts[c + 1] += offsets[set_groups[p] + 1] - offsets[set_groups[p]]
    found = np.empty(starts[-1], np.int64)
    for c in range(len(columns)):
        n = starts[c]
        for p in range(set_offsets[columns[c]], set_offsets[columns[c] + 1]):
            for q in range(offsets[set_groups[p]], offsets[set_groups[p] + 1]):
                found[n] = numbers[q]
                n += 1
    return starts, found


@compiled
def runs(offsets, numbers):  # type: ignore[no-untyped-def]
    """Ascending numbers of some columns as runs of consecutive ones: offsets, first and last of each."""
    firsts, lasts = np.empty(len(numbers), np.int64), np.empty(len(numbers), np.int64)
    starts = np.zeros(len(offsets), np.int64)
    n = 0
    for c in range(len(offsets) - 1):
        for p in range(offsets[c], offsets[c + 1]):
            if p > offsets[c] and numbers[p] == numbers[p - 1] + 1:
                lasts[n - 1] = numbers[p]
            else:
                firsts[n] = lasts[n] = numbers[p]
                n += 1
        starts[c + 1] = n
    return starts, firsts[:n], lasts[:n]


@compiled
def held(asked, of, asked_of, held_of):  # type: ignore[no-untyped-def]
    """How many of the numbers `asked_of[p]` lie in the runs `held_of[p]`: int64[pairs]."""
    offsets, numbers = asked
    starts, firsts, lasts = of
    found = np.zeros(len(asked_of), np.int64)
    for p in range(len(asked_of)):
        at, end = offsets[asked_of[p]], offsets[asked_of[p] + 1]
        run, last = starts[held_of[p]], starts[held_of[p] + 1]
        while at < end and run < last:
            run = sought(lasts, run, last, numbers[at])
            if run == last:
                break
            at = sought(numbers, at, end, firsts[run])
            beyond = sought(numbers, at, end, lasts[run] + 1)
            found[p] += beyond - at
            at = beyond
    return found


def holding(part: Part, queries: Lists, asked_of: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """How many of the tokens of a query, uint64, columns of the index hold: int64[pairs]. asked_of: the query of each
    pair, ascending; columns: its column."""
    offsets, tokens = queries
    at = np.minimum(np.searchsorted(part.tokens, tokens), max(len(part.tokens) - 1, 0))
    there = part.tokens[at] == tokens if len(part.tokens) else np.zeros(len(tokens), bool)
    groups = np.full(len(tokens), -1)
    groups[there] = part.groups[at[there]]
    return _holding(part.offsets, part.columns, offsets, groups, asked_of, columns, len(part.places))


@compiled
def _holding(list_offsets, list_columns, offsets, groups, asked_of, columns, n):  # type: ignore[no-untyped-def]
    found = np.zeros(len(columns), np.int64)
    counts, met = np.zeros(n, np.int64), np.full(n, -1)
    last = -1
    for p in range(len(columns)):
        query = asked_of[p]
        if query != last:
            for q in range(offsets[query], offsets[query + 1]):
                if groups[q] >= 0:
                    for x in range(list_offsets[groups[q]], list_offsets[groups[q] + 1]):
                        column = list_columns[x]
                        if met[column] != query:
                            met[column], counts[column] = query, 0
                        counts[column] += 1
            last = query
        if met[columns[p]] == query:
            found[p] = counts[columns[p]]
    return found
