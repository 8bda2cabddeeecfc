"""How often the 95 % intervals of containment hold the truth, and how wide they are, by size ratio.

    python tests/benchmarks/interval_coverage.py [--pairs 2000] [--seeds 20]

Pairs of columns of 10 to 400,000 values, in both directions, a fifth disjoint, a fifth contained, the rest anywhere
between; each hash seed makes its own tokens.

raw      Lazo from 256 minima, distinct counts known
shipped  what is stored: distinct counts known up to 4,096 values, else estimated from the registers; minima and
         registers in one likelihood (`estimate.joint`)
The yardstick is Clopper and Pearson's interval of the matching buckets, carried to containment at the true sizes.
"""

from __future__ import annotations

import argparse

import numpy as np
from columns import table, tokens_of_numbers

from lakeview.estimate.coupled import lazo
from lakeview.estimate.interval import clopper_pearson
from lakeview.estimate.joint import Sketch, compare
from lakeview.sketch.minhash import agreements
from lakeview.sketch.minima import bucket_minima

CLASSES = ((1, 10), (10, 100), (100, 1_000), (1_000, 10_000))
SMALLEST, LARGEST, EXACT = 10, 400_000, 4096


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=2000, help="of each class")
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args()
    rows = []
    for least, most in CLASSES:
        found = {"raw": [], "shipped": []}
        for pair in range(options.pairs):
            x, y, shared, a, b = draw(np.random.default_rng((least, pair)), least, most, seed=pair % options.seeds + 1)
            one, other = (Sketch.of(m, n if n <= EXACT else None) for m, n in ((a, x), (b, y)))
            same, occupied = (int(v) for v in agreements(one.minima, other.minima))
            yardstick = width_of_clopper_pearson(same, occupied, x, y)
            for name, estimate in (
                ("raw", lazo(same, occupied, x, y).containment),
                ("shipped", compare(one, other).containment),
            ):
                held = estimate.low - 1e-9 <= shared / x <= estimate.high + 1e-9
                found[name].append((held, estimate.high - estimate.low, yardstick, estimate.value - shared / x))
        for name, pairs in found.items():
            held, width, yardstick, error = np.array(pairs, float).T
            rows.append(
                [f"{least}-{most}", name, float(held.mean()), float(width.mean()), float(yardstick.mean()),
                 float(width.mean() / yardstick.mean()), float(np.sqrt((error**2).mean()))]
            )  # fmt: skip
    table(["ratio", "estimate", "coverage", "width", "C-P width", "ratio", "RMSE"], rows)


def draw(rng: np.random.Generator, least: float, most: float, seed: int):
    """A pair's sizes x and y, overlap, and the per-bucket minima of both."""
    ratio = np.exp(rng.uniform(np.log(least), np.log(min(most, LARGEST / SMALLEST))))
    small = int(np.exp(rng.uniform(np.log(SMALLEST), np.log(max(LARGEST / ratio, SMALLEST + 1)))))
    large = int(small * ratio)
    shared = int(rng.choice([0.0, 1.0, rng.random()], p=[0.2, 0.2, 0.6]) * small)
    x, y = (small, large) if rng.random() < 0.5 else (large, small)
    tokens = tokens_of_numbers(np.arange(x + y - shared) + rng.integers(0, 2**40), seed)
    return x, y, shared, bucket_minima(tokens[:x]), bucket_minima(tokens[x - shared :])


def width_of_clopper_pearson(same: int, occupied: int, x: int, y: int) -> float:
    low, high = (float(end) for end in clopper_pearson(same, occupied))
    ends = [min(j * (x + y) / (1 + j), x, y) / x for j in (low, high)]
    return ends[1] - ends[0]


if __name__ == "__main__":
    main()
