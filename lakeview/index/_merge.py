"""The compiled kernel of posting-list merging; imported only for large queries, as numba takes its time."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def merge_lists(tokens, offsets, columns, directory, shift, query, n_columns):  # type: ignore[no-untyped-def]
    """Count, for every column, the query tokens whose posting list names it. See `Postings.overlaps`."""
    overlap = np.zeros(n_columns, np.int64)
    frequency = np.zeros(len(query), np.int64)
    for i in range(len(query)):
        token = query[i]
        bucket = np.int64(token >> shift)
        at, end = directory[bucket], directory[bucket + 1]
        while at < end and tokens[at] < token:
            at += 1
        if at < end and tokens[at] == token:
            start, stop = offsets[at], offsets[at + 1]
            frequency[i] = stop - start
            for p in range(start, stop):
                overlap[columns[p]] += 1
    return overlap, frequency
