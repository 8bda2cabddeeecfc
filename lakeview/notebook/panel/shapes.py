"""The small histogram beside a column of the lake: how often its values occur, the most frequent first."""

from __future__ import annotations

import numpy as np

BARS = 9
_MOST = 100_000  # values that are looked at, evenly spread over the column's


def shape(counts: np.ndarray) -> list[int]:
    """Heights of at most `BARS` bars, 1 to 100, of the rows of each value, in any order; none where there is no value.

    A bar stands at each of as many evenly spaced ranks among the values: a key is level, a skewed column falls off.
    """
    if not len(counts):
        return []
    ordered = np.sort(counts[:: -(-len(counts) // _MOST)])[::-1].astype(np.float64)
    ranks = np.linspace(0, len(ordered) - 1, min(BARS, len(ordered))).round().astype(int)
    return [max(1, round(height)) for height in 100 * ordered[ranks] / ordered[0]]
