"""Two columns side by side: how many values they share, and what share of each that is."""

from __future__ import annotations

from typing import Any

import numpy as np

from lakeview import values
from lakeview.estimate.coupled import Comparison
from lakeview.estimate.interval import Estimate
from lakeview.index.postings import intersect
from lakeview.values import Normalize


def compare(a: Any, b: Any, normalize: Normalize = "fold") -> Comparison:
    """Two columns (Series, lists or arrays) side by side, exactly."""
    return compare_tokens(*(values.distinct_tokens(values.as_arrow(data), normalize)[0] for data in (a, b)))


def compare_tokens(a: np.ndarray, b: np.ndarray) -> Comparison:
    """The comparison of two token sets, uint64, sorted and distinct."""
    overlap = len(intersect(a, b)[0])

    def share(of: int) -> Estimate:
        return Estimate.exactly(overlap / of if of else 0.0)

    return Comparison(Estimate.exactly(overlap), share(len(a)), share(len(b)), share(len(a) + len(b) - overlap))
