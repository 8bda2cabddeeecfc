"""A fuzzy join before it runs: its pairs, what other thresholds would do, its result."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lakeview.errors import InputError
from lakeview.estimate.join_size import THRESHOLDS, as_frame, curve
from lakeview.estimate.similarity.counting import predicted_seconds
from lakeview.estimate.similarity.measures import bound
from lakeview.estimate.similarity.texts import Distinct, Texts, distinct_texts, identical, token_sets
from lakeview.join.equi import JoinCounts
from lakeview.join.fuzzy.advisor import Advice, Configuration, advise
from lakeview.join.fuzzy.edit import EDITS, edit_matches
from lakeview.join.fuzzy.matches import BestTwo, best_two
from lakeview.join.naming import Columns, free, one_line, result_columns
from lakeview.join.plan import JoinPlan
from lakeview.join.side import Side
from lakeview.values import Normalize

if TYPE_CHECKING:
    import pandas as pd

Cardinality = Literal["N:1", "1:1"]
CARDINALITIES = ("N:1", "1:1")

# How far under the threshold the pairs are known, so that what lies just below it shows, and what that may cost.
_BELOW = 0.2
_SECONDS = 1.0


@dataclass(frozen=True)
class Matched:
    """Both key columns as distinct texts, and the best two right texts of each left one, above the floor."""

    left: Distinct
    right: Distinct
    configuration: Configuration
    best: BestTwo

    @cached_property
    def tokens(self) -> Texts:
        return token_sets(self.left, self.right, self.configuration.tokeniser)


def prepare(
    left: Side, right: Side, left_on: Hashable, right_on: Hashable, how: str, normalize: Normalize,
    threshold: float | None, precision: float | None, tokeniser: str, measure: str, lead: float,
    cardinality: Cardinality,
) -> FuzzyPlan:  # fmt: skip
    """Choose the configuration, join once at its floor, and make the plan."""
    kind = FuzzyPlan
    if left.kind == "spark" or right.kind == "spark":
        from lakeview.join.fuzzy.on_spark import SparkFuzzyPlan

        kind = SparkFuzzyPlan
    plan = kind(left, right, left_on, right_on, how, normalize, cardinality)  # type: ignore[arg-type]
    texts = plan.texts()
    if precision is not None:
        plan.advice = advise(*texts, precision)
        configuration = plan.advice.configuration
        plan._joins = plan.advice.reached
    else:
        assert threshold is not None
        configuration = _with_floor(texts, Configuration(tokeniser, measure, threshold, threshold, lead))
        plan._joins = True
    plan.matched = Matched(*texts, configuration, plan.match(*texts, configuration))
    return plan


def _with_floor(texts: tuple[Distinct, Distinct], how: Configuration) -> Configuration:
    """The configuration with as low a floor as costs little."""
    if how.measure in EDITS:
        if not 0 < how.threshold <= 1:
            raise InputError(f"a threshold lies above 0 and is at most 1, not {how.threshold}")
        return how
    tokens = token_sets(*texts, how.tokeniser)
    bound(how.measure, how.threshold, tokens.largest)  # refuses what is out of range
    step = 1.0 if how.measure == "overlap" else 0.05
    lowest = max(how.threshold - 4 * step, step)
    floors = np.arange(lowest, how.threshold - step / 2, step).round(4).tolist()
    for floor in floors:
        if predicted_seconds(tokens, bound(how.measure, floor, tokens.largest)) <= _SECONDS:
            return replace(how, floor=floor)
    return how


class FuzzyPlan(JoinPlan):
    """A left side joined to the most similar rows of a reference.

    threshold      the least similarity, None where nothing reached the precision asked for
    configuration  tokeniser, measure, floor, threshold and lead: what `at` changes and the code carries
    advice         where a precision was asked for: how sure it is
    """

    matched: Matched
    advice: Advice | None = None
    _joins: bool = True

    def __init__(self, left: Side, right: Side, left_on: Hashable, right_on: Hashable, how: Literal["left", "inner"],
                 normalize: Normalize = "fold", cardinality: Cardinality = "N:1") -> None:  # fmt: skip
        super().__init__(left, right, left_on, right_on, how, normalize)
        self.cardinality = cardinality

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

    def match(self, left: Distinct, right: Distinct, how: Configuration) -> BestTwo:
        """The best two right texts of each left one, above the configuration's floor."""
        if how.measure in EDITS:
            best = edit_matches(left.text, right.text, how.measure, how.floor)
        else:
            texts = token_sets(left, right, how.tokeniser)
            assert texts.right is not None
            floors = [(how.measure, how.floor)]
            best = best_two(texts.left, texts.right, len(left.text), texts.tokens, texts.largest, floors)[0]
        same = identical(left, right)
        best.prefer(np.where(best.right >= 0, same, -1))
        return best

    def at(self, threshold: float, lead: float | None = None) -> FuzzyPlan:
        """The same join at another threshold: without joining again where the threshold is not under the floor."""
        made = object.__new__(type(self))
        made.__dict__.update({k: v for k, v in self.__dict__.items() if k not in ("_joined", "_counts")})
        made._counts = None
        how = replace(self.configuration, threshold=float(threshold), lead=self.lead if lead is None else lead)
        matched = self.matched
        best = matched.best
        if how.measure not in EDITS:
            bound(how.measure, threshold, matched.tokens.largest)
        if threshold < how.floor:
            how = replace(how, floor=float(threshold))
            best = self.match(matched.left, matched.right, how)
        made.matched = Matched(matched.left, matched.right, how, best)
        made._joins = True
        return made

    def _reached(self) -> np.ndarray:
        """Of each left text, whether it joins."""
        how, best = self.configuration, self.matched.best
        if not self._joins:
            return np.zeros(len(best.right), bool)
        if how.measure in EDITS:
            cut = how.threshold * (1 - 1e-15)
        else:
            cut = bound(how.measure, how.threshold, self.matched.tokens.largest).cut
        return (best.right >= 0) & (best.similarity >= cut) & self._ahead()

    def _ahead(self) -> np.ndarray:
        """Of each left text, whether its best match leads by enough; the same text needs no lead."""
        matched = self.matched
        # 0.8 - 0.5 is a little less than 0.3.
        far = matched.best.lead >= self.configuration.lead - 1e-9
        return far | ((matched.best.right >= 0) & (identical(matched.left, matched.right) == matched.best.right))

    @cached_property
    def _joined(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(left rows, right rows, similarities) of the pairs, in the order of the left rows."""
        left, right, best = self.matched.left, self.matched.right, self.matched.best
        reached = np.append(self._reached(), False)  # the last for rows without a text
        rows = np.flatnonzero(reached[left.codes])
        code = left.codes[rows]
        found = right.first_rows[best.right[code]] if len(rows) else np.zeros(0, np.int64)
        values = best.similarity[code]
        if self.cardinality == "1:1":
            order = np.lexsort((rows, -values))
            _, first = np.unique(found[order], return_index=True)
            kept = np.sort(order[first])
            rows, found, values = rows[kept], found[kept], values[kept]
        return rows, found, values

    @property
    def pairs(self) -> pd.DataFrame:
        """The joined pairs: left and right (0-based row positions) and their similarity."""
        import pandas as pd

        left, right, values = self._joined
        return pd.DataFrame({"left": left, "right": right, "similarity": values})

    @property
    def candidates(self) -> pd.DataFrame:
        """Every left value with its best match above the floor, the doubtful first: left_value, right_value,
        similarity, runner_up, runner_up_similarity, joined."""
        import pandas as pd

        left, right, best = self.matched.left, self.matched.right, self.matched.best
        known = np.flatnonzero(best.right >= 0)
        cut = self.configuration.threshold
        order = known[np.argsort(np.abs(best.similarity[known] - cut), kind="stable")]
        second = pd.array(best.second[order], dtype="Int64")
        names = right.text.to_pandas()
        runner = names.reindex(second.astype(int)).where(lambda s: s.index >= 0)
        return pd.DataFrame({
            "left_value": left.text.to_pandas().to_numpy()[order],
            "right_value": names.to_numpy()[best.right[order]],
            "similarity": best.similarity[order],
            "runner_up": runner.to_numpy(),
            "runner_up_similarity": best.second_similarity[order],
            "joined": self._reached()[order],
        })  # fmt: skip

    @cached_property
    def curve(self) -> pd.DataFrame:
        """The pairs of rows at or above each threshold, best matches or not: threshold, pairs, low, high, exact."""
        return self.curve_at()

    def curve_at(self, thresholds: Sequence[float] | None = None) -> pd.DataFrame:
        """`curve` at thresholds of one's own."""
        if self.measure in EDITS:
            raise InputError(f"the curve counts pairs of token sets; {self.measure} has none")
        at = THRESHOLDS if thresholds is None else thresholds
        if thresholds is None and self.measure == "overlap":
            at = tuple(range(1, 21))
        return as_frame(curve(self.matched.tokens, self.measure, np.array(at, np.float64)))

    def joined_at(self, thresholds: Sequence[float]) -> np.ndarray:
        """int64[thresholds]: left rows that would join at each, not under the floor. Quick: for a handle that moves."""
        best = self.matched.best
        ready = (best.right >= 0) & self._ahead()
        order = np.argsort(best.similarity[ready])
        values, rows = best.similarity[ready][order], self.matched.left.counts[ready][order]
        below = np.concatenate([[0], np.cumsum(rows)])
        cuts = np.asarray(thresholds, float) * (1 - 1e-15)
        return below[-1] - below[np.searchsorted(values, cuts)]

    def counts(self) -> JoinCounts:
        """The rows that go in, meet and come out; exact."""
        if self._counts is None:
            left, right, _ = self._joined
            rows, others = len(self.matched.left.codes), len(self.matched.right.codes)
            out = rows if self.how == "left" else len(left)
            self._counts = JoinCounts(rows, len(left), others, len(np.unique(right)), out, int(len(left) > 0))
        return self._counts

    def explain(self) -> str:
        """Why this threshold, and how sure that is; or why there is none."""
        how = self.configuration
        if self.advice is None or self.configuration != self.advice.configuration:
            lead = f", at least {how.lead:.2f} ahead of the runner-up" if how.lead else ""
            unit = f"{how.tokeniser}, " if how.measure not in EDITS else ""
            return f"{unit}{how.measure} ≥ {how.threshold:g}{lead}, as asked"
        return str(self.advice)

    def preview(self, n: int = 20) -> pd.DataFrame:
        """The first `n` rows of the result."""
        if n < 0:
            raise InputError(f"a preview has 0 rows or more, not {n}")
        left, right, values = self._positions()
        return self._result(left[:n], right[:n], values[:n])

    def to_pandas(self) -> pd.DataFrame:
        """The whole result: all left columns, all right columns, and the similarity of their keys."""
        return self._result(*self._positions())

    def to_spark(self, spark: Any = None) -> Any:
        """The result as a Spark DataFrame."""
        from pyspark.sql import SparkSession

        session = spark or SparkSession.getActiveSession()
        if session is None:
            raise InputError("no Spark session runs: give one, as in plan.to_spark(spark)")
        return session.createDataFrame(self.to_pandas())

    def code(self, dialect: str = "pandas") -> str:  # type: ignore[override]
        """The join as plain code that needs no lakeview: "pandas" or "pyspark"."""
        from lakeview.join.fuzzy.code import code

        return code(self, dialect)

    def statements(self, dialect: str = "sql") -> list[str]:  # type: ignore[override]
        raise InputError("SQL has no fuzzy join: ask for the code in 'pandas' or 'pyspark'")

    def _positions(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        left, right, values = self._joined
        if self.how == "inner":
            return left, right, values
        n = len(self.matched.left.codes)
        beside, similarity = np.full(n, -1), np.full(n, np.nan)
        beside[left], similarity[left] = right, values
        return np.arange(n), beside, similarity

    def _result(self, left: np.ndarray, right: np.ndarray, values: np.ndarray) -> pd.DataFrame:
        made = self._rows(left, right)
        made[free("similarity", made.columns)] = values
        return made

    @property
    def _what(self) -> str:
        keys = f"{self.left.stem}.{self.left_on} ≈ {self.right.stem}.{self.right_on}"
        at = "joins nothing" if self.threshold is None else f"{self.measure} ≥ {self.threshold:g}"
        return one_line(f"{keys}, {at}, {self.how} join")

    def __repr__(self) -> str:
        return f"FuzzyPlan({self.summary})"
