"""What Spark is given of both sides: columns by place, whatever their names; sizes that keep a large table from being
broadcast; and what fails there, told in one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from joining import in_order, lake, rows

import lakeview as lv
from lakeview.errors import InputError, JobFailed
from lakeview.join import lake_table
from lakeview.join.plan import CompositePlan, equi_join
from lakeview.join.side import Side
from lakeview.join.spark.arrow import to_frame

pytestmark = pytest.mark.spark

ODD = ["x.y", "a`b", "id", "ID", "`", "c0", "key"]


@pytest.fixture(params=["false", "true"])
def cased(spark: Any, request: pytest.FixtureRequest) -> Any:
    spark.conf.set("spark.sql.caseSensitive", request.param)
    yield spark
    spark.conf.unset("spark.sql.caseSensitive")


def odd(spark: Any, n: int = 4) -> tuple[pd.DataFrame, Any]:
    """A frame whose columns hold dots and backticks or differ in case alone, here and in Spark."""
    table = pa.table(
        {name: pa.array([f"{place}:{i}" for i in range(n)], pa.string()) for place, name in enumerate(ODD)}
    )
    return table.to_pandas(), to_frame(table, spark)


def test_columns_of_any_name_are_searched_added_and_joined(tmp_path: Path, cased: Any) -> None:
    here, there = odd(cased)
    opened = lv.open({"t": here[["x.y", "ID"]]}, store=tmp_path / "store", spark=cased)
    opened.index()
    assert [(hit.column, hit.overlap) for hit in opened.search(there, "x.y")] == [("x.y", 4)]
    assert not opened.search(there, "id")
    assert opened.search(there, ["x.y", "ID"])[0].overlap == 4
    opened.add(there, name="added")
    assert [hit.column for hit in opened.search(here, "a`b")] == ["a`b"]
    for column, right in (("ID", here[["x.y", "ID"]]), ("a`b", there)):
        plan = equi_join(Side.frame(there, "one"), Side.frame(right, "two"), column, column, "outer")
        assert plan.counts().rows_out == len(plan.to_pandas()) == 4, column
    both = CompositePlan(Side.frame(there, "one"), Side.frame(there, "two"), ("id", "ID"), ("id", "ID"), "inner")
    assert both.counts().rows_out == len(both.pairs) == 4
    fuzzy = lv.fuzzy_join(there, there, on="ID", threshold=0.9)
    assert fuzzy.counts().left_matched == len(fuzzy.preview(9, matched=True)) == 4


@pytest.mark.parametrize("how", ["left", "outer"])
def test_frames_without_rows(tmp_path: Path, spark: Any, how: Any) -> None:
    _, empty = odd(spark, 0)
    here, full = odd(spark)
    for left, right in ((empty, full), (here, empty)):
        plan = equi_join(Side.frame(left, "one"), Side.frame(right, "two"), "id", "id", how)
        assert plan.counts().rows_out == len(found := plan.to_pandas()) <= 4
        assert list(found.columns) == plan.columns.names
    if how == "left":
        opened = lv.open({"t": here}, store=tmp_path / "store", spark=spark)
        opened.index()
        opened.add(empty, name="added")
        assert not opened.search(empty, "id") and not opened.search(empty, ["id", "ID"])
        fuzzy = lv.fuzzy_join(empty, here, on="ID", threshold=0.9)
        assert fuzzy.counts().rows_out == len(fuzzy.to_pandas()) == 0


def test_all_rows_of_a_frame_are_fetched_or_so_many_random_ones(spark: Any) -> None:
    side = Side.frame(spark.range(0, 1_000, 1, 2).toDF("id"), "numbers")
    for most in (None, 1_000, 2_000):
        assert sorted(side.here(most).to_pandas()["id"]) == list(range(1_000))
    for most in (950, 400):
        found = side.here(most).to_pandas()["id"]
        assert 0.9 * most < found.nunique() == len(found) <= most and set(found) <= set(range(1_000))
        assert found.max() > 500, "not just the first ones"
    assert Side.frame(side.held.limit(0), "none").here(400).rows == 0
    assert (here := Side.frame(pd.DataFrame({"id": range(9)}), "here")).here(3) is here


def test_a_stream_and_a_column_as_data_are_answered_in_one_line(tmp_path: Path, spark: Any) -> None:
    stream = spark.readStream.format("rate").load()
    here, there = odd(spark)
    opened = lv.open({"t": here}, store=tmp_path / "store", spark=spark)
    opened.index()
    for call in (
        lambda: opened.search(stream, "value"),
        lambda: opened.add(stream, name="s"),
        lambda: lv.open({"s": stream}),
        lambda: lv.fuzzy_join(stream, here, left_on="value", right_on="id", threshold=0.5),
    ):
        with pytest.raises(InputError, match="is a stream, which never ends"):
            call()
    with pytest.raises(InputError, match="no values by itself"):
        opened.search(there["`x.y`"])
    assert opened.search(there, there["`x.y`"])[0].column == "x.y"
    assert opened.search(there, [there["`x.y`"], there["`a``b`"]])[0].overlap == 4
    with pytest.raises(InputError, match="here is not a Spark frame"):
        opened.search(here, there["`x.y`"])
    with pytest.raises(InputError, match="an expression"):
        opened.search(there, there["`x.y`"] == "x")


def test_what_fails_in_spark_is_told_in_one_line(tmp_path: Path, spark: Any) -> None:
    from pyspark.sql import functions as F

    def bad(value: int) -> str:
        raise ValueError("this row is bad")

    broken = spark.range(3).select(F.udf(bad, "string")("id").alias("id"))
    pq.write_table(pa.table({"id": ["a"]}), tmp_path / "gone.parquet")
    gone = spark.read.parquet(str(tmp_path / "gone.parquet"))
    (tmp_path / "gone.parquet").unlink()
    opened = lv.open({"t": pd.DataFrame({"id": ["a"]})}, store=tmp_path / "store", spark=spark)
    opened.index()
    plan = equi_join(Side.frame(broken, "f"), opened.side("t"), "id", "id", "left")
    lost = equi_join(Side.frame(gone, "f"), opened.side("t"), "id", "id", "left")
    for reason, calls in (
        ("gone.parquet", (lost.counts, lambda: opened.search(gone, "id"))),
        ("ValueError: this row is bad", (
            plan.counts, plan.preview, plan.to_pandas, lambda: plan.code("pyspark"),
            lambda: opened.search(broken, "id"), lambda: opened.search(broken, ["id"]),
            lambda: opened.add(broken, name="added"), lambda: lv.open({"f": broken}).index(),
            lambda: lv.fuzzy_join(broken, pd.DataFrame({"id": ["a"]}), on="id", threshold=0.5),
            lambda: lv.auto_join(broken, pd.DataFrame({"id": ["a", "b"]})),
        )),
    ):  # fmt: skip
        for call in calls:
            with pytest.raises(JobFailed) as told:
                call()
            assert reason in str(told.value)
            assert "\n" not in str(told.value) and len(str(told.value)) < 400
    with pytest.raises(InputError, match="SCHEMA_NOT_FOUND"):
        lv.open("catalog:no_such", store=tmp_path / "other", spark=spark).index()


def test_a_large_table_is_never_broadcast(tmp_path: Path, spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables above HERE, small as they are, as Spark reckons with them: a threshold of theirs stands for its own."""
    n = 20_000
    table = pa.table({"key": [f"K{i}" for i in range(n)], "n": range(n), "label": ["x" * 20] * n})
    pq.write_table(table, tmp_path / "plain.parquet")
    pq.write_table(table.append_column("many", pa.array([0] * n, pa.time64("us"))), tmp_path / "odd.parquet")
    lines = "".join(f"K{i},{i},{'x' * 20}\n" for i in range(n))
    tables = lake(tmp_path, {"plain.csv": "key,n,label\n" + lines, "odd.csv": "A report\n\nkey,n,label\n" + lines})
    few = pd.DataFrame({"key": [f"k{7 * i}" for i in range(200)] + ["none"], "n": range(201)})
    monkeypatch.setattr(lake_table, "HERE", 0)
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", str(100_000))
    try:
        for name in ("plain.parquet", "odd.parquet", "plain.csv", "odd.csv"):
            large = Side.lake(tables[name], {"n": "integer"})
            here = equi_join(Side.frame(few, "few"), large, "key", "key", "left")
            plan = equi_join(Side.frame(spark.createDataFrame(few), "few"), large, "key", "key", "left")
            for one in (here, plan):
                planned = spark_plan(one, spark)
                assert "Broadcast" not in planned and "SortMergeJoin" in planned, (name, planned)
            made = plan.to_spark(spark)
            size = int(made._jdf.queryExecution().optimizedPlan().stats().sizeInBytes())
            assert size > 100_000, "nor is what is joined with the result"
            assert in_order(rows(made.toPandas())) == in_order(rows(here.to_pandas()))
            assert plan.counts() == here.counts()
            both = CompositePlan(plan.left, large, ("key", "n"), ("key", "n"), "left")
            assert "Broadcast" not in spark_plan(both, spark)
            found = spark_plan(equi_join(large, Side.frame(few, "few"), "key", "key", "left"), spark)
            assert "BuildRight" in found, "the few rows may be"
    finally:
        spark.conf.unset("spark.sql.autoBroadcastJoinThreshold")


def spark_plan(plan: Any, spark: Any) -> str:
    return str(plan.to_spark(spark)._jdf.queryExecution().sparkPlan().toString())
