"""More rows: tables of the lake that could be stacked under a frame, as they are of one kind of thing.

Columns of both are assigned one to one, so that what agrees most goes together (Kuhn 1955): by names, types, values,
and the order of size where these are numbers. A table is of the frame's kind as far as what both have is all that
either has, each column weighed by how few tables have one so called (a weighted Jaccard similarity; cf. Nargesian et
al., Table Union Search on Open Data, PVLDB 2018). Two tables whose keys do not go together list other things: matches
and the goals in them share most of their columns. Families of tables (`families`) are one answer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from lakeview.evidence.names import unnamed, words_in_order
from lakeview.search.families import families
from lakeview.search.query import Query
from lakeview.store.snapshot import Snapshot

LIKELY = 80  # tables whose columns are assigned
SAME = 0.5  # agreement of two columns from which they are one
SURE = 0.45  # score from which a table is of the frame's kind
NAMED = 0.6  # what equal names say of two columns, where their values say nothing
ALIKE = 0.72  # likeness of names that are spelled otherwise, from which they may mean the same
APART = 0.4  # what is left of an agreement where one column tells rows apart and the other repeats
UNIQUE, REPEATED = 0.98, 0.6  # distinct values by rows
OTHER_KEY = 0.5  # what is left of a score where keys are not of one name
FEW = 2  # values that any flag has
DRIFTED = 0.8  # agreement that columns of other names reach at most

_KINDS = {"integer": 1, "number": 1, "date": 2, "timestamp": 2, "boolean": 3, "empty": 0}
_TEXT = 4


@dataclass(frozen=True)
class Pair:
    """A column of the frame and one of a table that go together: its number, and how far both agree, 0 to 1."""

    label: Hashable
    number: int
    agreement: float


@dataclass(frozen=True)
class Union:
    """A table that could be stacked: pairs, in the frame's order; score, 0 to 1; held: the share of the frame's values
    that it has, on average of the pairs, 0 to 1."""

    table: str
    pairs: tuple[Pair, ...]
    score: float
    held: float

    @property
    def rank(self) -> tuple[float, float, str]:
        """By score; of those that score alike (many reach 1) the one that has more of the frame's values is first."""
        return -round(self.score, 2), -self.held, self.table


class Columns:
    """The columns of a snapshot as this question needs them, in the order of their tables."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.tables = [table for table, columns in snapshot.by_table.items() if columns]
        listed = [list(snapshot.by_table[table].values()) for table in self.tables]
        self.numbers = np.array([n for numbers in listed for n in numbers], np.int64)
        self.starts = np.cumsum([0, *map(len, listed)])
        names = [called(snapshot.names[n]) for n in self.numbers.tolist()]
        known = {name: place for place, name in enumerate(dict.fromkeys(names))}
        self.names, self.name = list(known), np.array([known[name] for name in names], np.int64)
        held = np.bincount(self.name, minlength=len(self.names))
        self.weight = np.log1p(len(self.tables) / np.maximum(held, 1))[self.name]
        self.kind = np.array([_KINDS.get(_type(snapshot, n), _TEXT) for n in self.numbers.tolist()], np.int64)
        self.distinct = snapshot.distinct[self.numbers]
        rows = np.maximum(snapshot.rows[self.numbers] - snapshot.nulls[self.numbers], 1)
        self.share = self.distinct / rows
        first, places = families(snapshot).first, {table: place for place, table in enumerate(self.tables)}
        self.first = np.array([places[first.get(table, table)] for table in self.tables], np.int64)  # of their families
        pieces = [(first.get(table, table), frozenset(snapshot.by_table[table])) for table in self.tables]
        numbered = {piece: number for number, piece in enumerate(pieces)}
        self.piece = np.array([numbered[piece] for piece in pieces], np.int64)  # one of a family with equal columns
        self.low, self.high = snapshot.array("low")[self.numbers], snapshot.array("high")[self.numbers]


def called(name: str) -> str:
    """A column's name by its words; one without a name has none."""
    return "" if unnamed(name) else " ".join(words_in_order(name)) or name.casefold()


def _type(snapshot: Snapshot, number: int) -> str:
    whole = {"values": 0, "integers": 0, "numbers": 0, "dates": 0, "timestamps": 0}
    found = {name: int(snapshot.array(name)[number]) for name in whole}
    if not found["values"]:
        return "empty"
    if found["numbers"] == found["values"]:
        return "number"
    if found["dates"] + found["timestamps"] == found["values"]:
        return "date"
    return snapshot.types[number] if snapshot.types[number] in _KINDS else "text"


_known: WeakKeyDictionary[Snapshot, Columns] = WeakKeyDictionary()


def columns_of(snapshot: Snapshot) -> Columns:
    """Those of a snapshot, made when they are first asked for."""
    if snapshot not in _known:
        _known[snapshot] = Columns(snapshot)
    return _known[snapshot]


def unions(asked: Sequence[tuple[Hashable, Query]], snapshot: Snapshot, hidden: np.ndarray) -> list[list[Union]]:
    """The tables that could be stacked under a frame: by families, the families by their best. One that is sure brings
    those of its family that have its very columns. asked: the frame's columns; hidden: bool[n], columns that are in no
    table."""
    columns = columns_of(snapshot)
    if not asked or not len(columns.numbers):
        return []
    shared = np.stack([snapshot.held(query.tokens)[columns.numbers] for _, query in asked])
    agreement = np.stack([_agreement(query, columns, own) for (_, query), own in zip(asked, shared, strict=True)])
    agreement[:, hidden[columns.numbers]] = 0.0
    held = shared / np.array([[max(len(query.tokens), 1)] for _, query in asked])
    weight = _weights(asked, columns)
    best = np.maximum.reduceat(agreement, columns.starts[:-1], axis=1)
    promise = (weight[:, None] * np.where(best >= SAME, best, 0.0)).sum(axis=0)
    order = np.lexsort((np.arange(len(promise)), -promise))[:LIKELY]
    found = {place: _assigned(asked, columns, agreement, held, weight, place) for place in order.tolist()}
    sure = {place for place, one in found.items() if one is not None and one.score >= SURE}
    with_it = np.isin(columns.piece, columns.piece[list(sure)]) & (promise > 0)
    groups = defaultdict[int, list[Union]](list)
    for place in sorted({*sure, *np.flatnonzero(with_it).tolist()}):
        one = found[place] if place in found else _assigned(asked, columns, agreement, held, weight, place)
        if one is not None:
            groups[int(columns.first[place])].append(one)
    ranked = [sorted(family, key=lambda one: one.rank) for family in groups.values()]
    return sorted(ranked, key=lambda family: family[0].rank)


def _weights(asked: Sequence[tuple[Hashable, Query]], columns: Columns) -> np.ndarray:
    """What each column of the frame tells: as one so called in the lake, else as the rarest."""
    known = {name: place for place, name in enumerate(columns.names)}
    held = np.bincount(columns.name, minlength=len(columns.names))
    counts = [held[known[name]] if (name := called(str(label))) in known else 1 for label, _ in asked]
    return np.asarray(np.log1p(len(columns.tables) / np.array(counts, float)))


def _assigned(
    asked: Sequence[tuple[Hashable, Query]],
    columns: Columns,
    agreement: np.ndarray,
    held: np.ndarray,
    weight: np.ndarray,
    place: int,
) -> Union | None:
    from scipy.optimize import linear_sum_assignment

    start, stop = int(columns.starts[place]), int(columns.starts[place + 1])
    here = agreement[:, start:stop]
    rows, others = linear_sum_assignment(here, maximize=True)
    kept = [(i, j) for i, j in zip(rows.tolist(), others.tolist(), strict=True) if here[i, j] >= SAME]
    if not kept:
        return None
    both = np.array([(weight[i] + columns.weight[start + j]) / 2 for i, j in kept])
    agreed = float((both * [here[i, j] for i, j in kept]).sum())
    of_all = float(weight.sum() + columns.weight[start:stop].sum() - both.sum())
    score = agreed / of_all if of_all else 0.0
    pairs = tuple(Pair(asked[i][0], int(columns.numbers[start + j]), float(here[i, j])) for i, j in kept)
    if not _one_key(asked, columns, kept, place):
        score *= OTHER_KEY
    known = float(np.mean([held[i, start + j] for i, j in kept]))
    return Union(columns.tables[place], pairs, min(score, 1.0), known)


def _one_key(
    asked: Sequence[tuple[Hashable, Query]],
    columns: Columns,
    kept: Sequence[tuple[int, int]],
    place: int,
) -> bool:
    """Whether the first column of the frame, where it tells its rows apart, goes with one of the table that does; and
    the other way round. A table in which no column does so says nothing of what it lists."""
    start, stop = int(columns.starts[place]), int(columns.starts[place + 1])
    mine = next((i for i, (_, query) in enumerate(asked) if _tells_apart(query)), None)
    keys = [j for j in range(stop - start) if columns.share[start + j] >= UNIQUE and columns.kind[start + j] == _TEXT]
    theirs = keys[0] if keys else None
    matched = dict(kept)
    if mine is None or theirs is None:
        return True
    return mine in matched and theirs in matched.values()


def _tells_apart(query: Query) -> bool:
    return (
        query.shape.type == "text" and query.distinct >= UNIQUE * max(query.rows - query.nulls, 1) and query.rows > FEW
    )


def _agreement(query: Query, columns: Columns, shared: np.ndarray) -> np.ndarray:
    """How far a column of the frame agrees with each of the lake, 0 to 1: float64[n]. shared: int64[n], values that
    both have."""
    kind = _kind(query)
    compatible = (columns.kind == kind) | (columns.kind == 0) | (kind == 0)
    name = _names(query.column, columns)
    values = _values(query, columns, kind, shared)
    named = NAMED + (1 - NAMED) * values
    telling = (values >= SAME) & (kind == _TEXT) & (min(query.distinct, 1 << 30) > FEW) & (columns.distinct > FEW)
    drifted = np.where(name >= ALIKE, np.minimum(0.75 * name + 0.25 * values, DRIFTED), 0.0)
    other = np.where(telling, DRIFTED * values, 0.0)
    found = np.where(name >= 1.0, named, np.maximum(drifted, other))
    share = query.distinct / max(query.rows - query.nulls, 1)
    apart = ((share >= UNIQUE) & (columns.share <= REPEATED)) | ((share <= REPEATED) & (columns.share >= UNIQUE))
    few_rows = max(query.rows, 1) <= 20  # some rows never repeat
    found = np.where(apart & ~few_rows & (kind == _TEXT), APART * found, found)
    far = (kind == 1) & (columns.kind == 1) & (values == 0.0)
    return np.asarray(np.where(compatible, np.where(far, APART * found, found), 0.0))


def _kind(query: Query) -> int:
    shape = query.shape
    if not shape.values:
        return 0
    if shape.numbers == shape.values:
        return 1
    if shape.dates + shape.timestamps == shape.values:
        return 2
    return _KINDS.get(shape.type, _TEXT)


def _names(column: str, columns: Columns) -> np.ndarray:
    """How alike the names are: 1 of the same words, float64[n]."""
    from rapidfuzz import fuzz, process

    name = called(column)
    if not name:
        return np.zeros(len(columns.numbers))
    likeness = process.cdist([name], columns.names, scorer=fuzz.ratio)[0] / 100.0
    own = set(name.split())
    for place in np.flatnonzero(likeness < 1.0).tolist():
        other = set(columns.names[place].split())
        if other and own & other and (own <= other or other <= own):
            likeness[place] = max(likeness[place], ALIKE + 0.2 * len(own & other) / len(own | other))
        if columns.names[place].replace(" ", "") == name.replace(" ", ""):
            likeness[place] = 1.0
    likeness[[place for place, other in enumerate(columns.names) if not other]] = 0.0
    return np.asarray(likeness[columns.name])


def _values(query: Query, columns: Columns, kind: int, shared: np.ndarray) -> np.ndarray:
    """How far the values are of one sort, 0 to 1: of numbers by their order of size, else by what is shared of the
    smaller side."""
    if kind == 1:
        low, high = query.shape.low, query.shape.high
        most = np.maximum(np.maximum(np.abs(columns.low), np.abs(columns.high)), 1.0)
        own = max(abs(low), abs(high), 1.0)
        size = np.minimum(most, own) / np.maximum(most, own)
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            common = np.minimum(columns.high, high) - np.maximum(columns.low, low)
            width = np.minimum(columns.high - columns.low, high - low)
            within = np.where(width > 0, np.clip(common / width, 0.0, 1.0), (common >= 0) * 1.0)
        return np.where(np.isfinite(most), np.where(size >= 0.1, np.maximum(within, size), 0.0), 0.0)
    least = np.maximum(np.minimum(columns.distinct, len(query.tokens)), 1)
    return np.minimum(shared / least, 1.0)
