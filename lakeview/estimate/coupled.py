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

import math
from dataclasses import dataclass, field

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
    """How two columns a and b meet; containment is of a in b. names: what they are called where it is shown. apart: a
    few values that are in a alone and in b alone, as they are spelled there, where that is at hand."""

    overlap: Estimate
    containment: Estimate
    reverse_containment: Estimate
    jaccard: Estimate
    names: tuple[str, str] = ("a", "b")
    apart: tuple[tuple[str, ...], tuple[str, ...]] = field(default=((), ()), compare=False)


def lazo(same: float, occupied: float, x: float, y: float, x_error: float = 0.0, y_error: float = 0.0) -> Comparison:
    """The comparison of two columns from the agreements of their sketches.

    same, occupied: as `sketch.minhash.agreements` counts them (undensified). x, y: distinct tokens of each; x_error,
    y_error: standard errors of those, 0 where they are counted.
    """
    value, low, high = overlaps(same, occupied, x, y)
    # d log(o / x) and d log(o / y) at a fixed JS, where o = JS (x + y) / (1 + JS); JS itself needs no cardinality.
    both = max(x + y, 1e-300)
    share = (max(x, y) / both, y / both, x / both, 0.0)
    return from_overlap(Estimate(float(value), float(low), float(high)), x, y, x_error, y_error, share)


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


def from_overlap(
    overlap: Estimate, x: float, y: float, x_error: float = 0.0, y_error: float = 0.0,
    share: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0), alike: bool = False,
) -> Comparison:  # fmt: skip
    """All four measures from an overlap whose interval takes the cardinalities x and y as known.

    x_error, y_error: their standard errors. share: how much of the error of x / y the estimator lets into overlap,
    containment, reverse containment and Jaccard similarity. alike: x and y are one estimate, with one error.

    The errors are relative, so an end of the interval carries its own part of them, and is as far from the value as
    both reasons together put it (the root of squares). Where nothing speaks against the whole of the smaller column,
    only the cardinalities bound the measure: then the end is as far beyond that as they may err.
    """
    sizes = [error / size if size else 0.0 for size, error in ((x, x_error), (y, y_error))]
    noise = 0.0 if alike else math.hypot(*sizes)
    ends = np.array([overlap.value, overlap.low, overlap.high])
    whole = overlap.high >= min(x, y) * (1 - 1e-9)

    def measure(ends: np.ndarray, part: float, noise: float, bound: float) -> Estimate:
        value, low, high = ends.tolist()
        slack = Z * noise
        low = max(value - math.hypot(value - low, slack * part * value), 0.0)
        high = high * (1 + slack) if whole else value + math.hypot(high - value, slack * part * high)
        return Estimate(value, low, max(min(high, bound), value))

    return Comparison(
        overlap=measure(ends, share[0], noise or sizes[0], min(x + Z * x_error, y + Z * y_error)),
        containment=measure(ends / x if x else ends * 0, share[1], noise, 1.0),
        reverse_containment=measure(ends / y if y else ends * 0, share[2], noise, 1.0),
        jaccard=measure(ends / np.maximum(x + y - ends, 1e-300), share[3], noise, 1.0),
    )
