"""The dictionary of an index: from a token to its duplicate group.

Tokens are uniform 64-bit hashes, so a directory over their top bits finds a token in a step or two, where a binary
search would miss the cache twenty times.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

COMPILED_FROM = 20_000  # query tokens from which compiled kernels repay the import of numba
BUCKET = 8  # tokens to a directory bucket, on average
_COUNTED = 1 << 17  # tokens whose buckets are counted at a time


def directory(tokens: np.ndarray) -> np.ndarray:
    """Where the tokens of each bucket of top bits start: int64[2**bits + 1]."""
    bits = max(1, int(len(tokens) // BUCKET).bit_length())
    starts = np.zeros((1 << bits) + 1, np.int64)
    lengths = starts[1:]
    for start in range(0, len(tokens), _COUNTED):  # a few times as fast as looking each bound up
        buckets = (tokens[start : start + _COUNTED] >> np.uint64(64 - bits)).astype(np.int64)
        counts = np.bincount(buckets - buckets[0])
        lengths[buckets[0] : buckets[0] + len(counts)] += counts
    np.cumsum(lengths, out=lengths)
    return starts


def shift(starts: np.ndarray) -> int:
    """How far a token is shifted right to give its bucket of a directory."""
    return 64 - int(len(starts) - 1).bit_length() + 1


def kernels(work: int) -> Any:
    """The compiled kernels (`index.josie_kernels`), where numba is loaded already or `work`, in tokens, repays loading
    it; else None."""
    if work < COMPILED_FROM and "lakeview.index.josie_kernels" not in sys.modules:
        return None
    from lakeview.index import josie_kernels

    return josie_kernels if josie_kernels.COMPILED else None


def find(tokens: np.ndarray, starts: np.ndarray, groups: np.ndarray, query: np.ndarray) -> np.ndarray:
    """The group of each query token, -1 where the index does not know it: int64[q].

    tokens: uint64[t], sorted; starts: their `directory`; groups: uint32[t]; query: uint64[q], sorted and distinct.
    """
    if not len(tokens) or not len(query):
        return np.full(len(query), -1, np.int64)
    compiled = kernels(len(query))
    if compiled:
        return compiled.find(tokens, starts, np.uint64(shift(starts)), groups, query)  # type: ignore[no-any-return]
    where = np.minimum(np.searchsorted(tokens, query), len(tokens) - 1)
    return np.where(tokens[where] == query, groups[where].astype(np.int64), -1)
