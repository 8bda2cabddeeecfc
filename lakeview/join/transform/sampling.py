"""How many rows to look at (thesis section 4.5): the fewest that hold enough joinable pairs with high probability.

Both tables are sampled on their own. With N_t p_t p_s r expected pairs at least T / (1 - d), more than T pairs are in
the samples but for a probability of exp(-d^2 T / (2 (1 - d))). (The thesis' equation 4.8 has the two rates swapped.)
"""

from __future__ import annotations

import math

import numpy as np

PAIRS = 8  # T: joinable pairs that the samples should hold
DELTA = 0.8
RATES = (0.1, 0.01)  # r: the share of target rows that join, first a likely one, then a low one
SMALL = 2_000  # tables of no more rows than this are taken whole


def sampling_rates(source_rows: int, target_rows: int, participation: float) -> tuple[float, float]:
    """p_s and p_t that minimise the rows sampled; where one would pass 1, the other makes up for it."""
    need = PAIRS / (1 - DELTA) / participation
    p_s = math.sqrt(need / source_rows)
    p_t = p_s * source_rows / target_rows
    if p_s >= 1:
        p_s, p_t = 1.0, need / target_rows
    elif p_t >= 1:
        p_s, p_t = need / target_rows, 1.0
    return min(p_s, 1.0), min(p_t, 1.0)


def sample(rows: int, rate: float, seed: int) -> np.ndarray | None:
    """Sorted random positions, or None where all rows are taken."""
    size = max(SMALL, math.ceil(rows * rate))
    if size >= rows:
        return None
    return np.sort(np.random.default_rng(seed).choice(rows, size, replace=False))
