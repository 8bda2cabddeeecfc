"""The first issue's figures on a real lake: python tests/benchmarks/real_lake.py FOLDER

Index in a process of its own (with Spark's start and the peak memory of the whole process tree), a second index, the
first search of a new process, the median search, and 300 random columns against a count with Python sets.
"""

from __future__ import annotations

import contextlib
import json
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable

import psutil

import lakeview as lv
from lakeview import values
from lakeview.catalog import sources

INDEX = """
import sys, json, lakeview as lv
report = lv.open(sys.argv[1], store=sys.argv[2]).index()
print(json.dumps([report.tables, report.columns, report.rows, report.added, report.skipped, report.problems,
                  report.seconds, len(report.tasks)]))
"""
FIRST = """
import time; started = time.perf_counter()
import lakeview as lv, pandas as pd, sys
lake = lv.open(sys.argv[1], store=sys.argv[2])
hits = lake.search(pd.Series(["Germany", "France", "Peru"]))
print(time.perf_counter() - started, len(hits), "pyspark" in sys.modules)
"""


def peak_memory(command: list[str]) -> tuple[str, float, float]:
    """Output, seconds and peak resident bytes (shared pages counted once, as PSS) of a process and its children."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peak = 0

    def watch() -> None:
        nonlocal peak
        root = psutil.Process(process.pid)
        while process.poll() is None:
            total = 0
            for p in [root, *root.children(recursive=True)]:
                with contextlib.suppress(psutil.Error):  # it may end meanwhile
                    total += p.memory_full_info().pss
            peak = max(peak, total)
            time.sleep(0.2)

    watcher = threading.Thread(target=watch)
    watcher.start()
    out, _ = process.communicate()
    watcher.join()
    if process.returncode:
        raise SystemExit(f"{command} failed")
    return out, time.perf_counter() - started, peak


def sets_of(folder: str) -> dict[tuple[str, str], set[str]]:
    """Every column's canonical values, read and folded apart from the index."""
    found = {}
    for table in sources.list_tables([folder]).tables:
        data = sources.read_table(table)
        for name in data.schema.names:
            found[table.name, name] = set(values.canonical(data[name]).drop_null().to_pylist())
    return found


def timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def main(folder: str) -> None:
    store = tempfile.mkdtemp(prefix="lakeview-bench-")
    out, seconds, peak = peak_memory([sys.executable, "-c", INDEX, folder, store])
    row(
        "index, Spark's start included", f"{seconds:.1f} s", f"peak of all processes {peak / 2**30:.2f} GB", out.strip()
    )
    out, seconds, _ = peak_memory([sys.executable, "-c", INDEX, folder, store])
    report = json.loads(out)
    row("second index", f"{report[6]:.2f} s", f"tables read: {report[3]}, files read: {report[7]}")
    firsts = []
    for _ in range(5):
        first = subprocess.run([sys.executable, "-c", FIRST, folder, store], capture_output=True, text=True, check=True)
        firsts.append(float(first.stdout.split()[0]))
        assert first.stdout.split()[2] == "False", "a JVM's library was loaded"
    spread = f"min {min(firsts):.2f}, max {max(firsts):.2f}"
    row("new process: open, first search", f"{statistics.median(firsts):.2f} s", spread)

    lake = lv.open(folder, store=store)
    sets = sets_of(folder)
    names = sorted(sets)
    rng = random.Random(11)
    asked = rng.sample([n for n in names if sets[n]], 300)
    times = []
    for name in asked:
        series = sources.read_table(lake.side(name[0]).table, [name[1]])[name[1]].to_pandas()
        times.append(timed(lambda s=series: lake.search(s, k=10)))
        hits = lake.search(series, k=10)
        counted = sorted((-len(sets[name] & other), key) for key, other in sets.items() if sets[name] & other)[:10]
        wanted = [(*key, -n) for n, key in counted]
        assert [(h.table, h.column, h.overlap) for h in hits] == wanted, name
    slow = 1000 * statistics.quantiles(times, n=20)[-1]
    row("search from a Series, k = 10", f"{1000 * statistics.median(times):.2f} ms", f"95 %: {slow:.2f} ms")
    print("overlaps and order of 300 random columns equal a count with Python sets")


def row(what: str, figure: str, *notes: str) -> None:
    print(f"{what:34}{figure:>10}   {'; '.join(notes)}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
