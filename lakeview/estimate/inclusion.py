"""BML: the inclusion coefficient |X ∩ Y| / |X| from HyperLogLog registers (Nazi et al., PVLDB 2018).

Z counts the buckets where X's register is at most Y's. With t shared tokens, X's register exceeds Y's just where a
token of X \\ Y does, and X \\ Y (s = |X| - t tokens) is independent of Y. So the paper's three cases (equations 6
to 8) are one sum,

    P(s) = Σ_k P(V_Y = k) · P(V_{X \\ Y} <= k),

convex and falling in s, 1 at s = 0; the estimate is the s where P(s) = Z / 2^m.

`bml` takes the exact occupancy of a bucket, P(V <= k) = (1 - 2^-(m+k))^n with k = 0 the empty bucket, at m = 12.
`bml_printed` is the paper as printed: n / 2^m tokens a bucket (equations 9 and 10) and m from equation 12. Its
Algorithm 2 searches the wrong way (P grows with the intersection); here both solve by Newton's method, which can't:
1 / P is nearly linear in s, so a few steps do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lakeview.estimate.interval import Estimate, Z, wilson
from lakeview.sketch.hyperloglog import cardinality

TOP = 44  # highest register that matters: beyond it a bucket would need 2^44 tokens


def weights(y: ArrayLike, m: int = 12) -> np.ndarray:
    """P(V_Y = k) for k = 0 to TOP: float[..., TOP + 1], y distinct tokens."""
    below = np.exp(np.multiply.outer(np.asarray(y, float), log_at_most(m)))
    below[..., -1] = 1.0  # what is left of the tail
    return np.diff(below, axis=-1, prepend=0.0)


def chance(s: np.ndarray, weight: np.ndarray, m: int = 12) -> np.ndarray:
    """P(s) of the module's head; `weight` from `weights`, s of its leading shape."""
    return (weight * np.exp(np.asarray(s, float)[..., None] * log_at_most(m))).sum(axis=-1)


def solve(share: np.ndarray, weight: np.ndarray, most: np.ndarray, m: int = 12) -> np.ndarray:
    """The s in [0, most] where P(s) = share: arrays of one shape, `weight` with one axis more."""
    return _solve(share, weight, most, log_at_most(m))


def bml(x_registers: np.ndarray, y_registers: np.ndarray, x: float | None = None, y: float | None = None) -> Estimate:
    """|X ∩ Y| / |X| from uint8[2^m] registers of both columns; x, y: distinct tokens where they are known.

    Without x and y they are estimated from the registers, whose chance fluctuations partly cancel those of Z.
    """
    m = len(x_registers).bit_length() - 1
    x_error = y_error = 0.0
    if x is None:
        x, x_error = cardinality(x_registers)
    if y is None:
        y, y_error = cardinality(y_registers)
    if x <= 0:
        return Estimate(0.0, 0.0, 1.0)
    if y <= 0:
        return Estimate.exactly(0.0)
    buckets = len(x_registers)
    count = int((x_registers <= y_registers).sum())
    shares = np.array([count / buckets, *wilson(count, buckets)])
    missing = solve(shares, np.broadcast_to(weights(y, m), (3, TOP + 1)), np.full(3, x), m)
    value, low, high = 1 - missing / x
    slack = Z * (1 - value) * x_error / x
    most = min(1.0, y / x)
    allowed = min(1.0, y / x * (1 + Z * np.hypot(x_error / x, y_error / y)))  # only as sure as the cardinalities are
    return Estimate(
        float(np.clip(value, 0, most)),
        float(np.clip(value - np.hypot(value - low, slack), 0, most)),
        float(np.clip(value + np.hypot(high - value, slack), 0, allowed)),
    ).told(most)


def printed_bits(x: float, y: float) -> int:
    """Equation 12: m, half the logarithm of the larger cardinality, at most the 12 bits that a scan keeps."""
    return min(int(np.log2(max(x, y, 1)) / 2), 12)


def bml_printed(x_registers: np.ndarray, y_registers: np.ndarray, x: float, y: float) -> Estimate:
    """The paper's estimate from the registers at m = `printed_bits(x, y)`, with the bound of Theorem 4.

    The bound on P is Hoeffding's at 95 %, carried to the coefficient through P itself rather than its slope
    (equation 11), so it needs no derivative at a kink.
    """
    buckets = len(x_registers)
    m = buckets.bit_length() - 1
    bucket_bits = log_at_most(0)
    below = np.exp(y / buckets * bucket_bits)
    below[-1] = 1.0
    weight = np.diff(below, prepend=0.0)
    share = (x_registers <= y_registers).mean()
    slack = np.sqrt(np.log(2 / 0.05) / 2 ** (m + 1))
    shares = np.clip([share, share - slack, share + slack], 0, 1)
    missing = _solve(shares, np.broadcast_to(weight, (3, TOP + 1)), np.full(3, x / buckets), bucket_bits) * buckets
    most = min(x, y) / x
    value, low, high = np.clip(1 - missing / x, 0, most)
    return Estimate(float(value), float(low), float(high))


def log_at_most(m: int) -> np.ndarray:
    """log P(V <= k) of one token, k = 0 to TOP: log(1 - 2^-(m+k)). With m = 0 a bucket is never empty: -inf at 0."""
    level = 2.0 ** -(m + np.arange(TOP + 1.0))
    with np.errstate(divide="ignore"):
        return np.maximum(np.log1p(-level), -1e300)


def _solve(share: ArrayLike, weight: np.ndarray, most: ArrayLike, log_below: np.ndarray) -> np.ndarray:
    share, most = np.asarray(share, float), np.asarray(most, float)
    goal = 1 / np.maximum(share, 1e-9)
    s = np.zeros_like(goal)
    for _ in range(40):
        terms = weight * np.exp(s[..., None] * log_below)
        p = np.maximum(terms.sum(axis=-1), 1e-12)
        slope = -(terms * np.where(terms > 0, log_below, 0.0)).sum(axis=-1)
        step = (goal - 1 / p) * p * p / np.maximum(slope, 1e-300)
        following = np.clip(s + step, 0, most)
        if np.all(np.abs(following - s) <= 1e-9 * np.maximum(most, 1)):
            return following
        s = following
    return s
