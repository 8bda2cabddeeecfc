"""Search by transformation: columns of the lake that a learned program joins with a column (thesis section 5.3.1).

The likeliest tables (`candidates`) are verified: a program is learned on samples, and what it joins is counted.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeview import values
from lakeview.catalog.model import ReadError
from lakeview.errors import InputError, LakeChanged, LakeviewError, StoreError
from lakeview.join.model import How, JoinCounts
from lakeview.join.plan import JoinPlan
from lakeview.join.side import Side
from lakeview.join.transform.auto_join import plan_join
from lakeview.join.transform.columns import Column, Columns
from lakeview.join.transform.plan import TransformPlan
from lakeview.join.transform.sampling import RATES
from lakeview.join.transform.search import THOROUGH, Effort, some_rows
from lakeview.search.candidates import Sides, Signatures
from lakeview.search.confidence import Confidence, Weighed, kind, matched, missing
from lakeview.search.hit import Hit, standing
from lakeview.search.hits import Hits
from lakeview.values import Normalize

TABLES = 60  # tables that are verified at most, and again as many each time that more are asked for
SECONDS = 5.0  # of the processor after which no more are verified
AT_ONCE = 2.0  # of these until the first of several answers
STEP = 6  # tables that are tried between two answers
ENOUGH = 1.0  # of these, where a table was found that joins
SMALL, WHOLE = 2_000, 0.8  # rows of a table that is looked into for longer where fewer of the query's rows join
UNLIKELY = 0.2  # of the first one's worth, what is too little to be tried at once
BESIDE = 0.5  # so is that of the share that an answer joins: who has it waits for nothing that would join less
EFFORT = Effort(RATES[:1], groups=3, patience=6, judged=2_000, rest=False)
ROWS = 20_000  # rows of each side that a program is learned on
FETCHED = 60_000  # rows of a Spark frame that a program is tried on
APART = 0.8  # of the values that join, those with a key of their own in a table that is looked no further for
EXAMPLES = 16  # keys that an example is looked for among
JOINED = 0.5  # containment from which on a column needs no program to be joined


class TransformHit(Hit):
    """A column of the lake that a program joins with the query: `plan` is its left join. Of a Spark frame it is that of
    the rows that were fetched, and what is joined is the frame `right`."""

    kind = "transform"
    nearly = None  # its program is what finds them

    def __init__(self, hits: Hits, number: int, plan: TransformPlan, right: Side) -> None:
        self._of_column(hits, number)
        self.plan, self._right = plan, right
        self._joining = _values_of(plan, hits.query.column)
        met = len(self._joining[0])
        # Of the values that join, those that have a key of their own: what tells the others apart was left out.
        self.apart = min(1.0, plan.keys_met() / met) if met else 0.0
        key = f"{plan.keyed.stem}.{plan.key_program}"
        some = "" if plan.right.rows >= right.rows else f" among {plan.right.rows:,} of the {right.rows:,} rows there"
        why = f"{met:,} of {hits.query.distinct:,} values join{some} by {key} = " + plan.program.replace("\n", " ")
        # A program says less than equality: each operator costs a key.
        worth = max(0.0, met - sum(program.cost for program in plan.programs))
        if plan.doubtful:
            why += f", which may be chance: {plan.doubtful}"
        self._measure(met, worth / max(1, hits.query.distinct), bool(plan.doubtful), why)
        self.method = "transformation"

    def _weighed_plainly(self) -> Weighed:
        """What a program joins is no chance, or it says so; half of the values are no more than possible."""
        query = self._hits.query
        confidence: Confidence = "chance" if self.accidental else "sure" if self.score > JOINED else "possible"
        of, steps = (query.distinct, self.overlap, kind(query.shape)), len(self.plan.programs)
        line = f"{matched(*of)}, {steps} {'step' if steps == 1 else 'steps'}"
        doubt = [f"may be chance: {self.plan.doubtful}"] * bool(self.plan.doubtful)
        return Weighed(confidence, line, (), (*doubt, *missing(*of)))

    def examples(self, n: int = 4) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
        """Query values whose rows join and values whose rows do not, with their rows, most frequent first."""
        joining, alone = self._joining
        return joining[:n], alone[:n]

    @cached_property
    def example(self) -> tuple[str, str] | None:
        try:
            return _example(self.plan, self._hits.query.column, self.column)
        except LakeviewError:  # a file that changed since the search
            return None

    def join_counts(self, how: How) -> JoinCounts | None:
        if self.plan.right.rows < self._right.rows:  # a part of a Spark frame; a display must not start a job
            return None
        try:
            return (self.plan if how == self.plan.how else self.plan.again(how)).counts()
        except LakeChanged:  # since the search: the join will say so
            return None

    def join(self, how: How = "left", left: Any = None, many: str | Mapping[Hashable, str] = "all",
             when: Hashable = None, all_alike: bool = False) -> JoinPlan:  # fmt: skip
        """The plan of the program, for any kind of join; `left` stands for the table of the query. many, when: as
        `JoinPlan.with_many` has them. all_alike: there is no family."""
        if left is None and how == self.plan.how and self.plan.right is self._right:
            return self.plan.with_many(many, when)
        return self.plan.again(how, standing(left), self._right).with_many(many, when)


def search(
    hits: Hits, data: Any, sides: Sides, signatures: Signatures, hidden: np.ndarray, k: int | None,
    wanted: Callable[[Hit], bool], first: float = SECONDS,
) -> Hits:  # fmt: skip
    """Fill `hits` with the columns that programs join with the query, the most values met first.

    data: the side of the query's column, or its values alone. hidden: bool[n], columns never to be suggested.
    k: as in an exact search. wanted: whether one is to be among them. first: seconds of the processor until the first
    answer. Raises InputError for a frame of Spark."""
    start = data if isinstance(data, Side) else _alone(data, hits.query.column)
    if start.kind == "spark":
        raise InputError("search by transformation reads the column here: take a sample, df.limit(20_000).toPandas()")
    started = time.perf_counter()
    hits.looking = "transformations"
    snapshot, normalize = hits.snapshot, signatures.normalize
    place = next(i for i, label in enumerate(start.columns) if str(label) == hits.query.column)
    own = _some_columns(start, normalize, [place], 0)
    likely = signatures.likely(list(own.columns[place].first_row), snapshot, hidden)
    if hits.query.number is not None:
        likely = [one for one in likely if one.table != start.name]
    found: list[TransformHit] = []
    tried = 0

    def go_on(most: int) -> None:
        """Try further tables: those that are likely enough beside the first, as long as there is time."""
        nonlocal tried
        is_first = not tried
        least = UNLIKELY * likely[0].worth if is_first else 0.0
        began = time.thread_time()
        for place, (table, numbers, worth) in enumerate(likely[tried : tried + most]):
            joined = max((hit.containment for hit in found if _is_answer(hit)), default=0.0) if is_first else 0.0
            seconds = (ENOUGH if joined else first) if is_first else SECONDS
            if worth < max(least, BESIDE * joined) or (place and time.thread_time() - began > seconds):
                break
            tried += 1
            try:
                right = sides(table)
                plan = _verify(start, own, right, [snapshot.names[n] for n in numbers], normalize)
            except (LakeChanged, ReadError, StoreError) as error:
                hits.leave_out(str(error))
                continue
            if plan is not None and not plan.doubtful and right.rows <= SMALL and not _is_whole(plan):
                plan = _verify(start, own, right, [snapshot.names[n] for n in numbers], normalize, THOROUGH) or plan
            if plan is not None:
                label = plan.derived_columns[0] if plan.reverse else plan.right.columns[plan.key_program.reads[0]]
                hit = TransformHit(hits, snapshot.by_table[table][str(label)], plan, right)
                if wanted(hit):
                    found.append(hit)
        sure = [hit for hit in found if not hit.accidental]
        sure.sort(key=lambda hit: (-hit.overlap * (1 + hit.apart), -hit.score, hit.table, str(hit.column)))
        # What may be chance is shown where there is nothing else: dense keys meet anything, so those come first that
        # hold the least besides.
        hits.fill((sure or sorted(found, key=lambda hit: -hit.jaccard))[:k])
        hits.go_on(tried, len(likely), go_on if tried < len(likely) else None)

    if likely:
        go_on(TABLES)
    hits.seconds += time.perf_counter() - started
    return hits


def streamed(first: Callable[[float], Hits]) -> Iterator[Hits]:
    """What `first` finds within two seconds, and then what more is found, a few tables at a time, until as many were
    tried as a search tries. Whoever has seen enough asks for no further answer, and nothing goes on."""
    hits = first(AT_ONCE)
    most = hits.looked + TABLES
    for _ in range(TABLES // STEP):
        if not hits.goes_on:
            break
        seen = copy.copy(hits)
        seen.go_no_further()
        seen.of = min(seen.of, most)
        yield seen
        hits.more(STEP)
    hits.of = hits.looked  # no more of them are tried unasked
    yield hits


def is_joined(hit: Hit) -> bool:
    """Whether a column joins well enough as it is, so that no program is looked for."""
    return hit.containment >= JOINED and not hit.accidental


def _is_answer(hit: TransformHit) -> bool:
    """Whether it joins well, and most values with a key of their own: of minutes a day is no answer."""
    return is_joined(hit) and hit.apart >= APART


def _alone(data: Any, column: str) -> Side:
    """Values without a frame as a side of one column."""
    return Side.column(data, column, column)


def _verify(
    start: Side, own: Columns, side: Side, labels: list[str], normalize: Normalize, effort: Effort = EFFORT
) -> TransformPlan | None:
    """The best program between the query's column and some columns of a table, or None."""
    try:
        reads = [place for place, label in enumerate(side.columns) if str(label) in labels]
        held = side.here(FETCHED)
        there = _some_columns(held, normalize, reads, 1)
        rates = [table.rows / max(1, one.rows) for table, one in ((own, start), (there, side))]
        plans = plan_join((start, held), [own, there], "left", normalize, True, 0, rates, effort)
    except (LakeChanged, ReadError):
        raise
    except (LakeviewError, OSError):  # a table that no program can be learned on is no hit
        return None
    return plans[0] if plans else None


def programs_between(
    start: Side, own: Columns, side: Side, labels: list[str], normalize: Normalize
) -> TransformPlan | None:
    """The best program between a column, whose values are `own` (`some_of`), and some of a table; or None."""
    return _verify(start, own, side, labels, normalize)


def some_of(side: Side, normalize: Normalize, place: int) -> Columns:
    """A sample of a column of a side, for `programs_between`."""
    return _some_columns(side, normalize, [place], 0)


def _is_whole(plan: TransformPlan) -> bool:
    """Whether it joins so many rows that looking longer is not worth it."""
    return bool(plan.left_joins().sum() >= WHOLE * plan.left.rows)


def _some_columns(side: Side, normalize: Normalize, places: list[int], seed: int) -> Columns:
    """A sample of some columns of a side; the others hold nothing."""
    table = Columns.of(side, normalize, places, some_rows(side.rows, ROWS, seed))
    table.columns = [c if c.values else Column(c.name, c.place, [None] * table.rows) for c in table.columns]
    return table


def _values_of(plan: TransformPlan, column: Any) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """The values of the query's column in rows that join, and the other values: (one spelling, rows), most first."""
    label = next(c for c in plan.left.columns if str(c) == str(column))
    key = plan.left.key(label)
    rows = {"value": values.canonical(key, plan.normalize), "text": values.text(key), "joins": plan.left_joins()}
    spelled = [("text", "min"), ("joins", "any"), ([], "count_all")]
    found = pa.table(rows).filter(pc.field("value").is_valid()).group_by("value").aggregate(spelled)
    found = found.sort_by([("count_all", "descending"), ("text_min", "ascending")])

    def listed(mask: Any) -> list[tuple[str, int]]:
        some = found.filter(mask)
        return list(zip(some["text_min"].to_pylist(), some["count_all"].to_pylist(), strict=True))

    return listed(found["joins_any"]), listed(pc.invert(found["joins_any"]))


def _example(plan: TransformPlan, column: Any, there: str) -> tuple[str, str] | None:
    """A value of a query's column and the one of a column of the lake that it joins, as they are spelled: of the keys
    with most rows one whose values are not the same."""
    left, right = plan.key_codes
    keys = np.bincount(left[left >= 0])
    label = next(c for c in plan.left.columns if str(c) == str(column))
    mine, theirs = (values.text(side.key(name)) for side, name in ((plan.left, label), (plan.right, there)))
    pairs = [(mine[int(np.argmax(left == key))].as_py(), theirs[int(np.argmax(right == key))].as_py())
             for key in np.argsort(-keys, kind="stable")[:EXAMPLES] if keys[key]]  # fmt: skip
    return next((pair for pair in pairs if pair[0] != pair[1]), next(iter(pairs), None))
