"""The compiled kernels of `merging` and `few_sets`; imported only where they pay, as numba takes its time to load.

Tokens are uniform, so which of two runs has the next one is a coin's toss: the loops take it without a branch.
"""

from __future__ import annotations

import numpy as np

from lakeview.estimate.similarity.compiled import COMPILED, compiled

__all__ = ["COMPILED", "merge", "numbered", "places"]

_FIBONACCI = np.uint64(0x9E3779B97F4A7C15)  # spreads masks over a table
_TABLE = 16  # bits of a table of masks


@compiled
def merge(a, of_a, b, of_b, tokens, sums):  # type: ignore[no-untyped-def]
    """Merge two sorted runs of distinct tokens and what goes with each; what goes with a token of both is added up.
    Fills `tokens` and `sums`, and returns how many there are."""
    i, j, k = 0, 0, 0
    n, m = len(a), len(b)
    while i < n and j < m:
        x, y = a[i], b[j]
        is_a, is_b = x <= y, y <= x
        tokens[k] = x if is_a else y
        sums[k] = (of_a[i] if is_a else of_a[i] ^ of_a[i]) + (of_b[j] if is_b else of_b[j] ^ of_b[j])
        i += is_a
        j += is_b
        k += 1
    while i < n:
        tokens[k], sums[k] = a[i], of_a[i]
        i += 1
        k += 1
    while j < m:
        tokens[k], sums[k] = b[j], of_b[j]
        j += 1
        k += 1
    return k


@compiled
def places(tokens, known, some, out):  # type: ignore[no-untyped-def]
    """Where each of some tokens lies among `tokens`, all of which are there, both sorted; counted from `known`."""
    at = 0
    for i in range(len(some)):
        token = some[i]
        while tokens[at] < token:
            at += 1
        out[i] = known + at


@compiled
def numbered(masks, held, numbers, found, n, out):  # type: ignore[no-untyped-def]
    """Number masks by their first occurrence: uint64[t] to uint32[t] in `out`. held, numbers: a table of those seen
    so far, of 2**16 places, 0 where empty; found: these in their order, n of them. Returns how many are known then; -1
    where they outgrow `found`."""
    last = np.uint64(0)
    number = 0
    for i in range(len(masks)):
        mask = masks[i]
        if mask != last:
            at = np.int64((mask * _FIBONACCI) >> np.uint64(64 - _TABLE))
            while held[at] != 0 and held[at] != mask:
                at = (at + 1) & ((1 << _TABLE) - 1)
            if held[at] == 0:
                if n == len(found):
                    return -1
                held[at], numbers[at], found[n] = mask, n, mask
                n += 1
            number, last = numbers[at], mask
        out[i] = number
    return n
