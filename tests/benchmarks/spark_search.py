"""Searching a published index on Spark beside searching it here: the same hits, and how long each takes, warm.

    python tests/benchmarks/spark_search.py LAKE [--partitions 4] [--queries 20]      a folder of tables

Spark is local[2] unless LAKEVIEW_SPARK_MASTER says otherwise. What a Spark search costs beyond the search is its jobs:
one that asks all partitions, and one that weighs the evidence of the hits.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

import lakeview as lv
from lakeview.pipeline import session


def wall(work: Callable[[], object]) -> float:
    """Milliseconds of a call."""
    started = time.perf_counter()
    work()
    return 1e3 * (time.perf_counter() - started)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lake")
    parser.add_argument("--partitions", type=int, default=4)
    parser.add_argument("--queries", type=int, default=20)
    arguments = parser.parse_args()
    os.environ.setdefault("LAKEVIEW_SPARK_MASTER", "local[2]")
    with tempfile.TemporaryDirectory() as folder:
        lake = lv.open(arguments.lake, store=Path(folder) / "store")
        lake.index(engine="local")
        took = wall(lambda: lake.publish(str(Path(folder) / "published"), partitions=arguments.partitions))
        print(f"{lake!r}; cut into {arguments.partitions} partitions and published in {took / 1e3:.1f} s")
        columns = lake.columns[lambda c: c["distinct"] > 10]
        some = columns.sample(arguments.queries, random_state=0)
        queries = [f"{table}.{column}" for table, column in zip(some["table"], some["column"], strict=True)]
        took = wall(partial(lake.search, queries[0], engine="spark"))
        print(f"first search on Spark, its start included: {took / 1e3:.1f} s")
        for options in ({"k": 10}, {"k": 100}, {"threshold": 0.5}, {"rank": "join"}):
            times: dict[str, list[float]] = {"local": [], "spark": []}
            tasks = []
            for query in queries:
                asked = {engine: partial(lake.search, query, engine=engine, **options) for engine in times}
                answers = {engine: ask() for engine, ask in asked.items()}  # also warms
                pd.testing.assert_frame_equal(answers["spark"].to_pandas(), answers["local"].to_pandas())
                tasks.append(1e3 * answers["spark"].explain().slowest)
                for engine, taken in times.items():
                    taken.append(wall(asked[engine]))
            here, there = (statistics.median(times[engine]) for engine in ("local", "spark"))
            print(
                f"{options!s:20} median of {len(queries)}: local {here:7.1f} ms, spark {there:7.1f} ms "
                f"(worst {np.max(times['spark']):,.0f}; the slowest task {statistics.median(tasks):.1f})"
            )
    session.stop()


if __name__ == "__main__":
    main()
