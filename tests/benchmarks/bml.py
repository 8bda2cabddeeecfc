"""BML beside bottom-k at equal memory (Nazi et al., figures 13 to 20), and the time of a pair.

    python tests/benchmarks/bml.py [folder ...] [--tpch FOLDER] [--pairs 1500] [--seeds 3] [--deletions] [--time]

Columns: those of the folders (default: the lake), or of a TPC-H database, which `tpchgen-cli parquet -s 1 --output-dir
FOLDER` (from PyPI) makes. Ordered pairs of columns of at least 100 values, a seeded sample from each size class; each
hash seed makes its own tokens. Mean absolute error of the inclusion |X n Y| / |X|, by size class and true inclusion
(figures 13 to 17), of large columns by |Y| / |X|, and by the threshold that parts small from large (18, 19).

bottom-k   k smallest tokens in the bytes of 4,096 six-bit registers (k = 384); Jaccard from the k smallest of the
           union, inclusion by the true sizes
printed    BML with equations 6 to 10, the true sizes and m of equation 12
mended     BML with exact occupancy, m = 12; sizes from the registers, here and below
levels     the same registers, all that they tell (`estimate.levels`) rather than one count
shipped    what a store keeps of a large column, 256 minima and the registers, in one likelihood; beside bottom-k of
           its 5 KB (k = 640). Here also of small ones, which a store keeps whole
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
from columns import LAKE, lake_columns, table, tokens_of_numbers

from lakeview.estimate.all_pairs import inclusions, register_counts, solve_pairs
from lakeview.estimate.inclusion import bml, bml_printed, printed_bits, weights
from lakeview.estimate.joint import Sketch, compare
from lakeview.sketch.hyperloglog import CountingRegisters, registers
from lakeview.sketch.minima import bucket_minima

sys.path.append(str(Path(__file__).resolve().parents[1] / "estimate"))
from test_inclusion import reference_inclusion

SMALL, LEAST = 5_000, 100
K, K_SHIPPED = 4096 * 6 // 64, 5120 // 8
NAMES = [f"bottom-{K}", "printed", "mended", "levels", f"bottom-{K_SHIPPED}", "shipped"]
NOTHING = np.empty(0, np.uint64)
CLASSES = (("both >", 2), ("one >", 1), ("none >", 0))
INCLUSIONS = ((0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 1))
RATIOS = (0, 0.01, 0.1, 1, 10, 100, np.inf)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="*", default=[str(LAKE)])
    parser.add_argument("--tpch", metavar="FOLDER")
    parser.add_argument("--pairs", type=int, default=1500, help="of each size class")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--deletions", action="store_true")
    parser.add_argument("--time", action="store_true")
    options = parser.parse_args()
    if options.deletions:
        return deletions()
    if options.time:
        return timing()
    if options.tpch and not Path(options.tpch).is_dir():
        sys.exit(f"make it first: pip install tpchgen-cli; tpchgen-cli parquet -s 1 --output-dir {options.tpch}")
    folders = [options.tpch] if options.tpch else options.folders
    columns = [column for folder in folders for column in lake_columns(folder, LEAST)]
    sizes = np.array([len(column) for column in columns])
    print(f"{len(columns)} columns, {int((sizes > SMALL).sum())} of more than {SMALL:,} values")
    rng = np.random.default_rng(0)
    groups = [
        [(f"{name} {t:,}", draw(rng, sizes, t, enough, options.pairs)) for name, enough in CLASSES]
        for t in (SMALL, K, 4 * K, 16 * K, 64 * K)
    ]
    i, j = (np.concatenate(part) for part in zip(*(pairs for group in groups for _, pairs in group), strict=True))
    true = inclusion_of(columns, i, j)
    errors = np.mean([errors_of(columns, i, j, true, seed) for seed in range(1, options.seeds + 1)], axis=0)
    ends = np.cumsum([len(pairs[0]) for group in groups for _, pairs in group])
    parts = iter(np.split(np.arange(len(i)), ends[:-1]))
    at = {name: next(parts) for group in groups for name, _ in group}

    def show(headers: list[str], rows: list[tuple[str, str, np.ndarray]]) -> None:
        print()
        means = [(name, label, len(of), errors[of].mean(axis=0)) for name, label, of in rows if len(of)]
        table([*headers, "pairs", *NAMES], [[*row, *(f"{mean:.4f}" for mean in of_all)] for *row, of_all in means])

    first = [name for name, _ in groups[0]]
    bounds = [("all", -1.0, 1.0), ("0", -1.0, 0.0)] + [(f"({low}, {high}]", low, high) for low, high in INCLUSIONS]
    show(
        ["size class", "true inclusion"],
        [(n, label, at[n][(true[at[n]] > low) & (true[at[n]] <= high)]) for n in first for label, low, high in bounds],
    )
    large = at[first[0]]
    ratio = sizes[j[large]] / sizes[i[large]]
    show(
        ["size class", "|Y| / |X|"],
        [(first[0], f"{low:g}-{high:g}", large[(ratio >= low) & (ratio < high)]) for low, high in pairwise(RATIOS)],
    )
    show(["size class", ""], [(name, "", at[name]) for group in groups[1:] for name, _ in group[:2]])


def draw(rng: np.random.Generator, sizes: np.ndarray, t: int, large: int, most: int) -> tuple[np.ndarray, np.ndarray]:
    """At most so many ordered pairs of columns, of which `large` (0 to 2) exceed t values."""
    above = (sizes > t).astype(int)
    i, j = np.nonzero((above[:, None] + above == large) & ~np.eye(len(sizes), dtype=bool))
    chosen = rng.choice(len(i), min(most, len(i)), replace=False)
    return i[chosen], j[chosen]


def inclusion_of(columns: list[np.ndarray], i: np.ndarray, j: np.ndarray) -> np.ndarray:
    shared = [
        len(np.intersect1d(columns[a], columns[b], assume_unique=True))
        for a, b in zip(i.tolist(), j.tolist(), strict=True)
    ]
    return np.array(shared) / np.array([len(columns[a]) for a in i.tolist()])


def errors_of(columns: list[np.ndarray], i: np.ndarray, j: np.ndarray, true: np.ndarray, seed: int) -> np.ndarray:
    """Absolute errors of all estimators for each pair, with the tokens of a hash seed: float64[pairs, NAMES]."""
    tokens = [np.sort(tokens_of_numbers(column, seed)) for column in columns]
    minima = [bucket_minima(column) for column in tokens]
    sketches = [Sketch.of(smallest) for smallest in minima]
    found = []
    for a, b in zip(i.tolist(), j.tolist(), strict=True):
        x, y = float(len(tokens[a])), float(len(tokens[b]))
        m = printed_bits(x, y)
        one, other = sketches[a], sketches[b]
        found.append(
            [
                bottom_k(tokens[a], tokens[b], x, y, K),
                bml_printed(registers(minima[a], m), registers(minima[b], m), x, y).value,
                bml(one.registers, other.registers).value,
                compare(*(Sketch(NOTHING, kept.registers) for kept in (one, other))).containment.value,
                bottom_k(tokens[a], tokens[b], x, y, K_SHIPPED),
                compare(one, other).containment.value,
            ]
        )
    return np.abs(np.array(found) - true[:, None])


def bottom_k(a: np.ndarray, b: np.ndarray, x: float, y: float, k: int) -> float:
    """Inclusion from the k smallest of sorted tokens: the Jaccard similarity of the union's k smallest, both sizes."""
    a, b = a[:k], b[:k]
    union = np.union1d(a, b)[:k]
    if not len(union):
        return 0.0
    jaccard = (np.isin(union, a) & np.isin(union, b)).mean()
    return min(jaccard * (x + y) / (1 + jaccard), x, y) / x


def deletions() -> None:
    """Figure 20: a share of the values of X and Y deleted. Bottom-k cannot refill, counting registers forget.

    Bottom-k in the memory of registers, in the paper's eightfold (k from 1,536 to 12,288) and in that of the counters
    as they are here, 54 of four bytes a bucket.
    """
    size, rows = 1_000_000, []
    ks = (K, 8 * K, CountingRegisters().counts.nbytes // 8)
    for share in (0.0, 0.2, 0.4, 0.6, 0.8):
        errors = []
        for seed in range(1, 11):
            rng = np.random.default_rng(seed)
            shared = int(rng.random() * size)
            tokens = tokens_of_numbers(np.arange(2 * size - shared), seed)
            kept = rng.random(len(tokens)) >= share
            columns = tokens[:size], tokens[size - shared :]
            keeps = kept[:size], kept[size - shared :]
            true = kept[size - shared : size].sum() / keeps[0].sum()
            counters = CountingRegisters(), CountingRegisters()
            for counting, column, keep in zip(counters, columns, keeps, strict=True):
                counting.add(column)
                counting.remove(column[~keep])
                assert np.array_equal(counting.registers(), registers(bucket_minima(column[keep])))
            x, y = (counting.registers() for counting in counters)
            n = [float(keep.sum()) for keep in keeps]
            found = [
                *(left_of(columns, keeps, n, k) for k in ks),
                bml(x, y).value,
                compare(Sketch(NOTHING, x), Sketch(NOTHING, y)).containment.value,
            ]
            errors.append(np.abs(np.array(found) - true))
        rows.append([share, *np.mean(errors, axis=0).tolist()])
    table(["deleted", *(f"bottom-{k}" for k in ks), "mended", "levels"], rows)


def left_of(columns: tuple, keeps: tuple, n: list[float], k: int) -> float:
    """What bottom-k says once deleted values have gone from both sketches: it is a bottom-k' of what is left."""
    left = []
    for column, keep in zip(columns, keeps, strict=True):
        smallest = np.argpartition(column, k)[:k]
        left.append(np.sort(column[smallest[keep[smallest]]]))
    return bottom_k(*left, *n, min(map(len, left)))


def timing() -> None:
    """Microseconds a pair, all ordered pairs of 5,000 columns, and how far the fast solver is from a slow one."""
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
    i, j, found = inclusions(values, sizes)
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
        ["columns", "pairs", "solved", "CPU s", "us to compare", "us to solve", "us a solved pair"],
        [[n, n * (n - 1), len(i), everything, comparing, solving, comparing + solving]],
    )
    checked = rng.choice(len(i), 1000, replace=False).tolist()
    slow = [reference_inclusion((values[i[p]] <= values[j[p]]).mean(), sizes[i[p]], sizes[j[p]], 12) for p in checked]
    print(f"largest distance from the reference solver, {len(slow)} pairs: {np.abs(found[checked] - slow).max():.1e}")


if __name__ == "__main__":
    main()
