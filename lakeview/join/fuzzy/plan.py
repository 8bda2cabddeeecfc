"""A fuzzy join before it runs: its pairs, what other thresholds would do, its result."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lakeview import values
from lakeview.errors import InputError, NotFound
from lakeview.estimate.similarity.measures import MEASURES, least_similarity
from lakeview.estimate.similarity.texts import Distinct, distinct_texts
from lakeview.estimate.similarity.tokens import tokeniser as named_tokeniser
from lakeview.guards import checks
from lakeview.join.fuzzy.advisor import Advice, Configuration, choose
from lakeview.join.fuzzy.candidates import candidates
from lakeview.join.fuzzy.compared import alike, compared, measured
from lakeview.join.fuzzy.edit import EDITS
from lakeview.join.fuzzy.every_pair import EveryPair
from lakeview.join.fuzzy.evidence import Evidence
from lakeview.join.fuzzy.explain import explain, reason
from lakeview.join.fuzzy.joined import CARDINALITIES, Cardinality, joined_at, joined_rows, meeting
from lakeview.join.fuzzy.judgements import Judgements, places
from lakeview.join.fuzzy.matched import Matched
from lakeview.join.fuzzy.model import FuzzyJoin
from lakeview.join.model import JoinCounts
from lakeview.join.plan import JoinPlan, of_join
from lakeview.join.recipe.drift import Keys
from lakeview.join.result import result
from lakeview.join.side import Side

if TYPE_CHECKING:
    import pandas as pd


HOWS = ("left", "inner")


class FuzzyPlan(JoinPlan):
    """A left side joined to the most similar rows of a reference; FuzzyJoin says what its attributes are.

    threshold      the least similarity, None where nothing reached the precision asked for
    configuration  tokeniser, measure, floor, threshold and lead: what `at` changes and the code carries
    """

    join: FuzzyJoin
    matched: Matched = of_join("matched")
    advice: Advice | None = of_join("advice")
    judgements: Judgements = of_join("judgements")
    cardinality: Cardinality = of_join("cardinality")
    configuration: Configuration = of_join("configuration")
    threshold: float | None = of_join("threshold")
    lead: float = of_join("configuration.lead")
    tokeniser: str = of_join("configuration.tokeniser")
    measure: str = of_join("configuration.measure")
    similarity_column: str = of_join("similarity_column")

    @property
    def _on_spark(self) -> Any:
        from lakeview.join.fuzzy import on_spark

        return on_spark

    def at(self, threshold: float, lead: float | None = None) -> FuzzyPlan:
        """The same join at another threshold: without joining again where the threshold is not under the floor."""
        threshold = least_similarity(self.measure, threshold)
        matched = self.matched.at(threshold, self.lead if lead is None else checks.number("lead", lead, 0))
        return self._changed(matched=matched, joins=True)

    def with_how(self, how: Literal["left", "inner"]) -> FuzzyPlan:
        """The same join that keeps left rows without a partner ("left") or not ("inner")."""
        return self._changed(how=checks.how(how, HOWS))

    def with_cardinality(self, cardinality: Cardinality) -> FuzzyPlan:
        """The same join in which many left rows may join a right row ("N:1") or one alone ("1:1"), or all pairs join
        ("N:M")."""
        return self._changed(cardinality=checks.choice("cardinality", cardinality, *CARDINALITIES))

    def compared_by(self, tokeniser: str | None = None, measure: str | None = None) -> FuzzyPlan:
        """The same join under another tokeniser or measure, joined anew; judgements stay.

        Where a precision was asked for and the measure has evidence, at the threshold that it takes there; else at
        the old one. Raises InputError for an unknown name.
        """
        pieces = self.tokeniser if tokeniser is None else named_tokeniser(tokeniser).name
        by = self.measure if measure is None else checks.choice("measure", measure, *MEASURES, *EDITS)
        target = self.advice.target if self.advice is not None else None
        matched, advice = compared(self.matched, pieces, by, target, self.join.scale)
        said = measured(self.judgements, pieces, by)
        return self._changed(matched=matched, advice=advice, judgements=said, joins=advice is None or advice.reached)

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
        return self._changed(matched=self.matched.at(how.threshold, how.lead), advice=advice, joins=advice.reached)

    def with_many(self, many: str | Mapping[Hashable, str] = "all", when: Hashable = None) -> FuzzyPlan:
        """The plan itself: a left row joins one right row at most, the first of its text; where all pairs join, "first"
        keeps the best match. Raises InputError for another word than "all" or "first"."""
        if when is not None or not isinstance(many, str) or many not in ("all", "first"):
            raise InputError("a fuzzy join makes no row of several: bring the right side to one row a key before it")
        return self.with_cardinality("N:1") if many == "first" and self.cardinality == "N:M" else self

    @property
    def evidence(self) -> Evidence | None:
        """What is expected of the best matches at each threshold, None for measures without such evidence."""
        return self.join.evidence

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
        is_sample = texts is self.matched.left and self.join.is_sample
        return is_sample or bool(places(texts.text, [text])[0] >= 0)

    def _judged(self, judgements: Judgements) -> FuzzyPlan:
        made = self._changed(judgements=judgements)
        if made.advice is None or made.evidence is None:
            return made
        return made._changed(advice=choose(made.evidence, made.advice.target))

    def _changed(self, **what: Any) -> FuzzyPlan:
        return FuzzyPlan.of(self.join.changed(**what))

    @cached_property
    def _joined(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(left rows, right rows, similarities) of the best matches, in the order of the left rows."""
        return joined_rows(self.matched, self.judgements, self.join.joins, self.cardinality)

    @property
    def pairs(self) -> pd.DataFrame:
        """The joined pairs: left and right (0-based row positions; of Spark frames the key values), similarity."""
        import pandas as pd

        if self.join.in_spark:
            return self._on_spark.pairs(self.join)
        left, right, similarity = self._rows(alone=False)
        return pd.DataFrame({"left": left, "right": right, "similarity": similarity})

    @property
    def candidates(self) -> pd.DataFrame:
        """Every left value with its best match above the floor, the doubtful first: left_value, right_value,
        similarity, runner_up, runner_up_similarity, joined."""
        return candidates(self.join)

    @property
    def curve(self) -> pd.DataFrame:
        """The pairs of rows at or above each threshold, best matches or not: threshold, pairs, low, high, exact."""
        return self.join.curve

    def curve_at(self, thresholds: Sequence[float] | None = None) -> pd.DataFrame:
        """`curve` at thresholds of one's own."""
        return self.join.curve_at(thresholds)

    def joined_at(self, thresholds: Sequence[float]) -> np.ndarray:
        """int64[thresholds]: left rows that would join at each, not under the floor. Quick: for a handle that moves."""
        cuts = checks.numbers_of("thresholds", thresholds)
        return joined_at(self.matched, self.judgements, cuts, self.cardinality)[0]

    def counts(self) -> JoinCounts:
        """The rows that go in, meet and come out; exact. Of a Spark frame, the join runs."""
        self.require_unchanged()
        if self._counts is None:
            self._counts = self._on_spark.counts(self.join) if self.join.in_spark else self._counted_here()
        return self._counts

    @cached_property
    def _every(self) -> EveryPair:
        return EveryPair(self.matched, self.judgements, self.join.joins)

    def _counted_here(self) -> JoinCounts:
        if self.cardinality == "N:M":
            return self._every.counts(self.how)
        left, right, _ = self._joined
        rows, others = len(self.matched.left.codes), len(self.matched.right.codes)
        out = rows if self.how == "left" else len(left)
        return JoinCounts(rows, len(left), others, len(np.unique(right)), out, int(len(left) > 0))

    @property
    def warnings(self) -> list[str]:  # type: ignore[override]
        """None: what joins, and what does not, is what a threshold says."""
        return []

    def _keys_of(self, join: Any) -> Keys:
        matched = self.matched
        if join is not self.join:
            sides = (distinct_texts(join.left_keys.whole), distinct_texts(join.right_keys.whole))
            matched = Matched.of(*sides, self.configuration)
        met = meeting(matched, self.judgements, self.join.joins, self.cardinality)
        return Keys(matched.left.text.to_pylist(), met, matched.right.text.to_pylist())

    def explain(self) -> str:
        """Why this threshold, how sure that is, and what speaks against it; or why there is none. A point a line."""
        return explain(self.join)

    def preview(self, n: int = 20, matched: bool = False) -> pd.DataFrame:
        """The first `n` rows of the result, `matched`: of those that have a match; of a Spark frame, some `n` rows."""
        n, matched = checks.whole("n", n), checks.flag("matched", matched)
        if self.join.in_spark:
            return self._fetched(n, matched)
        rows = self._rows(alone=self.how == "left" and not matched, most=n)
        return self._with_similarity(*(each[:n] for each in rows))

    def to_pandas(self) -> pd.DataFrame:
        """The whole result: all left columns, all right columns, and the similarity of their keys."""
        made = self._fetched() if self.join.in_spark else self._with_similarity(*self._rows(alone=self.how == "left"))
        return self._noted(made)

    def to_spark(self, spark: Any = None) -> Any:
        """The result as a Spark DataFrame, of `spark` or else of the session that runs; one is started if none does."""
        from lakeview.join.spark.sides import sent, session_of

        checks.session("spark", spark)
        if self.join.in_spark:
            return self._noted(self._on_spark.to_spark(self.join, spark))
        return self._noted(sent(Side.frame(self.to_pandas(), "result"), session_of(spark, self.join)))

    def _fetched(self, most: int | None = None, matched: bool = False) -> pd.DataFrame:
        from lakeview.join.spark.sides import fetched

        rows = partial(self._on_spark.to_spark, self.join, matched=matched)
        return fetched(self.join, rows=rows, most=most)

    def code(self, dialect: str = "pandas") -> str:  # type: ignore[override]
        """The join as plain code that needs no lakeview: "pandas" or "pyspark"."""
        return self._code(checks.choice("dialect", dialect, "pandas", "pyspark"))

    def _written(self, dialect: str) -> str:
        from lakeview.join.fuzzy import code

        return code.write(self.join, dialect)

    def heading(self) -> list[str]:
        return [f"lakeview: {self.summary}; {reason(self.join)}"]

    def statements(self, dialect: str = "sql") -> list[str]:  # type: ignore[override]
        raise InputError("SQL has no fuzzy join: ask for the code in 'pandas' or 'pyspark'")

    def _rows(self, alone: bool, most: int | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(left rows, right rows, similarities) in the order of the left rows. alone: also of left rows that meet none,
        beside -1 and NaN. most: so many are enough."""
        if self.cardinality == "N:M":
            return self._every.rows(alone, most)
        left, right, alike = self._joined
        if not alone:
            return left, right, alike
        n = len(self.matched.left.codes)
        beside, similarity = np.full(n, -1), np.full(n, np.nan)
        beside[left], similarity[left] = right, alike
        return np.arange(n), beside, similarity

    def _with_similarity(self, left: np.ndarray, right: np.ndarray, similarity: np.ndarray) -> pd.DataFrame:
        made = result(self.join, left, right)
        made[self.similarity_column] = similarity
        return made

    def __repr__(self) -> str:
        return f"FuzzyPlan({self.summary})"
