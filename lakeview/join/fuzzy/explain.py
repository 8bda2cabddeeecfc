"""Why this threshold, and what else speaks for it or against it, in sentences."""

from __future__ import annotations

import numpy as np

from lakeview.join.fuzzy.edit import EDITS
from lakeview.join.fuzzy.evidence import USUAL
from lakeview.join.fuzzy.model import FuzzyJoin

_OFTEN = 0.05  # of the joined, from which on values are said to hit two keys
_GRID = np.round(np.arange(0.02, 1.001, 0.02), 2)


def bend(thresholds: np.ndarray, pairs: np.ndarray) -> float | None:
    """The threshold under which the number of pairs climbs: where its logarithm lies farthest under the line from the
    first to the last point (the knee of Satopaa et al., 2011). None where it is nearly a line."""
    order = np.argsort(thresholds)
    x, y = np.asarray(thresholds, float)[order], np.log(np.maximum(np.asarray(pairs, float)[order], 1))
    if len(x) < 4 or x[-1] == x[0]:
        return None
    under = y[0] + (y[-1] - y[0]) * (x - x[0]) / (x[-1] - x[0]) - y
    place = int(under.argmax())
    return float(x[place]) if under[place] >= 0.5 else None  # a factor of 1.6


def two_keys(join: FuzzyJoin) -> float | None:
    """The highest threshold at which one in twenty of the joined texts reaches two reference texts."""
    best = join.matched.best
    first, second = best.similarity[~join.matched.same], best.second_similarity[~join.matched.same]
    ones, twos = ((values[:, None] >= _GRID * (1 - 1e-15)).sum(axis=0) for values in (first, second))
    often = (twos > 0) & (twos >= _OFTEN * ones) & (join.configuration.floor * (1 - 1e-9) <= _GRID)
    return float(_GRID[often].max()) if often.any() else None


def reason(join: FuzzyJoin) -> str:
    """One line: the threshold and where it comes from."""
    how = join.configuration
    every = join.cardinality == "N:M"
    if join.advice is not None and how == join.advice.configuration and not (every and join.advice.reached):
        return str(join.advice)
    lead = f", at least {how.lead:.2f} ahead of the runner-up" if how.lead else ""
    unit = f"{how.tokeniser}, " if how.measure not in EDITS else ""
    if every:
        return f"{unit}{how.measure} ≥ {how.threshold:g}, all pairs: how many of them are right is not estimated"
    return f"{unit}{how.measure} ≥ {how.threshold:g}{lead}, as asked"


def explain(join: FuzzyJoin) -> str:
    """`reason`, and the evidence: a sentence a line."""
    lines = [reason(join)]
    matched = join.matched
    chosen = matched.reached & ~matched.same
    if join.threshold is not None and chosen.any():
        lines.append(f"half of the matches lead their runner-up by {np.median(matched.best.lead[chosen]):.2f} or more")
    measure = join.configuration.measure
    if measure not in EDITS:
        if measure != "overlap" and (from_there := two_keys(join)) is not None:
            lines.append(f"from {from_there:.2f} down, values begin to be like two values of the reference")
        curve = join.curve
        if (knee := bend(curve.threshold.to_numpy(), curve.pairs.to_numpy())) is not None:
            beyond = join.threshold is not None and join.threshold < knee - 0.05
            warning = ": this threshold lies beyond it" if beyond else ""
            lines.append(f"the curve bends at {knee:g}, below which pairs by chance take over{warning}")
    if len(said := join.judgements):
        evidence = join.evidence
        factor = np.exp(evidence.shift - USUAL) if evidence else 1.0
        moved = f": the odds of a false match are {factor:.2f} times those expected" if evidence else ""
        lines.append(f"judged: {len(said.accepted)} right, {len(said.rejected)} wrong{moved}")
    return "\n".join(lines)
