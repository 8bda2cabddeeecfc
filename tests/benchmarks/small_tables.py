"""Many small tables: python tests/benchmarks/small_tables.py [--files 20000] [--spark] [--folder FOLDER]

CSV files of ten columns and some 33 rows, as lakes hold by the thousand. CPU seconds and peak memory of all processes
of an index here and on Spark, beside Arrow's reader over the same files, each in a process of its own.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from measured import measured

ARROW = """
import sys, pathlib, pyarrow.csv
rows = sum(pyarrow.csv.read_csv(path, read_options=pyarrow.csv.ReadOptions(use_threads=False)).num_rows
           for path in pathlib.Path(sys.argv[1]).rglob("*.csv"))
print(rows)
"""
INDEX = """
import sys, json, lakeview as lv
report = lv.open(sys.argv[1], store=sys.argv[2]).index(engine=sys.argv[3])
print(json.dumps([report.tables, report.columns, report.rows, report.problems, round(report.seconds, 1)]))
"""
OPEN = """
import sys, lakeview as lv, pandas as pd
lake = lv.open(sys.argv[1], store=sys.argv[2])
print(len(lake.search(pd.Series(["C-00017", "C-00018", "C-00019", "C-00020"]), k=10)))
"""
SESSION = """
from lakeview.pipeline import session
session.get().range(0, 4, 1, 4).mapInArrow(lambda batches: batches, "id long").count()
"""


def kinds(rng: random.Random) -> dict[str, Callable[[int], str]]:
    """A name and the value of row i for each kind of column."""
    base = rng.randrange(1000)
    start = rng.randrange(365)
    return {
        "id": lambda i: str(base + i),
        "customer": lambda i: f"C-{rng.randrange(5000):05d}",
        "country": lambda i: rng.choice(["DE", "FR", "NA", "US", "IT", "ES", "PL", "GB", ""]),
        "city": lambda i: rng.choice(["Berlin", "Paris", "Windhoek", "New York", "Köln", "São Paulo", "Łódź", "Rome"]),
        "day": lambda i: f"2024-{1 + (start + i) % 12:02d}-{1 + (start * 7 + i) % 28:02d}",
        "at": lambda i: f"2024-03-{1 + i % 28:02d} {rng.randrange(24):02d}:{rng.randrange(60):02d}:00",
        "amount": lambda i: f"{rng.random() * 1000:.2f}",
        "ratio": lambda i: rng.choice(["NA", f"{rng.random():.6f}"]),
        "flag": lambda i: rng.choice(["true", "false"]),
        "note": lambda i: " ".join(rng.choice(["late", "Paid", "open", "Cash", "card", "n/a"]) for _ in range(3)),
        "status": lambda i: rng.choice(["A", "B", "C"]),
        "zip": lambda i: f"{rng.randrange(100000):05d}",
        "email": lambda i: f"user{rng.randrange(9000)}@example.org",
        "count": lambda i: str(rng.randrange(50)),
    }


def write(folder: Path, files: int, columns: int = 10) -> None:
    """The same files each time: folder/NNN/table_N.csv."""
    rng = random.Random(16)
    for number in range(files):
        of = kinds(rng)
        names = rng.sample(sorted(of), columns)
        path = folder / f"{number // 500:03d}" / f"table_{number}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(names)
            writer.writerows([of[name](i) for name in names] for i in range(rng.randrange(5, 61)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--folder", type=Path, help="read this folder instead of writing files")
    parser.add_argument("--spark", action="store_true", help="index on Spark, too")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder
        if folder is None:
            folder = Path(temporary) / "lake"
            write(folder, arguments.files)
        print(f"{'':30} {'CPU s':>8} {'wall s':>8} {'peak MB':>8}  what it says")
        store = Path(temporary) / "store"
        runs = [
            ("arrow reads", [ARROW, folder]),
            ("lakeview, local", [INDEX, folder, store, "local"]),
            ("again, unchanged", [INDEX, folder, store, "local"]),
            ("open and search", [OPEN, folder, store]),
        ]
        if arguments.spark:
            runs += [("Spark's start", [SESSION]), ("lakeview, Spark", [INDEX, folder, f"{store}-spark", "spark"])]
        for name, command in runs:
            found = measured([sys.executable, "-c", *map(str, command)])
            said = json.dumps(found.output.strip().splitlines()[-1:])
            print(f"{name:30} {found.cpu:8.1f} {found.wall:8.1f} {found.peak / 1e6:8.0f}  {said}", flush=True)


if __name__ == "__main__":
    main()
