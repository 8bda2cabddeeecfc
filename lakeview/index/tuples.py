"""One token for the values that stand side by side in a row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def tuple_tokens(parts: Sequence[np.ndarray]) -> np.ndarray:
    """One token for the tuple of each row: from uint64[n] a column to uint64[n]; the order of the columns counts."""
    mixed = parts[0]
    with np.errstate(over="ignore"):
        for part in parts[1:]:
            mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15) + part
            mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
            mixed = mixed ^ (mixed >> np.uint64(32))
    return mixed
