"""Composite keys: the tables of the lake whose rows agree with the query's on several columns together.

The columns are aligned by what they hold. How many of the query's tuples a table can hold at most shows in the columns
one by one, from the index alone: the tuples whose every value occurs in the column that it is aligned with. Tables are
read in the order of that bound, and no further once none of the rest can rank among the best.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from lakeview.catalog.model import ReadError
from lakeview.errors import LakeChanged, StoreError
from lakeview.index.postings import intersect
from lakeview.join.side import Side
from lakeview.search import approximate, scoring
from lakeview.search.families import Families, families
from lakeview.search.hit import Hit
from lakeview.search.hits import Hits
from lakeview.search.query import Query
from lakeview.search.question import Rank
from lakeview.search.tuples import Tuples, fetched, tuples
from lakeview.store.snapshot import Snapshot
from lakeview.values import Normalize

CANDIDATES = 6  # columns of a table that a query column may be aligned with, those of most overlap
ACCIDENT = 0.01  # what the score of an accident is worth
LIFT = 2.0  # rows agree for more than chance where they do so this many times as often as values put together blindly


@dataclass(frozen=True)
class Candidate:
    """A way to align the query's columns with those of a table; `bound`: the most tuples that can agree."""

    bound: int
    columns: tuple[int, ...]


class CompositeHit(Hit):
    """A table that agrees with the query on several columns: `column` is a tuple of names, in the query's order.

    overlap and containment count distinct tuples; score is containment, less where a tuple is in many rows.
    """

    kind = "composite"

    def __init__(self, hits: Hits, aligned: tuple[int, ...], found: Tuples, overlap: int, accidental: bool) -> None:
        s, query = hits.snapshot, hits.query
        names = tuple(s.names[c] for c in aligned)
        present = max(found.rows - found.nulls, 1)
        unique = len(found.tokens) / present
        containment = overlap / query.distinct if query.distinct else 0.0
        self._found = found
        self.aligned = aligned
        score = containment * math.sqrt(unique) * (ACCIDENT if accidental else 1.0)
        why = _reason(query, names, overlap, present / max(len(found.tokens), 1), accidental)
        self._describe(hits, s.tables[aligned[0]], names, len(found.tokens), found.rows)
        self.number = aligned[0]
        self.key_like = len(found.tokens) == present
        self._measure(overlap, score, accidental, why)

    def _tokens(self) -> tuple[np.ndarray, np.ndarray]:
        return self._found.tokens, self._found.counts


def search(
    hits: Hits,
    queries: Sequence[Query],
    asked: Tuples,
    side: Callable[[str], Side],
    normalize: Normalize,
    hidden: np.ndarray,
    k: int | None,
    threshold: float | None,
    rank: Rank,
    fold: bool = False,
) -> Hits:
    """Fill `hits` with the tables that agree with the query's tuples; one hit a table, its best alignment, or with
    `fold` one a family of tables (`families`), of which k are asked for.

    queries: of the single columns, in order; asked: their tuples. rank: "join", by score; "overlap": by tuples that
    agree, ties by rows a tuple, then (table, columns). hidden: bool[n], columns that are not to be aligned.
    """
    started = time.perf_counter()
    snapshot = hits.snapshot
    least = 1 if threshold is None else max(1, math.ceil(threshold * len(asked.tokens) - 1e-9))
    overlaps, accidental = _single(queries, snapshot, hidden)
    best: list[float] = []  # the k best so far, a heap
    made: list[CompositeHit] = []
    known = families(snapshot)
    for bound, table, ways in _by_bound(queries, asked, snapshot, overlaps, least):
        most = bound / max(len(asked.tokens), 1) if rank == "join" else bound
        if k is not None and len(best) == k and most < best[0]:
            break
        try:
            hit = _read(hits, asked, side(table), table, ways, accidental, normalize, least)
        except (LakeChanged, ReadError, StoreError) as error:
            hits.leave_out(str(error))
            continue
        if hit is None:
            continue
        made.append(hit)
        if fold and any(known.are_one(other.aligned, hit.aligned) for other in made[:-1]):
            continue
        heapq.heappush(best, hit.score if rank == "join" else hit.overlap)
        if k is not None and len(best) > k:
            heapq.heappop(best)

    def order(hit: CompositeHit) -> tuple:
        each = hit.rows / max(hit.distinct, 1)
        names = (hit.table, *map(str, hit.column))
        return (-hit.score, *names) if rank == "join" else (-hit.overlap, each, *names)

    found = sorted(made, key=order)
    hits.fill((_folded(found, known) if fold else found)[:k])
    hits.seconds += time.perf_counter() - started
    return hits


def _folded(hits: Sequence[CompositeHit], known: Families) -> list[CompositeHit]:
    """The best of each family of hits, best first, with the others of it."""
    alike: dict[int, list[Hit]] = {}
    heads: list[CompositeHit] = []
    for hit in hits:
        head = next((one for one in heads if known.are_one(one.aligned, hit.aligned)), None)
        if head is None:
            heads.append(hit)
        else:
            alike.setdefault(id(head), []).append(hit)
    for head in heads:
        head.alike = alike.get(id(head), ())
    return heads


def _single(
    queries: Sequence[Query], snapshot: Snapshot, hidden: np.ndarray
) -> tuple[list[np.ndarray], list[set[int]]]:
    """Per query column its overlap with every column, int64[n] (of a sketched column an estimate), and the columns
    that share values with it by accident."""
    overlaps, accidents = [], []
    for query in queries:
        overlap, frequency = snapshot.overlaps(query.tokens)
        guessed = approximate.estimates(query, snapshot, snapshot.sketched & snapshot.alive & ~hidden, silent=True)
        for number, comparison in guessed.of.items():
            overlap[number] = math.ceil(comparison.overlap.high)
        overlap[hidden] = 0
        found = np.flatnonzero(overlap)
        scores = scoring.scores(query, snapshot, found, overlap, frequency, guessed)
        overlaps.append(overlap)
        accidents.append(set(found[scores.accidental].tolist()))
    return overlaps, accidents


def _by_bound(
    queries: Sequence[Query], asked: Tuples, snapshot: Snapshot, overlaps: Sequence[np.ndarray], least: int
) -> Iterator[tuple[int, str, list[Candidate]]]:
    """(bound, table, alignments, best bound first) of each table that may hold `least` tuples, best bound first.

    A bound of one column, which is quick, orders the tables; that of all together is taken when a table is reached.
    """
    weights = [np.bincount(np.searchsorted(q.tokens, part), minlength=len(q.tokens)) if len(q.tokens) else np.zeros(0)
               for q, part in zip(queries, asked.parts, strict=True)]  # fmt: skip
    places = [np.searchsorted(q.tokens, part) for q, part in zip(queries, asked.parts, strict=True)]
    heap: list[tuple[int, int, str, list[Candidate] | list[list[int]]]] = []
    for table, columns in snapshot.by_table.items():
        choices = []
        for overlap in overlaps:
            held = [c for c in columns.values() if overlap[c] > 0]
            choices.append(sorted(held, key=lambda c: (-overlap[c], c))[:CANDIDATES])
        if len({c for held in choices for c in held}) < len(queries) or not all(choices):
            continue
        quick = min(max(_tuples_with(snapshot, c, q, w) for c in held)
                    for held, q, w in zip(choices, queries, weights, strict=True))  # fmt: skip
        if quick >= least:
            heap.append((-quick, 0, table, choices))
    heapq.heapify(heap)
    while heap:
        bound, exact, table, found = heapq.heappop(heap)
        if exact:
            yield -bound, table, found  # type: ignore[misc]
            continue
        ways = _alignments(found, queries, places, snapshot, least)  # type: ignore[arg-type]
        if ways:
            heapq.heappush(heap, (-ways[0].bound, 1, table, ways))


def _tuples_with(snapshot: Snapshot, column: int, query: Query, weights: np.ndarray) -> int:
    """How many tuples have a value of the column in one place."""
    if snapshot.sketched[column]:
        return int(weights.sum())
    shared, _ = intersect(query.tokens, snapshot.tokens_of(column)[0])
    return int(weights[shared].sum())


def _alignments(
    choices: list[list[int]], queries: Sequence[Query], places: list[np.ndarray], snapshot: Snapshot, least: int
) -> list[Candidate]:
    """The ways to align that may hold `least` tuples, the most promising first."""
    held: list[dict[int, np.ndarray | None]] = []
    for candidates, query, place in zip(choices, queries, places, strict=True):
        masks: dict[int, np.ndarray | None] = {}
        for column in candidates:
            if snapshot.sketched[column]:
                masks[column] = None  # nobody knows: it may hold them all
                continue
            found = np.zeros(len(query.tokens), bool)
            found[intersect(query.tokens, snapshot.tokens_of(column)[0])[0]] = True
            masks[column] = found[place]
        held.append(masks)
    ways = []
    for columns in product(*choices):
        if len(set(columns)) < len(columns):
            continue
        masks_of = [mask for masks, column in zip(held, columns, strict=True) if (mask := masks[column]) is not None]
        bound = int(np.logical_and.reduce(masks_of).sum()) if masks_of else len(places[0])
        if bound >= least:
            ways.append(Candidate(bound, columns))
    return sorted(ways, key=lambda way: (-way.bound, way.columns))


def _read(
    hits: Hits, asked: Tuples, side: Side, table: str, ways: Sequence[Candidate], accidental: Sequence[set[int]],
    normalize: Normalize, least: int,
) -> CompositeHit | None:  # fmt: skip
    """The best alignment of a table by its rows, if `least` tuples agree."""
    best: CompositeHit | None = None
    names = hits.snapshot.names
    for way in ways:
        if best is not None and way.bound <= best.overlap:
            break
        found = tuples(fetched(side, [names[c] for c in way.columns]), normalize)
        overlap = len(intersect(asked.tokens, found.tokens)[0])
        if overlap >= least and (best is None or overlap > best.overlap):
            single = all(c in by_chance for c, by_chance in zip(way.columns, accidental, strict=True))
            accident = single and overlap < LIFT * _by_chance(asked, found)
            best = CompositeHit(hits, way.columns, found, overlap, accident)
    return best


def _by_chance(asked: Tuples, found: Tuples) -> float:
    """How many of the query's tuples would agree if the table had put its values together blindly."""
    inside = np.logical_and.reduce([np.isin(a, b) for a, b in zip(asked.parts, found.parts, strict=True)])
    shared = [np.unique(a[inside]) for a in asked.parts]
    among = np.logical_and.reduce([np.isin(b, s) for b, s in zip(found.parts, shared, strict=True)])
    density = among.sum() / max(math.prod(len(s) for s in shared), 1)
    return float(density * inside.sum())


def _reason(query: Query, names: tuple[str, ...], overlap: int, each: float, accidental: bool) -> str:
    listed = ", ".join(f"`{name}`" for name in names)
    if accidental:
        return f"Rows agree on {listed} no more often than such values do by chance."
    said = f"{overlap:,} of {query.distinct:,} combinations are rows of the table, by {listed}"
    if each <= 1:
        return f"{said}; together they are a key."
    return f"{said}, but a combination is in {each:,.1f} rows on average."
