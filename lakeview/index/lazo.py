"""The Lazo index: similarity and both containments of every column related to a query, at any threshold.

Castro Fernandez et al., ICDE 2019, section IV. The paper reads a candidate's similarity from the strictest of 1/D
LSH configurations under which it collides, and stores them all in one set of tables of gcd-many rows a band. At low
thresholds a band has one row, so the gcd is one and the tables are an inverted list of (bucket, value): counting a
column's matches there directly gives its similarity in steps of 1/k instead of D, and costs no more. So that is what
`related` does; tests/benchmarks/lazo_figures.py compares it with the paper's Algorithm 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lakeview.estimate.coupled import coupled, overlaps
from lakeview.index.runs import Runs


@dataclass(frozen=True)
class Related:
    """Columns related to a query, most contained first. containment is of the query in the column.

    ids int64[n]; sizes, jaccard, containment, reverse_containment float64[n]; same, occupied int64[n] (agreeing
    and occupied buckets).
    """

    query_size: float
    ids: np.ndarray
    sizes: np.ndarray
    same: np.ndarray
    occupied: np.ndarray
    jaccard: np.ndarray
    containment: np.ndarray
    reverse_containment: np.ndarray

    def __len__(self) -> int:
        return len(self.ids)

    def intervals(self, count: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Low and high end of the containment at 95 %, of the first `count` columns."""
        part = slice(count)
        _, low, high = overlaps(self.same[part], self.occupied[part], self.query_size, self.sizes[part])
        return low / self.query_size, high / self.query_size


class LazoIndex:
    """Lazo over runs of band tables; it sees what is inserted in, updated in and removed from them."""

    def __init__(self, runs: Runs):
        self.runs = runs

    def related(self, signature: np.ndarray, size: float, jaccard: float = 0.0, containment: float = 0.0) -> Related:
        """Every column whose estimates reach both thresholds, of those with any agreement.

        signature: undensified sketch uint64[k]; size: distinct tokens of the query.
        """
        found = []
        for bands, alive in self.runs.runs:
            counts = bands.counts(signature)
            rows = np.flatnonzero((counts > 0) & alive)
            same, occupied = counts[rows], bands.union(signature, rows)
            similarity = same / np.maximum(occupied, 1)
            js, forward, reverse = coupled(similarity, size, bands.sizes[rows])
            keep = (js >= jaccard) & (forward >= containment) & (js > 0)
            columns = (bands.ids[rows], bands.sizes[rows], same, occupied, js, forward, reverse)
            found.append([column[keep] for column in columns])
        if not found:
            found = [[np.zeros(0, np.int64), *(np.zeros(0) for _ in range(6))]]
        joined = [np.concatenate(parts) for parts in zip(*found, strict=True)]
        order = np.lexsort((joined[0], -joined[4], -joined[5]))
        return Related(float(size), *(column[order] for column in joined))
