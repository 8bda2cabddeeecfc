"""A large Hive table: python tests/benchmarks/large_parquet.py [--files 40] [--rows 500000] [--spark] [--folder FOLDER]

Parquet of eight columns: an index with all tokens and one of sketches, then one with a file more and without it again,
by the engine that lakeview takes for it, beside value counts of every column by polars and duckdb (where they are
installed). CPU seconds and peak memory of all processes.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from measured import measured
from small_tables import SESSION

INDEX = """
import sys, lakeview as lv
lake, engine = lv.open(sys.argv[1], store=sys.argv[2]), sys.argv[3]
report = lake.index(engine=None if engine == "either" else engine, exact=sys.argv[4] == "exact")
print([report.tables, report.columns, report.rows, len(report.tasks), report.problems, round(report.seconds, 1)])
"""
POLARS = """
import sys, polars as pl
whole = pl.scan_parquet(sys.argv[1] + "/**/*.parquet", hive_partitioning=True)
print([whole.select(name).group_by(name).len().collect(engine="streaming").height
       for name in whole.collect_schema().names()])
"""
DUCKDB = """
import sys, duckdb
source = f"read_parquet('{sys.argv[1]}/**/*.parquet', hive_partitioning=true)"
names = [row[0] for row in duckdb.sql(f"describe select * from {source}").fetchall()]
print([duckdb.sql(f'select count(*) from (select "{name}", count(*) from {source} group by 1)').fetchall()[0][0]
       for name in names])
"""


def write(folder: Path, first: int, files: int, rows: int) -> None:
    """Files of the table from number `first` on, the same each time."""
    for number in range(first, first + files):
        rng = np.random.default_rng(number)
        at = np.arange(number * rows, (number + 1) * rows)
        customer = rng.integers(0, 300_000, rows)
        table = pa.table(
            {
                "order_id": at,
                "customer": pa.array(customer).cast(pa.string()),
                "product": pa.DictionaryArray.from_arrays(
                    pa.array(rng.integers(0, 5_000, rows), pa.int32()), [f"P-{n:05d}" for n in range(5_000)]
                ).cast(pa.string()),
                "country": np.array(["DE", "FR", "NA", "US", "IT", "ES"], object)[rng.integers(0, 6, rows)],
                "quantity": rng.integers(1, 50, rows),
                "price": np.round(rng.random(rows) * 1_000, 2),
                "day": (np.datetime64("2024-01-01") + rng.integers(0, 365, rows)).astype("M8[D]"),
                "at": (np.datetime64("2024-01-01", "s") + rng.integers(0, 31_536_000, rows)).astype("M8[us]"),
            }
        )
        path = folder / f"part={number:03d}" / "data.parquet"
        path.parent.mkdir(parents=True)
        pq.write_table(table, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=40)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--folder", type=Path, help="read this folder instead of writing files")
    parser.add_argument("--spark", action="store_true", help="index on Spark, too")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        lake = arguments.folder
        if lake is None:
            lake = Path(temporary) / "lake"
            write(lake / "orders", 0, arguments.files, arguments.rows)
        print(f"{'':30} {'CPU s':>8} {'wall s':>8} {'peak MB':>8}  what it says")

        def show(name: str, code: str, *given: object) -> None:
            found = measured([sys.executable, "-c", code, *map(str, given)])
            said = (found.output.strip().splitlines() or [""])[-1]
            print(f"{name:30} {found.cpu:8.1f} {found.wall:8.1f} {found.peak / 1e6:8.0f}  {said}", flush=True)

        for package, code in (("polars", POLARS), ("duckdb", DUCKDB)):
            if importlib.util.find_spec(package):
                show(f"{package}'s value counts", code, lake)
        engines = ["local", "spark"] if arguments.spark else ["local"]
        if arguments.spark:
            show("Spark's start", SESSION)
        for engine in engines:
            for kind in ("sketches", "exact"):
                show(f"lakeview, {engine}, {kind}", INDEX, lake, f"{temporary}/{engine}-{kind}", engine, kind)
        write(lake / "orders", 900, 1, arguments.rows)
        store = f"{temporary}/{engines[-1]}-exact"
        if arguments.spark:
            shutil.copytree(store, f"{store}-twin")
            show("one file more, spark, exact", INDEX, lake, f"{store}-twin", "spark", "exact")
        show("one file more, exact", INDEX, lake, store, "either", "exact")
        shutil.rmtree(lake / "orders" / "part=900")
        show("that file removed, exact", INDEX, lake, store, "either", "exact")


if __name__ == "__main__":
    main()
