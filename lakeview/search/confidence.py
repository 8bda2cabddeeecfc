"""How sure a hit is, in a word, and what speaks for it and against it: short phrases, the weightiest first.

The word says whether two columns mean the same things, not what the join costs, nor which of several that fit as well
is meant: copies of one list are each as sure. It comes from the probability of the column by itself, rivals aside, or
from values that only the same things share. Weighed together and told in one sentence, it is `search.reasons`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from lakeview.evidence.evidence import NAMED, SHARED, Evidence, probability
from lakeview.evidence.names import unnamed
from lakeview.search.roles import CATEGORY, COMMON, TIME
from lakeview.search.scoring import Scores
from lakeview.store.shapes import Shape

Confidence = Literal["sure", "possible", "chance"]
SURE = 0.8  # probability from which a match is sure
RIVALLED = 0.5  # share of its own probability that a hit keeps, under which its rivals are spoken of
OF_A_KIND = 0.9  # share of a column's values that are codes, from which all are
Weighty = tuple[float, str]


class Missing(str):
    """A phrase that counts the values that are not met, so that whoever may show them can name them in its place."""


class Weighed(NamedTuple):
    """What `Told` has: the word; a line, "101 of 105 codes, a key"; phrases, names in backticks."""

    confidence: Confidence
    line: str
    pro: tuple[str, ...]
    con: tuple[str, ...]


class Told:
    """A hit that says how sure it is.

    confidence  how sure it is that both columns mean the same things: "sure", "possible" or "chance"
    line        what was matched, in a few words
    pro, con    what speaks for it and against it: phrases, the weightiest first
    """

    overlap: int
    score: float
    accidental: bool
    _weigh: Callable[[], Weighed] | None = None

    @property
    def asked_distinct(self) -> int:
        raise NotImplementedError

    @cached_property
    def weighed(self) -> Weighed:
        """All four together."""
        return self._weigh() if self._weigh is not None else self._weighed_plainly()

    def _weighed_plainly(self) -> Weighed:
        """The same of a hit whose evidence was not weighed."""
        confidence: Confidence = "chance" if self.accidental else "sure" if self.score >= SURE else "possible"
        return Weighed(confidence, matched(self.asked_distinct, self.overlap, "values"), (), ())

    @property
    def confidence(self) -> Confidence:
        return self.weighed.confidence

    @property
    def line(self) -> str:
        return self.weighed.line

    @property
    def pro(self) -> tuple[str, ...]:
        return self.weighed.pro

    @property
    def con(self) -> tuple[str, ...]:
        return self.weighed.con


def weighed(query: Any, snapshot: Any, column: int, overlap: int, scores: Scores, at: int) -> Weighed:
    """Of one hit; `at` is its place in `scores`."""
    code, expected = _letters(query.shape, snapshot, column), _expected(query, scores, at)
    pro, con = (sorted(said, key=lambda one: -one[0]) for said in (
        _for(snapshot, column, scores, at, code, overlap > 10 * expected),
        _against(query, snapshot, column, overlap, scores, at),
    ))  # fmt: skip
    line = matched(query.distinct, overlap, kind(query.shape))
    if not scores.accidental[at]:
        line += ", a key" if snapshot.key_like[column] else ", but no key"
    elif expected >= 1:
        line += f"; {min(expected, query.distinct):,.0f} by chance"
    return Weighed(word(scores, at), line, tuple(text for _, text in pro), tuple(text for _, text in con))


def word(scores: Scores, at: int) -> Confidence:
    """How sure it is that both columns mean the same things."""
    found, common = scores.evidence, scores.common[at]
    if scores.accidental[at]:
        return "possible" if common else "chance"
    if common:  # a status of this name, and no time or flag
        return (
            "sure" if found.whole[at] and scores.role[at] == CATEGORY and found.agreement[at] >= NAMED else "possible"
        )
    own = max(probability(found.odds)[at], scores.score[at])
    return "sure" if own >= SURE else "possible"


def kind(shape: Shape) -> str:
    """What to call a column's values: numbers, dates, times, codes (of a few letters), or values."""
    if shape.type in ("integer", "number"):
        return "numbers"
    if shape.type in ("date", "timestamp"):
        return "dates" if shape.type == "date" else "times"
    return "codes" if sum(shape.letters) >= OF_A_KIND * max(shape.values, 1) else "values"


def matched(distinct: int, overlap: int, what: str) -> str:
    """`101 of 105 codes`, `all 105 codes`."""
    if distinct == 1:
        return "one value"
    return f"all {distinct:,} {what}" if overlap == distinct else f"{overlap:,} of {distinct:,} {what}"


def missing(distinct: int, overlap: int, what: str) -> list[str]:
    """`4 codes missing`, where some are."""
    left = distinct - overlap
    return [Missing(f"{left:,} {what if left > 1 else what.removesuffix('s')} missing")] * (left > 0)


def _for(snapshot: Any, column: int, scores: Scores, at: int, code: int, rare: bool) -> Iterator[Weighty]:
    found = scores.evidence
    if scores.back[at]:
        yield 9.0, "its rows refer to yours"
    elif found.agreement[at] >= NAMED or found.about[at] >= 0.5:
        yield _weight(found, at, "agreement", "named", "about"), "the names agree"
    if code:
        yield 1.5, f"both {code}-letter codes"
    elif rare and found.told[at] >= 0.75 and found.contained[at] >= SHARED:
        yield _weight(found, at, "told"), "such values hardly meet by chance"
    if snapshot.key_like[column] and not snapshot.sketched[column]:
        yield _weight(found, at, "unique"), f"`{snapshot.names[column]}` is a key: no rows are added"
    if found.place[at] > 0 and found.cohesion[at] >= 0.5:
        yield _weight(found, at, "together"), "both tables lie in one folder"


def _against(query: Any, snapshot: Any, column: int, overlap: int, scores: Scores, at: int) -> Iterator[Weighty]:
    found, distinct = scores.evidence, query.distinct
    if found.few[at]:
        least = min(distinct, int(snapshot.distinct[column]))
        yield 9.0, f"{'one value' if least == 1 else 'two values'} alone: any two such columns may share them"
    elif found.stray[at]:
        yield 9.0, "hardly anything is shared"
    elif scores.role[at] in COMMON or found.time[at]:
        kinds = COMMON.get(scores.role[at], COMMON[TIME])
        yield (99.0 if scores.accidental[at] else 4.0), f"joins whatever has such {kinds}"
    elif (expected := _expected(query, scores, at)) >= SHARED * overlap:
        yield 4.0, "such values meet by chance too"
    elif expected >= max(0.1 * overlap, 1):
        yield 1.0, f"about {expected:,.0f} would meet by chance"
    if scores.inside[at] and scores.accidental[at]:
        yield 6.0, "another column of the same table"
    if found.measure[at]:
        yield 5.0, "a quantity refers to nothing"
    if found.own[at] and found.agreement[at] < NAMED and not scores.back[at]:
        yield 0.7, "both are keys of their own tables"
    if not scores.back[at] and scores.refers[at] < RIVALLED * probability(found.odds[at]):
        yield 2.0, "other columns fit as well"
    for said in missing(distinct, overlap, kind(query.shape)) if not found.stray[at] else ():
        yield 3 * (1 - float(found.contained[at])), said
    rows, nulls = int(snapshot.rows[column]), int(snapshot.nulls[column])
    each = (rows - nulls) / max(int(snapshot.distinct[column]), 1)
    if not snapshot.key_like[column] and each >= 1.5:
        yield _weight(found, at, "repeats"), f"no key: {each:,.0f} rows a value"
    if nulls > rows / 2:
        yield 0.5, "most of its rows are empty"
    if unnamed(snapshot.names[column]):
        yield 0.4, "no header"


def _weight(found: Evidence, at: int, *parts: str) -> float:
    return abs(sum(float(found.parts[part][at]) for part in parts))


def _letters(shape: Shape, snapshot: Any, column: int) -> int:
    """How many letters the codes have that make up both columns, 0 where they are no such codes."""
    mine = np.array(shape.letters) >= OF_A_KIND * max(shape.values, 1)
    theirs = snapshot.letters[:, column] >= OF_A_KIND * max(int(snapshot.array("values")[column]), 1)
    both = np.flatnonzero(mine & theirs)
    return int(both[0]) + 1 if len(both) else 0


def _expected(query: Any, scores: Scores, at: int) -> float:
    """Values that chance would meet."""
    return float(min(scores.evidence.chance[at], 1.0)) * query.distinct
