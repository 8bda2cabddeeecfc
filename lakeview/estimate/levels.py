"""What two columns' registers say of their overlap, level by level.

BML (`inclusion`) asks one thing of each bucket: whether X's register is at most Y's. The registers tell more. Few
tokens reach a high level, so two registers that are equal there are more likely so by a shared token than two that are
equal at a low one; and the level of the larger of two tells how many tokens its column has to itself. The likelihood
of all of them (Ertl, "New cardinality estimation algorithms for HyperLogLog sketches", 2017: joint estimation) uses
both, here with the exact occupancy of a bucket and with the cardinalities given. With t shared tokens T, A = X \\ Y,
B = Y \\ X, F_S(k) = P(V_S <= k) and f_S(k) = P(V_S = k), a bucket shows

    V_X = k > V_Y    with a probability proportional to  f_A(k)
    V_Y = k > V_X                                        f_B(k)
    V_X = V_Y = k    with probability                    f_T(k) F_A(k) F_B(k) + F_T(k - 1) f_A(k) f_B(k)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lakeview.estimate.inclusion import TOP, log_at_most

_LEAST = 1e-300  # a probability that the model calls 0


def likelihood(a: np.ndarray, b: np.ndarray, x: float, y: float) -> Callable[[np.ndarray], np.ndarray]:
    """The log likelihood of overlaps float[n], but for a constant: registers uint8[2^m], x and y distinct tokens."""
    m = len(a).bit_length() - 1
    larger = np.minimum(np.maximum(a, b), TOP)
    counts = np.array([np.bincount(larger[part], minlength=TOP + 1) for part in (a > b, a < b, a == b)], float)
    seen = np.flatnonzero(counts.any(axis=0))
    above, below, equal = counts[:, seen]
    log_below, log_under = log_at_most(m)[seen], log_at_most(m)[seen - 1]  # of levels up to k, and up to k - 1

    def cumulative(tokens: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.exp(tokens * log_below), np.where(seen > 0, np.exp(tokens * log_under), 0.0)

    def of(overlap: np.ndarray) -> np.ndarray:
        t = np.asarray(overlap, float)[:, None]
        (at_a, under_a), (at_b, under_b), (at_t, under_t) = (cumulative(tokens) for tokens in (x - t, y - t, t))
        only_a, only_b = at_a - under_a, at_b - under_b
        same = (at_t - under_t) * at_a * at_b + under_t * only_a * only_b
        return _log(only_a) @ above + _log(only_b) @ below + _log(same) @ equal

    return of


def _log(probability: np.ndarray) -> np.ndarray:
    return np.log(np.maximum(probability, _LEAST))
