"""The columns of a lake as a schema: which are keys, which tables belong together, which are copies of each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lakeview.evidence.key_names import KeyNames

LEAST_COPIED = 3  # columns that a table and its copy have in common
COPIED = 0.7  # share of its columns, of the wider one's, that a table has in common with its copy


@dataclass(frozen=True)
class KeyColumn:
    """A column as this question needs it.

    kind: its type, "integer", "text" or another (of measures and dates, which refer to nothing). bits: how much its
    values tell against chance, if they are text: log2 of one in how many columns of the lake holds each, summed.
    """

    table: str
    name: str
    rows: int
    nulls: int
    distinct: int
    kind: str
    bits: float = np.inf

    @property
    def refers(self) -> bool:
        return self.kind in ("integer", "text") and self.distinct > 0

    @property
    def unique(self) -> bool:
        return self.refers and self.nulls == 0 and self.distinct == self.rows > 1


class Inclusions(NamedTuple):
    """Columns that lie in others: source and target, their numbers, int64[p]; containment float64[p]."""

    source: np.ndarray = np.zeros(0, np.int64)
    target: np.ndarray = np.zeros(0, np.int64)
    containment: np.ndarray = np.zeros(0)

    def where(self, chosen: np.ndarray) -> Inclusions:
        return Inclusions(*(part[chosen] for part in self))


@dataclass
class Schema:
    """The columns of a lake, those of a table together and as they lie in it, the inclusions among them, and what their
    names and places say. Tables and folders go by numbers: `tables`, `folders`, int64[n], are those of each column."""

    columns: Sequence[KeyColumn]
    inclusions: Inclusions = field(default_factory=Inclusions)

    def __post_init__(self) -> None:
        self.unique = np.array([column.unique for column in self.columns], bool)
        self.distinct = np.array([column.distinct for column in self.columns], np.int64)
        self.bits = np.array([column.bits for column in self.columns], float)
        self.refers = np.array([column.refers for column in self.columns], bool)
        self.whole = np.array([column.kind == "integer" for column in self.columns], bool)
        unique = np.flatnonzero(self.unique).tolist()
        self.names = KeyNames([(column.table, column.name) for column in self.columns], unique)
        names = [column.table for column in self.columns]
        folder = folders(names)
        self.tables = np.unique(names, return_inverse=True)[1]
        self.folders = np.unique([folder[name] for name in names], return_inverse=True)[1]
        self.leftmost = np.ones(len(names), bool)
        self.leftmost[1:] = self.tables[1:] != self.tables[:-1]
        # Whole numbers that are not called a key, each once: the rows may just be numbered.
        self.numbered = np.array(
            [c.unique and c.kind == "integer" and not self.names.keyed(n) for n, c in enumerate(self.columns)], bool
        )
        called = {column.table for n, column in enumerate(self.columns) if not self.names.unnamed[n]}
        keys: dict[str, int] = {}
        for n in sorted(unique, key=self._as_key):
            # Row numbers are referred to by nobody, nor is what alone has no name.
            nameless = self.names.unnamed[n] and self.columns[n].table in called
            if self.names.keyed(n) or not (self.names.common(n) or nameless):
                keys.setdefault(self.columns[n].table, n)
        self.is_key = np.zeros(len(names), bool)  # whether the column is the one that others refer to
        self.is_key[list(keys.values())] = True

    def _as_key(self, number: int) -> tuple[bool, bool, bool, bool, int]:
        """First the id named after the table, then a bare id, a name after the table; then by place, as people put the
        key first, but after row numbers that are called alike in all tables."""
        names = self.names
        about = names.about_own(number) > 0
        bare = names.keyed(number) and not names.subjects[number]
        return not (about and names.keyed(number)), not bare, not about, names.common(number), number

    @cached_property
    def sizes(self) -> np.ndarray:
        """Columns in each folder: int64[folders]."""
        return np.bincount(self.folders)

    @cached_property
    def cohesion(self) -> np.ndarray:
        """Share of each folder's tables that a name links to a key of another: float64[folders]. What one export left
        together is linked so; data sets that were only collected are not."""
        folder = {int(table): int(folder) for table, folder in zip(self.tables, self.folders, strict=True)}
        linked = {table for pair in self._links() for table in pair}
        of = np.bincount(list(folder.values()), minlength=len(self.sizes))
        return np.bincount([folder[table] for table in linked], minlength=len(self.sizes)) / np.maximum(of, 1)

    def _links(self) -> Iterator[tuple[int, int]]:
        """Pairs of tables in one folder: a column of the first has the name of a unique one of the second, or is
        called after it."""
        names, keys = self.names, dict[tuple[int, frozenset[str]], set[int]]()
        for n in np.flatnonzero(self.unique).tolist():
            if not names.common(n) and names.subjects[n]:
                keys.setdefault((int(self.folders[n]), names.names[n]), set()).add(int(self.tables[n]))
        for n in np.flatnonzero(self.is_key).tolist():
            keys.setdefault((int(self.folders[n]), names.head(n)), set()).add(int(self.tables[n]))
        for n, (table, folder) in enumerate(zip(self.tables.tolist(), self.folders.tolist(), strict=True)):
            if names.unnamed[n] or not names.subjects[n]:
                continue
            called = [names.names[n]] + ([frozenset({word}) for word in names.subjects[n]] if names.keyed(n) else [])
            for name in called:
                yield from ((table, other) for other in keys.get((folder, name), ()) if other != table)

    @cached_property
    def width(self) -> np.ndarray:
        """Columns of each table: int64[tables]."""
        return np.bincount(self.tables)

    @cached_property
    def copies(self) -> np.ndarray:
        """Pairs of tables alike in nearly all columns, by name, of which the second holds those of the first: copies of
        each other, or parts of one table, which refer to each other by accident. As numbers, ascending (`pairs_of`)."""
        source, target, _ = self.inclusions
        alike = self.names.alike[source] == self.names.alike[target]
        alike &= self.tables[source] != self.tables[target]
        source, target = source[alike], self.tables[target[alike]]
        held = np.unique(source.astype(np.int64) * len(self.width) + target)  # of each column the tables that hold it
        source, target = np.divmod(held, len(self.width))
        pairs, shared = np.unique(self.pairs_of(self.tables[source], target), return_counts=True)
        widest = self.width[np.stack(np.divmod(pairs, len(self.width)))].max(axis=0)
        return np.asarray(pairs[shared >= np.maximum(LEAST_COPIED, COPIED * widest)])

    def pairs_of(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """A number for each pair of tables: int64[p]."""
        return np.asarray(first.astype(np.int64) * len(self.width) + second)

    def copied(self, sources: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """Whether the tables of pairs of columns are such copies: bool[p]."""
        return np.isin(self.pairs_of(self.tables[sources], self.tables[targets]), self.copies)


def folders(tables: Sequence[str]) -> dict[str, str]:
    """The folder of each table, as far up as it has company: tables that belong together lie together."""
    folder = {table: table for table in tables}
    open_ = set(tables)
    while open_:
        for table in open_:
            folder[table] = folder[table].rpartition("/")[0]
        members = Counter(folder.values())
        open_ = {table for table in open_ if folder[table] and members[folder[table]] == 1}
    return folder
