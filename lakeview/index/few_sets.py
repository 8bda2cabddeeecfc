"""Inverting few large sets, such as the columns of one table, in one pass of merging.

The list of a token is a mask then, a bit a set, of which there are few kinds: no list is written but one of each kind,
and only kinds are put in order. The result is that of `groups.invert` and `groups.group`, bit for bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lakeview.index import merging
from lakeview.index.groups import Groups, mixed, sets, starts
from lakeview.index.rooms import InMemory, MakeRoom, Room

MOST = 64  # sets
_KINDS = 1 << 14  # of lists, at most
_SLICE = 1 << 20  # postings that are merged at a time


def invert(
    set_offsets: np.ndarray, set_tokens: np.ndarray, room: MakeRoom = InMemory
) -> tuple[np.ndarray, np.ndarray, Groups] | None:
    """The distinct tokens, the place of each posting's token among them (uint32) and the duplicate groups; None where
    that is left to `groups`: of small sets, of many, or of lists of too many kinds. room: for "tokens", "ids" and
    "groups"."""
    n = len(set_offsets) - 1
    compiled = merging.kernels(len(set_tokens)) if n <= MOST else None
    return _inverted(set_offsets, set_tokens, n, compiled, room) if compiled else None


def _inverted(
    set_offsets: np.ndarray, set_tokens: np.ndarray, n: int, compiled: Any, room: MakeRoom
) -> tuple[np.ndarray, np.ndarray, Groups] | None:
    bounds, most = set_offsets.tolist(), len(set_tokens)
    slices = -(-most // _SLICE)
    of_set = [np.asarray(set_tokens[bounds[i] : bounds[i + 1]]) for i in range(n)]
    cuts = merging.cuts(of_set, slices)
    held, numbers = np.zeros(1 << 16, np.uint64), np.zeros(1 << 16, np.int64)
    found, kinds, known = np.zeros(_KINDS, np.uint64), 0, 0
    all_tokens, all_ids = room("tokens", most, np.uint64), room("ids", most, np.uint32)
    kind_of, sizes = np.empty(most, np.uint16), np.zeros(_KINDS, np.int64)
    for s in range(slices):
        some = [of[cut[s] : cut[s + 1]] for of, cut in zip(of_set, cuts, strict=True)]
        bits = [np.full(len(of), np.uint64(1) << np.uint64(i), np.uint64) for i, of in enumerate(some)]
        tokens, masks = merging.pairwise([(t, m) for t, m in zip(some, bits, strict=True) if len(t)], compiled)
        kind = kind_of[known : known + len(tokens)]
        kinds = compiled.numbered(masks.astype(np.uint64, copy=False), held, numbers, found, kinds, kind)
        if kinds < 0:
            return None
        sizes += np.bincount(kind, minlength=_KINDS)
        all_tokens.put(known, tokens)
        for i, of in enumerate(some):
            ids = np.empty(len(of), np.uint32)
            compiled.places(tokens, known, of, ids)
            all_ids.put(bounds[i] + cuts[i][s], ids)
        known += len(tokens)
    groups = _groups(found[:kinds].tolist(), sizes, kind_of[:known], n, room("groups", known, np.uint32))
    return all_tokens.whole(known), all_ids.whole(most), groups


def _groups(masks: list[int], sizes: np.ndarray, kind: np.ndarray, n: int, of_token: Room) -> Groups:
    """The groups of kinds of lists, in the global order. sizes: tokens of each kind; kind: of each token."""
    mix = mixed(n).tolist()
    lists = [[i for i in range(n) if mask >> i & 1] for mask in masks]
    hashes = [sum(mix[i] for i in of) % (1 << 64) for of in lists]
    order = sorted(range(len(lists)), key=lambda k: (len(lists[k]), hashes[k], lists[k]))
    rank = np.empty(len(lists), np.uint32)
    rank[order] = np.arange(len(lists), dtype=np.uint32)
    offsets = starts(np.array([len(lists[k]) for k in order], np.int64))
    columns = np.array([i for k in order for i in lists[k]], np.uint32)
    for start in range(0, len(kind), _SLICE):
        of_token.put(start, rank[kind[start : start + _SLICE]])
    sizes = sizes[order]
    return Groups(of_token.whole(len(kind)), sizes, offsets, columns, *sets(offsets, columns, sizes, n))
