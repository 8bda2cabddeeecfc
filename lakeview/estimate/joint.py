"""Two columns compared by all that is kept of them: Lazo's evidence and BML's in one likelihood.

A stored sketch holds 256 smallest tokens and 4,096 registers. Lazo (`coupled`) reads how many smallest tokens agree,
BML (`inclusion`) in how many buckets one register is at most the other, `levels` what else the registers tell. Each is
blind where the other sees: registers cannot tell a small overlap from none, which 256 differing tokens do; few tokens
say little of two columns of unlike size, of which many registers say more. The overlap o that explains both best is the
maximum of

    A log J + (N - A) log(1 - J)     A of N occupied buckets agree, J = o / (x + y - o)
    + the likelihood of the registers (`levels`)

Measured against either alone, or the better of the two for the sizes at hand, its error is up to half
(tests/benchmarks/bml.py, interval_coverage.py). BML's authors name such a hybrid as what should come next. The interval
holds the overlaps whose likelihood is within exp(-1.92) of the best (Wilks; `interval.DROP_AT_END` where the best is
none or all); where cardinalities are estimates, their errors widen it. An overlap that is not told from none is said to
be 0 (`Estimate.told`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lakeview.estimate import levels
from lakeview.estimate.coupled import Comparison, from_overlap
from lakeview.estimate.interval import AT_END, DROP, DROP_AT_END, Estimate
from lakeview.sketch.hyperloglog import cardinality, pack_registers, registers, unpack_registers
from lakeview.sketch.minhash import agreements, one_permutation

SIGNATURE = 256  # minima of a sketch
_POINTS = 65
_LEAST = 1e-12  # a probability that the model calls 0


@dataclass(frozen=True)
class Sketch:
    """What is kept of a large column: minima uint64[k], registers uint8[4096], distinct tokens (None: estimated)."""

    minima: np.ndarray
    registers: np.ndarray
    distinct: float | None = None

    @classmethod
    def of(cls, minima: np.ndarray, distinct: float | None = None, k: int = SIGNATURE) -> Sketch:
        """From the 4,096 per-bucket minima of a scan."""
        return cls(one_permutation(minima, k), registers(minima), distinct)

    def pack(self) -> tuple[np.ndarray, np.ndarray]:
        """As stored, 5 KB at k = 256: minima uint64[k], registers of six bits uint8[3072]."""
        return self.minima, pack_registers(self.registers)

    @classmethod
    def unpack(cls, minima: np.ndarray, packed: np.ndarray, distinct: float | None = None) -> Sketch:
        return cls(minima, unpack_registers(packed), distinct)

    def merge(self, other: Sketch) -> Sketch:
        """The sketch of the union, bit for bit; its distinct count is unknown."""
        return Sketch(np.minimum(self.minima, other.minima), np.maximum(self.registers, other.registers))

    def size(self) -> tuple[float, float]:
        """Distinct tokens and the standard error of that number."""
        return (float(self.distinct), 0.0) if self.distinct is not None else cardinality(self.registers)


def compare(a: Sketch, b: Sketch) -> Comparison:
    """Overlap, containment of a in b, the reverse, and Jaccard similarity, each with its interval. About 1 ms."""
    sizes, alike = (a.size(), b.size()), same(a, b)
    if alike and any(error for _, error in sizes):
        sizes = (min(sizes, key=lambda size: size[1]),) * 2
    (x, x_error), (y, y_error) = sizes
    if x <= 0 or y <= 0:
        nothing = Estimate.exactly(0.0)
        return Comparison(nothing, nothing, nothing, nothing)
    overlap = maximum(likelihood(a, b, x, y), min(x, y)).told(min(x, y))
    return from_overlap(overlap, x, y, x_error, y_error, alike=alike)


def same(a: Sketch, b: Sketch) -> bool:
    """Whether two sketches are the same bit for bit. An estimated size then errs on both sides alike: there is one size
    to speak of, the surer one, and the columns are most likely the same."""
    return np.array_equal(a.registers, b.registers) and np.array_equal(a.minima, b.minima)


def likelihood(a: Sketch, b: Sketch, x: float, y: float) -> Callable[[np.ndarray], np.ndarray]:
    """The log likelihood of overlaps float[n] given both sketches and cardinalities."""
    same, occupied = (int(count) for count in agreements(a.minima, b.minima))
    by_registers = levels.likelihood(a.registers, b.registers, x, y)

    def log(probability: np.ndarray) -> np.ndarray:
        return np.log(np.maximum(probability, _LEAST))

    def of(overlap: np.ndarray) -> np.ndarray:
        jaccard = overlap / np.maximum(x + y - overlap, _LEAST)
        return by_registers(overlap) + same * log(jaccard) + (occupied - same) * log(1 - jaccard)

    return of


def maximum(
    function: Callable[[np.ndarray], np.ndarray], most: float, drop: float = DROP, drop_at_end: float = DROP_AT_END
) -> Estimate:
    """Where a function with one peak on [0, most] is largest, and the ends of where it is within `drop` of that, or
    within `drop_at_end` where the peak is at 0 or at `most`."""
    points = np.linspace(0.0, most, _POINTS)
    for _ in range(3):
        best = int(function(points).argmax())
        value, points = points[best], np.linspace(points[max(best - 1, 0)], points[min(best + 1, _POINTS - 1)], _POINTS)
    at_end = min(value, most - value) <= AT_END * most
    floor = function(np.array([value]))[0] - (drop_at_end if at_end else drop)

    def end(outer: float) -> float:
        inner = value
        if function(np.array([outer]))[0] >= floor:
            return outer
        for _ in range(4):
            between = np.linspace(inner, outer, 17)
            last = max(int((function(between) >= floor).argmin()) - 1, 0)
            inner, outer = between[last], between[last + 1]
        return outer

    return Estimate(float(value), float(end(0.0)), float(end(most)))
