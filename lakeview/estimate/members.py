"""Containment of a small column in a large one, from the large one's membership filter."""

from __future__ import annotations

import math

from lakeview.estimate.interval import Estimate


def containment(passed: int, asked: int, false_positives: float) -> Estimate:
    """Share of `asked` distinct tokens that are in a column whose filter let `passed` of them through.

    Every token that is there passes, so `passed` bounds the count from above; absent ones pass by chance. Low end: the
    fewest true ones under which that many chance passes are not rarer than 1 in 40. With all of a few hundred tokens
    passed it is close to 1: chance does not let through what it lets through once in 256 times.
    """
    if not asked:
        return Estimate(0.0, 0.0, 1.0)
    value = max((passed / asked - false_positives) / (1 - false_positives), 0.0)
    fewest = passed
    while fewest > 0 and _at_least(passed - fewest + 1, asked - fewest + 1, false_positives) > 0.025:
        fewest -= 1
    return Estimate(max(value, fewest / asked), fewest / asked, passed / asked)


def _at_least(successes: int, trials: int, chance: float) -> float:
    """P(X >= successes) of a binomial."""
    term = (1 - chance) ** trials
    below = 0.0
    for k in range(successes):
        below += term
        term *= (trials - k) / (k + 1) * chance / (1 - chance)
    return max(1 - below, 0.0) if math.isfinite(below) else 0.0
