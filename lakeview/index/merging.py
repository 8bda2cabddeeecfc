"""Merging sorted runs of tokens, each with a number of its own, which are added up where a token is in several."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Any

import numpy as np

COMPILED_FROM = 1 << 18  # tokens from which compiled kernels repay the import of numba
_SLICE = 1 << 20  # tokens that are merged at a time: what lies in the processor's cache

Run = tuple[Any, np.ndarray]
"""Sorted distinct tokens, an array or such as are looked up (`postings.Places`), and a whole number beside each."""


def kernels(work: int) -> Any:
    """The compiled kernels, where `work`, in tokens, repays loading them; else None."""
    if work < COMPILED_FROM:
        return None
    from lakeview.index import merging_kernels

    return merging_kernels if merging_kernels.COMPILED else None


def merge(tokens: Sequence[np.ndarray], sums: Sequence[np.ndarray]) -> Run:
    """Merge runs of sorted distinct tokens, uint64[n] each, and a whole number beside each token: uint64, int64."""
    runs = [(t, s) for t, s in zip(tokens, sums, strict=True) if len(t)]
    return runs[0] if len(runs) == 1 else end_to_end(merged(runs), sum(len(t) for t, _ in runs))


def merged(runs: Sequence[Run]) -> Iterator[Run]:
    """Runs as `merge` merges them, a range of the token space at a time, in order: whoever puts them elsewhere holds
    no more in memory."""
    size = sum(len(t) for t, _ in runs)
    compiled = kernels(size)
    if not compiled:
        yield from [_by_sorting(runs)] if size else []
        return
    for part in sliced(runs, -(-size // _SLICE)):
        # what lies in a mapped file may be narrower, or at an odd place
        fit = [(np.require(t, np.uint64, ["C", "A"]), np.require(s, np.int64, ["C", "A"])) for t, s in part]
        yield pairwise(fit, compiled)


def end_to_end(runs: Iterable[Run], most: int) -> Run:
    """Runs in one; most: tokens that they have together, or more."""
    tokens, sums = np.empty(most, np.uint64), np.empty(most, np.int64)
    filled = 0
    for some, of_some in runs:
        n = len(some)
        tokens[filled : filled + n], sums[filled : filled + n] = some, of_some
        filled += n
    return tokens[:filled], sums[:filled]


def sliced(runs: Sequence[Run], slices: int) -> list[list[Run]]:
    """Runs cut by ranges of the token space, about equal: those parts of each that have a token there."""
    ends = cuts([t for t, _ in runs], slices)
    return [
        [(t[c[s] : c[s + 1]], v[c[s] : c[s + 1]]) for (t, v), c in zip(runs, ends, strict=True) if c[s] < c[s + 1]]
        for s in range(slices)
    ]


def cuts(tokens: Sequence[np.ndarray], slices: int) -> list[list[int]]:
    """Where the ranges of the token space begin in each run, and the last one ends."""
    bounds = np.array([(s << 64) // slices for s in range(1, slices)], np.uint64)
    return [[0, *each.searchsorted(bounds).tolist(), len(each)] for each in tokens]


def pairwise(runs: Sequence[Run], compiled: Any) -> Run:
    """Merge runs two at a time, the shortest first (Huffman's order)."""
    number = count()
    heap = [(len(t), next(number), t, v) for t, v in runs]
    heapq.heapify(heap)
    while len(heap) > 1:
        (n, _, a, of_a), (m, _, b, of_b) = heapq.heappop(heap), heapq.heappop(heap)
        tokens, sums = np.empty(n + m, np.uint64), np.empty(n + m, of_a.dtype)
        k = compiled.merge(a, of_a, b, of_b, tokens, sums)
        heapq.heappush(heap, (k, next(number), tokens[:k], sums[:k]))
    return heap[0][2:] if heap else (np.zeros(0, np.uint64), np.zeros(0, np.int64))


def _by_sorting(runs: Sequence[Run]) -> Run:
    tokens, sums = np.concatenate([t[:] for t, _ in runs]), np.concatenate([s for _, s in runs]).astype(np.int64)
    order = np.argsort(tokens, kind="stable")  # a merge of the runs
    tokens, sums = tokens[order], sums[order]
    first = np.flatnonzero(np.concatenate(([True], tokens[1:] != tokens[:-1])))
    return tokens[first], np.add.reduceat(sums, first)
