"""Lazo: Jaccard similarity and containment together, from one similarity and two cardinalities.

Castro Fernandez et al., ICDE 2019, section III. With |X| and |Y| known, one number α ties both measures (equations 3
and 4): JS = (min - α) / (max + α) and JC_x = (min - α) / |X|. A sketch's JS gives α (equation 6), α gives both
containments (equation 7); where they exceed what the cardinalities allow (equation 8), the excess is an error that
is seen, and taken out of all three (the error correction heuristic).

min - α is the overlap, so everything here is said of overlaps: o = JS (|X| + |Y|) / (1 + JS), at most min(|X|, |Y|).

The interval is that of sampling: the occupied buckets of a one-permutation sketch hold the smallest tokens of as many
parts of the union, a random sample of it without replacement (Clopper and Pearson's interval, drawn together as
the sample nears the whole union: small columns are known exactly).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lakeview.estimate.interval import Estimate, Z, clopper_pearson


def coupled(jaccard: ArrayLike, x: ArrayLike, y: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Corrected JS, JC_x = |X ∩ Y| / |X| and JC_y, from an estimated JS and the cardinalities x and y (above 0)."""
    jaccard, x, y = (np.asarray(value, float) for value in (jaccard, x, y))
    overlap = np.minimum(jaccard * (x + y) / (1 + jaccard), np.minimum(x, y))
    return overlap / (x + y - overlap), overlap / x, overlap / y


@dataclass(frozen=True)
class Comparison:
    """How two columns a and b meet; containment is of a in b. names: what they are called where it is shown."""

    overlap: Estimate
    containment: Estimate
    reverse_containment: Estimate
    jaccard: Estimate
    names: tuple[str, str] = ("a", "b")


def lazo(same: float, occupied: float, x: float, y: float, x_error: float = 0.0, y_error: float = 0.0) -> Comparison:
    """The comparison of two columns from the agreements of their sketches.

    same, occupied: as `sketch.minhash.agreements` counts them (undensified). x, y: distinct tokens of each; x_error,
    y_error: standard errors of those, 0 where they are counted.
    """
    value, low, high = overlaps(same, occupied, x, y)
    # d log(o / x) and d log(o / y) at a fixed JS, where o = JS (x + y) / (1 + JS); JS itself needs no cardinality.
    noise = relative_noise(x, y, x_error, y_error)
    both = max(x + y, 1e-300)
    return from_overlap(Estimate(float(value), float(low), float(high)), x, y, noise, (y / both, x / both, 0.0))


def overlaps(same: ArrayLike, occupied: ArrayLike, x: ArrayLike, y: ArrayLike) -> tuple[np.ndarray, ...]:
    """Overlap of many pairs: value, low, high, of the shape of the (broadcast) arguments."""
    same, occupied, x, y = np.broadcast_arrays(*(np.asarray(value, float) for value in (same, occupied, x, y)))
    most = np.minimum(x, y)
    both = x + y

    def to_overlap(jaccard: np.ndarray) -> np.ndarray:
        return np.clip(jaccard * both / (1 + jaccard), 0, most)

    share = same / np.maximum(occupied, 1)
    value = to_overlap(share)
    low, high = np.zeros_like(value), most.copy()
    union = np.maximum(both - value, 1)
    for _ in range(2):  # the union's size decides the effective sample, and the other way round
        sampled = np.clip(occupied / union, 0, 1)
        whole = sampled > 1 - 1e-9
        growth = np.where(sampled > 0, -np.log1p(-np.minimum(sampled, 1 - 1e-9)) / np.maximum(sampled, 1e-12), 1.0)
        below, above = clopper_pearson(np.where(whole, 0, same * growth), np.where(whole, 0, occupied * growth))
        low = np.where(whole, value, np.maximum(to_overlap(below), np.minimum(same, most)))
        high = np.where(whole, value, np.maximum(to_overlap(above), low))
        union = np.maximum(both - low, 1)
    return value, low, high


def relative_noise(x: float, y: float, x_error: float, y_error: float) -> float:
    """Standard error of log(x / y)."""
    return float(np.hypot(x_error / x if x else 0.0, y_error / y if y else 0.0))


def from_overlap(
    overlap: Estimate, x: float, y: float, noise: float = 0.0, share: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> Comparison:
    """All four measures from an overlap.

    noise is the standard error of log(x / y); share says how much of it the estimator lets into containment, reverse
    containment and Jaccard similarity.
    """
    ends = np.array([overlap.value, overlap.low, overlap.high])

    def measure(value: np.ndarray, most: float, part: float) -> Estimate:
        slack = Z * noise * part * value[0]
        low, high = value[0] - np.hypot(value[0] - value[1], slack), value[0] + np.hypot(value[2] - value[0], slack)
        # What the cardinalities allow at most is itself only as sure as they are.
        return Estimate(float(min(value[0], most)), float(max(low, 0.0)), float(min(high, most * (1 + Z * noise), 1.0)))

    most = min(x, y)
    counted = measure(ends / max(x + y, 1e-300), most / max(x + y, 1e-300), max(share))
    return Comparison(
        overlap=Estimate(*(float(end * (x + y)) for end in (counted.value, counted.low, counted.high))),
        containment=measure(ends / x if x else ends * 0, most / x if x else 0.0, share[0]),
        reverse_containment=measure(ends / y if y else ends * 0, most / y if y else 0.0, share[1]),
        jaccard=measure(ends / np.maximum(x + y - ends, 1e-300), most / max(x, y, 1e-300), share[2]),
    )
