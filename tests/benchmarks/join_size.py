"""Join-size estimates: q-error, coverage and time of every method beside exact counts.

    python tests/benchmarks/join_size.py [strings] [--titles CSV COLUMN CSV COLUMN] [--part PARQUET] [--seeds N]
        [--figures N ...] [--coverage SEEDS]

City strings as in fuzzy_join.py; two columns of titles; TPC-H part names (p_name of part.parquet). --figures repeats
the paper's Figures 11 and 13 on N sets: LC, LCNC, IS, HS at the paper's minimum supports and with its relaxed lattice,
and LC with exact level sums, which is what method="lattice" does. On city strings, and on titles made to be like the
paper's: 14 words, 15% of them copies of another one with some words replaced.

--coverage SEEDS: instead, how often the 95% intervals of a method hold the exact count, by kind of value and by how the
texts repeat, with the median width of an interval in parts of the truth, for one column and for two that share half of
their texts; a cell is SEEDS samples of each of 3 columns at 7 thresholds.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from columns import table

from lakeview.estimate import lattice
from lakeview.estimate.join_size import column_texts, curve, lattice_curve
from lakeview.estimate.sampling import all_pairs, hashed_sample
from lakeview.estimate.signatures import signatures
from lakeview.estimate.similarity.texts import Texts

AT = np.array([0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
CITIES = 100_000  # sets of city strings up to which all pairs from .4 on are counted in a minute
METHODS = ("exact", "auto", "sampling", "hashed", "lsh", "lattice")


def q_error(found: np.ndarray, truth: np.ndarray) -> np.ndarray:
    found, truth = np.maximum(found, 1), np.maximum(truth, 1)
    return np.maximum(found / truth, truth / found)


def compare(name: str, texts: Texts, tokeniser: str, seeds: int) -> None:
    """Every method beside exact counts: over all seeds the worst q-errors, the coverage, and the average time."""
    print(f"== {name}, {tokeniser}: {len(texts.left):,} texts" + (f", {len(texts.right):,}" if texts.right else ""))
    started = time.process_time()
    truth = curve(texts, "jaccard", AT, "exact").pairs
    exactly = time.process_time() - started
    print(f"{'exact':9} {exactly:6.2f} CPU s  pairs " + " ".join(f"{n:,.0f}" for n in truth), flush=True)
    for method in METHODS[1:]:
        started = time.process_time()
        found = [curve(texts, "jaccard", AT, method, seed) for seed in range(1, seeds + 1)]
        seconds = (time.process_time() - started) / seeds
        errors = np.array([q_error(one.pairs, truth) for one in found])
        cover = np.array([(one.low <= truth) & (truth <= one.high) for one in found])[:, 1:6]
        counted = found[0].exact
        print(f"{method:9} {seconds:6.2f} CPU s  q " + " ".join(f"{q:.2f}" for q in errors.max(axis=0))
              + f"  .4-.8: median {np.median(errors[:, 1:6]):.2f} worst {errors[:, 1:6].max():.2f}"
              + f" covered {cover.mean():.0%} of {cover.size}  1/{exactly / max(seconds, 1e-3):.1f} of exact's time"
              + f"  exact from {AT[counted].min() if counted.any() else '-'}", flush=True)  # fmt: skip


def coverage(methods: list[str], kinds: list[str], texts: int, seeds: int) -> None:
    """Coverage, width and q-error in each cell of kind, repetition and number of columns."""
    for method in methods:
        rows = []
        for kind in kinds:
            tokeniser, made = KINDS[kind]
            for how, counts in REPEATED.items():
                for sides in (1, 2):
                    held, width, error = [], [], []
                    for draw in range(3):
                        random = np.random.default_rng((draw, sides, *how.encode()))
                        pool = list(dict.fromkeys(made(texts * sides, draw)))
                        parts = (pool[:texts], pool[texts // 2 : texts // 2 + texts])[:sides]
                        columns = [np.repeat(part, counts(random, len(part))).tolist() for part in parts]
                        both = column_texts(columns[0], columns[1] if sides == 2 else None, tokeniser, "fold")
                        truth = curve(both, "jaccard", AT, "exact").pairs
                        for seed in range(seeds):
                            found = curve(both, "jaccard", AT, method, seed)
                            held.append((found.low <= truth + 0.5) & (truth <= found.high + 0.5))
                            width.append((found.high - found.low) / np.maximum(truth, 1))
                            error.append(q_error(found.pairs, truth))
                    rows.append([kind, how, sides, np.size(held), float(np.mean(held)), float(np.median(width)),
                                 float(np.median(error)), float(np.max(error))])  # fmt: skip
        print(f"== {method}, {texts:,} texts")
        table(["values", "repeated", "columns", "trials", "coverage", "width", "q median", "q worst"], rows)
        print(f"lowest coverage {min(row[4] for row in rows):.3f}", flush=True)


def addresses(n: int, seed: int) -> list[str]:
    """House numbers in streets: whole streets are alike."""
    random = np.random.default_rng(seed)
    streets = [f"{word} {kind}" for word in NAMES for kind in ("street", "avenue", "lane", "road")]
    picked = random.choice(len(streets), n, p=(weights := 1 / np.arange(1, len(streets) + 1)) / weights.sum())
    return [f"{number} {streets[street]}" for number, street in zip(random.integers(1, 3000, n), picked, strict=True)]


def people(n: int, seed: int) -> list[str]:
    """A first name, an initial, a last name."""
    random = np.random.default_rng(seed)
    first, last = random.choice(NAMES, n), random.choice([a + b for a in NAMES for b in ("son", "er", "field")], n)
    return [f"{a} {i}. {b}" for a, i, b in zip(first, random.choice(list("abcdefghij"), n), last, strict=True)]


def codes(n: int, seed: int) -> list[str]:
    random = np.random.default_rng(seed)
    return [
        f"{a}-{b:05d}" for a, b in zip(random.choice(["AX", "BR", "KL"], n), random.integers(0, 99999, n), strict=True)
    ]


NAMES = ("alder", "birch", "cedar", "dunmore", "eastwick", "fenton", "garland", "hollis", "ingram", "jasper", "kestrel",
         "langley", "marlow", "newton", "oakham", "preston", "quincy", "ripley", "selby", "thornton")  # fmt: skip
KINDS = {
    "cities": ("3-grams", lambda n, seed: shuffled(cities_of(n), seed)),
    "titles": ("words", lambda n, seed: shuffled(titles_like(n, 5_000), seed)),
    "addresses": ("3-grams", addresses),
    "people": ("3-grams", people),
    "codes": ("3-grams", codes),
}
REPEATED = {
    "not": lambda random, n: np.ones(n, int),
    "a little": lambda random, n: random.geometric(0.5, n),
    "Zipf": lambda random, n: np.minimum(random.zipf(1.5, n), 10_000),
    "a few often": lambda random, n: np.where(random.random(n) < 0.002, random.integers(100, 2_000, n), 1),
}


def shuffled(texts: list[str], seed: int) -> list[str]:
    return np.random.default_rng(seed).permutation(np.array(texts, object)).tolist()


def cities_of(n: int) -> list[str]:
    from fuzzy_join import cities

    return cities(n)


def titles_like(n: int, words: int = 20_000, copies: float = 0.15) -> list[str]:
    """n titles of 3 words or more, 14 on average, of Zipf's law; some are another one with its first words replaced."""
    random = np.random.default_rng(0)
    ends = np.cumsum(1 / (np.arange(words) + 50.0))
    drawn = iter(np.searchsorted(ends, random.random(16 * n) * ends[-1]).tolist())
    sizes, is_copy, others = np.maximum(random.poisson(14, n), 3), random.random(n) < copies, random.random(n)
    made: list[list[int]] = []
    for i in range(n):
        if is_copy[i] and made:
            title = list(made[int(others[i] * len(made))])
            replaced = int(random.integers(0, len(title) + 1))
            title[:replaced] = [next(drawn) for _ in range(replaced)]
        else:
            title = [next(drawn) for _ in range(sizes[i])]
        made.append(title)
    return [" ".join(f"w{word}" for word in dict.fromkeys(title)) for title in made]


def figures(name: str, texts: Texts) -> None:
    """The relative error of LC, LCNC, IS and HS, as in Figures 11 and 13, and its average."""
    at = np.arange(1, 10) / 10
    truth = curve(texts, "jaccard", at[3:], "exact").pairs
    print(f"== figures, {name}, {len(texts.left):,} sets; at .4 to .9: pairs " + " ".join(f"{n:,.0f}" for n in truth)
          + "; relative errors, the average of their absolute values")  # fmt: skip

    def show(name: str, found: np.ndarray, seconds: float) -> None:
        errors = (found[3:] - truth) / np.maximum(truth, 1)
        average = np.abs(errors).mean()
        print(f"{name:11} {seconds:6.2f} CPU s " + " ".join(f"{e:10.2f}" for e in errors) + f"  average {average:.2f}",
              flush=True)  # fmt: skip

    for name, support, relax in (
        ("exact sums", 2, None),
        ("0.10%", 0.001, 2),
        ("0.04%", 0.0004, 2),
        ("0.02%", 0.0002, 2),
    ):
        support = support if support == 2 else max(3, round(support * len(texts.left)))
        for method, corrected in (("LC", True), ("LCNC", False)):
            started = time.process_time()
            found = lattice_curve(texts, at, support, relax=relax, corrected=corrected, repeats=1)
            show(f"{method} {name}", found.pairs, time.process_time() - started)
        started = time.process_time()
        rows = signatures([texts.left], texts.tokens)[0]
        levels = lattice.mine(rows, None, texts.left_counts[texts.left.rows], None, support)
        sums = lattice.independent_sums(np.nan_to_num(lattice.level_sums(levels)))
        states = lattice.states(sums, all_pairs(texts))
        show(f"IS {name}", lattice.at_thresholds(states, at), time.process_time() - started)
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
    arguments.add_argument("--seeds", type=int, default=1)
    arguments.add_argument("--figures", nargs="*", type=int, default=[])
    arguments.add_argument("--coverage", type=int, metavar="SEEDS")
    arguments.add_argument("--texts", type=int, default=8_000, help="of a column, for --coverage")
    arguments.add_argument("--methods", nargs="+", default=["sampling", "auto"], choices=METHODS, help="for --coverage")
    arguments.add_argument("--kinds", nargs="+", default=list(KINDS), choices=KINDS, help="for --coverage")
    given = arguments.parse_args()
    if given.coverage:
        return coverage(given.methods, given.kinds, given.texts, given.coverage)
    small = column_texts(cities(1000), None, "3-grams", "fold")
    for method in METHODS:
        curve(small, "jaccard", AT, method)  # compile
    if given.strings:
        compare("cities", column_texts(cities(given.strings), None, "3-grams", "fold"), "3-grams", given.seeds)
    if given.titles:
        a, b = (pd.read_csv(path, dtype=str)[column] for path, column in (given.titles[:2], given.titles[2:]))
        compare("titles", column_texts(a, b, "3-grams", "fold"), "3-grams", given.seeds)
    if given.part:
        names = pq.read_table(given.part, columns=["p_name"])["p_name"]
        compare("part names", column_texts(names, None, "words", "fold"), "words", given.seeds)
    for n in given.figures:
        figures("titles like the paper's", column_texts(titles_like(n), None, "words", "fold"))
        if n <= CITIES:
            figures("cities", column_texts(cities(n), None, "3-grams", "fold"))


if __name__ == "__main__":
    main()
