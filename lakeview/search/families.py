"""Families: what a person takes for one table in several pieces, or for copies of one list, is one hit.

Columns are of one family where they have one name, are keys or no keys, and joining with either brings the same:
- Siblings, the years or states of one table. The tables' names are alike but for digits, and nearly all of their
  columns are; or they are alike but for digits and one word, and all of their columns. Of the file's own name a word of
  three letters is left (a folder of nothing but equal columns needs no names: it is the table). Most columns hold
  things of one kind: text, or numbers of one magnitude. gdp_by_country and population_by_country have one name up to a
  word and equal columns, and are no siblings. One column's name says too little.
- Copies, whatever the tables are called: nearly all of their columns have nearly the same values, and enough of them.
  Equal keys alone make no copies: fifty states with a murder rate are another join than with an income. Tables of
  nothing but the column bring the same, however it is called.

Everything is compared with the first of a family, so that no chain of likenesses joins what is unlike. Siblings are
told from names and numbers of the index once a snapshot; copies, whose values are looked at, among hits alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from lakeview.catalog.naming import without_extension
from lakeview.evidence.names import unnamed, words_in_order
from lakeview.store.snapshot import Snapshot

NEAR = 0.8  # share of the wider table's columns that a sibling or a copy has
OF_A_KIND = 2 / 3  # share of these that hold things of one kind
MAGNITUDE = 10.0  # times that one's largest number may be the other's
SAME = 0.9  # Jaccard similarity of values that are nearly the same
TELLING = 16  # values that copies have in common: fewer are equal in lists of different things
SAMPLE = 256  # least tokens of a column, which stand for all (bottom-k: Cohen & Kaplan 2007)
LOOKED_AT = 32  # tables of another shape that one is compared with
SAYS = 3  # letters of a word that says what a table is of
PIECES = 3  # tables with equal columns that make a folder one table


class Families:
    """Those of one snapshot. siblings: int64[n], columns of one sibling family have one number; first: of each table
    that is a sibling of an earlier one, the first of them."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        tables = snapshot.by_table
        self._named = {t: {name.casefold(): n for name, n in columns.items()} for t, columns in tables.items()}
        self._shapes = {table: frozenset(named) for table, named in self._named.items()}
        self._copied: dict[tuple[str, str], bool] = {}
        self._alone = np.zeros(len(snapshot), bool)  # columns beside which their tables hold nothing, or row numbers
        for columns in tables.values():
            if len(columns) <= 2:
                others = [n for name, n in columns.items() if not unnamed(name)]
                self._alone[others] = len(others) == 1
        self._width = np.zeros(len(snapshot), np.int64)  # columns of each column's table
        for columns in tables.values():
            self._width[list(columns.values())] = len(columns)
        self.first = self._firsts()
        self.siblings = self._siblings()

    def pieces(self, numbers: np.ndarray) -> np.ndarray:
        """Columns, best first, by siblings: of each the place of the best of its family, int64[m]."""
        best = np.zeros(len(self.siblings), np.int64)
        of = self.siblings[numbers]
        best[of[::-1]] = np.arange(len(numbers))[::-1]  # of places that are written to twice the last one stays
        return best[of]

    def with_copies(self, numbers: np.ndarray, leader: np.ndarray, heads: np.ndarray, joined: np.ndarray) -> np.ndarray:
        """The leaders, as of `pieces`, once copies have joined the first of them. heads: the leaders, best first;
        joined: bool, of which of them copies are looked for."""
        s, of_heads = self._snapshot, numbers[heads]
        sort = np.where(self._alone[of_heads], -1, s.schema.names.alike[s.places[of_heads]])
        distinct, width = s.distinct[of_heads], self._width[of_heads]
        open_ = (distinct > 0) & (np.bincount(sort + 1)[sort + 1] > 1)
        for at in np.flatnonzero(open_ & joined).tolist():
            if not open_[at]:
                continue
            open_[at] = False
            near = np.flatnonzero(open_ & (sort == sort[at]))
            near = near[_nearly(distinct[near], distinct[at], SAME) & _nearly(width[near], width[at], NEAR)]
            found = [n for n in near.tolist() if self._copies(int(of_heads[at]), int(of_heads[n]))]
            if found:
                open_[found] = False
                leader = np.where(np.isin(leader, heads[found]), heads[at], leader)
        return leader

    def are_one(self, some: Sequence[int], others: Sequence[int]) -> bool:
        """Whether columns of one table are, one by one, of one family with those of another."""
        pairs = list(zip(some, others, strict=True))
        siblings = all(self.siblings[a] == self.siblings[b] for a, b in pairs)
        return siblings or all(self._copies(a, b) for a, b in pairs)

    def _copies(self, a: int, b: int) -> bool:
        """Whether the tables of two columns are copies of each other, these columns among what they share."""
        s = self._snapshot
        pair = s.tables[a], s.tables[b]
        if pair[0] == pair[1]:
            return False
        if self._alone[a] and self._alone[b]:
            return int(s.distinct[a]) >= TELLING and self._same_values(a, b)
        if pair not in self._copied:
            self._copied[pair] = self._near(*pair) and self._nearly_equal(*pair)
        return self._copied[pair] and self._same_values(a, b)

    def _nearly_equal(self, a: str, b: str) -> bool:
        mine, theirs = self._named[a], self._named[b]
        needed = NEAR * max(len(mine), len(theirs))
        s = self._snapshot
        shared = [(mine[name], theirs[name]) for name in mine if name in theirs]
        near = [(x, y) for x, y in shared if _nearly(s.distinct[x], s.distinct[y], SAME)]
        if len(near) < needed or sum(int(s.distinct[x]) for x, _ in near) < TELLING:
            return False
        missed = 0
        for x, y in near:
            missed += not self._same_values(x, y)
            if len(near) - missed < needed:
                return False
        return True

    def _same_values(self, a: int, b: int) -> bool:
        s = self._snapshot
        if s.sketched[a] or s.sketched[b]:
            return bool((s.sketch_of(a).minima == s.sketch_of(b).minima).mean() >= SAME)
        mine, theirs = (s.tokens_of(n)[0][:SAMPLE] for n in (a, b))
        union = np.union1d(mine, theirs)[:SAMPLE]
        shared = np.isin(union, mine, assume_unique=True) & np.isin(union, theirs, assume_unique=True)
        return not len(union) or bool(shared.mean() >= SAME)

    # ---- siblings ------------------------------------------------------------------------------------------------

    def _firsts(self) -> dict[str, str]:
        of: dict[str, str] = {}
        shaped: dict[tuple[object, ...], str] = {}  # by names, and columns
        looked_at: dict[tuple[str, ...], list[str]] = {}
        whole = self._folders_in_pieces()
        for table, columns in self._snapshot.by_table.items():
            if len(columns) < 2:
                continue
            keys = list(_keys(table, table.rpartition("/")[0] in whole))
            first = next((f for f in self._candidates(table, keys, shaped, looked_at) if self._of_a_kind(f, table)), "")
            if first:
                of[table] = first
                continue
            looked_at.setdefault(keys[0], []).append(table)
            for key in keys:
                shaped.setdefault((*key, self._shapes[table]), table)
        return of

    def _siblings(self) -> np.ndarray:
        found, key_like = np.arange(len(self._snapshot)), self._snapshot.key_like
        numbers: dict[tuple[str, str, bool], int] = {}
        for table in {*self.first, *self.first.values()}:
            for column, n in self._named[table].items():
                found[n] = numbers.setdefault((self.first.get(table, table), column, bool(key_like[n])), n)
        return found

    def _candidates(
        self, table: str, keys: list[tuple[str, ...]], shaped: dict, looked_at: dict[tuple[str, ...], list[str]]
    ) -> Iterator[str]:
        """First tables of families that this one may be of: of its very columns, then of nearly the same."""
        for key in keys:
            if (key_shape := (*key, self._shapes[table])) in shaped:
                yield shaped[key_shape]
        yield from (first for first in looked_at.get(keys[0], ())[:LOOKED_AT] if self._near(first, table))

    def _near(self, a: str, b: str) -> bool:
        """Whether two tables have nearly the same columns."""
        mine, theirs = self._shapes[a], self._shapes[b]
        most = max(len(mine), len(theirs))
        return mine == theirs or (min(len(mine), len(theirs)) >= NEAR * most and len(mine & theirs) >= NEAR * most)

    def _of_a_kind(self, a: str, b: str) -> bool:
        """Whether most of the columns that two tables share hold things of one kind."""
        mine, theirs = self._named[a], self._named[b]
        shared = [(mine[name], theirs[name]) for name in mine if name in theirs]
        return sum(self._alike(x, y) for x, y in shared) >= OF_A_KIND * len(shared)

    def _alike(self, a: int, b: int) -> bool:
        s = self._snapshot
        if not s.distinct[a] or not s.distinct[b]:
            return True
        values, numbers = s.array("values"), s.array("numbers")
        numeric = [bool(values[n]) and numbers[n] == values[n] for n in (a, b)]
        if not all(numeric):
            return not any(numeric)
        low, high = s.array("low"), s.array("high")
        most = [max(abs(float(low[n])), abs(float(high[n])), 1.0) for n in (a, b)]
        return max(most) <= MAGNITUDE * min(most)

    def _folders_in_pieces(self) -> set[str]:
        """Folders whose tables all have the same columns."""
        held: dict[str, list[frozenset[str]]] = {}
        for table, shape in self._shapes.items():
            held.setdefault(table.rpartition("/")[0], []).append(shape)
        return {folder for folder, shapes in held.items() if len(shapes) >= PIECES and len({*shapes}) == 1}


def _nearly(sizes: np.ndarray, size: int, share: float) -> np.ndarray:
    """Whether sets of these sizes may have such a share in common with one of that."""
    return (sizes >= share * size) & (size >= share * sizes)


def _keys(table: str, in_pieces: bool) -> Iterator[tuple[str, ...]]:
    """What tables of like names have in common: first the words of folders and name without digits, then these without
    one of them. in_pieces: the folder's tables are alike in their columns, so their own names do not matter."""
    folder, _, name = (without_extension(table) or [table])[-1].rpartition("/")
    above = [word for word in words_in_order(folder) if not word.isdigit()]
    own = [word for word in words_in_order(name) if not word.isdigit()]
    yield (*above, "/", *own)
    if in_pieces:
        yield (folder, "/*")
    for place in range(len(above)):
        yield (*above[:place], *above[place + 1 :], "/", *own)
    for place in range(len(own)):
        left = own[:place] + own[place + 1 :]
        if any(len(word) >= SAYS for word in left):
            yield (*above, "/", *left)


_known: WeakKeyDictionary[Snapshot, Families] = WeakKeyDictionary()


def families(snapshot: Snapshot) -> Families:
    """Those of a snapshot, made when they are first asked for."""
    if snapshot not in _known:
        _known[snapshot] = Families(snapshot)
    return _known[snapshot]
