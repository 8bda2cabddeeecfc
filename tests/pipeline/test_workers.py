"""Sessions of the analyst's own, in processes of their own: workers of another Python, sessions that were stopped."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import lakeview as lv

ROOT = str(Path(lv.__file__).parents[1])

_BEGIN = """
import json, sys
sys.path.insert(0, sys.argv[1])  # as a notebook beside a checkout does: workers do not
import pandas as pd, pyarrow as pa
from pyspark.sql import SparkSession, functions as F
import lakeview as lv

def told(call):
    try:
        return str(call())
    except lv.LakeviewError as error:
        return f"{type(error).__name__}: {error}"

def new():
    builder = SparkSession.builder.master("local[1]").config("spark.sql.shuffle.partitions", "2")
    made = builder.config("spark.ui.enabled", "false").getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made

folder = sys.argv[2]
spark = new()
lake = lv.open(folder, store=folder + "/store", spark=spark)
"""


def run(code: str, folder: Path, python: str) -> list[str]:
    """What the code tells, its session's workers running `python`."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", _BEGIN + code, ROOT, str(folder)], capture_output=True, text=True, timeout=400,
        cwd=folder, env={**environment, "PYSPARK_PYTHON": python, "SPARK_LOCAL_IP": "127.0.0.1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def python_with(folder: Path, *packages: str) -> str:
    """Another Python: this one's without its packages, but for these."""
    site = folder / "packages"
    site.mkdir()
    for package in packages:
        spec = importlib.util.find_spec(package)
        assert spec is not None and spec.origin is not None
        for path in (Path(spec.origin).parent, Path(spec.origin).parent.with_name(f"{package}.libs")):
            if path.exists():
                (site / path.name).symlink_to(path)
    python = folder / "python"
    python.write_text(f'#!/bin/sh\nexport PYTHONPATH="$PYTHONPATH:{site}"\nexec "{sys.executable}" -S "$@"\n')
    python.chmod(0o755)
    return str(python)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "lake"
    folder.mkdir()
    for i in range(3):
        pd.DataFrame({"a": [f"v{j}" for j in range(10)]}).to_csv(folder / f"t{i}.csv", index=False)
    return folder


_OTHER = """
report = lake.index()
frame = spark.createDataFrame(pa.table({"a": ["V1", "v2", "x"]}))
hits = lake.search(frame, "a")
plan = hits[0].join()
few, many = (spark.createDataFrame(pa.table({"a": [f"name {i}" for i in range(n)]})) for n in (30, 2100))
fuzzy = [lv.fuzzy_join(f, f, on="a", threshold=0.8) for f in (few, many)]
print(json.dumps([report.columns, len(hits), plan.counts().left_matched, plan.to_spark().count(), lake.index().skipped,
                  fuzzy[0].counts().left_matched, told(fuzzy[1].counts), told(fuzzy[1].to_spark)]))
spark.stop()
"""


@pytest.mark.spark
def test_workers_of_another_python_are_sent_lakeview(folder: Path, tmp_path: Path) -> None:
    *numbers, counting, joining = run(_OTHER, folder, python_with(tmp_path, "numpy", "pyarrow"))
    assert numbers == [3, 3, 2, 3, 3, 30]
    for said in (counting, joining):
        assert said.startswith("SparkUnavailable: without numba, comparing 2,100 texts with 2,100 may take hours.")
        assert "which lacks numba" in said and "PYSPARK_PYTHON" in said and "\n" not in said


_LACKING = """
import os
from pathlib import Path

def asked(store):
    frame = spark.createDataFrame([("v1",), ("x",)], "a string")
    lake = lv.open(folder, store=store, spark=spark)
    lake.index(engine="local")
    plan = lake.search(pd.DataFrame({"a": ["v1"]}), "a")[0].join(left=frame)
    return [told(call) for call in (
        lambda: lv.open(folder, store=store + "2").index(engine="spark"), lambda: lake.search(frame, "a"),
        lambda: lake.add(frame, name="f"), plan.counts, plan.preview, plan.to_spark, plan.to_pandas,
    )]

lacking = asked(folder + "/lacking")
spark.stop()
os.environ["PYSPARK_PYTHON"] = str(Path(folder) / "none")
spark = new()
print(json.dumps([lacking, asked(folder + "/none-there")]))
spark.stop()
"""


@pytest.mark.spark
def test_workers_that_cannot_are_named_with_the_setting(folder: Path, tmp_path: Path) -> None:
    lacking, none_there = run(_LACKING, folder, python_with(tmp_path))
    for answers, what in ((lacking, "which lacks numpy and pyarrow"), (none_there, f"there is no {folder / 'none'}")):
        assert len(answers) == 7
        for said in answers:
            assert said.startswith("SparkUnavailable: Spark's workers ") and "\n" not in said and len(said) < 500, said
            assert what in said
            assert "set PYSPARK_PYTHON" in said and "spark.pyspark.python" in said


_STOPPED = """
lake.index()
frame = spark.createDataFrame(pd.DataFrame({"a": ["v1", "x"]}))
of_files = lake.search(pd.DataFrame({"a": ["v1", "x"]}), "a")[0].join()
of_frame = lake.search(frame, "a")[0].join()
frames = lv.open({"f": frame}, store=folder + "/frames")
spark.stop()
open(folder + "/more.csv", "w").write("a\\nv1\\nv2\\n")

def lost():
    return [told(call) for call in (
        of_frame.counts, of_frame.preview, of_frame.to_spark, of_frame.to_pandas, lambda: of_frame.code("pyspark"),
        lambda: of_frame.pairs,
        lambda: lv.fuzzy_join(frame, frame, on="a", threshold=0.9), lambda: lake.search(frame, "a"),
        lambda: lake.search(frame, ["a"]), lambda: lake.add(frame, name="f"), frames.index,
        lambda: lv.auto_join(frame, pd.DataFrame({"a": ["v1"]})), lambda: lv.open({"f": frame}),
        lambda: lake.search(pd.Series(["v1"]))[0].join(left=frame).counts(),
    )]

answers = {"lost": lost(), "index": lake.index().added, "engine": len(lake.search(["v1"], engine="spark"))}
ours = of_files.to_spark()
answers["join"] = ours.count()
ours.sparkSession.stop()
spark = new()
answers["lost again"] = lost()
open(folder + "/more2.csv", "w").write("a\\nv1\\nv2\\n")
answers["index again"] = lake.index().added
answers["hers"] = of_files.to_spark().sparkSession is spark
print(json.dumps([json.dumps(answers)]))
spark.stop()
"""


@pytest.mark.spark
def test_a_session_that_was_stopped_is_replaced_and_its_frames_are_named(folder: Path) -> None:
    answers = json.loads(run(_STOPPED, folder, sys.executable)[0])
    for said in answers.pop("lost") + answers.pop("lost again"):
        assert said.startswith("SparkUnavailable: Spark has stopped; make "), said
        assert "anew in the session that runs" in said and "\n" not in said
    assert answers == {"index": 1, "engine": 4, "join": 2, "index again": 1, "hers": True}
