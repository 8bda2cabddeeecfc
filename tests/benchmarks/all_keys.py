"""Foreign keys and the join graph of lakes of more and more columns: CPU seconds, and memory beyond the open lake.

    python tests/benchmarks/all_keys.py FOLDER [--columns 6000 12000 25000 50000] [--work KEPT] [--segments 1] [--spark]

The lakes are made from the tables of FOLDER, each larger one holds the smaller: first the tables themselves, then
copies of them with some of their rows and columns, a third with other names, a third with their whole numbers moved,
half of them in a folder of their own. KEPT keeps the lakes and their indexes, so that another version can be asked the
same.
Every figure is that of a process of its own; `answer` tells whether two versions answer alike. --spark asks Spark the
same, row for row.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from columns import table

import lakeview as lv

ROWS = 2_000  # of a table, at most: the rest tells nothing new of keys
WORDS = ("old", "new", "main", "first", "second", "left", "base", "local")
ASK = """
import hashlib, json, resource, sys, time
import pandas, plotly.graph_objects, lakeview as lv
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
lake = lv.open(sys.argv[1], store=sys.argv[2])
before, figures = resident(), {}
for name in ("foreign_keys", "graph"):
    started = time.process_time()
    found = getattr(lake, name)()
    figures[name] = time.process_time() - started
    if name == "foreign_keys":
        keys = found
        figures["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
        figures["keys"] = len(found)
        rows = sorted(map(str, found.round(6).itertuples(index=False, name=None)))
        figures["answer"] = hashlib.sha256("".join(rows).encode()).hexdigest()[:8]
figures["columns"] = len(lake.columns)
figures["spark"] = "not asked"
if sys.argv[3:] == ["--spark"]:
    figures["spark"] = "equal" if lake.foreign_keys(engine="spark").equals(keys) else "differs"
print(json.dumps(figures))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--columns", type=int, nargs="+", default=[6_000, 12_000, 25_000, 50_000])
    parser.add_argument("--work", type=Path)
    parser.add_argument("--segments", type=int, default=1)
    parser.add_argument("--spark", action="store_true")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        work = options.work or Path(folder)
        for columns in options.columns:
            lake, store = work / f"lake-{columns}", work / f"store-{columns}-{options.segments}"
            if not lake.exists():
                make(options.folder, lake, columns)
            if not store.exists():
                indexed(lake, store, options.segments)
            asked = [sys.executable, "-c", ASK, lake, store, *["--spark"] * options.spark]
            said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
            f = json.loads(said.splitlines()[-1])
            memory = f"{f['peak'] / 2**20:.0f}"
            rows.append([f["columns"], f["foreign_keys"], memory, f["graph"], f["keys"], f["answer"], f["spark"]])
            print(rows[-1], file=sys.stderr, flush=True)
    table(
        ["columns", "foreign_keys(), CPU s", "MB beyond the open lake", "graph(), CPU s", "keys", "answer", "Spark"],
        rows,
    )


def indexed(lake: Path, store: Path, segments: int) -> None:
    """Index a lake; of several segments, a share of its tables goes to each."""
    files = sorted(path for path in lake.rglob("*") if path.is_file())
    held: list[tuple[Path, Path]] = []
    for i in range(1, segments):  # what a later segment is to hold is not there yet
        for path in files[i::segments]:
            path.rename(path.with_suffix(f".later{i}"))
            held.append((path.with_suffix(f".later{i}"), path))
    for i in range(segments):
        for later, path in held:
            if later.suffix == f".later{i}":
                later.rename(path)
        opened = lv.open(lake, store=store, exclude=())
        opened.index(engine="local")


def make(source: Path, lake: Path, columns: int) -> None:
    """Write a lake of at least so many columns."""
    rng = np.random.default_rng(5)
    files = sorted(path for path in source.rglob("*.csv"))
    made, turn = 0, 0
    while made < columns:
        for path in files:
            if made >= columns:
                break
            with path.open(encoding="utf-8", errors="replace", newline="") as file:
                rows = [row for _, row in zip(range(ROWS), csv.reader(file), strict=False)]
            if len(rows) < 2:
                continue
            to = lake / path.relative_to(source)
            if turn:
                rows = varied(rows, rng)
                folder = to.parent if rng.random() < 0.5 else lake / f"copies{turn}" / to.parent.name
                to = folder / f"{to.stem}_{WORDS[turn % len(WORDS)]}{turn}.csv"
            to.parent.mkdir(parents=True, exist_ok=True)
            with to.open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows(rows)
            made += len(rows[0])
        turn += 1


def varied(rows: list[list[str]], rng: np.random.Generator) -> list[list[str]]:
    """Some rows and columns of a table, perhaps under other names, perhaps with its whole numbers moved."""
    head, *body = rows
    kept = np.sort(rng.permutation(len(body))[: max(1, int(len(body) * rng.uniform(0.2, 1.0)))])
    wide = np.sort(rng.permutation(len(head))[: max(1, round(len(head) * rng.uniform(0.6, 1.0)))])
    renamed, moved = rng.random(2) < 1 / 3
    by = int(rng.integers(1, 50_000)) if moved else 0

    def cell(row: list[str], c: int) -> str:
        text = row[c] if c < len(row) else ""
        return str(int(text) + by) if by and text.isascii() and text.isdigit() and len(text) < 9 else text

    names = [f"{head[c]}_{WORDS[int(rng.integers(len(WORDS)))]}" if renamed and head[c] else head[c] for c in wide]
    return [names, *([cell(body[r], c) for c in wide.tolist()] for r in kept.tolist())]


if __name__ == "__main__":
    main()
