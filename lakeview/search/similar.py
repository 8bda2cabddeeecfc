"""Search by similar text: columns of the lake that hold the query's values in other words or with typos.

The columns whose signatures share most with the query (`candidates`) are matched with a sample of its values, the
likeliest first (`similar_text`). A column is a hit where this joins many more values than equality does.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Hashable, Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from lakeview.catalog.model import ReadError
from lakeview.errors import LakeChanged, StoreError
from lakeview.guards import checks
from lakeview.join.fuzzy import HOWS, FuzzyPlan, fuzzy_join
from lakeview.join.model import How, JoinCounts
from lakeview.join.plan import JoinPlan
from lakeview.join.side import Side
from lakeview.search.candidates import Sides, Signatures
from lakeview.search.confidence import Weighed, missing
from lakeview.search.families import families
from lakeview.search.hit import Hit, met_and_not, standing
from lakeview.search.hits import Hits
from lakeview.search.similar_text import LEAST, PRECISION, ROWS, Look, Sample, matched, sample_of
from lakeview.store.snapshot import Snapshot
from lakeview.values import Normalize

COLUMNS = 8  # columns that are tried at most
SECONDS = 3.0  # of the processor after which no further one is
LARGEST = 30_000  # values of a column up to which it is tried


class SimilarHit(Hit):
    """A column of the lake that holds text like the query's: `plan` is their left join at the threshold that is
    advised. What it joins is an estimate: some pairs are expected to be wrong, and of many values some are looked at.
    """

    kind = "fuzzy"
    hows = ("left", "inner")
    nearly = None  # the likeness of its values is what finds them

    def __init__(self, hits: Hits, number: int, look: Look, start: Side, right: Side, normalize: Normalize) -> None:
        self._of_column(hits, number)
        self._look, self._start, self._right, self._normalize = look, start, right, normalize
        share, advice = float(look.joined.mean()), look.advice
        how, some = advice.configuration, "" if look.whole else f", by {len(look.joined):,} of them"
        of = f"about {round(share * hits.query.distinct):,} of {hits.query.distinct:,} values"
        why = f"{of} join by similar text, {how.tokeniser}, {how.measure} ≥ {how.threshold:.2f}{some}; {self._wrong}"
        self._measure(round(share * hits.query.distinct), look.right(advice.precision), False, why)
        error = 0.0 if look.whole else 1.96 * float(np.sqrt(share * (1 - share) / len(look.joined)))
        self.containment_low = max(0.0, look.right(advice.low) - error)
        self.containment_high = min(1.0, share + error)
        self.method = "similarity"

    @property
    def _wrong(self) -> str:
        wrong = round(100 * (1 - self._look.advice.precision))
        return f"{wrong} in 100 may be wrong" if wrong else "less than 1 in 100 may be wrong"

    def _weighed_plainly(self) -> Weighed:
        """Never more than possible: whether what is alike is the same, she says at the threshold."""
        distinct, met = self.asked_distinct, self.overlap
        line = f"all {distinct:,}, similar text" if met == distinct else f"about {met:,} of {distinct:,}, similar text"
        same = round(distinct * float((self._look.joined & self._look.matched.same).mean()))
        return Weighed("possible", line, (f"{same:,} are equal",) * bool(same),
                       (self._wrong, *missing(distinct, met, "values")))  # fmt: skip

    @property
    def example(self) -> tuple[str, str]:
        """A value and another one that it joins, in their own spelling."""
        return self._look.example

    def examples(self, n: int = 4) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
        """Query values that join and values that do not, with their rows, most frequent first."""
        n, sample = checks.whole("n", n), self._look.sample
        return met_and_not(sample.spelled, sample.rows, self._look.joined, n)

    def join_counts(self, how: How) -> JoinCounts | None:
        """Estimated from the sample; None for a join that there is not, right and outer."""
        if checks.how(how) not in HOWS:
            return None
        look, query = self._look, self._hits.query
        rows = look.sample.rows
        met = round((query.rows - query.nulls) * float(rows[look.joined].sum() / rows.sum()))
        partners = look.partners * look.sample.of / len(look.joined)
        out = query.rows if how == "left" else met
        return JoinCounts(query.rows, met, self.rows, min(self.rows, round(partners)), out, 1)

    @cached_property
    def plan(self) -> FuzzyPlan:
        return self._joined(self._start)

    def _joined(self, left: Side, how: How = "left") -> FuzzyPlan:
        label = next((label for label in left.columns if str(label) == self.asked), self.asked)
        return fuzzy_join(left, self._right, label, self.column, precision=PRECISION, how=how,
                          normalize=self._normalize)  # fmt: skip

    def join(self, how: How = "left", left: Any = None, many: str | Mapping[Hashable, str] = "all",
             when: Hashable = None, all_alike: bool = False) -> JoinPlan:  # fmt: skip
        """The plan at the threshold that is advised, how="left" or "inner"; `left` stands for the table of the query.
        many: a row joins one at most, "all" and "first" are the same. all_alike: there is no family."""
        side = standing(left)
        if side is None:
            made = self.plan if how == "left" else self.plan.with_how(checks.how(how, HOWS))
        else:
            made = self._joined(side, checks.how(how, HOWS))
        return made.with_many(many, when)


def streamed(found: Hits, start: Side, sides: Sides, signatures: Signatures, hidden: np.ndarray) -> Iterator[Hits]:
    """What similar text adds to `found`, behind its hits: an answer before the first column is tried and one after
    each. None where the query's values are no text, or no column is likely.

    start: the side of the query's column. hidden: bool[n], columns never to be suggested."""
    sample = sample_of(found.query, signatures.normalize)
    columns = [] if sample is None else _likely(sample, found.snapshot, signatures, hidden)
    if sample is None or not columns:
        return
    hits: list[SimilarHit] = []
    spent = 0.0
    yield _answer(found, hits, 0, len(columns), spent)
    for tried, number in enumerate(columns, 1):
        began = time.thread_time()
        hit = _hit(found, number, sample, start, sides, signatures.normalize)
        if hit is not None:
            hits.append(hit)
            hits.sort(key=lambda hit: (-hit.score, hit.table, hit.column))
        spent += time.thread_time() - began
        is_last = spent > SECONDS or tried == len(columns)
        yield _answer(found, hits, tried, tried if is_last else len(columns), spent)
        if is_last:
            return


def _answer(found: Hits, hits: list[SimilarHit], tried: int, of: int, seconds: float) -> Hits:
    """All hits so far; tables are counted on from those that were looked into for programs."""
    seen = copy.copy(found)
    seen.go_no_further()
    seen.fill([*found, *hits])
    seen.seconds += seconds
    seen.looking, seen.looked, seen.of = "similar text", found.looked + tried, found.looked + of
    return seen


def _hit(
    found: Hits, number: int, sample: Sample, start: Side, sides: Sides, normalize: Normalize
) -> SimilarHit | None:
    """A column as a hit, or None where it is none; a table that is not as it was indexed is left out of `found`."""
    try:
        right = sides(found.snapshot.tables[number])
        look = matched(sample, right, found.snapshot.names[number], normalize)
    except (LakeChanged, ReadError, StoreError) as error:
        found.leave_out(str(error))
        return None
    return None if look is None else SimilarHit(found, number, look, start, right, normalize)


def _likely(sample: Sample, snapshot: Snapshot, signatures: Signatures, hidden: np.ndarray) -> list[int]:
    """The columns that are tried, likeliest first: of text, one of a table and of a family."""
    hidden = hidden | ~_of_text(snapshot)
    likely = signatures.likely(sample.texts.text.to_pylist(), snapshot, hidden)
    best = [one.columns[0] for one in sorted(likely, key=lambda one: -one.worth)]
    _, first = np.unique(families(snapshot).siblings[best], return_index=True)
    return [best[place] for place in np.sort(first)[:COLUMNS]]


def _of_text(snapshot: Snapshot) -> np.ndarray:
    """bool[n]: columns that may hold text of a kind with the query's, and are not too large to be tried."""
    other = sum(snapshot.array(name) for name in ("numbers", "dates", "timestamps")) + snapshot.letters.sum(axis=0)
    text = np.array([type == "text" for type in snapshot.types], bool) & (2 * other < snapshot.array("values"))
    return text & (snapshot.distinct >= LEAST) & (snapshot.distinct <= LARGEST) & (snapshot.rows <= ROWS)
