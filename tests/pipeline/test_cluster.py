"""Indexing TPC-H on a two-worker cluster: the same index as here, by tasks on both workers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from cluster import standalone

import lakeview as lv

SCALE = os.environ.get("LAKEVIEW_TPCH_SCALE", "0.1")

# Away from the checkout, so that the executors have nothing but what was shipped to them.
_INDEX = """
import json, sys
import lakeview as lv
lake = lv.open(sys.argv[1], store=sys.argv[2])
report = lake.index()
print(json.dumps([report.tables, report.columns, report.rows, report.tasks]))
"""


@pytest.fixture(scope="module")
def tpch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tpch")
    tool = Path(sys.executable).with_name("tpchgen-cli")
    subprocess.run([tool, "parquet", "-s", SCALE, "--output-dir", folder], check=True, capture_output=True)
    return folder


def index(tpch: Path, store: Path, folder: Path, **environment: str) -> list:
    root = str(Path(lv.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", _INDEX, tpch, store], capture_output=True, text=True, cwd=folder,
        env={**os.environ, "PYTHONPATH": root, **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def check_task_log(tpch: Path, tasks: list[dict]) -> None:
    """Tasks' input rows add up to the rows of every file, lineitem's by at least 8 parts at scale 1."""
    by_table: dict[str, int] = {}
    for task in tasks:
        by_table[task["table"]] = by_table.get(task["table"], 0) + task["rows"]
    rows = {path.name: pq.ParquetFile(path).metadata.num_rows for path in tpch.glob("*.parquet")}
    assert by_table == rows
    assert len(tasks) >= 8


@pytest.mark.spark
@pytest.mark.slow
def test_a_cluster_indexes_as_this_machine_does(tpch: Path, tmp_path: Path):
    with standalone(tmp_path) as url:
        there = index(
            tpch, tmp_path / "there", tmp_path, LAKEVIEW_SPARK_MASTER=url, LAKEVIEW_SPARK_MEMORY="1g",
        )  # fmt: skip
    here = index(tpch, tmp_path / "here", tmp_path)
    assert there[:3] == here[:3]
    check_task_log(tpch, there[3])
    check_task_log(tpch, here[3])
    assert len({task["worker"] for task in there[3]}) >= 2
    first, second = (lv.open(tpch, store=tmp_path / name)._snapshot for name in ("there", "here"))
    for table, columns in first.by_table.items():
        for column, number in columns.items():
            other = second.by_table[table][column]
            for a, b in zip(first.tokens_of(number), second.tokens_of(other), strict=True):
                assert (a == b).all(), f"{table}.{column}"
