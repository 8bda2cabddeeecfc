"""Columns that join by similar text alone: is the right one found among the others of a lake, and what else is said?

python tests/benchmarks/similar.py AUTOFJ LAKE STORE [--columns N] [--seed N] [--sets N]

The references of AutoFJ (left.csv of each folder) lie in a lake beside the tables of LAKE, each under its own name, and
its title column is called as the folder is. Each right.csv is asked for: its own reference is right. Then N random text
columns of LAKE are asked for: whatever is called similar to them is printed with pairs, for somebody to read. Learned
programs are not asked; columns that are equal for the most part are left out, as in a search. STORE keeps the lake.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path
from statistics import fmean, median
from typing import Any

import pandas as pd

import lakeview as lv
from lakeview.search import similar, transforming
from lakeview.search.asking import side_of
from lakeview.search.hits import Hits
from lakeview.search.similar_text import LEAST


def read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def lake_of(autofj: Path, lake: Path, store: Path) -> lv.Lake:
    """The references and the lake as one."""
    references = store / "references"
    references.mkdir(parents=True, exist_ok=True)
    for folder in filter(Path.is_dir, autofj.iterdir()):
        reference = read(folder / "left.csv")
        named = {"id": f"{folder.name}_id", "title": folder.name}
        reference.rename(columns=named).to_csv(references / f"{folder.name}.csv", index=False)
    opened = lv.open([references, lake], store=store / "store")
    opened.index(engine="local")
    return opened


def ask(lake: lv.Lake, frame: pd.DataFrame, column: str) -> tuple[list[Any], int, float]:
    """The similar columns, how many were tried, and CPU seconds."""
    view, found = lake.view(), lake.search(frame, column, k=500, rank="join")
    hidden = view.hidden(found.snapshot)
    hidden[[hit.number for hit in found.unfolded if transforming.is_joined(hit)]] = True
    hits = Hits(found.query, found.snapshot, 0, found.join)
    began = time.process_time()
    answers = list(similar.streamed(hits, side_of(frame), view.side, view.signatures, hidden))
    seconds = time.process_time() - began
    return (list(answers[-1]), answers[-1].looked, seconds) if answers else ([], 0, seconds)


def positives(lake: lv.Lake, autofj: Path, most: int) -> None:
    rows: dict[str, dict[str, Any]] = {}
    for folder in sorted(filter(Path.is_dir, autofj.iterdir()))[:most]:
        frame, truth = read(folder / "right.csv"), read(folder / "gt.csv")
        hits, tried, seconds = ask(lake, frame, "title")
        places = [i for i, hit in enumerate(hits) if hit.column == folder.name]
        own = hits[places[0]] if places else None
        names = dict(zip(truth.title_r, truth.title_l, strict=True))
        pairs = own.join("inner").to_pandas() if own else pd.DataFrame()
        right = (pairs["title"].map(names) == pairs[folder.name]).mean() if len(pairs) else float("nan")
        rows[folder.name] = {
            "asked": len(frame), "partnered": len(truth), "found": bool(places), "first": places[:1] == [0],
            "others": len(hits) - len(places), "joined": own.containment if own else 0.0, "right": right,
            "tried": tried, "s": seconds,
        }  # fmt: skip
        for hit in hits:
            if hit.column != folder.name:
                print(f"{folder.name} = {hit.name}: {hit.reason} {hit.example}")
    table = pd.DataFrame(rows).T
    print(table.to_string(float_format="{:.2f}".format))
    print(f"found {table.found.mean():.2f}, first {table['first'].mean():.2f} of {len(table)}; "
          f"{table.others.sum()} other columns; {fmean(table.s):.2f} s, at most {max(table.s):.2f}")  # fmt: skip


def others(lake: lv.Lake, most: int, seed: int) -> None:
    snapshot = lake.view().snapshot
    columns = [
        (table, name) for table, held in snapshot.by_table.items() for name, n in held.items()
        if snapshot.types[n] == "text" and snapshot.distinct[n] >= LEAST and not table.startswith("references/")
    ]  # fmt: skip
    asked = random.Random(seed).sample(columns, min(most, len(columns)))
    times, said, tries = [], 0, 0
    for table, name in asked:
        frame = lake.side(table).to_pandas()[[name]]
        hits, tried, seconds = ask(lake, frame, name)
        times.append(seconds)
        tries += tried > 0
        said += len(hits)
        for hit in hits:
            best = hit.join().candidates
            best = best[best.joined & (best.left_value != best.right_value)]
            print(f"{table}.{name} = {hit.name}: {hit.reason}")
            print(*(f"    {a} ≈ {b}" for a, b in zip(best.left_value[:5], best.right_value, strict=False)), sep="\n")
    print(f"{len(asked)} text columns, {tries} tried: {said} similar columns; "
          f"{median(times):.2f} s, at most {max(times):.2f}")  # fmt: skip


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("autofj", type=Path)
    arguments.add_argument("lake", type=Path)
    arguments.add_argument("store", type=Path)
    arguments.add_argument("--columns", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--sets", type=int, default=1_000)
    given = arguments.parse_args()
    lv.fuzzy_join(["dune hotel"] * 3, ["dune hotex"], precision=0.9)  # compile
    lake = lake_of(given.autofj, given.lake, given.store)
    positives(lake, given.autofj, given.sets)
    others(lake, given.columns, given.seed)


if __name__ == "__main__":
    main()
