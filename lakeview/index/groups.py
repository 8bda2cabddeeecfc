"""Laying out an inverted index as JOSIE reads it (SIGMOD'19, sections 3.5 and 7.1).

Tokens that occur in exactly the same sets form a duplicate group: one posting list serves them all. Groups are numbered
in the global order of the paper: by the frequency of their tokens, then by a hash of the list, then by the list itself.
The tokens of a group follow each other in that order and a set holds all of them or none, so a set is written as the
ascending numbers of its groups, and nothing of what the paper does with token numbers is lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lakeview.index.dictionary import kernels

_SLICED_FROM = 1 << 20  # postings from which the token space is worked through in slices
_CHUNK = 1 << 22  # postings that are compared at a time


@dataclass(frozen=True)
class Inverted:
    """Sets turned into posting lists by token.

    tokens   uint64[t], sorted, distinct
    offsets  int64[t + 1], where the list of each token starts
    columns  uint32[p], ascending within a list
    ids      uint32[p], for every token of every set its place in `tokens`, in the order of the sets
    """

    tokens: np.ndarray
    offsets: np.ndarray
    columns: np.ndarray
    ids: np.ndarray


@dataclass(frozen=True)
class Groups:
    """Duplicate groups in the global order.

    of_token     uint32[t], the group of each token
    sizes        int64[g], tokens of each group
    offsets      int64[g + 1], where the one list of each group starts
    columns      uint32[l], ascending within a list
    rests        uint32[l], tokens that the set has after this group's in the global order
    set_offsets  int64[n + 1], where the groups of each set start
    set_groups   uint32[l], ascending within a set
    """

    of_token: np.ndarray
    sizes: np.ndarray
    offsets: np.ndarray
    columns: np.ndarray
    rests: np.ndarray
    set_offsets: np.ndarray
    set_groups: np.ndarray


def invert(set_offsets: np.ndarray, set_tokens: np.ndarray) -> Inverted:
    """Posting lists of sets: the sorted distinct tokens of set i are set_tokens[set_offsets[i]:set_offsets[i + 1]].

    Works through slices of the token space, so that beside the result it holds about an eighth of the postings at a
    time.
    """
    n_postings = len(set_tokens)
    owner = np.repeat(np.arange(len(set_offsets) - 1, dtype=np.uint32), np.diff(set_offsets))
    slices = 16 if n_postings > _SLICED_FROM else 1
    columns, ids = np.empty(n_postings, np.uint32), np.empty(n_postings, np.uint32)
    parts, lengths, filled, known = [], [], 0, 0
    top = (np.asarray(set_tokens) >> np.uint64(60)).astype(np.uint8) if slices > 1 else None
    for s in range(slices):
        inside = np.arange(n_postings) if top is None else np.flatnonzero(top == s)
        tokens = np.asarray(set_tokens)[inside]
        order = np.argsort(tokens, kind="stable")
        tokens, inside = tokens[order], inside[order]
        new = np.concatenate(([True], tokens[1:] != tokens[:-1])) if len(tokens) else np.zeros(0, bool)
        columns[filled : filled + len(tokens)] = owner[inside]
        ids[inside] = known + np.cumsum(new) - 1
        first = np.flatnonzero(new)
        parts.append(tokens[first])
        lengths.append(np.diff(np.append(first, len(tokens))))
        filled, known = filled + len(tokens), known + len(first)
    return Inverted(np.concatenate(parts), starts(np.concatenate(lengths)), columns, ids)


def group(inverted: Inverted, n_sets: int) -> Groups:
    """Put the lists in the global order, keep one of each, and write the sets as numbers of groups."""
    offsets, columns = inverted.offsets, inverted.columns
    frequency = np.diff(offsets)
    order, new = _global_order(offsets, columns, n_sets)
    first = order[new]
    of_token = np.empty(len(order), np.uint32)
    of_token[order] = np.cumsum(new) - 1
    sizes = np.diff(np.append(np.flatnonzero(new), len(order)))
    lists = starts(frequency[first])
    kept = gather(columns, offsets[first], frequency[first])
    return Groups(of_token, sizes, lists, kept, *sets(lists, kept, sizes, n_sets))


def gather(values: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Runs of an array end to end."""
    ends = np.cumsum(lengths)
    if not len(ends) or not ends[-1]:
        return np.zeros(0, values.dtype)
    out = np.empty(int(ends[-1]), values.dtype)
    for i, j in _chunks(ends):
        places = np.arange(ends[i] - lengths[i], ends[j - 1])
        places += np.repeat(starts[i:j] - (ends[i:j] - lengths[i:j]), lengths[i:j])
        out[ends[i] - lengths[i] : ends[j - 1]] = values[places]
    return out


def starts(lengths: np.ndarray) -> np.ndarray:
    """Where runs of some lengths start, end to end, and the last one ends: int64[n + 1]."""
    bounds = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=bounds[1:])
    return bounds


def _chunks(ends: np.ndarray) -> list[tuple[int, int]]:
    """Runs of lists of about `_CHUNK` postings, at least one list each."""
    if ends[-1] <= _CHUNK:
        return [(0, len(ends))]
    cuts = np.searchsorted(ends, np.arange(_CHUNK, ends[-1] + _CHUNK, _CHUNK), side="left") + 1
    cuts = np.unique(np.concatenate(([0], np.minimum(cuts, len(ends)), [len(ends)])))
    return list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))


def mixed(n_sets: int) -> np.ndarray:
    """A number for each set, uint64, no two alike (splitmix64)."""
    mix = np.arange(1, n_sets + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mix = (mix ^ (mix >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mix = (mix ^ (mix >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mix ^ (mix >> np.uint64(31))


def _hashes(offsets: np.ndarray, columns: np.ndarray, mix: np.ndarray) -> np.ndarray:
    """A hash of each list, uint64: the sum of the numbers of its sets."""
    out = np.empty(len(offsets) - 1, np.uint64)
    for i, j in _chunks(offsets[1:]) if len(out) else ():
        out[i:j] = np.add.reduceat(mix[columns[offsets[i] : offsets[j]]], offsets[i:j] - offsets[i])
    return out


def _global_order(offsets: np.ndarray, columns: np.ndarray, n_sets: int) -> tuple[np.ndarray, np.ndarray]:
    """Tokens in the global order, by the length of their lists and the lists' hashes, and which of them start a group:
    int64[t], bool[t]. Most tokens are of one set alone: they are ordered by it."""
    mix, frequency = mixed(n_sets), np.diff(offsets)
    alone, shared = np.flatnonzero(frequency == 1), np.flatnonzero(frequency > 1)
    rank = np.empty(n_sets, np.uint16 if n_sets <= 1 << 16 else np.uint32)  # of 16 bits are sorted by radix
    rank[np.argsort(mix)] = np.arange(n_sets)
    by_set = rank[columns[offsets[alone]]]
    sorted_ = np.argsort(by_set, kind="stable")
    order, by_set = alone[sorted_], by_set[sorted_]
    new = np.ones(len(order), bool)
    new[1:] = by_set[1:] != by_set[:-1]
    lengths = frequency[shared]
    hashes = _hashes(starts(lengths), gather(columns, offsets[shared], lengths), mix)
    others = _order_of_shared(offsets, columns, shared, lengths, hashes)
    return np.concatenate((order, others[0])), np.concatenate((new, others[1]))


def _order_of_shared(
    offsets: np.ndarray, columns: np.ndarray, tokens: np.ndarray, frequency: np.ndarray, hashes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The order of tokens of several sets, and which of them start a group."""
    sorted_ = np.lexsort((hashes, frequency))
    order, frequency, hashes = tokens[sorted_], frequency[sorted_], hashes[sorted_]
    alike = np.zeros(len(order), bool)  # frequency and hash are those of the token before
    alike[1:] = (frequency[1:] == frequency[:-1]) & (hashes[1:] == hashes[:-1])
    new = ~alike
    pairs = np.flatnonzero(alike)
    for other in pairs[~_equal(offsets, columns, order[pairs - 1], order[pairs])].tolist():
        if not new[other]:  # a collision: the run goes by the lists themselves
            start = int(np.flatnonzero(~alike[: other + 1])[-1])
            stop = int(np.flatnonzero(np.append(~alike[other:], True))[0]) + other
            lists = {int(t): columns[offsets[t] : offsets[t + 1]].tolist() for t in order[start:stop]}
            run = sorted(lists, key=lambda t: (lists[t], t))
            order[start:stop] = run
            new[start + 1 : stop] = [lists[a] != lists[b] for a, b in pairwise(run)]
    return order, new


def _equal(offsets: np.ndarray, columns: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Whether the lists of tokens a and b, pair by pair of one length, are the same: bool[len(a)]."""
    lengths = offsets[a + 1] - offsets[a]
    same = np.ones(len(a), bool)
    for i, j in _chunks(np.cumsum(lengths)) if len(a) else ():
        part = lengths[i:j]
        differ = gather(columns, offsets[a[i:j]], part) != gather(columns, offsets[b[i:j]], part)
        same[i:j] = ~np.logical_or.reduceat(differ, np.cumsum(part) - part)
    return same


def sets(
    offsets: np.ndarray, columns: np.ndarray, sizes: np.ndarray, n_sets: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The tokens after each posting in its set, and the sets as groups: `rests`, `set_offsets`, `set_groups`."""
    set_offsets = starts(np.bincount(columns, minlength=n_sets))
    compiled = kernels(len(columns) >> 4)
    if compiled:
        return compiled.write_sets(offsets, columns, sizes, set_offsets)  # type: ignore[no-any-return]
    by_set = np.argsort(columns, kind="stable")
    groups = np.repeat(np.arange(len(sizes), dtype=np.uint32), np.diff(offsets))[by_set]
    seen = np.cumsum(sizes[groups])  # tokens up to and with this group, over all sets
    ends = np.concatenate(([0], seen))[set_offsets[1:]]
    rests = np.empty(len(columns), np.uint32)
    rests[by_set] = np.repeat(ends, np.diff(set_offsets)) - seen
    return rests, set_offsets, groups
