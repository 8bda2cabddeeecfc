"""From two sides and what was asked of them to a plan: the configuration, and one join at its floor."""

from __future__ import annotations

from collections.abc import Hashable

from lakeview.estimate.similarity.texts import Distinct, distinct_texts
from lakeview.guards import checks
from lakeview.join.fuzzy.advisor import Configuration, advise
from lakeview.join.fuzzy.joined import Cardinality
from lakeview.join.fuzzy.matched import Matched, with_floor
from lakeview.join.fuzzy.model import FuzzyJoin, scale_of
from lakeview.join.fuzzy.plan import HOWS, FuzzyPlan
from lakeview.join.model import Join
from lakeview.join.side import Side
from lakeview.values import Normalize


def prepare(
    left: Side, right: Side, left_on: Hashable, right_on: Hashable, how: str, normalize: Normalize,
    threshold: float | None, precision: float | None, tokeniser: str, measure: str, lead: float,
    cardinality: Cardinality,
) -> FuzzyPlan:  # fmt: skip
    """Choose the configuration, join once at its floor, and make the plan."""
    join = Join(left, right, (left_on,), (right_on,), checks.how(how, HOWS), checks.normalize(normalize))
    ours, theirs, left_texts = _texts(join)
    advice = None
    if precision is not None:
        advice = advise(ours, theirs, precision)
        configuration = advice.configuration
    else:
        assert threshold is not None
        configuration = Configuration(tokeniser, measure, threshold, threshold, lead)
        configuration = with_floor(ours, theirs, configuration, scale_of(left_texts, len(ours.text)))
    return FuzzyPlan.of(
        FuzzyJoin(
            left, right, how=join.how, normalize=normalize, matched=Matched.of(ours, theirs, configuration),
            left_on=join.left_on, right_on=join.right_on, left_texts=left_texts, cardinality=cardinality,
            advice=advice, joins=advice is None or advice.reached,
        )
    )  # fmt: skip


def _texts(join: Join) -> tuple[Distinct, Distinct, int]:
    """The distinct canonical texts of both keys, of a large Spark frame some of the left ones; and how many the left
    has."""
    if join.in_spark:
        from lakeview.join.fuzzy import on_spark

        return on_spark.texts(join)
    left, right = distinct_texts(join.left_keys.whole), distinct_texts(join.right_keys.whole)
    return left, right, len(left.text)
