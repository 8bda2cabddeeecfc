"""Which estimator for which pair: the one that will be surer, decided before the sketches are compared.

Lazo reads how many of 256 smallest tokens two columns share, BML how the registers of 4,096 buckets compare. Given the
two cardinalities both have a known standard error at any true containment. The choice is made from the cardinalities
alone, at half of the largest containment that they allow: choosing by the intervals that came out would favour those
that erred on the narrow side, and hold the truth less often than they say.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lakeview.estimate.coupled import Comparison, from_overlap, lazo, relative_noise
from lakeview.estimate.inclusion import bml, chance, weights
from lakeview.estimate.interval import Estimate
from lakeview.sketch.hyperloglog import cardinality, registers
from lakeview.sketch.minhash import agreements, one_permutation


@dataclass(frozen=True)
class Sketch:
    """What is kept of a large column: minima uint64[256], registers uint8[4096], distinct tokens (None: estimated)."""

    minima: np.ndarray
    registers: np.ndarray
    distinct: float | None = None

    @classmethod
    def of(cls, minima: np.ndarray, distinct: float | None = None, k: int = 256) -> Sketch:
        """From the 4,096 per-bucket minima of a scan."""
        return cls(one_permutation(minima, k), registers(minima), distinct)

    def size(self) -> tuple[float, float]:
        """Distinct tokens and the standard error of that number."""
        return (float(self.distinct), 0.0) if self.distinct is not None else cardinality(self.registers)


def compare(a: Sketch, b: Sketch) -> Comparison:
    """Overlap, containment of a in b, the reverse, and Jaccard similarity, each with its interval."""
    (x, x_error), (y, y_error) = a.size(), b.size()
    if x <= 0 or y <= 0:
        nothing = Estimate.exactly(0.0)
        return Comparison(nothing, nothing, nothing, nothing)
    errors = {
        "lazo": lazo_error(x, y, len(a.minima)),
        "bml": bml_error(x, y, len(a.registers)),
        "reverse": bml_error(y, x, len(a.registers)) * y / x,
    }
    kind = min(errors, key=errors.get)
    if kind == "lazo":
        same, occupied = agreements(a.minima, b.minima)
        return lazo(int(same), int(occupied), x, y, x_error, y_error)
    # BML measures one containment, with what its own cardinality leaves open; the other follows through x / y.
    if kind == "bml":
        inclusion, of, share = bml(a.registers, b.registers, a.distinct, b.distinct), x, (0.0, 1.0, 1.0)
    else:
        inclusion, of, share = bml(b.registers, a.registers, b.distinct, a.distinct), y, (1.0, 0.0, 1.0)
    overlap = Estimate(inclusion.value * of, inclusion.low * of, inclusion.high * of)
    return from_overlap(overlap, x, y, relative_noise(x, y, x_error, y_error), share)


def lazo_error(x: float, y: float, k: int = 256) -> float:
    """Standard error of |X ∩ Y| / |X| from k buckets, where the overlap is half of what it can be."""
    overlap = min(x, y) / 2
    jaccard = overlap / (x + y - overlap)
    return float(np.sqrt(jaccard * (1 - jaccard) / k) * (x + y) / (1 + jaccard) ** 2 / x)


def bml_error(x: float, y: float, buckets: int = 4096) -> float:
    """Standard error of BML's |X ∩ Y| / |X|, where the overlap is half of what it can be."""
    m = buckets.bit_length() - 1
    weight = weights(np.array([y]), m)
    missing = x - min(x, y) / 2
    share = float(chance(np.array([missing]), weight, m)[0])
    step = max(x * 1e-4, 1e-6)
    slope = (share - float(chance(np.array([missing + step]), weight, m)[0])) / step
    return float(np.sqrt(share * (1 - share) / buckets) / max(slope * x, 1e-300))
