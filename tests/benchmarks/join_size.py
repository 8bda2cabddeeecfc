"""Join-size estimates: q-error, coverage and time of every method beside exact counts.

    python tests/benchmarks/join_size.py [strings] [--titles CSV COLUMN CSV COLUMN] [--part PARQUET] [--figures N ...]

City strings as in fuzzy_join.py; two columns of titles; TPC-H part names (p_name of part.parquet). --figures repeats
the paper's Figures 11 and 13 on N sets: LC, LCNC, IS, HS at the paper's minimum supports.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from lakeview.estimate import lattice
from lakeview.estimate.join_size import column_texts, curve, lattice_curve
from lakeview.estimate.sampling import all_pairs, hashed_sample
from lakeview.estimate.signatures import signatures
from lakeview.estimate.similarity.texts import Texts

AT = np.array([0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
METHODS = ("exact", "auto", "sampling", "hashed", "lsh", "lattice")


def q_error(found: np.ndarray, truth: np.ndarray) -> np.ndarray:
    found, truth = np.maximum(found, 1), np.maximum(truth, 1)
    return np.maximum(found / truth, truth / found)


def compare(name: str, texts: Texts, tokeniser: str) -> None:
    print(f"== {name}, {tokeniser}: {len(texts.left):,} texts" + (f", {len(texts.right):,}" if texts.right else ""))
    truth = None
    for method in METHODS:
        started = time.process_time()
        found = curve(texts, "jaccard", AT, method)
        seconds = time.process_time() - started
        truth = found.pairs if truth is None else truth
        if method == "exact":
            print(f"{method:9} {seconds:6.2f} CPU s  pairs " + " ".join(f"{n:,.0f}" for n in truth))
            continue
        errors = q_error(found.pairs, truth)
        cover = (found.low <= truth) & (truth <= found.high)
        middle = errors[1:6]
        print(f"{method:9} {seconds:6.2f} CPU s  q " + " ".join(f"{q:.2f}" for q in errors)
              + f"  .4-.8: median {np.median(middle):.2f} worst {middle.max():.2f} covered {cover[1:6].sum()}/5"
              + f"  exact from {AT[found.exact].min() if found.exact.any() else '-'}", flush=True)  # fmt: skip


def figures(n: int) -> None:
    """The average relative error of LC, LCNC, IS and HS over .1 to .9, as in Figures 11 and 13."""
    from fuzzy_join import cities

    texts = column_texts(cities(n), None, "3-grams", "fold")
    at = np.arange(1, 10) / 10
    truth = curve(texts, "jaccard", at[3:], "exact").pairs
    print(f"== figures, {n:,} sets; relative error at .4 to .9")

    def show(name: str, found: np.ndarray, seconds: float) -> None:
        errors = (found[3:] - truth) / np.maximum(truth, 1)
        print(f"{name:10} {seconds:6.2f} CPU s " + " ".join(f"{e:10.2f}" for e in errors))

    for share in (0.001, 0.0004, 0.0002):
        support = max(3, round(share * n))
        for name, corrected in (("LC", True), ("LCNC", False)):
            started = time.process_time()
            found = lattice_curve(texts, at, support, relax=2, corrected=corrected, repeats=1)
            show(f"{name} {share:.2%}", found.pairs, time.process_time() - started)
        started = time.process_time()
        found_ = signatures([texts.left], texts.tokens)[0]
        levels = lattice.mine(found_, None, texts.left_counts[texts.left.rows], None, support)
        sums = lattice.independent_sums(np.nan_to_num(lattice.level_sums(levels)))
        states = lattice.states(sums, all_pairs(texts))
        show(f"IS {share:.2%}", lattice.at_thresholds(states, at), time.process_time() - started)
    for share in (0.05, 0.02, 0.01):
        started = time.process_time()
        found = hashed_sample(texts, "jaccard", at[3:], share)
        show(f"HS {share:.0%}", np.concatenate([np.zeros(3), found.pairs]), time.process_time() - started)


def main() -> None:
    from fuzzy_join import cities

    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("strings", nargs="?", type=int, default=100_000)
    arguments.add_argument("--titles", nargs=4, metavar=("CSV", "COLUMN", "CSV", "COLUMN"))
    arguments.add_argument("--part", type=Path)
    arguments.add_argument("--figures", nargs="*", type=int, default=[])
    given = arguments.parse_args()
    small = column_texts(cities(1000), None, "3-grams", "fold")
    for method in METHODS:
        curve(small, "jaccard", AT, method)  # compile
    if given.strings:
        compare("cities", column_texts(cities(given.strings), None, "3-grams", "fold"), "3-grams")
    if given.titles:
        a, b = (pd.read_csv(path, dtype=str)[column] for path, column in (given.titles[:2], given.titles[2:]))
        compare("titles", column_texts(a, b, "3-grams", "fold"), "3-grams")
    if given.part:
        names = pq.read_table(given.part, columns=["p_name"])["p_name"]
        compare("part names", column_texts(names, None, "words", "fold"), "words")
    for n in given.figures:
        figures(n)


if __name__ == "__main__":
    main()
