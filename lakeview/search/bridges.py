"""Bridges: where a column shares no values with one of use, a table of the lake that holds both kinds maps them.

The query's values are looked for in the lake, and those of the target: a table that has most of both, in two columns of
which the one is nearly a function of the other, is a map. Without a target every other column of the maps is looked
for in the keys of the lake. Two maps in a row are tried where one does not reach a given target.

What chance could meet makes no bridge: a hop needs values that tell by themselves (`Evidence.tells`), by the search's
own evidence, and be no time, flag or category. Short codes and numbers that a column would hold by chance have to be
there as nearly all of a list's own kind are: no other column may hold more of them. A bridge is worth the share of the
query that gets across, times how far the map is a function, and one to one, times what speaks for each hop.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa

from lakeview import values
from lakeview.errors import LakeviewError
from lakeview.evidence import evidence
from lakeview.join.lookup import Pairs
from lakeview.join.side import Side
from lakeview.search import approximate, roles, scoring
from lakeview.search.query import Query
from lakeview.store.shapes import shape_of
from lakeview.store.snapshot import Snapshot
from lakeview.values import Normalize

FUNCTIONAL = 0.9  # share of a map's rows that say what most rows of their value say
REACHED = 0.1  # share of the query's values that has to get across
FEWEST = 3  # values that have to
SOME = 0.01  # share of values that chance would meet, above which they are common: short codes, numbers
NEARLY = 0.9  # share of such values that a hop needs
RIVAL = 0.97  # of what the best column holds of them
FOUND = 0.5  # share of a map's values that a key of the lake must hold, where no target is given
TABLES = 12  # tables that are read for maps
STARTS = 6  # of them where no target is given
WIDE = 24  # columns of such a map that are looked for in the lake
ROWS = 2_000_000  # rows of a map that is read
ONE_TO_ONE = 0.5  # what a map that puts everything together is worth beside one that tells all apart


@dataclass(frozen=True)
class Hop:
    """Values that meet a column: contained is the share of them, sure 0 to 1 what speaks against chance."""

    number: int
    contained: float
    sure: float


@dataclass(frozen=True)
class Leg:
    """A map by the numbers of its two columns, as it serves some values that come in."""

    source: int
    target: int
    pairs: Pairs
    coverage: float


@dataclass(frozen=True)
class Bridge:
    """legs: the maps, in order; target: the number of the lake's column that is reached, None of a list beside it.

    hops: of each join the share of the values that come in; coverage: of the whole way.
    """

    legs: tuple[Leg, ...]
    target: int | None
    hops: tuple[float, ...]
    coverage: float
    score: float


class Maps:
    """The maps of a snapshot that were read, and what was looked for of them: kept while the snapshot is."""

    def __init__(self) -> None:
        self.pairs: dict[tuple[int, int], Pairs | None] = {}
        self.tokens: dict[tuple[int, int], tuple[np.ndarray, np.ndarray]] = {}
        self.columns: dict[int, pa.Array] = {}

    def read(self, side: Callable[[str], Side], snapshot: Snapshot, wanted: Iterable[tuple[int, int]],
             normalize: Normalize) -> None:  # fmt: skip
        """Read some maps, pairs of columns of one table, those of a table at once."""
        tables: dict[str, set[int]] = defaultdict(set)
        wanted = [pair for pair in wanted if pair not in self.pairs]
        for pair in wanted:
            tables[snapshot.tables[pair[0]]].update(n for n in pair if n not in self.columns)
        for table, numbers in tables.items():
            listed = sorted(numbers)
            try:
                found = side(table).keys([snapshot.names[n] for n in listed]) if listed else []
                self.columns.update(
                    (n, values.canonical(column, normalize)) for n, column in zip(listed, found, strict=True)
                )
            except (LakeviewError, OSError):  # a table that is not as it was indexed is no map
                continue
        for a, b in wanted:
            known = a in self.columns and b in self.columns
            self.pairs[a, b] = Pairs.of(self.columns[a], self.columns[b]) if known else None

    def hashed(self, pair: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        """The tokens of a map's sources, sorted, and of what each stands for."""
        if pair not in self.tokens:
            pairs = self.pairs[pair]
            assert pairs is not None
            source, target = (values.hash_strings(column) for column in (pairs.source, pairs.target))
            order = np.argsort(source)
            self.tokens[pair] = source[order], target[order]
        return self.tokens[pair]


_known: WeakKeyDictionary[Snapshot, Maps] = WeakKeyDictionary()


def maps_of(snapshot: Snapshot) -> Maps:
    return _known.setdefault(snapshot, Maps())


@dataclass
class Search:
    """A search for bridges in a snapshot. hidden: bool[n], columns that serve in none."""

    snapshot: Snapshot
    side: Callable[[str], Side]
    hidden: np.ndarray
    normalize: Normalize

    def __post_init__(self) -> None:
        self.maps = maps_of(self.snapshot)

    def without(self, table: str) -> Search:
        """The same without the columns of a table."""
        hidden = self.hidden.copy()
        hidden[list(self.snapshot.by_table.get(table, {}).values())] = True
        return Search(self.snapshot, self.side, hidden, self.normalize)

    # ---- hops ----------------------------------------------------------------------------------------------------

    def hops(self, tokens: np.ndarray, query: Callable[[], Query], least: float = 0.0) -> list[Hop]:
        """The columns that hold values of this kind, the surest first. tokens: of the query, which is made where there
        are any. least: the share of the values that is looked for."""
        overlap, frequency = self.snapshot.overlaps(tokens)
        overlap[self.hidden] = 0
        found = np.flatnonzero(overlap >= max(min(FEWEST, len(tokens)), least * len(tokens), 1))
        if not len(found):
            return []
        asked = query()
        none = approximate.estimates(asked, self.snapshot, np.zeros(len(self.snapshot), bool), False, 0.0)
        scores = scoring.scores(asked, self.snapshot, found, overlap, frequency, none)
        sure, contained = self._sure(scores), scores.evidence.contained
        order = np.lexsort((self.snapshot.rank[found], -contained, -sure))
        return [Hop(int(found[i]), float(contained[i]), float(sure[i])) for i in order.tolist() if sure[i] > 0]

    def hops_of(self, query: Query) -> list[Hop]:
        return self.hops(query.tokens, lambda: query)

    @staticmethod
    def _sure(scores: scoring.Scores) -> np.ndarray:
        """How sure each hop is, 0 to 1; 0 for what chance may have met."""
        e = scores.evidence
        common = np.isin(scores.role, list(roles.COMMON)) | (e.time > 0) | (e.measure > 0) | e.decimal
        by_chance = e.chance >= SOME
        most = e.contained.max(initial=0.0)
        enough = np.where(by_chance, (e.contained >= NEARLY) & (e.contained >= RIVAL * most), True)
        told = e.tells & ~common & ~e.few & ~e.stray & enough
        return np.where(told, np.maximum(e.told, evidence.probability(e.odds)), 0.0)

    # ---- maps ----------------------------------------------------------------------------------------------------

    def leg(self, pair: tuple[int, int], tokens: np.ndarray) -> tuple[Leg, np.ndarray, np.ndarray] | None:
        """A map that was read, for some tokens: with those that it knows, and what each of these stands for."""
        pairs = self.maps.pairs.get(pair)
        if pairs is None or pairs.functional < FUNCTIONAL or not len(pairs.source):
            return None
        source, target = self.maps.hashed(pair)
        at = np.minimum(np.searchsorted(source, tokens), len(source) - 1)
        known = source[at] == tokens
        if known.sum() < min(FEWEST, len(tokens)):
            return None
        return Leg(*pair, pairs, float(known.mean())), tokens[known], target[at[known]]

    def columns(self, table: str, but: int) -> list[int]:
        """The columns of a table that a map may lead to."""
        s = self.snapshot
        found = [
            n for n in s.by_table[table].values() if n != but and not self.hidden[n] and s.distinct[n] > evidence.FEW
        ]
        return found[:WIDE]


def across(search: Search, query: Query, target: Query) -> list[Bridge]:
    """The bridges from a query to a target, best first."""
    s = search.snapshot
    start, end = search.hops_of(query), search.hops_of(target)
    ends: dict[str, list[Hop]] = defaultdict(list)
    for hop in end:
        ends[s.tables[hop.number]].append(hop)
    ways = [(a, b) for a in start for b in ends.get(s.tables[a.number], ()) if a.number != b.number]
    ways = list(_of_tables(s, ways))
    search.maps.read(search.side, s, [(a.number, b.number) for a, b in ways], search.normalize)
    found = [bridge for a, b in ways if (bridge := _one(search, query, target, a, b)) is not None]
    if not found:
        found = list(_two(search, query, target, start, end))
    return _best(search, found)


def _of_tables(s: Snapshot, ways: Sequence[tuple[Hop, Hop]]) -> Iterator[tuple[Hop, Hop]]:
    """Ways by how much they promise, of as many tables as are read."""
    ways = sorted(ways, key=lambda way: -way[0].contained * way[0].sure * way[1].contained * way[1].sure)
    tables: set[str] = set()
    for a, b in ways:
        table = s.tables[a.number]
        if s.rows[a.number] <= ROWS and (table in tables or len(tables) < TABLES):
            tables.add(table)
            yield a, b


def _one(search: Search, query: Query, target: Query, a: Hop, b: Hop) -> Bridge | None:
    found = search.leg((a.number, b.number), query.tokens)
    if found is None:
        return None
    leg, _, meant = found
    met = np.isin(meant, target.tokens)
    return _bridge((leg,), target.number, [meant], met, len(query.tokens), a.sure * b.sure)


def _bridge(legs: tuple[Leg, ...], target: int | None, meant: Sequence[np.ndarray], met: np.ndarray, asked: int,
            sure: float) -> Bridge | None:  # fmt: skip
    """A bridge, or None where too little gets across. meant: what the values that each map knows stand for; met: which
    of the last ones are in the target."""
    across, coverage = int(met.sum()), float(met.sum() / max(asked, 1))
    if across < min(FEWEST, asked) or coverage < REACHED or len(np.unique(meant[-1][met])) <= evidence.FEW:
        return None
    score = coverage * sure
    for leg, values_ in zip(legs, meant, strict=True):
        apart = len(np.unique(values_)) / len(values_)
        score *= leg.pairs.functional * (ONE_TO_ONE + (1 - ONE_TO_ONE) * apart)
    hops = (*(leg.coverage for leg in legs), float(met.mean()))
    return Bridge(legs, target, hops, coverage, float(score))


def _two(search: Search, query: Query, target: Query, start: Sequence[Hop], end: Sequence[Hop]) -> Iterator[Bridge]:
    """The bridges over two maps: what the first leads to is in a column of the second."""
    s = search.snapshot
    first, last = (_first_of_tables(s, hops) for hops in (start, end))
    if not first or not last:
        return
    outward = [(a.number, n) for a in first for n in search.columns(s.tables[a.number], a.number)]
    search.maps.read(search.side, s, outward, search.normalize)
    inner = {n: b for b in last for n in search.columns(s.tables[b.number], b.number)}
    others = search.hidden.copy()
    others[:] = True
    others[list(inner)] = search.hidden[list(inner)]
    middle = Search(s, search.side, others, search.normalize)
    for a in first:
        for n in search.columns(s.tables[a.number], a.number):
            found = search.leg((a.number, n), query.tokens)
            if found is None or len(np.unique(found[2])) < FEWEST:
                continue
            leg, _, meant = found
            for hop in middle.hops(*_image(search, (a.number, n), meant)):
                b = inner[hop.number]
                if s.tables[b.number] == s.tables[a.number] or b.number == hop.number:
                    continue
                pair = (hop.number, b.number)
                search.maps.read(search.side, s, [pair], search.normalize)
                order = np.unique(meant)
                second = search.leg(pair, order)
                if second is None:
                    continue
                next_leg, known, then = second
                at = np.minimum(np.searchsorted(known, meant), len(known) - 1)
                through = known[at] == meant
                met = through & np.isin(then[at], target.tokens)
                sure = a.sure * hop.sure * b.sure
                bridge = _bridge((leg, next_leg), target.number, [meant, then[at][through]], met[through],
                                 len(query.tokens), sure)  # fmt: skip
                if bridge is not None:
                    yield bridge


def _first_of_tables(s: Snapshot, hops: Sequence[Hop]) -> list[Hop]:
    """The best hop of each table, of as many tables as are read."""
    best: dict[str, Hop] = {}
    for hop in sorted(hops, key=lambda hop: -hop.contained * hop.sure):
        if s.rows[hop.number] <= ROWS:
            best.setdefault(s.tables[hop.number], hop)
    return list(best.values())[:TABLES]


def _image(search: Search, pair: tuple[int, int], meant: np.ndarray) -> tuple[np.ndarray, Callable[[], Query]]:
    """What a map makes of some values: the tokens, and how they become a query under the name of its column."""
    s, pairs = search.snapshot, search.maps.pairs[pair]
    assert pairs is not None
    tokens = np.unique(meant)

    def query() -> Query:
        texts = pairs.target.unique()
        texts = texts.filter(pa.array(np.isin(values.hash_strings(texts), tokens)))
        name = s.names[pair[1]]
        counts = np.ones(len(tokens), np.int64)
        return Query(f"{s.tables[pair[1]]}.{name}", name, len(tokens), 0, tokens, counts, shape_of(texts))

    return tokens, query


def anywhere(search: Search, query: Query, k: int, joined: Iterable[str] = ()) -> list[Bridge]:
    """The bridges from a query to keys of the lake, best first, one to each key. joined: tables that it joins without
    one, beside those that hold its kind of values."""
    s = search.snapshot
    start = search.hops_of(query)
    closed = {*joined, *(s.tables[hop.number] for hop in start)}
    first = _first_of_tables(s, start)[:STARTS]
    ways = [(a, n) for a in first for n in search.columns(s.tables[a.number], a.number) if _may_be_key(s, n)]
    search.maps.read(search.side, s, [(a.number, n) for a, n in ways], search.normalize)
    others = search.hidden | ~_keys(s)
    others[[n for table in closed for n in s.by_table.get(table, {}).values()]] = True
    keys = Search(s, search.side, others, search.normalize)
    best: dict[int, Bridge] = {}
    looked: dict[bytes, list[Hop]] = {}  # copies of a map lead to the same
    for a, n in ways:
        found = search.leg((a.number, n), query.tokens)
        if found is None or len(np.unique(found[2])) < FEWEST:
            continue
        leg, _, meant = found
        tokens, image = _image(search, (a.number, n), meant)
        name = tokens.tobytes()
        if name not in looked:
            looked[name] = keys.hops(tokens, image, FOUND)
        for hop in looked[name]:
            met = np.isin(meant, s.tokens_of(hop.number)[0])
            bridge = _bridge((leg,), hop.number, [meant], met, len(query.tokens), a.sure * hop.sure)
            if bridge is not None and (hop.number not in best or best[hop.number].score < bridge.score):
                best[hop.number] = bridge
    return _best(search, list(best.values()))[:k]


def _keys(s: Snapshot) -> np.ndarray:
    """Columns that a bridge may reach where no target is given: unique ones, of numbers those alone that are a table's
    key: a quantity may be unique, too. bool[n]."""
    found = s.key_like.copy()
    numbers = np.flatnonzero(found & s.alive)
    place = s.places[numbers]
    found[numbers] = ~s.schema.whole[place] | s.schema.is_key[place]
    return found


def _may_be_key(s: Snapshot, number: int) -> bool:
    """Whether others may refer to such values: whole numbers and texts that are called no time and no quantity."""
    asked = s.schema.names.asked(int(s.places[number]))
    return s.schema.columns[int(s.places[number])].refers and not asked.time and not asked.measure


def _best(search: Search, found: Sequence[Bridge]) -> list[Bridge]:
    """Best first, the first of those to one column by one table's pair of columns."""
    s = search.snapshot

    def order(bridge: Bridge) -> Any:
        names = [s.rank[n] for leg in bridge.legs for n in (leg.source, leg.target)]
        return -bridge.score, len(bridge.legs), names, -1 if bridge.target is None else s.rank[bridge.target]

    return sorted(found, key=order)
