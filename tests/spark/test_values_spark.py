"""The same tokens inside Spark: its own xxhash64, and canonical() in a task through mapInArrow."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from lakeview.values import canonical, distinct_tokens, hash_strings

pytestmark = pytest.mark.spark

STRINGS = [
    "",
    "5",
    "Spark",
    "ΟΔΟΣ",
    "日本",
    "a\0b",
    "\U0001f600",
    "x" * 31,
    "x" * 32,
    "x" * 33,
    "é" * 100,
    "y" * 5000,
    None,
    *(chr(97 + i % 26) * i for i in range(70)),
]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    sql = pytest.importorskip("pyspark.sql")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    active = sql.SparkSession.getActiveSession()
    session = active or (
        sql.SparkSession.builder.master("local[1]")
        .appName("values")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.session.timeZone", "America/New_York")
        .getOrCreate()
    )
    yield session
    if active is None:
        session.stop()


def test_xxhash64_of_a_string_is_the_token(spark):
    frame = spark.createDataFrame([(i, value) for i, value in enumerate(STRINGS)], "i int, s string")
    theirs = [row[0] for row in frame.where("s is not null").orderBy("i").selectExpr("xxhash64(s)").collect()]
    assert hash_strings(pa.array(STRINGS)).view(np.int64).tolist() == theirs


ROWS = [
    (
        5,
        5.0,
        Decimal("5.00"),
        "+5.0",
        date(2024, 3, 1),
        datetime(2024, 3, 1, tzinfo=UTC),
        datetime(2024, 3, 1),
        True,
        ["a"],
        b"A",
    ),
    (
        -7,
        1e22,
        Decimal("0.00"),
        "ＡＢＣ\u3000 x",
        date(1969, 12, 31),
        datetime(2024, 7, 1, 12, 30, tzinfo=UTC),
        datetime(2024, 3, 1, 12, 30, 0, 500000),
        False,
        [None, "b"],
        b"\xff",
    ),
    (
        2**62,
        float("nan"),
        Decimal("-1.50"),
        "NA",
        date(1, 1, 1),
        datetime(1999, 1, 1, 0, 0, 0, 1, tzinfo=UTC),
        datetime(9999, 12, 31),
        None,
        [],
        "é".encode(),
    ),
    (None,) * 10,
]
SCHEMA = (
    "i bigint, f double, d decimal(38,2), s string, day date, at timestamp, local timestamp_ntz, b boolean, "
    "l array<string>, raw binary"
)
WANT = {
    "i": ["5", "-7", str(2**62), None],
    "f": ["5", "1" + "0" * 22, None, None],
    "d": ["5", "0", "-1.5", None],
    "s": ["5", "abc x", None, None],
    "day": ["2024-03-01", "1969-12-31", "0001-01-01", None],
    "at": ["2024-03-01 00:00:00Z", "2024-07-01 12:30:00Z", "1999-01-01 00:00:00.000001Z", None],
    "local": ["2024-03-01", "2024-03-01 12:30:00.5", "9999-12-31", None],
    "b": ["true", "false", None, None],
    "l": ['["a"]', '[null,"b"]', "[]", None],
    "raw": ["a", None, "é", None],
}


def test_canonical_in_a_task_is_canonical_here(spark):
    def canonical_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield pa.RecordBatch.from_arrays(
                [canonical(column).cast(pa.string()) for column in batch.columns], names=batch.schema.names
            )

    frame = spark.createDataFrame(ROWS, SCHEMA).coalesce(1)
    there = frame.mapInArrow(canonical_batches, ", ".join(f"{name} string" for name in WANT)).toArrow()
    here = frame.toArrow()
    for name, want in WANT.items():
        assert there[name].to_pylist() == want, name
        assert canonical(here[name]).to_pylist() == want, name
        if name != "at":  # Arrow's own zoned times come back in the session's zone, pandas' without one
            assert canonical(here[name].to_pylist()).to_pylist() == want, name


def test_tokens_of_a_parquet_column_that_spark_wrote(spark, tmp_path):
    import pyarrow.parquet as pq

    # Spark's default, INT96, keeps no word about the zone
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    try:
        spark.createDataFrame(ROWS, SCHEMA).write.parquet(str(tmp_path / "written"))
    finally:
        spark.conf.unset("spark.sql.parquet.outputTimestampType")
    table = pq.read_table(tmp_path / "written")
    for name, want in WANT.items():
        assert distinct_tokens(table[name])[0].tolist() == distinct_tokens(want)[0].tolist(), name
