"""Lazo's figures 2 to 8, on the lake: time of sketches, and precision, recall and F by threshold, in one table.

    python tests/benchmarks/lazo_figures.py [folder] [--queries 200] [--k 64 128 256 512]

Truth: all pairs of a query (seeded sample) with a column of at least 10 values, by exact Jaccard similarity or
containment. No verification afterwards, as in the paper.

MinHash, OOPH       K permutations; one permutation, optimally densified. The paper's baseline: the highest of the
                    thresholds 0, D, 2D, ... (D = .05) under which a band agrees
Lazo-MinHash, -OOPH the same, coupled with the cardinalities and corrected
Lazo                lakeview's index: one permutation, undensified, agreements counted
late                figure 2, right: 40 and 80 % of the columns are inserted after the first build
"""

from __future__ import annotations

import argparse
import time
from functools import lru_cache

import numpy as np
from columns import LAKE, Overlaps, lake_columns, table

from lakeview.estimate.coupled import coupled
from lakeview.index.lazo import LazoIndex
from lakeview.index.runs import Runs
from lakeview.sketch.minhash import MinHash, densify, one_permutation
from lakeview.sketch.minima import EMPTY, bucket_minima

D, THRESHOLDS = 0.05, (0.3, 0.5, 0.7, 0.8, 0.9)
LATE = (0.0, 0.4, 0.8)
METHODS = ("MinHash", "OOPH", "Lazo-MinHash", "Lazo-OOPH", "Lazo")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", default=str(LAKE))
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--k", type=int, nargs="+", default=[64, 128, 256, 512])
    options = parser.parse_args()
    columns = lake_columns(options.folder, least=10)
    sizes = np.array([len(c) for c in columns], float)
    overlaps = Overlaps(columns)
    queries = np.random.default_rng(0).choice(len(columns), min(options.queries, len(columns)), replace=False)
    overlap = np.array([overlaps.of(q) for q in queries])
    truth = {
        "jaccard": overlap / (sizes[queries][:, None] + sizes - overlap),
        "containment": overlap / sizes[queries][:, None],
    }
    itself = np.arange(len(sizes)) == queries[:, None]
    rows = []
    for k in options.k:
        start = time.process_time()
        undensified = np.array([one_permutation(bucket_minima(c), k) for c in columns])
        one = densify(undensified)
        ooph = time.process_time() - start
        start = time.process_time()
        many = np.array([MinHash.of(c, k).values for c in columns])
        minhash = time.process_time() - start
        rows.append([k, "sketches, CPU s", f"{minhash:.2f}", f"{ooph:.2f}", "", "", ""])
        found = {"jaccard": {}, "containment": {}}
        for name, sketches in (("MinHash", many), ("OOPH", one)):
            similarity = banded(sketches, queries, k)
            found["jaccard"][name] = similarity
            corrected = coupled(similarity, sizes[queries][:, None], sizes)
            found["jaccard"]["Lazo-" + name], found["containment"]["Lazo-" + name] = corrected[:2]
        for late in LATE:
            runs = Runs()
            after = np.random.default_rng(1).random(len(sizes)) < late
            for part in (np.flatnonzero(~after), np.flatnonzero(after)):
                runs.insert(part, undensified[part], sizes[part])
            counts = counted(LazoIndex(runs), undensified, queries, sizes)
            if not late:
                found["jaccard"]["Lazo"], found["containment"]["Lazo"] = counts
                for measure, estimates in found.items():
                    for t in THRESHOLDS:
                        cells = {name: scores(e, truth[measure], t, itself) for name, e in estimates.items()}
                        rows.append([k, f"{measure} >= {t}", *(cells.get(name, "") for name in METHODS)])
            else:
                cell = scores(counts[1], truth["containment"], 0.7, itself)
                rows.append([k, f"containment >= 0.7, {late:.0%} late", "", "", "", "", cell])
    print(f"{len(columns)} columns, {len(queries)} queries; precision, recall, F")
    table(["k", "", *METHODS], rows)


def banded(sketches: np.ndarray, queries: np.ndarray, k: int) -> np.ndarray:
    """The paper's estimate of each query with each column: the highest threshold at which a band agrees wholly."""
    similarity = np.zeros((len(queries), len(sketches)))
    for at, query in enumerate(queries):
        agree = (sketches == sketches[query]) & (sketches != EMPTY)
        for threshold, count, depth in bands_and_rows(k, D):
            whole = agree[:, : count * depth].reshape(len(sketches), count, depth).all(axis=2).any(axis=1)
            similarity[at][whole] = threshold
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


def counted(index: LazoIndex, signatures: np.ndarray, queries: np.ndarray, sizes: np.ndarray):
    jaccard, containment = (np.zeros((len(queries), len(sizes))) for _ in range(2))
    for at, query in enumerate(queries):
        found = index.related(signatures[query], sizes[query])
        jaccard[at, found.ids], containment[at, found.ids] = found.jaccard, found.containment
    return jaccard, containment


def scores(estimate: np.ndarray, truth: np.ndarray, threshold: float, itself: np.ndarray) -> str:
    """Precision, recall and F."""
    found, want = (estimate >= threshold - 1e-9) & ~itself, (truth >= threshold - 1e-9) & ~itself
    right = (found & want).sum()
    precision, recall = right / max(found.sum(), 1), right / max(want.sum(), 1)
    return f"{precision:.3f} {recall:.3f} {2 * precision * recall / max(precision + recall, 1e-12):.3f}"


if __name__ == "__main__":
    main()
