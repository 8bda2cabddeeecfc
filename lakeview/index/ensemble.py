"""LSH Ensemble: columns that contain a given share of the query, whatever their sizes.

Zhu et al., VLDB 2016 (thesis, chapter 2). Columns are partitioned by size; in a partition the containment threshold
becomes a Jaccard threshold through the partition's largest size (equation 2.8), and the number of bands b and their
depth r are chosen for it at query time (2.26), as the prefix trees of `bands` allow any.

Four things differ from the thesis. Where few columns agree with the query in few buckets, all agreements are counted,
which loses nothing and takes less than a search in bands; these are for lakes where a value is in many. False
negatives weigh more than false positives, as the candidates' agreements are counted afterwards anyway, and a wrong one
falls there. Small columns, whose sketches have empty buckets, are looked up at r = 1, where emptiness does no harm.
And a candidate stays only if its count is what a column at the threshold would show in 95 of 100 cases, given both
sizes: the sampling is without replacement, so for small columns that test is nearly exact.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lakeview.estimate.coupled import overlaps
from lakeview.index.bands import DEPTHS, Bands
from lakeview.index.runs import Runs

FALSE_NEGATIVE_WEIGHT = 100.0
COUNTED = 500_000  # agreements; counting as many takes as long as looking into bands does at the least
_FULL = 4  # tokens a bucket from which a sketch has hardly an empty one


@dataclass(frozen=True)
class Candidates:
    """What a containment search finds, run by run, small columns first.

    ids int64[n], sizes float64[n], same and occupied int64[n] (agreeing and occupied buckets).
    possible int64[m]: columns so much larger than the query that even one that contains it enough would often agree
    in no bucket: neither found nor excluded.
    """

    query_size: float
    ids: np.ndarray
    sizes: np.ndarray
    same: np.ndarray
    occupied: np.ndarray
    possible: np.ndarray

    def __len__(self) -> int:
        return len(self.ids)

    def containment(self, part: np.ndarray | slice = slice(None)) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Estimated containment of the query in each column, or in those of `part`: value, low, high at 95 %.

        A tenth of a millisecond each: ask for those that are shown.
        """
        found = overlaps(self.same[part], self.occupied[part], self.query_size, self.sizes[part])
        value, low, high = (end / self.query_size for end in found)
        return value, low, high


class LshEnsemble:
    """Containment search over runs of band tables; it sees what is inserted in and removed from them."""

    def __init__(
        self,
        runs: Runs,
        false_negative_weight: float = FALSE_NEGATIVE_WEIGHT,
        slack: float = 1.645,
        counted: int = COUNTED,
    ):
        """slack: standard errors below its expectation that a candidate's count may lie (1.645: 1 in 20). counted:
        agreements with all columns up to which they are counted outright."""
        self.runs = runs
        self.counted = counted
        self.false_negative_weight = false_negative_weight
        self.slack = slack

    def query(self, signature: np.ndarray, size: float, threshold: float) -> Candidates:
        """Columns with |Q ∩ X| >= threshold |Q|, nearly all of them and few others.

        signature: undensified sketch uint64[k] of the query; size: its distinct tokens; threshold in (0, 1].
        """
        if not 0 < threshold <= 1:
            raise ValueError(f"threshold must be above 0 and at most 1, not {threshold}")
        size, threshold = float(size), float(threshold)
        found = [self._run(bands, alive, signature, size, threshold) for bands, alive in self.runs.runs]
        if not found:
            found = [tuple(np.zeros(0, np.int64) for _ in range(5))]
        return Candidates(size, *(found[0] if len(found) == 1 else map(np.concatenate, zip(*found, strict=True))))

    def possible(self, bands: Bands, size: float, threshold: float) -> int:
        """How many columns of a run a query calls possible, dead ones and those that it finds among them."""
        k = bands.signatures.shape[1]
        return int((self._least(np.ceil(threshold * size - 1e-9), size, bands.sizes, np.float64(k)) <= 0).sum())

    def _run(
        self, bands: Bands, alive: np.ndarray, signature: np.ndarray, size: float, threshold: float
    ) -> tuple[np.ndarray, ...]:
        """What is found in one run, and what is possible there: the arrays of `Candidates`."""
        compiled = kernels()
        if compiled:
            few, answer = compiled.search(
                bands.ids, bands.sizes, bands.occupied, bands.keys, bands.lists, bands.rows, bands.starts,
                bands.shift, alive, signature, size, threshold, self.slack, self.counted,
            )  # fmt: skip
            if few:
                return answer  # type: ignore[no-any-return]
        needed = np.ceil(threshold * size - 1e-9)
        first = int(np.searchsorted(bands.sizes, needed))  # smaller columns cannot hold that many
        rows, same = self._look_up(bands, signature, size, threshold, first)
        keep = alive[rows]
        rows, same = rows[keep], same[keep]
        occupied = bands.union(signature, rows)
        least = self._least(needed, size, bands.sizes[rows], occupied)
        keep = same >= least
        # Columns for which seeing nothing would not be surprising; all of them are at the large end.
        k = len(signature)
        large = first + np.flatnonzero(self._least(needed, size, bands.sizes[first:], np.float64(k)) <= 0)
        large = large[alive[large]]
        possible = bands.ids[np.setdiff1d(large, rows, assume_unique=True)]
        rows = rows[keep]
        return bands.ids[rows], bands.sizes[rows], same[keep], occupied[keep], possible

    def _look_up(
        self, bands: Bands, signature: np.ndarray, size: float, threshold: float, first: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Rows from `first` on that collide with the query, ascending, and their agreements."""
        k = len(signature)
        if bands.entries(signature) <= self.counted:
            counts = bands.counts(signature)
            found = first + np.flatnonzero(counts[first:])
            return found, counts[found]
        plan: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for start, stop in zip(bands.partitions[:-1].tolist(), bands.partitions[1:].tolist(), strict=True):
            if stop > first:
                full = min(size, bands.sizes[start]) >= _FULL * k
                ratio = round(4 * np.log2(bands.sizes[stop - 1] / size)) / 4 if full else None
                chosen = (k, 1) if ratio is None else best_bands(k, ratio, threshold, self.false_negative_weight)
                plan.setdefault(chosen, []).append((max(start, first), stop))
        rows, same = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for (count, depth), parts in plan.items():
            if depth == 1:
                counts = bands.counts(signature)
                for start, stop in parts:
                    hit = np.flatnonzero(counts[start:stop]) + start
                    rows.append(hit)
                    same.append(counts[hit])
            else:
                hits = bands.candidates(signature, count, depth).astype(np.int64)
                for start, stop in parts:
                    hit = hits[np.searchsorted(hits, start) : np.searchsorted(hits, stop)]
                    rows.append(hit)
                    same.append(bands.agreements(signature, hit))
        found, counts = np.concatenate(rows), np.concatenate(same)
        order = np.argsort(found)
        return found[order], counts[order]

    def _least(self, needed: float, size: float, sizes: np.ndarray, occupied: ArrayLike) -> np.ndarray:
        """The fewest agreements that a column with exactly `needed` tokens of the query should show."""
        union = size + sizes - needed
        occupied = np.asarray(occupied, float)
        share = needed / union
        spread = np.sqrt(
            occupied
            * np.clip(share * (1 - share), 0, None)
            * np.clip((union - occupied) / np.maximum(union - 1, 1), 0, 1)
        )
        least = np.ceil(occupied * share - self.slack * spread - 0.5 * (spread > 0) - 1e-9)
        # More occupied buckets than such a union has tokens: the overlap is smaller.
        return np.where(occupied > union, np.inf, least)


def kernels() -> Any:
    """The compiled kernel (`index.ensemble_kernels`), where numba is loaded already; else None: it would take more than
    a few queries to repay that."""
    if "numba" not in sys.modules:
        return None
    from lakeview.index import ensemble_kernels

    return ensemble_kernels if ensemble_kernels.COMPILED else None


@lru_cache(maxsize=4096)
def best_bands(k: int, log_ratio: float, threshold: float, weight: float) -> tuple[int, int]:
    """The (bands, depth) with the least false positives + weight x false negatives (equations 2.22 to 2.26).

    log_ratio: log2 of |X| / |Q|. The integrals are over containment, uniform up to what the sizes allow.
    """
    ratio = 2.0**log_ratio
    t = (np.arange(256) + 0.5) / 256 * min(ratio, 1.0)
    similarity = t / (ratio + 1 - t)
    best, chosen = np.inf, (k, 1)
    for depth in DEPTHS:
        for count in sorted({max(k // depth * part // 4, 1) for part in (1, 2, 3, 4)}, reverse=True):
            hit = 1 - (1 - similarity**depth) ** count
            cost = np.where(t < threshold, hit, weight * (1 - hit)).sum()
            if cost < best:
                best, chosen = cost, (count, depth)
    return chosen
