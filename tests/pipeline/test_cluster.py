"""TPC-H on a two-worker cluster: the same index as here, in one go and in parts, and the same answers, by both."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from cluster import standalone

import lakeview as lv

SCALE = os.environ.get("LAKEVIEW_TPCH_SCALE", "0.1")

# Away from the checkout, so that the executors have nothing but what was shipped to them: an index, then one built in
# parts, then searches of a published index, also of a damaged one.
_THERE = """
import json, sys
from pathlib import Path
import lakeview as lv
from lakeview.store import parts
from lakeview.pipeline import build_parts

lake = lv.open(sys.argv[1], store=sys.argv[2])
report = lake.index(engine="spark")
print(json.dumps([report.tables, report.columns, report.rows, report.tasks]))

def told(lake):
    try:
        return len(lake.search("orders.parquet.o_custkey", engine="spark"))
    except lv.LakeviewError as error:
        return str(error)

build_parts.OUTGROWN, parts.POSTINGS = 0, 200_000
lv.open(sys.argv[1], store=sys.argv[2] + "-parts").index(engine="spark")
errors, same = [told(lake)], []
lake.publish(sys.argv[2] + "-published", partitions=5)
for query in ("orders.parquet.o_custkey", [str(n) for n in range(0, 4000, 3)]):
    for options in ({"k": 1}, {"k": 4}, {"k": 40}, {"threshold": 0.2}, {"rank": "join"}):
        there, here = (lake.search(query, engine=engine, **options) for engine in ("spark", "local"))
        same.append(len(there) > 0 and there.to_pandas().equals(here.to_pandas()))
keys, here = (lake.foreign_keys(engine=engine) for engine in ("spark", "local"))
same.append(len(keys) > 5 and keys.equals(here))
explained = lake.search(query, engine="spark", k=4).explain()
damaged = sys.argv[2] + "-damaged"
lake.publish(damaged, partitions=3)
file = next((Path(damaged) / "segments").glob("*/postings_columns.npy"))
file.write_bytes(file.read_bytes()[:-1] + b"?")
errors.append(told(lake))
file.unlink()
errors.append(told(lake))
print(json.dumps([errors, same, [explained.partitions, explained.tasks, explained.workers, repr(explained)]]))
"""


@pytest.fixture(scope="module")
def tpch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tpch")
    tool = Path(sys.executable).with_name("tpchgen-cli")
    subprocess.run([tool, "parquet", "-s", SCALE, "--output-dir", folder], check=True, capture_output=True)
    return folder


def run(code: str, tpch: Path, store: Path, folder: Path, **environment: str) -> list[list]:
    """What the code prints."""
    root = str(Path(lv.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code, tpch, store], capture_output=True, text=True, cwd=folder,
        env={**os.environ, "PYTHONPATH": root, **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]


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
def test_a_cluster_indexes_as_this_machine_does(tpch: Path, tmp_path: Path, spark):
    with standalone(tmp_path) as url:
        there, (errors, same, explained) = run(
            _THERE, tpch, tmp_path / "there", tmp_path, LAKEVIEW_SPARK_MASTER=url, LAKEVIEW_SPARK_MEMORY="1g",
        )  # fmt: skip
    first = lv.open(tpch, store=tmp_path / "here", spark=spark)
    here = first.index(engine="spark")
    assert there[:3] == [here.tables, here.columns, here.rows]
    check_task_log(tpch, there[3])
    check_task_log(tpch, here.tasks)
    assert len({task["worker"] for task in there[3]}) >= 2
    for name in ("there", "there-parts"):
        second = lv.open(tpch, store=tmp_path / name)
        second.store.verify()
        assert second.columns.equals(first.columns)
        for table, columns in first._snapshot.by_table.items():
            for column, number in columns.items():
                other = second._snapshot.by_table[table][column]
                pairs = zip(first._snapshot.tokens_of(number), second._snapshot.tokens_of(other), strict=True)
                assert all((a == b).all() for a, b in pairs), f"{table}.{column}"
    assert len(second._snapshot.segments) > 3
    assert same == [True] * 11
    assert explained[:3] == [5, 2, 2]
    assert "Spark: 5 partitions in 2 tasks on 2 workers" in explained[3]
    assert "call lake.publish(url, partitions=n)" in errors[0]
    assert re.search(r"postings_columns.npy is damaged; delete it and publish", errors[1])
    assert re.search(r"postings_columns.npy cannot be read on .*publish the index again", errors[2])
