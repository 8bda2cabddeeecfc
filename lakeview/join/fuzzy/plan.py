"""A fuzzy join before it runs: its pairs, what other thresholds would do, its result."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lakeview import values
from lakeview.errors import InputError, NotFound
from lakeview.estimate.join_size import THRESHOLDS, as_frame, curve
from lakeview.estimate.similarity.measures import MEASURES, least_similarity
from lakeview.estimate.similarity.texts import Distinct, distinct_texts
from lakeview.estimate.similarity.tokens import tokeniser as named_tokeniser
from lakeview.guards import checks
from lakeview.join.fuzzy.advisor import Advice, Configuration, choose, gather
from lakeview.join.fuzzy.candidates import candidates
from lakeview.join.fuzzy.compared import alike, compared, measured
from lakeview.join.fuzzy.edit import EDITS
from lakeview.join.fuzzy.evidence import Evidence
from lakeview.join.fuzzy.explain import explain
from lakeview.join.fuzzy.joined import CARDINALITIES, Cardinality, joined_at, joined_rows
from lakeview.join.fuzzy.judgements import Judgements, places
from lakeview.join.fuzzy.matched import Matched
from lakeview.join.matching import JoinCounts
from lakeview.join.naming import Columns, free, one_line, result_columns
from lakeview.join.plan import JoinPlan
from lakeview.join.side import Side
from lakeview.values import Normalize

if TYPE_CHECKING:
    import pandas as pd


HOWS = ("left", "inner")


class FuzzyPlan(JoinPlan):
    """A left side joined to the most similar rows of a reference.

    threshold      the least similarity, None where nothing reached the precision asked for
    configuration  tokeniser, measure, floor, threshold and lead: what `at` changes and the code carries
    advice         where a precision was asked for: how sure it is
    judgements     the pairs that were accepted and rejected by hand
    """

    matched: Matched
    advice: Advice | None = None
    judgements: Judgements = Judgements()
    _joins: bool = True

    def __init__(self, left: Side, right: Side, left_on: Hashable, right_on: Hashable, how: Literal["left", "inner"],
                 normalize: Normalize = "fold", cardinality: Cardinality = "N:1") -> None:  # fmt: skip
        super().__init__(left, right, left_on, right_on, how, normalize)
        self.cardinality = cardinality

    @property
    def scale(self) -> float:
        """How many left texts there are to each that `matched` looks at."""
        return 1.0

    @property
    def configuration(self) -> Configuration:
        return self.matched.configuration

    @property
    def threshold(self) -> float | None:
        return self.configuration.threshold if self._joins else None

    @property
    def lead(self) -> float:
        return self.configuration.lead

    @property
    def tokeniser(self) -> str:
        return self.configuration.tokeniser

    @property
    def measure(self) -> str:
        return self.configuration.measure

    @cached_property
    def columns(self) -> Columns:
        """All left columns, then all right ones: both keys stay, for they differ."""
        return result_columns(self.left.columns, self.right.columns, self.left_on, None, self.right.stem)

    def texts(self) -> tuple[Distinct, Distinct]:
        """The distinct canonical texts of both keys."""
        left, right = self.keys
        return distinct_texts(left), distinct_texts(right)

    def at(self, threshold: float, lead: float | None = None) -> FuzzyPlan:
        """The same join at another threshold: without joining again where the threshold is not under the floor."""
        threshold = least_similarity(self.measure, threshold)
        matched = self.matched.at(threshold, self.lead if lead is None else checks.number("lead", lead, 0))
        return self._changed(*(("evidence", "_expected", "curve") if threshold < self.configuration.floor else ()),
                             matched=matched, _joins=True)  # fmt: skip

    def with_how(self, how: Literal["left", "inner"]) -> FuzzyPlan:
        """The same join that keeps left rows without a partner ("left") or not ("inner")."""
        return self._changed(how=checks.how(how, HOWS))

    def with_cardinality(self, cardinality: Cardinality) -> FuzzyPlan:
        """The same join in which many left rows may join a right row ("N:1") or one alone ("1:1")."""
        return self._changed(cardinality=checks.choice("cardinality", cardinality, *CARDINALITIES))

    def compared_by(self, tokeniser: str | None = None, measure: str | None = None) -> FuzzyPlan:
        """The same join under another tokeniser or measure, joined anew; judgements stay.

        Where a precision was asked for and the measure has evidence, at the threshold that it takes there; else at
        the old one. Raises InputError for an unknown name.
        """
        pieces = self.tokeniser if tokeniser is None else named_tokeniser(tokeniser).name
        by = self.measure if measure is None else checks.choice("measure", measure, *MEASURES, *EDITS)
        target = self.advice.target if self.advice is not None else None
        matched, advice = compared(self.matched, pieces, by, target, self.scale)
        said = measured(self.judgements, pieces, by)
        return self._changed("evidence", "_expected", "curve", matched=matched, advice=advice, judgements=said,
                             _joins=advice is None or advice.reached)  # fmt: skip

    def accept(self, left: str, right: str) -> FuzzyPlan:
        """The plan in which a left value joins this right value, however similar they are: the analyst says so.

        What is accepted or rejected also corrects the expected precision, and with it `advice`; the threshold stays
        until `advised()`. Raises NotFound where a side has no such value.
        """
        a, b = self._judgeable(left, right)
        return self._judged(self.judgements.accept(a, b, alike(a, b, self.tokeniser, self.measure)))

    def reject(self, left: str, right: str) -> FuzzyPlan:
        """The plan in which a left value never joins this right value; see `accept`."""
        return self._judged(self.judgements.reject(*self._judgeable(left, right)))

    def unjudge(self, left: str, right: str) -> FuzzyPlan:
        """The plan in which nothing is said of this pair."""
        return self._judged(self.judgements.without(*self._judgeable(left, right)))

    def advised(self, precision: float | None = None) -> FuzzyPlan:
        """The plan at the threshold that this precision takes under its tokeniser and measure, by all evidence.

        precision: by default what was asked for, else 0.9. Raises InputError where the measure has no evidence.
        """
        if precision is not None:
            precision = checks.share("precision", precision)
        if self.evidence is None:
            raise InputError(f"the precision of {self.measure} cannot be estimated: set a threshold with at()")
        target = precision if precision is not None else self.advice.target if self.advice is not None else 0.9
        advice = choose(self.evidence, target)
        how = advice.configuration
        return self._changed(matched=self.matched.at(how.threshold, how.lead), advice=advice, _joins=advice.reached)

    @cached_property
    def evidence(self) -> Evidence | None:
        """What is expected of the best matches at each threshold, None for measures without such evidence."""
        if self.measure in EDITS or self.measure == "overlap":
            return None
        matched = self.matched
        said, right = self.judgements.verdicts(matched.left, matched.right, matched.best)
        said, right = said[~matched.same[said]], right[~matched.same[said]]
        return self._expected.judged(matched.best.similarity[said], right)

    @cached_property
    def _expected(self) -> Evidence:
        """The evidence before anything is judged."""
        how = self.configuration
        known = self.advice.evidence if self.advice is not None else None
        if known is None or (known.tokeniser, known.measure, known.floor) != (how.tokeniser, how.measure, how.floor):
            known = gather(self.matched.left, self.matched.right, how.tokeniser, [(how.measure, how.floor)])[0]
        return known

    def _judgeable(self, left: str, right: str) -> tuple[str, str]:
        """Both values as canonical text."""
        found = []
        for value, side, texts, column in ((left, self.left, self.matched.left, self.left_on),
                                           (right, self.right, self.matched.right, self.right_on)):  # fmt: skip
            text = values.canonical(values.as_arrow([value]), self.normalize)[0].as_py()
            if text is None or not self._has(text, texts):
                raise NotFound(f"{side.name}.{column} has no value {checks.said(value)} to judge")
            found.append(text)
        return found[0], found[1]

    def _has(self, text: str, texts: Distinct) -> bool:
        return bool(places(texts.text, [text])[0] >= 0)

    def _judged(self, judgements: Judgements) -> FuzzyPlan:
        made = self._changed("evidence", judgements=judgements)
        if made.advice is not None and made.evidence is not None:
            made.advice = choose(made.evidence, made.advice.target)
        return made

    def _changed(self, *forget: str, **what: Any) -> FuzzyPlan:
        """A copy with other attributes, all that followed from the old ones forgotten."""
        made = object.__new__(type(self))
        stale = {"_joined", "_counts", *forget}
        made.__dict__.update({name: value for name, value in self.__dict__.items() if name not in stale})
        made.__dict__.update(what, _counts=None)
        return made

    @cached_property
    def _joined(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(left rows, right rows, similarities) of the pairs, in the order of the left rows."""
        return joined_rows(self.matched, self.judgements, self._joins, self.cardinality)

    @property
    def pairs(self) -> pd.DataFrame:
        """The joined pairs: left and right (0-based row positions) and their similarity."""
        import pandas as pd

        left, right, similarity = self._joined
        return pd.DataFrame({"left": left, "right": right, "similarity": similarity})

    @property
    def candidates(self) -> pd.DataFrame:
        """Every left value with its best match above the floor, the doubtful first: left_value, right_value,
        similarity, runner_up, runner_up_similarity, joined."""
        return candidates(self)

    @cached_property
    def curve(self) -> pd.DataFrame:
        """The pairs of rows at or above each threshold, best matches or not: threshold, pairs, low, high, exact."""
        return self.curve_at()

    def curve_at(self, thresholds: Sequence[float] | None = None) -> pd.DataFrame:
        """`curve` at thresholds of one's own."""
        if self.measure in EDITS:
            raise InputError(f"the curve counts pairs of token sets; {self.measure} has none")
        at = (
            THRESHOLDS
            if thresholds is None
            else [least_similarity(self.measure, each) for each in checks.numbers_of("thresholds", thresholds)]
        )
        if thresholds is None and self.measure == "overlap":
            at = tuple(range(1, 21))
        return as_frame(curve(self.matched.tokens, self.measure, np.array(at, np.float64)))

    def joined_at(self, thresholds: Sequence[float]) -> np.ndarray:
        """int64[thresholds]: left rows that would join at each, not under the floor. Quick: for a handle that moves."""
        cuts = checks.numbers_of("thresholds", thresholds)
        return joined_at(self.matched, self.judgements, cuts, self.cardinality)[0]

    def counts(self) -> JoinCounts:
        """The rows that go in, meet and come out; exact."""
        self.require_unchanged()
        if self._counts is None:
            left, right, _ = self._joined
            rows, others = len(self.matched.left.codes), len(self.matched.right.codes)
            out = rows if self.how == "left" else len(left)
            self._counts = JoinCounts(rows, len(left), others, len(np.unique(right)), out, int(len(left) > 0))
        return self._counts

    def explain(self) -> str:
        """Why this threshold, how sure that is, and what speaks against it; or why there is none. A point a line."""
        return explain(self)

    def preview(self, n: int = 20, matched: bool = False) -> pd.DataFrame:
        """The first `n` rows of the result, `matched`: of those that have a match."""
        n, matched = checks.whole("n", n), checks.flag("matched", matched)
        left, right, similarity = self._joined if matched else self._positions()
        return self._result(left[:n], right[:n], similarity[:n])

    def to_pandas(self) -> pd.DataFrame:
        """The whole result: all left columns, all right columns, and the similarity of their keys."""
        return self._result(*self._positions())

    def to_spark(self, spark: Any = None) -> Any:
        """The result as a Spark DataFrame, of `spark` or else of the session that runs; one is started if none does."""
        from lakeview.join.spark.sides import sent, session_of

        checks.session("spark", spark)
        return sent(Side.frame(self.to_pandas(), "result"), session_of(spark, self))

    def code(self, dialect: str = "pandas") -> str:  # type: ignore[override]
        """The join as plain code that needs no lakeview: "pandas" or "pyspark"."""
        from lakeview.join.fuzzy.code import code

        return code(self, checks.choice("dialect", dialect, "pandas", "pyspark"))

    def statements(self, dialect: str = "sql") -> list[str]:  # type: ignore[override]
        raise InputError("SQL has no fuzzy join: ask for the code in 'pandas' or 'pyspark'")

    def _positions(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        left, right, alike = self._joined
        if self.how == "inner":
            return left, right, alike
        n = len(self.matched.left.codes)
        beside, similarity = np.full(n, -1), np.full(n, np.nan)
        beside[left], similarity[left] = right, alike
        return np.arange(n), beside, similarity

    @property
    def similarity_column(self) -> str:
        """The last column of the result, which no other is called like in any case."""
        return free("similarity", {str(name).lower() for name in self.columns.names}, fold=True)

    def _result(self, left: np.ndarray, right: np.ndarray, similarity: np.ndarray) -> pd.DataFrame:
        made = self._rows(left, right)
        made[self.similarity_column] = similarity
        return made

    @property
    def _what(self) -> str:
        keys = f"{self.left.stem}.{self.left_on} ≈ {self.right.stem}.{self.right_on}"
        at = "joins nothing" if self.threshold is None else f"{self.measure} ≥ {self.threshold:g}"
        return one_line(f"{keys}, {at}, {self.how} join")

    def __repr__(self) -> str:
        return f"FuzzyPlan({self.summary})"
