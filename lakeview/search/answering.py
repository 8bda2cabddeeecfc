"""The body of `Lake.search`: what is asked made a query, the index that is asked, and the joins of the hits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lakeview.errors import InputError
from lakeview.guards import checks
from lakeview.join.composite import CompositePlan
from lakeview.join.matching import How, equi_join
from lakeview.join.side import Side
from lakeview.pipeline import search_on_spark
from lakeview.search import composite, sampled, transforming
from lakeview.search.asking import Asked, Several, ask, ask_several, labels, side_of
from lakeview.search.hits import Hit, Hits
from lakeview.search.query import Query
from lakeview.search.ranking import Rank, refined, search
from lakeview.store.snapshot import Snapshot

if TYPE_CHECKING:
    from lakeview.join.plan import JoinPlan
    from lakeview.lake.lake import Lake

Engine = Literal["local", "spark"]
ENGINES: tuple[Engine, ...] = ("local", "spark")


def answer(
    lake: Lake,
    data: Any,
    column: Any,
    k: int | None,
    threshold: float | None,
    rank: Rank | None,
    exact: bool,
    transform: bool,
    stream: bool,
    engine: Engine,
) -> Hits | Iterator[Hits]:
    """The answer to `Lake.search`, which says what the arguments mean."""
    started = time.perf_counter()
    exact, transform, stream = (
        checks.flag(what, value) for what, value in (("exact", exact), ("transform", transform), ("stream", stream))
    )
    checks.choice("engine", engine, *ENGINES)
    if k is not None:
        k = checks.whole("k is how many hits to return", k, 1)
    if threshold is not None:
        threshold = checks.share("threshold is a containment", threshold)
    elif k is None:
        k = 10
    column = labels(data, column)
    together = composite.several(data, column)
    if rank is None:
        rank = "overlap" if together is None else "join"
    checks.choice("rank", rank, "overlap", "join")
    if transform and together is not None:
        raise InputError("a search by transformation is for one column: name one")
    if transform and engine == "spark":
        raise InputError('a search by transformation runs here: leave engine="spark" out')
    live, lake = lake, lake.still()  # joins are of what there is when they are made
    lake._require_index()
    snapshot = lake._snapshot if engine == "local" else search_on_spark.published(lake.store, lake._spark)
    hidden = snapshot.matching(lake.exclude)
    if together is not None:
        several = ask_several(lake, data, together)
        found = _together(live, lake, several, snapshot, hidden, k, threshold, rank, started)
        return iter([found]) if stream else found
    query, left = _asked(lake, ask(lake, data, composite.single(data, column)), snapshot)
    if query.number is not None:
        hidden[query.number] = True

    def once(exact: bool, sample: bool = False) -> Hits:
        hits = Hits(query, snapshot, len(snapshot.problems), _joiner(live, query, left), live.change_of)
        hits.seconds = asking
        if transform:
            return transforming.search(hits, left or data, lake.side, lake._signatures, hidden, k, threshold)
        return search(hits, k, threshold, rank, hidden, exact, sample)

    asking = time.perf_counter() - started
    if stream:
        sample = partial(once, True, True) if engine == "local" and sampled.serves(query, snapshot) else None
        return iter([once(exact)]) if transform else refined(once, exact, sample)
    return once(exact)


def beyond(lake: Lake, data: Any, found: Hits) -> Hits:
    """What learned programs add to the answer of a search for one column of a DataFrame: columns that many values do
    not meet as they are, and more do by a program. Raises InputError for a frame of Spark."""
    hits = Hits(found.query, found.snapshot, found.problems, found.join, found.change_of)
    hidden = found.snapshot.matching(lake.exclude)
    hidden[[hit.number for hit in found if transforming.is_joined(hit)]] = True
    transforming.search(hits, side_of(data), lake.side, lake._signatures, hidden, None, None)
    met = {hit.number: hit.overlap for hit in found}
    hits.fill([hit for hit in hits if hit.overlap > met.get(hit.number, 0)])
    return hits


def _asked(lake: Lake, asked: Asked, snapshot: Snapshot) -> Asked:
    """A query by a column of the lake under its number in the index that is asked."""
    query, left = asked
    if query.number is not None and snapshot is not lake._snapshot:
        query.number = snapshot.by_table.get(lake._snapshot.tables[query.number], {}).get(query.column)
    return query, left


def _together(
    live: Lake,
    lake: Lake,
    asked: Several,
    snapshot: Snapshot,
    hidden: np.ndarray,
    k: int | None,
    threshold: float | None,
    rank: Rank,
    started: float,
) -> Hits:
    for number in snapshot.by_table.get(asked.table or "", {}).values():
        hidden[number] = True

    def join(hit: Hit, how: How, left: Any) -> JoinPlan:
        start = asked.side if left is None else side_of(left)
        return CompositePlan(start, live.side(hit.table), asked.columns, hit.column, how, lake.normalize)

    hits = Hits(asked.query, snapshot, len(snapshot.problems), join, live.change_of)
    hits.seconds = time.perf_counter() - started
    return composite.search(hits, asked.single, asked.tuples, lake.side, lake.normalize, hidden, k, threshold, rank)


def _joiner(lake: Lake, query: Query, start: Side | None) -> Callable[[Hit, How, Any], JoinPlan]:
    def join(hit: Hit, how: How, left: Any) -> JoinPlan:
        side = start if left is None else side_of(left)
        if side is None:
            raise InputError("the search was for a Series: give its DataFrame, hit.join(left=df)")
        column: Any = query.column
        if side.kind != "lake" and column not in side.columns:
            column = next((c for c in side.columns if str(c) == column), column)
        side.check(column)
        return equi_join(side, lake.side(hit.table), column, hit.column, how, lake.normalize)

    return join
