"""Suffix arrays of columns, and the longest matches of one column's suffixes in another (thesis section 4.4.1).

Where a suffix meets a column's sorted suffixes, its longest prefix that occurs there is a common prefix with one of
the two neighbours: one binary search a suffix instead of one a prefix length. Comparisons stop after `DEPTH`
characters; a longer match counts as one of that length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

try:
    from numba import njit
except ImportError:  # numba where it is there

    def njit(*args, **kwargs):  # type: ignore[no-untyped-def]
        return args[0] if args and callable(args[0]) else lambda function: function


DEPTH = 96
MIN_Q = 3
MANY = 200_000  # characters of a column that are too many to begin at each
_BETWEEN = "\0 \t!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~"


@dataclass(frozen=True)
class SuffixArray:
    """The texts of a column end to end, each closed by a 0, and the starts of their suffixes in order."""

    text: np.ndarray  # int32 code points
    owner: np.ndarray  # int32: which value a character belongs to
    ends: np.ndarray  # int64: where the value of a character ends (its 0)
    order: np.ndarray  # int64: starts of suffixes of at least MIN_Q characters, sorted

    @classmethod
    def of(cls, values: Sequence[str]) -> SuffixArray:
        joined = "\0".join(value.replace("\0", " ") for value in values) + "\0"
        text = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.int32)
        stops = np.flatnonzero(text == 0)
        lengths = np.diff(np.concatenate(([-1], stops)))
        owner = np.repeat(np.arange(len(values), dtype=np.int32), lengths)
        ends = np.repeat(stops, lengths)
        order = _sorted_suffixes(text)
        keep = ends[order] - order >= MIN_Q
        return cls(text, owner, ends, order[keep])

    @property
    def starts(self) -> np.ndarray:
        """Where q-grams to look up begin: everywhere, but in long columns where words begin, for these hold pairs
        enough."""
        if len(self.text) <= MANY:
            return np.arange(len(self.text))
        letters = np.isin(self.text, [ord(c) for c in _BETWEEN])
        return np.flatnonzero(np.concatenate(([True], letters[:-1])) & ~letters)


def _sorted_suffixes(text: np.ndarray) -> np.ndarray:
    """Starts of all suffixes, sorted by their first DEPTH characters: prefix doubling on ranks."""
    padded = np.concatenate((text, np.zeros(2, np.int32))).astype(np.int64)
    key = (padded[:-2] << 42) | (padded[1:-1] << 21) | padded[2:]
    known = 3
    while True:
        order = np.argsort(key, kind="stable")
        sorted_key = key[order]
        new = np.concatenate(([0], (np.diff(sorted_key) != 0).cumsum()))
        rank = np.empty(len(text), np.int64)
        rank[order] = new
        if known >= DEPTH or (len(new) and new[-1] == len(text) - 1):
            return order
        after = np.zeros(len(text), np.int64)
        if known < len(text):
            after[:-known] = rank[known:] + 1
        key = rank * (len(text) + 2) + after
        known *= 2


@njit(cache=True, nogil=True)
def _common(a: np.ndarray, i: int, a_end: int, b: np.ndarray, j: int, b_end: int) -> int:
    """Length of the common prefix of two suffixes, at most DEPTH."""
    length = 0
    while i < a_end and j < b_end and a[i] == b[j] and length < DEPTH:
        i += 1
        j += 1
        length += 1
    return length


@njit(cache=True, nogil=True)
def _bound(query, start, length, text, ends, order, upper):  # type: ignore[no-untyped-def]
    """First place in `order` whose suffix is not before (`upper`: is after) all that begin with the query."""
    low, high = 0, len(order)
    while low < high:
        middle = (low + high) // 2
        at = order[middle]
        shared = _common(query, start, start + length, text, at, ends[at])
        if shared == length:
            before = upper
        elif at + shared == ends[at]:
            before = True
        else:
            before = text[at + shared] < query[start + shared]
        if before:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def best_matches(s_text, s_ends, s_owner, s_order, starts, t_text, t_ends, t_order, cap, values):  # type: ignore[no-untyped-def]
    """For each source value the q-gram with the best 1/(n m), the longest on a tie.

    Returns, a source value: n, m (0 where nothing matches), the length q, the first place in `t_order` that holds
    it, and its start in the source text. n and m count occurrences; grams with m over `cap` are left out. starts:
    the places of the source text that a q-gram may begin at, in order."""
    n_best = np.zeros(values, np.int64)
    m_best = np.zeros(values, np.int64)
    q_best = np.zeros(values, np.int64)
    at_best = np.zeros(values, np.int64)
    from_best = np.zeros(values, np.int64)
    reach = 0  # a match inside the last one, up to the same end, is no better than it
    for start in starts:
        end = s_ends[start]
        if end - start < MIN_Q:
            continue
        limit = min(end - start, DEPTH)
        place = _bound(s_text, start, limit, t_text, t_ends, t_order, False)
        q = 0
        if place < len(t_order):
            q = _common(s_text, start, end, t_text, t_order[place], t_ends[t_order[place]])
        if place > 0:
            q = max(q, _common(s_text, start, end, t_text, t_order[place - 1], t_ends[t_order[place - 1]]))
        if q < MIN_Q or start + q <= reach:
            continue
        reach = start + q
        first = _bound(s_text, start, q, t_text, t_ends, t_order, False)
        m = _bound(s_text, start, q, t_text, t_ends, t_order, True) - first
        if m > cap:
            continue
        owner = s_owner[start]
        if n_best[owner] and m > n_best[owner] * m_best[owner]:
            continue
        n = _bound(s_text, start, q, s_text, s_ends, s_order, True) - _bound(
            s_text, start, q, s_text, s_ends, s_order, False
        )
        best = n_best[owner] * m_best[owner]
        if n and (best == 0 or n * m < best or (n * m == best and q > q_best[owner])):
            n_best[owner], m_best[owner], q_best[owner] = n, m, q
            at_best[owner], from_best[owner] = first, start
    return n_best, m_best, q_best, at_best, from_best
