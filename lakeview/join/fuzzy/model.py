"""A fuzzy join as data: both sides matched, what was advised and judged, and what follows of precision and pairs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from lakeview.errors import InputError
from lakeview.estimate.join_size import THRESHOLDS, as_frame, curve
from lakeview.estimate.sampling import sample_rows
from lakeview.estimate.similarity.measures import least_similarity
from lakeview.guards import checks
from lakeview.join.fuzzy.advisor import Advice, Configuration, gather
from lakeview.join.fuzzy.edit import EDITS
from lakeview.join.fuzzy.evidence import Evidence
from lakeview.join.fuzzy.joined import Cardinality
from lakeview.join.fuzzy.judgements import Judgements
from lakeview.join.fuzzy.matched import Matched
from lakeview.join.fuzzy.reference import pack
from lakeview.join.model import Join
from lakeview.join.naming import free, one_line

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, kw_only=True)
class FuzzyJoin(Join):
    """A left side joined to the most similar rows of a reference.

    matched      both sides' texts compared, by a configuration: tokeniser, measure, floor, threshold and lead
    left_texts   how many the left has; of a Spark frame `matched` may look at some of them
    cardinality  whether many left rows may join a right row ("N:1") or one alone ("1:1"), or all pairs ("N:M")
    advice       where a precision was asked for: how sure it is
    judgements   the pairs that were accepted and rejected by hand
    joins        whether threshold and lead let texts join, or judgements alone
    """

    matched: Matched
    left_texts: int
    cardinality: Cardinality = "N:1"
    advice: Advice | None = None
    judgements: Judgements = field(default_factory=Judgements)
    joins: bool = True

    @property
    def shared(self) -> tuple[Hashable, ...]:
        """None: both keys stay, for they differ."""
        return ()

    @property
    def configuration(self) -> Configuration:
        return self.matched.configuration

    @property
    def threshold(self) -> float | None:
        """The least similarity, None where nothing reached the precision asked for."""
        return self.configuration.threshold if self.joins else None

    @property
    def is_sample(self) -> bool:
        """Whether `matched` looks at some of the left texts alone."""
        return self.left_texts > len(self.matched.left.text)

    @property
    def scale(self) -> float:
        """How many left texts there are to each that `matched` looks at."""
        return scale_of(self.left_texts, len(self.matched.left.text))

    @property
    def similarity_column(self) -> str:
        """The last column of the result, which no other is called like in any case."""
        return free("similarity", {str(name).lower() for name in self.columns.names}, fold=True)

    @property
    def what(self) -> str:
        keys = f"{self.left.stem}.{self.left_on[0]} ≈ {self.right.stem}.{self.right_on[0]}"
        at = "joins nothing" if self.threshold is None else f"{self.configuration.measure} ≥ {self.threshold:g}"
        every = ", all pairs" if self.cardinality == "N:M" else ""
        return one_line(f"{keys}, {at}{every}, {self.how} join")

    @cached_property
    def reference(self) -> bytes:
        """The texts of the reference as they travel to Spark's tasks."""
        return pack(self.matched.right.text)

    @cached_property
    def evidence(self) -> Evidence | None:
        """What is expected of the best matches at each threshold, None for measures without such evidence."""
        if self.configuration.measure in (*EDITS, "overlap"):
            return None
        matched = self.matched
        said, right = self.judgements.verdicts(matched.left, matched.right, matched.best)
        said, right = said[~matched.same[said]], right[~matched.same[said]]
        return self.expected.judged(matched.best.similarity[said], right)

    @cached_property
    def expected(self) -> Evidence:
        """The evidence before anything is judged."""
        how = self.configuration
        known = self.advice.evidence if self.advice is not None else None
        same = (how.tokeniser, how.measure, how.floor, how.numbers)
        if known is None or (known.tokeniser, known.measure, known.floor, known.numbers) != same:
            sides = self.matched.left, self.matched.right
            known = gather(*sides, how.tokeniser, [(how.measure, how.floor)], how.numbers)[0]
        return known

    @cached_property
    def curve(self) -> pd.DataFrame:
        """The pairs of rows at or above each threshold, best matches or not: threshold, pairs, low, high, exact."""
        return self.curve_at()

    def curve_at(self, thresholds: Sequence[float] | None = None) -> pd.DataFrame:
        """`curve` at thresholds of one's own; an estimate where `matched` looks at a sample."""
        measure = self.configuration.measure
        if measure in EDITS:
            raise InputError(f"the curve counts pairs of token sets; {measure} has none")
        if thresholds is not None:
            at = [least_similarity(measure, each) for each in checks.numbers_of("thresholds", thresholds)]
        else:
            at = list(range(1, 21)) if measure == "overlap" else list(THRESHOLDS)
        cuts, tokens = np.array(at, np.float64), self.matched.tokens
        if self.is_sample:
            return as_frame(sample_rows(tokens, measure, cuts, 0.1, population=self.left_texts))
        return as_frame(curve(tokens, measure, cuts))

    def changed(self, **what: Any) -> Self:
        """The same with other fields; what was found out stays where it does not follow from them."""
        made, stale = replace(self, **what), set()
        now, before = made.configuration, self.configuration
        if (now.tokeniser, now.measure, now.floor) != (before.tokeniser, before.measure, before.floor):
            stale = {"evidence", "expected", "curve"}
        elif made.judgements != self.judgements:
            stale = {"evidence"}
        for name, value in self.__dict__.items():
            if name not in stale:
                made.__dict__.setdefault(name, value)
        return made


def scale_of(left_texts: int, looked_at: int) -> float:
    """How many left texts there are to each that is looked at."""
    return max(left_texts / max(looked_at, 1), 1.0)
