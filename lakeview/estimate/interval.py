"""A number that knows how sure it is, and the intervals of a proportion that estimates are made from.

All intervals are at 95 %.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

Z = 1.959963984540054  # the normal quantile that leaves 2.5 % on each side

# How far below the best the log likelihood of an interval's ends may lie (Wilks). Where the best is an end of all that
# is possible, the interval can miss on one side alone, and what was counted is that something never happened: the
# chance of that is exp(-expected), 5 % at an end where it is this.
DROP = Z * Z / 2
DROP_AT_END = math.log(20)
AT_END = 1e-5  # parts of the range within which a best is at its end


@dataclass(frozen=True)
class Estimate:
    """A value and the interval that holds the truth in 95 of 100 cases; the three are equal where it is exact."""

    value: float
    low: float
    high: float

    @classmethod
    def exactly(cls, value: float) -> Estimate:
        return cls(value, value, value)

    @property
    def exact(self) -> bool:
        return self.low == self.high

    def told(self, most: float) -> Estimate:
        """0, with its interval, where this is not told from nothing.

        Most columns share nothing, and noise alone makes the best estimate of such a pair larger than that. Where the
        interval reaches so far (half of `most`) that hardly anything is said, the best estimate is still the better
        guess.
        """
        return self if self.low > 0 or self.high > most / 2 else Estimate(0.0, 0.0, self.high)

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        return f"{self.value:.3f}" if self.exact else f"≈ {self.value:.3f} (95 %: {self.low:.3f}–{self.high:.3f})"


def clopper_pearson(successes: np.ndarray, trials: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The exact binomial interval: low and high, of the arguments' shape. Counts need not be whole: effective ones."""
    successes, trials = np.broadcast_arrays(np.asarray(successes, float), np.asarray(trials, float))
    ends = [_clopper_pearson(a, n) for a, n in zip(successes.ravel().tolist(), trials.ravel().tolist(), strict=True)]
    both = np.array(ends, float).reshape(*successes.shape, 2)
    return both[..., 0], both[..., 1]


def wilson(successes: ArrayLike, trials: ArrayLike, z: float = Z) -> tuple[np.ndarray, np.ndarray]:
    """The score interval: close to `clopper_pearson` for hundreds of trials or more, and no search for a root."""
    trials = np.asarray(trials, float)
    p = np.asarray(successes, float) / trials
    centre = (p + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * np.sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials))
    return np.where(p <= 0, 0.0, centre - half), np.where(p >= 1, 1.0, centre + half)


@lru_cache(maxsize=1 << 16)
def _clopper_pearson(a: float, n: float) -> tuple[float, float]:
    if n <= 0:
        return 0.0, 1.0
    low, high = (float(end) for end in wilson(a, n))
    return (
        beta_quantile(0.025, a, n - a + 1, low) if a > 0 else 0.0,
        beta_quantile(0.975, a + 1, n - a, high) if a < n else 1.0,
    )


def beta_quantile(probability: float, a: float, b: float, start: float | None = None) -> float:
    """The x with I_x(a, b) = probability, by Newton's steps kept inside a shrinking bracket."""
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    low, high = 0.0, 1.0
    x = min(max(a / (a + b) if start is None else start, 1e-9), 1 - 1e-9)
    for _ in range(100):
        error = _beta_cdf(x, a, b, log_beta) - probability
        low, high = (x, high) if error < 0 else (low, x)
        log_density = (a - 1) * math.log(x) + (b - 1) * math.log1p(-x) - log_beta
        following = x - error * math.exp(-log_density) if log_density > -600 else low
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - x) <= 1e-10 * x:
            return following
        x = following
    return x


def _beta_cdf(x: float, a: float, b: float, log_beta: float) -> float:
    """The regularised incomplete beta function, by its continued fraction (Abramowitz and Stegun 26.5.8)."""
    if x > (a + 1) / (a + b + 2):  # the fraction converges fast on the other side only
        return 1 - _beta_cdf(1 - x, b, a, log_beta)
    tiny = 1e-300
    c = 1.0
    d = 1 / ((1 - (a + b) * x / (a + 1)) or tiny)
    fraction = d
    for i in range(1, 1000):
        even = i * (b - i) * x / ((a + 2 * i - 1) * (a + 2 * i))
        odd = -(a + i) * (a + b + i) * x / ((a + 2 * i) * (a + 2 * i + 1))
        for term in (even, odd):
            d = 1 / ((1 + term * d) or tiny)
            c = (1 + term / c) or tiny
            fraction *= d * c
        if abs(d * c - 1) < 1e-13:
            break
    return math.exp(a * math.log(x) + b * math.log1p(-x) - log_beta) / a * fraction
