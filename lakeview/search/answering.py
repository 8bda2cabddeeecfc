"""The body of `Lake.search`: what is asked made a query, the index that is asked, and the joins of the hits."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from lakeview.errors import InputError
from lakeview.join.as_one import stacked
from lakeview.join.model import How
from lakeview.join.plan import CompositePlan, JoinPlan, equi_join
from lakeview.join.side import Side
from lakeview.pipeline import search_on_spark
from lakeview.search import bridging, composite, sampled, similar, telling, transforming, whole_frame
from lakeview.search.asking import Asked, Several, Sought, ask, ask_all, ask_several, side_of, sought
from lakeview.search.hit import Hit, Joiner
from lakeview.search.hits import Hits
from lakeview.search.query import Query
from lakeview.search.question import Question
from lakeview.search.ranking import refined, search
from lakeview.search.view import View
from lakeview.search.whole_frame import FrameHits
from lakeview.store.shapes import Shape
from lakeview.store.snapshot import Snapshot


def answer(view: View, data: Any, column: Any, target: Any = None, **options: Any) -> Hits | Iterator[Hits]:
    """The answer to `Lake.search`, which says what data, column, target and options may be."""
    started = time.perf_counter()
    what = sought(data, column)
    if target is None:
        return _answer(view, what, started, options)
    if options["rank"] == "overlap":
        raise InputError('a target ranks what joins: leave rank="overlap" out')
    if not isinstance(what.data, Side | str | Query):
        raise InputError('a target is another column of the DataFrame: search(df, "key", target="y")')
    if isinstance(what.data, Side):
        telling.require_target(what.data, target, what.together or [what.column])
    found = _answer(view, what, started, {**options, "rank": "join"})
    teller = telling.Teller(target)
    return telling.by_target(found, teller) if isinstance(found, Hits) else telling.streamed(found, teller)


def _answer(view: View, what: Sought, started: float, options: dict[str, Any]) -> Hits | Iterator[Hits]:
    question = Question.of(**options, several=what.together is not None, whole=what.whole)
    view.require_index()
    snapshot = view.snapshot
    if question.engine == "spark":
        snapshot = search_on_spark.published(view.store, view.spark)
    hidden = view.hidden(snapshot)
    if what.whole:
        growing = _whole(view, question, what.data, snapshot, hidden, started)
        return growing if question.stream else list(growing)[-1]
    if what.together is not None:
        found = _together(view, question, ask_several(view, what.data, what.together), snapshot, hidden, started)
        return iter([found]) if question.stream else found
    query, left = _asked(view, ask(view, what), snapshot)
    if query.number is not None:
        hidden[query.number] = True

    def once(exact: bool, sample: bool = False, seconds: float = transforming.SECONDS) -> Hits:
        hits = Hits(query, snapshot, len(snapshot.problems), _joiner(view, query, left), view.live_change)
        hits.seconds, hits.left = asking, left
        if question.transform:
            sides, signatures = view.side, view.signatures
            least = (question.threshold or 0.0) - 1e-9
            return transforming.search(
                hits,
                left or what.data,
                sides,
                signatures,
                hidden,
                question.k,
                lambda hit: hit.containment >= least,
                seconds,
            )
        if question.rank == "join" and question.engine == "local":
            hits.over(partial(bridging.beyond, view, what.data, query, left, hits))
            if left is not None and left.kind == "pandas":
                hits.further = partial(beyond, view, left, hits)
        return search(hits, question.k, question.threshold, question.rank, hidden, exact, sample, question.fold)

    asking = time.perf_counter() - started
    if not question.stream:
        return once(question.exact)
    if question.transform:
        return transforming.streamed(lambda seconds: once(question.exact, seconds=seconds))
    sample = partial(once, True, True) if question.engine == "local" and sampled.serves(query, snapshot) else None
    return refined(once, question.exact, sample)


def _whole(
    view: View, question: Question, side: Side, snapshot: Snapshot, hidden: np.ndarray, started: float
) -> Iterator[FrameHits]:
    asked = ask_all(view, side)

    def one(label: Hashable, query: Query, hidden: np.ndarray) -> Hits:
        found = Hits(query, snapshot, 0, _joiner(view, query, side), view.live_change)
        most = whole_frame.EACH if question.k is None else max(question.k, whole_frame.EACH)
        return search(found, most, question.threshold, "join", hidden.copy(), question.exact, False, question.fold)

    def two(labels: list[Hashable], hidden: np.ndarray) -> Hits:
        few = replace(question, k=whole_frame.TABLES, rank="join")
        return _together(view, few, ask_several(view, side, labels), snapshot, hidden, time.perf_counter())

    def join(hit: Hit, how: How, left: Any, tables: Sequence[str] | None = None) -> JoinPlan:
        return hit.join(how, left)

    whole = Query(
        side.name, "", asked[0][1].rows if asked else 0, 0, np.zeros(0, np.uint64), np.zeros(0, np.int64), Shape()
    )
    hits = FrameHits(whole, snapshot, len(snapshot.problems), join, view.live_change)
    hits.seconds, hits.left = time.perf_counter() - started, side
    hits.again = partial(_again, view, side, question)
    return whole_frame.streamed(hits, asked, one, two, hidden, question.k)


def _again(view: View, side: Side, question: Question, columns: list[Hashable]) -> Iterator[Hits]:
    """Some columns of a whole frame, by themselves."""
    what = columns[0] if len(columns) == 1 else columns
    alone = answer(view, side.held, what, k=whole_frame.ALONE, threshold=question.threshold, rank="join", exact=True,
                   transform=False, stream=True, engine=question.engine, fold=question.fold)  # fmt: skip
    assert not isinstance(alone, Hits)  # it is a stream
    return alone


def beyond(view: View, data: Any, found: Hits) -> Iterator[Hits]:
    """What steps add to the answer of a search for one column of a DataFrame, as it is found: columns that many values
    do not meet as they are, and more do by a learned program; then those of similar text, where neither joins well.
    `looked`, `of` and `looking` of each answer say how far it is. Raises InputError for a frame of Spark."""
    hits = Hits(found.query, found.snapshot, found.problems, found.join, found.change_of)
    hidden = view.hidden(found.snapshot)
    hidden[[hit.number for hit in found.unfolded if transforming.is_joined(hit)]] = True
    met = {hit.number: hit.overlap for hit in found.unfolded}
    joined: dict[str, int] = {}  # a table that is joined as it is needs no step to be joined by another column
    for hit in found.unfolded:
        if not hit.accidental:
            joined[hit.table] = max(hit.overlap, joined.get(hit.table, 0))

    def is_more(hit: Hit) -> bool:
        return hit.overlap > max(met.get(hit.number, 0), joined.get(hit.table, 0))

    side = data if isinstance(data, Side) else side_of(data)
    sides, signatures = view.side, view.signatures
    yield from transforming.streamed(
        lambda seconds: transforming.search(hits, side, sides, signatures, hidden, None, is_more, seconds)
    )
    hidden[[hit.number for hit in hits if transforming.is_joined(hit)]] = True
    yield from similar.streamed(hits, side, sides, signatures, hidden)


def _asked(view: View, asked: Asked, snapshot: Snapshot) -> Asked:
    """A query by a column of the lake under its number in the index that is asked."""
    query, left = asked
    if query.number is not None and snapshot is not view.snapshot:
        query.number = snapshot.by_table.get(view.snapshot.tables[query.number], {}).get(query.column)
    return query, left


def _together(
    view: View, question: Question, asked: Several, snapshot: Snapshot, hidden: np.ndarray, started: float
) -> Hits:
    for number in snapshot.by_table.get(asked.table or "", {}).values():
        hidden[number] = True

    def join(hit: Hit, how: How, left: Any, tables: Sequence[str] | None = None) -> JoinPlan:
        start = asked.side if left is None else side_of(left)
        return CompositePlan(start, _right(view, hit, tables), asked.columns, hit.column, how, view.normalize)

    hits = Hits(asked.query, snapshot, len(snapshot.problems), join, view.live_change)
    hits.seconds, hits.left = time.perf_counter() - started, asked.side
    return composite.search(hits, asked.single, asked.tuples, view.side, view.normalize, hidden,
                            question.k, question.threshold, question.rank, question.fold)  # fmt: skip


def _right(view: View, hit: Hit, tables: Sequence[str] | None) -> Side:
    """The table of a hit, or several as one."""
    if tables is None or len(tables) < 2:
        return view.live_side(hit.table)
    on = hit.column if isinstance(hit.column, tuple) else (hit.column,)
    return stacked([view.live_side(table) for table in tables], on)


def _joiner(view: View, query: Query, start: Side | None) -> Joiner:
    def join(hit: Hit, how: How, left: Any, tables: Sequence[str] | None = None) -> JoinPlan:
        side = start if left is None else side_of(left)
        if side is None:
            raise InputError("the search was for a Series: give its DataFrame, hit.join(left=df)")
        column: Any = query.column
        if side.kind != "lake" and column not in side.columns:
            column = next((c for c in side.columns if str(c) == column), column)
        side.check(column)
        return equi_join(side, _right(view, hit, tables), column, hit.column, how, view.normalize)

    return join
