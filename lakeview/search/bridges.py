"""Bridges: where a column shares no values with one of use, a table of the lake that holds both kinds maps them.

The query's values are looked for in the lake, and those of the target: a table that has most of both, in two columns of
which the one is nearly a function of the other, is a map. Without a target every other column of the maps is looked
for in the keys of the lake. Two maps in a row are tried where one does not reach a given target.

What chance could meet makes no bridge (`maps`). A bridge is worth the share of the query that gets across, times how
far the map is a function, and one to one, times what speaks for each hop.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from lakeview import values
from lakeview.evidence import evidence
from lakeview.search.maps import FEWEST, Hop, Leg, Search
from lakeview.search.query import Query
from lakeview.store.shapes import shape_of
from lakeview.store.snapshot import Snapshot

REACHED = 0.1  # share of the query's values that has to get across
FOUND = 0.5  # share of a map's values that a key of the lake must hold, where no target is given
TABLES = 12  # tables that are read for maps
STARTS = 6  # of them where not both ends of a map are known
CELLS = 2_000_000  # cells of these that are read
ROWS = 2_000_000  # rows of a map that is read
ENOUGH = 0.5  # share of the query's values over one map, under which two are looked for
ONE_TO_ONE = 0.5  # what a map that puts everything together is worth beside one that tells all apart


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
    if max((bridge.coverage for bridge in found), default=0.0) < ENOUGH:
        found += _two(search, query, target, start, end)
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
    first, last = (lists_first(s, hops) for hops in (start, end))
    if not first or not last:
        return
    ways = _ways(search, first)
    inner = {n: b for b in last for n in search.columns(s.tables[b.number], b.number)}
    others = search.hidden.copy()
    others[:] = True
    others[list(inner)] = search.hidden[list(inner)]
    middle = Search(s, search.side, others, search.normalize)
    for a, leg, meant, tokens, hop in _further(search, query, ways, middle.hops):
        bridge = _onward(search, query, target, a, leg, meant, tokens, hop, inner[hop.number])
        if bridge is not None:
            yield bridge


def _further(
    search: Search, query: Query, ways: Sequence[tuple[Hop, int]], hops: Callable[..., list[Hop]]
) -> Iterator[tuple[Hop, Leg, np.ndarray, np.ndarray, Hop]]:
    """The hops from what maps lead to: the hop to the map, its leg, what the query's values stand for there, these
    distinct, and the hop from them."""
    looked: dict[bytes, list[Hop]] = {}  # copies of a map lead to the same
    for first, column in ways:
        found = search.leg((first.number, column), query.tokens)
        if found is None or len(np.unique(found[2])) < FEWEST:
            continue
        leg, _, meant = found
        tokens, image = _image(search, (first.number, column), meant)
        name = tokens.tobytes()
        if name not in looked:
            looked[name] = hops(tokens, image)
        for hop in looked[name]:
            yield first, leg, meant, tokens, hop


def _onward(
    search: Search, query: Query, target: Query, a: Hop, leg: Leg, meant: np.ndarray, tokens: np.ndarray, hop: Hop,
    b: Hop,
) -> Bridge | None:  # fmt: skip
    """The bridge over a first map and a second one, from a column that holds what the first leads to. tokens: these,
    distinct."""
    s, pair = search.snapshot, (hop.number, b.number)
    if s.tables[b.number] == s.tables[a.number] or b.number == hop.number:
        return None
    search.maps.read(search.side, s, [pair], search.normalize)
    second = search.leg(pair, tokens)
    if second is None:
        return None
    next_leg, known, then = second
    at = np.minimum(np.searchsorted(known, meant), len(known) - 1)
    through = known[at] == meant
    met = (through & np.isin(then[at], target.tokens))[through]
    legs, stands = (leg, next_leg), [meant, then[at][through]]
    return _bridge(legs, target.number, stands, met, len(query.tokens), a.sure * hop.sure * b.sure)


def lists_first(s: Snapshot, hops: Sequence[Hop]) -> list[Hop]:
    """The best hop of each table, of as many tables as are read: lists of such things before facts about them, the
    short ones first."""
    best: dict[str, Hop] = {}

    def order(hop: Hop) -> tuple[float, bool, int, int]:
        n = hop.number
        return -round(hop.contained * hop.sure, 1), not s.key_like[n], int(s.rows[n]), int(s.rank[n])

    for hop in sorted(hops, key=order):
        if s.rows[hop.number] <= ROWS:
            best.setdefault(s.tables[hop.number], hop)
    return list(best.values())[:STARTS]


def _ways(search: Search, first: Sequence[Hop]) -> list[tuple[Hop, int]]:
    """The columns that maps lead to from some hops; those that others may refer to, of so many cells as are read."""
    s, cells, ways = search.snapshot, 0, []
    for hop in first:
        for n in search.columns(s.tables[hop.number], hop.number):
            if may_be_key(s, n) and cells + s.rows[n] <= CELLS:
                cells += int(s.rows[n])
                ways.append((hop, n))
    search.maps.read(search.side, s, [(hop.number, n) for hop, n in ways], search.normalize)
    return ways


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
    ways = _ways(search, lists_first(s, start))
    others = search.hidden | ~_keys(s)
    others[[n for table in closed for n in s.by_table.get(table, {}).values()]] = True
    keys = Search(s, search.side, others, search.normalize)
    best: dict[int, Bridge] = {}
    for a, leg, meant, _, hop in _further(search, query, ways, partial(keys.hops, least=FOUND)):
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


def may_be_key(s: Snapshot, number: int) -> bool:
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
