"""BML beside bottom-k at equal memory (Nazi et al., figures 13 to 20), and the time of a pair.

    python tests/benchmarks/bml.py [folder ...] [--tpch FOLDER] [--deletions] [--time]

Columns: those of the folders (default: the lake), or the Parquet files of a TPC-H database. All ordered pairs of
columns of at least 100 values (a seeded sample of at most 40,000 pairs a size class). Mean absolute error of the
inclusion |X n Y| / |X|, by size class (t = 5,000) and by true inclusion.

bottom-k   k smallest tokens in the bytes of 4,096 six-bit registers (k = 384); Jaccard from the k smallest of the union
printed    BML with equations 6 to 10 and m of equation 12
mended     BML with exact occupancy, m = 12; sizes from the registers
shipped    256 minima and the registers, in one likelihood; beside bottom-k of its 5 KB (k = 640)
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from columns import LAKE, lake_columns, table, tokens_of_numbers

from lakeview.estimate.all_pairs import inclusions, register_counts, solve_pairs
from lakeview.estimate.inclusion import bml, bml_printed, printed_bits, weights
from lakeview.estimate.joint import Sketch, compare
from lakeview.sketch.hyperloglog import CountingRegisters, registers
from lakeview.sketch.minima import bucket_minima

SMALL, LEAST, SAMPLE = 5_000, 100, 40_000
K, K_SHIPPED = 4096 * 6 // 64, 5120 // 8
NAMES = ("bottom-k", "printed", "mended", f"bottom-{K_SHIPPED}", "shipped")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="*", default=[str(LAKE)])
    parser.add_argument("--tpch")
    parser.add_argument("--deletions", action="store_true")
    parser.add_argument("--time", action="store_true")
    options = parser.parse_args()
    if options.deletions:
        return deletions()
    if options.time:
        return timing()
    columns = [
        c for folder in ([options.tpch] if options.tpch else options.folders) for c in lake_columns(folder, LEAST)
    ]
    sizes = np.array([len(c) for c in columns])
    minima = [bucket_minima(c) for c in columns]
    sketches = [Sketch.of(m) for m in minima]
    bottoms = [np.sort(c)[:K_SHIPPED] for c in columns]
    print(f"{len(columns)} columns, {int((sizes > SMALL).sum())} of more than {SMALL} values")

    rng = np.random.default_rng(0)
    rows = []
    for name, pick in (
        ("both > 5,000", lambda x, y: (x > SMALL) & (y > SMALL)),
        ("one > 5,000", lambda x, y: (x > SMALL) != (y > SMALL)),
        ("both <= 5,000", lambda x, y: (x <= SMALL) & (y <= SMALL)),
    ):
        i, j = np.nonzero(pick(sizes[:, None], sizes[None, :]) & ~np.eye(len(sizes), dtype=bool))
        if len(i) > SAMPLE // 10:
            chosen = rng.choice(len(i), SAMPLE // 10, replace=False)
            i, j = i[chosen], j[chosen]
        truth, errors = [], []
        for a, b in zip(i.tolist(), j.tolist(), strict=True):
            true = len(np.intersect1d(columns[a], columns[b], assume_unique=True)) / sizes[a]
            truth.append(true)
            errors.append(np.abs(np.array(estimates(a, b, sizes, minima, sketches, bottoms)) - true))
        truth, errors = np.array(truth), np.array(errors).reshape(-1, len(NAMES))
        for label, part in (
            ("all", np.ones(len(truth), bool)),
            ("0", truth == 0),
            *(
                (f"({a:.1f}, {b:.1f}]", (truth > a) & (truth <= b))
                for a, b in ((0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 1))
            ),
        ):
            if part.any():
                rows.append([name, label, int(part.sum()), *errors[part].mean(axis=0).tolist()])
    table(["size class", "true inclusion", "pairs", *NAMES], rows)


def estimates(a: int, b: int, sizes, minima, sketches, bottoms) -> list[float]:
    one, other = sketches[a], sketches[b]
    m = printed_bits(sizes[a], sizes[b])
    printed = bml_printed(registers(minima[a], m), registers(minima[b], m), float(sizes[a]), float(sizes[b]))
    return [
        bottom_k(bottoms[a], bottoms[b], sizes[a], sizes[b], K),
        printed.value,
        bml(one.registers, other.registers).value,
        bottom_k(bottoms[a], bottoms[b], sizes[a], sizes[b], K_SHIPPED),
        compare(one, other).containment.value,
    ]


def bottom_k(a: np.ndarray, b: np.ndarray, x: float, y: float, k: int) -> float:
    """Inclusion from two bottom-k sketches: the Jaccard similarity of the union's k smallest, and both sizes."""
    union = np.union1d(a[:k], b[:k])[:k]
    if not len(union):
        return 0.0
    jaccard = (np.isin(union, a[:k]) & np.isin(union, b[:k])).mean()
    return min(jaccard * (x + y) / (1 + jaccard), x, y) / x


def deletions() -> None:
    """Figure 20: a share of X's and Y's values deleted; bottom-k cannot refill, counting registers can."""
    rows = []
    for share in (0.0, 0.2, 0.4, 0.6, 0.8):
        errors = []
        for seed in range(1, 21):
            rng = np.random.default_rng(seed)
            size, shared = 50_000, int(rng.random() * 50_000)
            tokens = tokens_of_numbers(np.arange(2 * size - shared), seed)
            kept = rng.random(len(tokens)) >= share
            columns = tokens[:size], tokens[size - shared :]
            keeps = kept[:size], kept[size - shared :]
            true = (kept[size - shared : size]).sum() / keeps[0].sum()
            counting, bottoms, n = [], [], []
            for column, keep in zip(columns, keeps, strict=True):
                counters = CountingRegisters()
                counters.add(column)
                counters.remove(column[~keep])
                assert np.array_equal(counters.registers(), registers(bucket_minima(column[keep])))
                counting.append(counters.registers())
                smallest = np.argsort(column)[:K]
                bottoms.append(column[smallest[keep[smallest]]])
                n.append(float(keep.sum()))
            k = min(len(bottom) for bottom in bottoms)
            errors.append([abs(bottom_k(*bottoms, *n, k) - true), abs(bml(*counting).value - true)])
        rows.append([share, *np.mean(errors, axis=0).tolist()])
    table(["deleted", "bottom-k", "BML"], rows)


def timing() -> None:
    """Microseconds a pair, and all ordered pairs of 5,000 columns."""
    rng = np.random.default_rng(0)
    n = 5_000
    sizes = np.exp(rng.uniform(np.log(50), np.log(50_000), n)).astype(int)
    starts = rng.integers(0, 5_000_000, n) // 20_000 * 20_000
    values = np.array(
        [
            registers(bucket_minima(tokens_of_numbers(np.arange(s, s + size), 1)))
            for s, size in zip(starts, sizes, strict=True)
        ]
    )
    inclusions(values[:4], sizes[:4])  # compiled here
    start = time.process_time()
    i, j, _ = inclusions(values, sizes)
    everything = time.process_time() - start
    start = time.process_time()
    register_counts(values[:200], values)
    comparing = (time.process_time() - start) / (200 * n) * 1e6
    weight = weights(sizes.astype(float))
    share = np.array([(values[a] <= values[b]).mean() for a, b in zip(i[:50_000], j[:50_000], strict=True)])
    start = time.process_time()
    solve_pairs(share, i[:50_000], j[:50_000], sizes.astype(float), weight)
    solving = (time.process_time() - start) / len(share) * 1e6
    table(
        ["columns", "pairs", "solved", "CPU s", "us to compare", "us to solve"],
        [[n, n * (n - 1), len(i), everything, comparing, solving]],
    )


if __name__ == "__main__":
    main()
