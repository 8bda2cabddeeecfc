"""The Lazo index: similarity and both containments of every column related to a query, at any threshold.

Castro Fernandez et al., ICDE 2019, section IV. The paper reads a candidate's similarity from the strictest of 1/D
LSH configurations under which it collides, and stores them all in one set of tables of gcd-many rows a band. At low
thresholds a band has one row, so the gcd is one and the tables are an inverted list of (bucket, value): counting a
column's matches there directly gives its similarity in steps of 1/k instead of D, and costs no more. So that is what
`related` does; with `granularity` it answers as the paper's Algorithm 3 would, for comparison.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from lakeview.estimate.coupled import coupled, overlaps
from lakeview.index.bands import Bands
from lakeview.index.runs import Runs
from lakeview.sketch.minima import EMPTY


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

    def related(
        self,
        signature: np.ndarray,
        size: float,
        jaccard: float = 0.0,
        containment: float = 0.0,
        granularity: float | None = None,
    ) -> Related:
        """Every column whose estimates reach both thresholds, of those with any agreement.

        signature: undensified sketch uint64[k]; size: distinct tokens of the query.
        """
        found = []
        for bands, alive in self.runs.runs:
            counts = bands.counts(signature)
            rows = np.flatnonzero((counts > 0) & alive)
            same, occupied = counts[rows], bands.union(signature, rows)
            similarity = same / np.maximum(occupied, 1)
            if granularity is not None:
                similarity = banded_similarity(bands, signature, rows, granularity)
            js, forward, reverse = coupled(similarity, size, bands.sizes[rows])
            keep = (js >= jaccard) & (forward >= containment) & (js > 0)
            columns = (bands.ids[rows], bands.sizes[rows], same, occupied, js, forward, reverse)
            found.append([column[keep] for column in columns])
        if not found:
            found = [[np.zeros(0, np.int64), *(np.zeros(0) for _ in range(6))]]
        joined = [np.concatenate(parts) for parts in zip(*found, strict=True)]
        order = np.lexsort((joined[0], -joined[4], -joined[5]))
        return Related(float(size), *(column[order] for column in joined))


def banded_similarity(bands: Bands, signature: np.ndarray, rows: np.ndarray, granularity: float) -> np.ndarray:
    """Algorithm 3's estimate: the highest threshold, in steps of `granularity`, under which a band agrees wholly."""
    agree = (bands.signatures[rows] == signature) & (signature != EMPTY)
    similarity = np.zeros(len(rows))
    for threshold, count, depth in bands_and_rows(len(signature), granularity):
        whole = agree[:, : count * depth].reshape(len(rows), count, depth).all(axis=2).any(axis=1)
        similarity = np.where(whole, threshold, similarity)
    return similarity


@lru_cache
def bands_and_rows(k: int, granularity: float) -> tuple[tuple[float, int, int], ...]:
    """For each threshold in ascending order, the (bands, rows) of least false positives plus false negatives.

    Both are areas under 1 - (1 - s^r)^b, left and above of the threshold (Leskovec, Rajaraman, Ullman, chapter 3).
    """
    similarity = (np.arange(200) + 0.5) / 200
    chosen = []
    for step in range(1, round(1 / granularity)):
        threshold = step * granularity
        errors = []
        for depth in range(1, k + 1):
            hit = 1 - (1 - similarity**depth) ** (k // depth)
            errors.append(np.where(similarity < threshold, hit, 1 - hit).sum())
        depth = int(np.argmin(errors)) + 1
        chosen.append((threshold, k // depth, depth))
    return tuple(chosen)
