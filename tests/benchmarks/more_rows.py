"""Tables cut by rows and columns, and which of them `lake.more_rows` finds again for one of the pieces.

python tests/benchmarks/more_rows.py LAKE FOLDER [--seeds N]

LAKE: a folder of folders of CSV tables; those of its folders with many tables about one topic give the hard negatives
(of a World Cup: matches, goals in them, bookings, players: they share most of their columns). Up to 60 of its tables
with 4 columns and 60 rows at least are cut into 4 to 12 pieces. A piece has some of the rows, a tenth of them others',
too, and 60 to 100 % of the columns, in an order of its own; each name is drifted with a chance of 15 % (other case, no
vowels, abbreviated, with a prefix). Files are called by number, so that no name helps. The query is a piece beside the
lake; right are the pieces of its table.

The other lake has families: each table cut by rows alone into 3 to 6 files called after years or regions. The query is
the rows that are in none; right is one answer, the family, whole.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from pathlib import Path
from statistics import fmean, median

import pandas as pd

import lakeview as lv

TABLES = 60


def tables(lake: Path, rng: random.Random) -> dict[str, pd.DataFrame]:
    paths = sorted(lake.rglob("*.csv"))
    rng.shuffle(paths)
    crowded = [p for p in paths if p.parent.name == "worldcup"]
    found: dict[str, pd.DataFrame] = {}
    for path in [*crowded, *paths]:
        name = str(path.relative_to(lake))
        if len(found) >= TABLES or name in found:
            continue
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, encoding_errors="replace")
        frame = frame.drop(columns=[c for c in ("rownames", "Unnamed: 0") if c in frame])
        if frame.shape[1] >= 4 and 60 <= len(frame) <= 20_000:
            found[name] = frame
    return found


def drifted(name: str, rng: random.Random) -> str:
    words = re.findall(r"[A-Za-z]+|\d+", name) or [name]
    return rng.choice([
        name.upper(), "".join(w.capitalize() for w in words), " ".join(words), f"the_{name}",
        name[0] + re.sub("[aeiou]", "", name[1:]) if len(name) > 4 else name.title(),
        "_".join(w[:4] for w in words),
    ])  # fmt: skip


def piece(frame: pd.DataFrame, rng: random.Random) -> pd.DataFrame:
    columns = list(frame)
    kept = rng.sample(columns, max(3, round(len(columns) * rng.uniform(0.6, 1.0))))
    part = frame[kept]
    names: list[str] = []
    for c in kept:
        name = drifted(c, rng) if rng.random() < 0.15 else c
        names.append(name if name not in names else c)
    return part.set_axis(names, axis=1)


def cut(frame: pd.DataFrame, parts: int, rng: random.Random) -> list[pd.DataFrame]:
    order = list(range(len(frame)))
    rng.shuffle(order)
    size = len(order) // parts
    return [frame.iloc[sorted(order[p * size : (p + 1) * size] + rng.sample(order, size // 10))] for p in range(parts)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lake", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    for seed in range(options.seeds):
        pieces(options, seed)
        whole_families(options, seed)


def pieces(options: argparse.Namespace, seed: int) -> None:
    rng = random.Random(seed)
    folder = options.folder / f"pieces{seed}"
    found, number, queries = tables(options.lake, rng), 0, []
    of: dict[str, str] = {}
    made = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in found.items():
        first, *others = [piece(part, rng) for part in cut(frame, rng.randint(4, 12), rng)]
        queries.append((name, first))
        for other in others:
            number += 1
            of[f"t{number:04d}.csv"] = name
            if made:
                other.to_csv(folder / f"t{number:04d}.csv", index=False)
    lake = lv.open(folder, store=options.folder / f"pieces{seed}.store")
    lake.index(engine="local")
    precision, recall, seconds, wrong = [], [], [], []
    for name, frame in queries:
        start = time.perf_counter()
        rows = lake.more_rows(frame.reset_index(drop=True), k=10)
        seconds.append(time.perf_counter() - start)
        got = [table for one in rows for table in one.tables][:10]
        right = sum(of[table] == name for table in got)
        whole = sum(other == name for other in of.values())
        precision.append(right / len(got) if got else 1.0)
        recall.append(right / min(whole, 10))
        scored = [(one.score, of[one.table], of[one.table] == name) for one in rows]
        wrong += [(name, other, f"{score:.2f}") for score, other, good in scored if not good]
        if options.show:
            marks = [f"{score:.2f}{'' if good else '!'}" for score, _, good in scored]
            print(f"{name:50s} P {precision[-1]:.2f} R {recall[-1]:.2f}", *marks)
    print(f"{len(queries)} queries, {len(of)} pieces: P at 10 {fmean(precision):.3f}, R {fmean(recall):.3f}", end=", ")
    print(f"median {1000 * median(seconds):.0f} ms, worst {1000 * max(seconds):.0f} ms")
    for one in wrong[:40]:
        print("  ", *one)


def whole_families(options: argparse.Namespace, seed: int) -> None:
    rng = random.Random(seed + 100)
    folder, queries, made = options.folder / f"families{seed}", [], not (options.folder / f"families{seed}").exists()
    members: dict[str, set[str]] = {}
    for name, frame in tables(options.lake, rng).items():
        first, *others = cut(frame, rng.randint(4, 7), rng)
        stem = name.replace("/", "_").removesuffix(".csv")
        ends = rng.choice([[str(y) for y in range(2010, 2020)], ["north", "south", "east", "west", "inner", "outer"]])
        members[name] = {f"{stem}/{stem}_{end}.csv" for end, _ in zip(ends, others, strict=False)}
        queries.append((name, first))
        for path, other in zip(sorted(members[name]), others, strict=True):
            if made:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                other.to_csv(folder / path, index=False)
    lake = lv.open(folder, store=options.folder / f"families{seed}.store")
    lake.index(engine="local")
    whole, first = [], []
    for name, frame in queries:
        rows = lake.more_rows(frame.reset_index(drop=True), k=10)
        first.append(bool(rows) and set(rows[0].tables) == members[name])
        whole.append(len([one for one in rows if set(one.tables) & members[name]]) == 1)
        if options.show and not first[-1]:
            print(name, members[name], [one.tables for one in rows][:3])
    print(f"{len(queries)} families: first and whole {fmean(first):.3f}, one answer {fmean(whole):.3f}")


if __name__ == "__main__":
    main()
