"""The number of similar pairs at every threshold, with an interval: what each estimator returns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Curve:
    """Pairs at or above each threshold. All arrays have one entry a threshold, in the caller's order.

    pairs: float64, the count or its estimate. low, high: a 95% interval. exact: bool, counted and not estimated.
    """

    thresholds: np.ndarray
    pairs: np.ndarray
    low: np.ndarray
    high: np.ndarray
    exact: np.ndarray

    @classmethod
    def counted(cls, thresholds: np.ndarray, pairs: np.ndarray) -> Curve:
        """A curve that is known."""
        pairs = np.asarray(pairs, np.float64)
        return cls(thresholds, pairs, pairs, pairs, np.ones(len(pairs), bool))

    @classmethod
    def estimated(
        cls, thresholds: np.ndarray, pairs: np.ndarray, low: np.ndarray, high: np.ndarray, most: float
    ) -> Curve:
        """An estimate, made to fall with the threshold and to lie between 0 and all pairs there are."""
        order = np.argsort(-thresholds, kind="stable")
        steps = []
        for values in (pairs, low, high):
            rising = np.maximum.accumulate(np.clip(np.nan_to_num(values[order]), 0, most))
            back = np.empty_like(rising)
            back[order] = rising
            steps.append(back)
        pairs, low, high = steps
        return cls(thresholds, pairs, np.minimum(low, pairs), np.maximum(high, pairs), np.zeros(len(pairs), bool))


def with_counts(estimate: Curve, counted: np.ndarray, counts: np.ndarray) -> Curve:
    """The estimate with exact counts where `counted`; no estimate at a lower threshold stays under such a count."""
    pairs, low, high = estimate.pairs.copy(), estimate.low.copy(), estimate.high.copy()
    floor = float(np.max(counts, initial=0))
    for values in (pairs, low, high):
        values[~counted] = np.maximum(values[~counted], floor)
        values[counted] = counts
    return Curve(estimate.thresholds, pairs, low, high, counted.copy())
