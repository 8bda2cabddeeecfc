"""TPC-H indexed on local Spark: python tests/benchmarks/tpch.py [SCALE]

Seconds and peak memory of all processes, the tasks that did it, and whether their input rows add up.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow.parquet as pq
from real_lake import peak_memory, row

INDEX = """
import sys, json, lakeview as lv
lake = lv.open(sys.argv[1], store=sys.argv[2])
report = lake.index()
print(json.dumps([report.tables, report.columns, report.rows, report.seconds, report.tasks]))
"""


def main(scale: str = "1") -> None:
    folder = Path(tempfile.mkdtemp(prefix="tpch-"))
    tool = Path(sys.executable).with_name("tpchgen-cli")
    subprocess.run([tool, "parquet", "-s", scale, "--output-dir", folder / "data"], check=True, capture_output=True)
    files = list((folder / "data").glob("*.parquet"))
    rows = sum(pq.ParquetFile(path).metadata.num_rows for path in files)
    out, seconds, peak = peak_memory([sys.executable, "-c", INDEX, str(folder / "data"), str(folder / "store")])
    tables, columns, indexed, _, tasks = json.loads(out.splitlines()[-1])
    row(f"TPC-H scale {scale}", f"{seconds:.1f} s", f"peak of all processes {peak / 2**30:.2f} GB")
    row("tables, columns, rows", f"{tables}, {columns}", f"{indexed:,} of {rows:,}")
    done = sum(task["rows"] for task in tasks)
    row("tasks", str(len(tasks)), f"input rows {done:,}", f"{len({t['worker'] for t in tasks})} workers")
    assert done == rows == indexed and len(tasks) >= 8
    disk = sum(path.stat().st_size for path in (folder / "store").rglob("*") if path.is_file())
    row("index on disk", f"{disk / 2**20:.0f} MB", f"data {sum(f.stat().st_size for f in files) / 2**20:.0f} MB")


if __name__ == "__main__":
    main(*sys.argv[1:])
