"""Moved, copied and pulled lakes, indexed, searched and joined on Spark: right, or refused by name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from moving import LEFT, ROWS, TABLES, VERBS, indexed, plans, write

import lakeview as lv
from lakeview.errors import LakeviewError

pytestmark = pytest.mark.spark


@pytest.fixture
def here(tmp_path: Path) -> Path:
    write(tmp_path / "a", "a")
    return tmp_path / "a"


def test_an_index_made_on_spark_knows_contents_too(here: Path, tmp_path: Path, spark):
    lake = lv.open(here, spark=spark)
    lake.index()
    there = tmp_path / "b"
    shutil.copytree(here, there, copy_function=shutil.copy)
    other = lv.open(there, spark=spark)
    assert (report := other.index()).skipped == len(TABLES) and not report.tasks
    for table in TABLES:
        files = [made._snapshot.spec_of(table)["files"] for made in (lake, indexed(here, store=tmp_path / "local"))]
        assert files[0] == files[1] and all(file["content"] for file in files[0])


@pytest.mark.parametrize("large", [False, True])
def test_joins_on_spark_read_the_lake_that_is_open(here: Path, tmp_path: Path, spark, monkeypatch, large: bool):
    if large:
        monkeypatch.setattr("lakeview.join.lake_table.HERE", 0)
    there = tmp_path / "b"
    shutil.copytree(here, there, copy_function=shutil.copy)
    indexed(here).publish(str(tmp_path / "shared"), partitions=2)
    write(there, "b")
    lake = lv.open(there, spark=spark)
    lake.pull(str(tmp_path / "shared"))
    for left in (LEFT, spark.createDataFrame(LEFT)):
        for plan in plans(lake, left, engine="spark").values():
            for verb in ("counts", "preview", "to_pandas", "to_spark", "pyspark code", "sql code"):
                with pytest.raises(lv.LakeChanged, match="changed since it was indexed"):
                    VERBS[verb](plan)
    lake.index(engine="local")
    lake.publish(str(tmp_path / "shared-b"), partitions=2)
    for left in (LEFT, spark.createDataFrame(LEFT)):
        for plan in plans(lake, left, engine="spark").values():
            assert {row["of"] for row in plan.to_spark().select("of").distinct().collect()} == {"b"}
            assert plan.counts().rows_out == ROWS
            code = plan.code("pyspark")
            assert str(there) in code and str(here) not in code


@pytest.mark.parametrize("how", ["moved", "copied", "copied and changed", "pulled"])
def test_searches_and_their_joins_on_spark_are_of_the_lake_that_is_open(here: Path, tmp_path: Path, spark, how: str):
    """Right, or refused by name; and so where the published index went elsewhere."""
    indexed(here).publish(str(shared := tmp_path / "shared"), partitions=2)
    there = tmp_path / "b"
    if how == "moved":
        here.rename(there)
    else:
        no_index = shutil.ignore_patterns(".lakeview") if how == "pulled" else None
        shutil.copytree(here, there, ignore=no_index, copy_function=shutil.copy)
    if how == "copied and changed":
        write(there, "b")
    lake = lv.open(there, spark=spark)
    if how == "pulled":
        lake.pull(str(shared))
    for left in (LEFT, spark.createDataFrame(LEFT)):
        for table, plan in plans(lake, left, engine="spark").items():
            if how == "copied and changed":
                with pytest.raises(lv.LakeChanged, match=table):
                    plan.to_spark()
                continue
            assert [tuple(row) for row in plan.to_spark().select("key", "of").orderBy("key").collect()] == [
                (key, "a") for key in sorted(LEFT["key"])
            ]
            assert str(there) in plan.code("pyspark") and str(here) not in plan.code("pyspark")
    shared.rename(tmp_path / "elsewhere")
    with pytest.raises(LakeviewError, match=str(shared)) as error:
        lake.search(LEFT, "key", engine="spark")
    assert len(str(error.value).splitlines()) == 1


def test_a_table_of_a_catalog_that_is_gone_is_named(spark, tmp_path: Path):
    spark.createDataFrame(LEFT.rename(columns={"key": "k"})).write.saveAsTable("lv_moved", path=str(tmp_path / "t"))
    try:
        lake = lv.open("catalog:default", spark=spark, store=tmp_path / "store")
        lake.index()
        assert lake.search(LEFT, "key")[0].join().counts().rows_out == ROWS
    finally:
        spark.sql("DROP TABLE lv_moved")
    with pytest.raises(lv.LakeChanged, match=r"^default\.lv_moved is gone since it was indexed"):
        lake.search(LEFT, "key")[0].join()
