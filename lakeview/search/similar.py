"""Search by similar text: columns of the lake that hold the query's values in other words or with typos.

Names and titles alone are looked for: codes, numbers and dates that are nearly alike are other things. The columns
whose signatures share most with the query (`candidates`) are matched with a sample of its values; the threshold is
that which is advised for a precision without any label (`join.fuzzy.advisor`). A column is a hit where this joins many
more values than equality does.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Hashable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeview import values
from lakeview.catalog.model import ReadError
from lakeview.errors import LakeChanged, LakeviewError, StoreError
from lakeview.estimate.similarity.texts import Distinct, distinct_texts, identical
from lakeview.guards import checks
from lakeview.join.fuzzy import HOWS, FuzzyPlan, fuzzy_join
from lakeview.join.fuzzy.advisor import Advice, Configuration, advise
from lakeview.join.fuzzy.matched import Matched
from lakeview.join.model import How, JoinCounts
from lakeview.join.plan import JoinPlan
from lakeview.join.side import Side
from lakeview.join.variable import variable_name
from lakeview.search.candidates import Sides, Signatures
from lakeview.search.confidence import Weighed, missing
from lakeview.search.families import families
from lakeview.search.hits import Hit, Hits
from lakeview.search.query import Query
from lakeview.store.snapshot import Snapshot
from lakeview.values import Normalize

COLUMNS = 8  # columns that are tried at most
SECONDS = 3.0  # of the processor after which no further one is
VALUES = 2_000  # values of the query that are matched
ROWS, LARGEST = 200_000, 30_000  # rows and values of a column up to which it is tried
GLANCE, NEAR = 200, Configuration("3-grams", "cosine", 0.5, 0.5)  # values that are to be so near to one of a column
PRECISION = 0.9  # that a threshold is advised for
LEAST_PRECISE = 0.5  # which this precision is not below, 95 in 100 times
JOINED = 0.2  # share of the values that are to join
MORE = 1.5  # times those that are equal
LEAST = 5  # values that are to join beside equal ones: fewer are no evidence
EQUAL = 0.5  # share of equal values from which on nothing else is needed
LETTERS, LETTERED = 5, 0.6  # letters of a value, and their share of its characters, on average, that make text


class Sample(NamedTuple):
    """Values of the query. spelled: one spelling of each; rows: how many have it; of: values that the query has."""

    texts: Distinct
    spelled: pa.Array
    rows: np.ndarray
    of: int


class Look(NamedTuple):
    """A sample matched with a column. there: one spelling of each of the column's texts."""

    sample: Sample
    matched: Matched
    advice: Advice
    there: pa.Array

    @property
    def joined(self) -> np.ndarray:
        """bool: which values of the sample join."""
        return self.matched.reached

    @property
    def whole(self) -> bool:
        """Whether the sample is all of the query."""
        return len(self.joined) >= self.sample.of

    def right(self, precision: float) -> float:
        """The share of the values that join and are right, where so many of the unequal pairs are."""
        same = int((self.joined & self.matched.same).sum())
        return (same + precision * (int(self.joined.sum()) - same)) / len(self.joined)

    @property
    def example(self) -> tuple[str, str]:
        """A pair that is not equal, spelled as it lies there: of the values with most rows the one that is as like its
        partner as half of them."""
        best = self.matched.best
        pairs = np.flatnonzero(self.joined & ~self.matched.same)
        typical = np.abs(best.similarity[pairs] - np.median(best.similarity[pairs]))
        one = int(pairs[np.lexsort((typical, -self.sample.rows[pairs]))[0]])
        return self.sample.spelled[one].as_py(), self.there[int(best.right[one])].as_py()


class SimilarHit(Hit):
    """A column of the lake that holds text like the query's: `plan` is their left join at the threshold that is
    advised. What it joins is an estimate: some pairs are expected to be wrong, and of many values some are looked at.
    """

    kind = "fuzzy"
    nearly = None  # the likeness of its values is what finds them

    def __init__(self, hits: Hits, number: int, look: Look, start: Side, right: Side, normalize: Normalize) -> None:
        snapshot = hits.snapshot
        self.number, self.key_like = number, bool(snapshot.key_like[number])
        self._look, self._start, self._right, self._normalize = look, start, right, normalize
        rows, distinct = int(snapshot.rows[number]), int(snapshot.distinct[number])
        self._describe(hits, snapshot.tables[number], snapshot.names[number], distinct, rows)
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

        def top(which: np.ndarray) -> list[tuple[str, int]]:
            places = which[np.argsort(-sample.rows[which], kind="stable")[:n]]
            return [(sample.spelled[int(p)].as_py(), int(sample.rows[p])) for p in places]

        return top(np.flatnonzero(self._look.joined)), top(np.flatnonzero(~self._look.joined))

    def join_counts(self, how: How) -> JoinCounts | None:
        """Estimated from the sample; None for a join that there is not, right and outer."""
        if checks.how(how) not in HOWS:
            return None
        look, query = self._look, self._hits.query
        rows = look.sample.rows
        met = round((query.rows - query.nulls) * float(rows[look.joined].sum() / rows.sum()))
        partners = len(np.unique(look.matched.best.right[look.joined])) * look.sample.of / len(look.joined)
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
        if left is None:
            made = self.plan if how == "left" else self.plan.with_how(checks.how(how, HOWS))
        else:
            side = left if isinstance(left, Side) else Side.frame(left, variable_name(left) or "left")
            made = self._joined(side, checks.how(how, HOWS))
        return made.with_many(many, when)


def streamed(found: Hits, start: Side, sides: Sides, signatures: Signatures, hidden: np.ndarray) -> Iterator[Hits]:
    """What similar text adds to `found`, behind its hits: an answer before the first column is tried and one after
    each. None where the query's values are no text, or no column is likely.

    start: the side of the query's column. hidden: bool[n], columns never to be suggested."""
    sample = _sample(found.query, signatures.normalize)
    columns = [] if sample is None else _likely(sample, found.snapshot, sides, signatures, hidden)
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
        look = _look(sample, right, found.snapshot.names[number], normalize)
    except (LakeChanged, ReadError, StoreError) as error:
        found.leave_out(str(error))
        return None
    return None if look is None else SimilarHit(found, number, look, start, right, normalize)


def _sample(query: Query, normalize: Normalize) -> Sample | None:
    """Some of the query's values, or None where they are no text, or too few."""
    if query.shape.type != "text" or query.texts is None or query.distinct < LEAST:
        return None
    spelled = query.texts.slice(0, VALUES)  # in the order of their hashes, so any
    texts = distinct_texts(values.canonical(spelled, normalize))
    first = texts.first_rows
    if not _is_text(texts.text):
        return None
    return Sample(texts, spelled.take(pa.array(first)), np.asarray(query.counts)[first], query.distinct)


def _is_text(texts: pa.Array) -> bool:
    """Whether some values are names, titles and the like: letters for the most part, several of them."""
    sizes = [pc.sum(pc.utf8_length(pc.replace_substring_regex(texts, other, ""))).as_py() or 0
             for other in (r"\P{L}+", r"\s+")]  # fmt: skip
    return sizes[0] >= LETTERS * max(1, len(texts)) and sizes[0] >= LETTERED * sizes[1]


def _likely(sample: Sample, snapshot: Snapshot, sides: Sides, signatures: Signatures, hidden: np.ndarray) -> list[int]:
    """The columns that are tried, likeliest first: of text, one of a table and of a family."""
    hidden = hidden | ~_of_text(snapshot)
    likely = signatures.likely(sample.texts.text.to_pylist(), snapshot, sides, hidden)
    best = [one.columns[0] for one in sorted(likely, key=lambda one: -one.worth)]
    _, first = np.unique(families(snapshot).siblings[best], return_index=True)
    return [best[place] for place in np.sort(first)[:COLUMNS]]


def _of_text(snapshot: Snapshot) -> np.ndarray:
    """bool[n]: columns that may hold text of a kind with the query's, and are not too large to be tried."""
    other = sum(snapshot.array(name) for name in ("numbers", "dates", "timestamps")) + snapshot.letters.sum(axis=0)
    text = np.array([type == "text" for type in snapshot.types], bool) & (2 * other < snapshot.array("values"))
    return text & (snapshot.distinct >= LEAST) & (snapshot.distinct <= LARGEST) & (snapshot.rows <= ROWS)


def _look(sample: Sample, right: Side, column: str, normalize: Normalize) -> Look | None:
    """A column matched with a sample, or None where it joins too few values, or not many more than are equal."""
    try:
        held = right.here(ROWS).keys([column])[0]
        there = distinct_texts(values.canonical(held, normalize))
        if len(there.text) < LEAST or not _is_text(there.text.slice(0, VALUES)):
            return None
        if (identical(sample.texts, there) >= 0).mean() >= EQUAL or not _is_near(sample.texts.text, there):
            return None
        advice = advise(sample.texts, there, PRECISION)
        if not _is_worth(advice, len(sample.texts.text)):
            return None
        matched = Matched.of(sample.texts, there, advice.configuration)
        return Look(sample, matched, advice, values.text(held).take(pa.array(there.first_rows)))
    except (LakeChanged, ReadError, StoreError):
        raise
    except (LakeviewError, OSError):  # a table that nothing can be matched in is no hit
        return None


def _is_near(texts: pa.Array, there: Distinct) -> bool:
    """Whether some of the texts are near enough to a column's that a threshold may join a share of them. That takes a
    tenth of the time of looking for one."""
    few = distinct_texts(texts.slice(0, GLANCE))
    found = Matched.of(few, there, NEAR).reached
    return bool(found.mean() >= JOINED)


def _is_worth(advice: Advice, asked: int) -> bool:
    """Whether so many values join that she would look at them: a fifth, and half again as many as are equal. Less is
    what any two lists of names share."""
    joined = advice.matches + advice.identical
    enough = joined >= JOINED * asked and joined >= MORE * advice.identical and advice.matches >= LEAST
    return advice.reached and enough and advice.low >= LEAST_PRECISE
