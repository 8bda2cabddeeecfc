"""One large CSV file, and how much memory indexing it takes: python tests/benchmarks/large_csv.py [--rows N] [--spark]

Eight columns, half of them quoted, some 90 bytes a row. It is indexed with several settings of `lv.options.memory`,
beside polars' value counts of every column (where it is installed) and a reading of the whole by Arrow. CPU seconds and
peak memory of all processes.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
from measured import measured
from small_tables import SESSION

INDEX = """
import sys, lakeview as lv
lv.options.memory = sys.argv[4]
lake = lv.open(sys.argv[1], store=sys.argv[2])
report = lake.index(engine=sys.argv[3])
print([report.columns, report.rows, "tasks", len(report.tasks), "segments", len(lake._snapshot.segments)])
"""
ARROW = """
import sys, pyarrow.csv as csv
print([csv.read_csv(sys.argv[1] + "/orders.csv").num_rows])
"""
POLARS = """
import sys, polars as pl
whole = pl.scan_csv(sys.argv[1] + "/orders.csv", infer_schema=False)
print([whole.select(name).group_by(name).len().collect(engine="streaming").height
       for name in whole.collect_schema().names()])
"""
STEP = 500_000


def write(path: Path, rows: int) -> None:
    """The table, the same each time."""
    rng = np.random.default_rng(1)
    towns = np.array(["Springfield", "Shelbyville", "Ogdenville", "North Haverbrook", "Capital City"])
    writer = None
    for start in range(0, rows, STEP):
        n = min(STEP, rows - start)
        table = pa.table(
            {
                "id": np.arange(start, start + n),
                "account": rng.integers(0, rows, n),
                "amount": rng.integers(0, 10**7, n) / 100,
                "day": (np.datetime64("2015-01-01") + rng.integers(0, 3650, n)).astype(str),
                "town": towns[rng.integers(0, len(towns), n)],
                "code": np.char.add("AC-", rng.integers(0, rows // 2, n).astype(str)),
                "note": np.char.add("order, no. ", rng.integers(0, rows, n).astype(str)),
                "quantity": rng.integers(0, 100, n),
            }
        )
        writer = writer or csv.CSVWriter(path, table.schema)
        writer.write(table)
    if writer:
        writer.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=22_000_000)
    parser.add_argument("--memory", nargs="*", default=["512 MB", "1 GB", "6 GB"])
    parser.add_argument("--spark", action="store_true", help="index on Spark, too")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        lake = Path(temporary) / "lake"
        lake.mkdir()
        write(lake / "orders.csv", arguments.rows)
        size = (lake / "orders.csv").stat().st_size
        print(f"{size / 1e9:.2f} GB{'':23} {'CPU s':>8} {'wall s':>8} {'peak MB':>8}  what it says")

        def show(name: str, code: str, *given: object) -> None:
            found = measured([sys.executable, "-c", code, *map(str, given)])
            said = (found.output.strip().splitlines() or [""])[-1]
            print(f"{name:30} {found.cpu:8.1f} {found.wall:8.1f} {found.peak / 1e6:8.0f}  {said}", flush=True)

        show("Arrow's reading", ARROW, lake)
        if importlib.util.find_spec("polars"):
            show("polars' value counts", POLARS, lake)
        for engine in ["local", *(["spark"] if arguments.spark else [])]:
            if engine == "spark":
                show("Spark's start", SESSION)
            for memory in arguments.memory:
                store = f"{temporary}/{engine}-{memory}"
                show(f"lakeview, {engine}, {memory}", INDEX, lake, store, engine, memory)


if __name__ == "__main__":
    main()
