"""From two sides and what was asked of them to a plan: the configuration, and one join at its floor."""

from __future__ import annotations

from collections.abc import Hashable

from lakeview.join.fuzzy.advisor import Configuration, advise
from lakeview.join.fuzzy.joined import Cardinality
from lakeview.join.fuzzy.matched import Matched, with_floor
from lakeview.join.fuzzy.plan import FuzzyPlan
from lakeview.join.side import Side
from lakeview.values import Normalize


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
        configuration = with_floor(*texts, Configuration(tokeniser, measure, threshold, threshold, lead), plan.scale)
    plan.matched = Matched.of(*texts, configuration)
    return plan
