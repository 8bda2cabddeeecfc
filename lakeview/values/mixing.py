"""Spreading numbers over 64 bits; the one definition serves numpy's arrays and what numba compiles."""

from __future__ import annotations

from typing import Any

import numpy as np


def mix(value: Any) -> Any:
    """The last step of SplitMix64 (Steele, Lea and Flood 2014), of uint64: a bijection that spreads every bit."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))
