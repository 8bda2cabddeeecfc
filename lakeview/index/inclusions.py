"""Which columns lie in which others: all of them in one pass over the posting lists.

As SPIDER (Bauckmann et al., ICDE 2007) and BINDER (Papenbrock et al., PVLDB 2015) do, every value is looked at with all
the columns that hold it. Not all of a column's values need be held, so its candidates are those that hold one of its
rarest: what misses at most m of its tokens holds one of any m + 1 (the prefix filter of set similarity joins, Chaudhuri
et al., ICDE 2006). Lists are those of JOSIE's duplicate groups, whose tokens count together. A candidate that is too
small, or of which neither uniqueness nor names nor places make anything (`Wanted`), is never looked into.

The sets of an index may lie in another one: its groups are then looked up there, so that an index cut into parts
answers by pairs of parts, and what is told of a pair of columns is told by one of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from lakeview.index import dictionary, inclusion_kernels
from lakeview.index.postings import Postings

ROOM = 1 << 20  # pairs that are found before they are handed on
Pairs = tuple[np.ndarray, np.ndarray, np.ndarray]  # source, target: int32; overlap: int64


class Wanted(NamedTuple):
    """Which pairs of columns are looked for, by what is known of them before their values are. Arrays over the columns:

    sizes          int64, distinct values
    tables, folders, alike  int64, by numbers; alike: the same for columns of one name
    says, called   uint64[n, 2], what a column's name says, and what a column is called, its table included, as two sets
                   of bits, which both meet where a name speaks of a column
    unique         bool, columns that others may refer to: those whose names say it, and silent ones of their folder
    silent         bool
    part           bool, columns that may be part of a key that others refer to: keyed ones whose names say it
    keyed          bool
    mate_offsets, mates  int64, the tables that may be copies of table t are mates[mate_offsets[t]:mate_offsets[t + 1]];
                   their columns of one name are wanted, whatever they are
    """

    sizes: np.ndarray
    tables: np.ndarray
    folders: np.ndarray
    alike: np.ndarray
    says: np.ndarray
    called: np.ndarray
    unique: np.ndarray
    silent: np.ndarray
    part: np.ndarray
    keyed: np.ndarray
    mate_offsets: np.ndarray
    mates: np.ndarray

    def of(self, i: int, among: np.ndarray) -> np.ndarray:
        """Which of some columns, by number, column i is wanted in: bool[m]."""
        table, others = int(self.tables[i]), self.tables[among] != self.tables[i]
        named = ((self.says[i] & self.called[among]) != 0).all(axis=1)
        near = self.silent[i] & (self.folders[among] == self.folders[i])
        mates = np.isin(self.tables[among], self.mates[self.mate_offsets[table] : self.mate_offsets[table + 1]])
        in_key = named & self.part[among] & self.keyed[i]
        of_copy = mates & (self.alike[among] == self.alike[i])
        return np.asarray(((self.unique[among] & (named | near)) | (others & (in_key | of_copy))) & (among != i))


class Part(NamedTuple):
    """An inverted index, as `Postings` has it, and the places of its columns in `Wanted`, -1 for those left out."""

    tokens: np.ndarray
    directory: np.ndarray
    groups: np.ndarray
    offsets: np.ndarray
    columns: np.ndarray
    set_offsets: np.ndarray
    set_groups: np.ndarray
    places: np.ndarray

    @classmethod
    def of(cls, postings: Postings, places: np.ndarray) -> Part:
        fields = {name: getattr(postings, name) for name in cls._fields[:-1]}
        return cls(**fields, places=np.asarray(places, np.int64))


def all_pairs(parts: Iterable[Part], wanted: Wanted, needed: np.ndarray) -> Iterator[Pairs]:
    """The wanted pairs of columns of which the second holds `needed` of the first's tokens, int64[n], at least 1."""
    parts = list(parts)
    for held in parts:
        for asked in parts:
            yield from pairs(asked, held, wanted, needed)


def pairs(asked: Part, held: Part, wanted: Wanted, needed: np.ndarray) -> Iterator[Pairs]:
    """Those of which the first is in one index and the second in another, or the same."""
    columns = np.flatnonzero((asked.places >= 0) & (np.diff(asked.set_offsets) > 0))
    mates = np.full(len(wanted.mate_offsets) - 1, -1)
    across = _across(asked, held)
    done, room = 0, max(ROOM, len(held.places))
    while done < len(columns):
        done, *found = inclusion_kernels.include(done, room, columns, asked, held, across, wanted, needed, mates)
        if len(found[0]):
            yield tuple(part.copy() for part in found)  # type: ignore[misc]


def frequencies(part: Part, others: Iterable[Part]) -> np.ndarray:
    """How many columns of some indexes hold each token of one of them: int64[t]."""
    total = np.zeros(len(part.tokens), np.int64)
    for other in others:
        if len(other.offsets) > 1:
            found = _found(part, other)
            total += np.where(found >= 0, np.diff(other.offsets)[found], 0)
    return total


def summed(part: Part, weights: np.ndarray) -> np.ndarray:
    """Sums over each column's tokens of the tokens' weights, float64[t] to float64[n]."""
    of_groups = np.bincount(part.groups, weights, len(part.offsets) - 1)[part.set_groups]
    sums = np.concatenate([[0.0], np.cumsum(of_groups)])
    return np.asarray(sums[part.set_offsets[1:]] - sums[part.set_offsets[:-1]])


def _found(asked: Part, held: Part) -> np.ndarray:
    """The group of each token in another index, -1 where it is unknown there: int64[t]."""
    if asked.tokens is held.tokens:
        return asked.groups.astype(np.int64)
    return dictionary.find(held.tokens, held.directory, held.groups, asked.tokens)


def _across(asked: Part, held: Part) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each group of the first index the groups of the second that have tokens of it, and how many: offsets
    int64[g + 1], groups int64, weights int64."""
    n = len(asked.offsets) - 1
    if asked.tokens is held.tokens:
        return np.arange(n + 1), np.arange(n), np.bincount(asked.groups, minlength=n)
    found = _found(asked, held)
    known = found >= 0
    both, weights = np.unique(
        asked.groups[known].astype(np.int64) * len(held.offsets) + found[known], return_counts=True
    )
    mine, theirs = np.divmod(both, len(held.offsets))
    return np.searchsorted(mine, np.arange(n + 1)), theirs, weights
