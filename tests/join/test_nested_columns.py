"""What no join goes by travels through it untouched: lists, structs, maps and bytes beside a key of plain text."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from joining import in_order, lake, plain, run_pandas, run_pyspark, run_sql

from lakeview.errors import InputError
from lakeview.join.plan import equi_join
from lakeview.join.side import Side

VISITS = pd.DataFrame({"c": ["AT", "DE", "XX", "AT"], "n": range(4)})
NESTED = {
    "floats": pa.array([[1.5, float("nan")], [], None]),
    "texts": pa.array([["a", "b"], [None], []]),
    "lists": pa.array([[[1], [2, 3]], [], None]),
    "records": pa.array([[{"a": 1, "b": "x"}], [], None]),
    "map": pa.array([[("a", 1)], [], None], pa.map_(pa.string(), pa.int64())),
    "image": pa.array([b"\x89PNG\xff", b"", None]),
    "wide": pa.array([b"\x89PNG\xff", b"", None], pa.large_binary()),
    "fixed": pa.array([b"ab", b"\xff\x00", None], pa.binary(2)),
    "large": pa.array([[1], [2, 3], None], pa.large_list(pa.int32())),
    "category": pa.array(["x", "y", None]).dictionary_encode(),
    "bbox": pa.array([{"xmin": 1.5, "at": {"y": [1]}}, {"xmin": None, "at": None}, None]),
    "days": pa.array([[datetime.date(2020, 1, 1)], [], None]),
}


def lands(folder: Path, **columns: pa.Array) -> Side:
    folder.mkdir(exist_ok=True)
    pq.write_table(pa.table({"iso": ["at", "de", "fr"], **columns}), folder / "lands.parquet")
    return Side.lake(lake(folder, {})["lands.parquet"])


def value(cell: Any) -> Any:
    """A cell as plain Python, for comparing what pandas and Spark give."""
    if isinstance(cell, np.ndarray | list):
        return [value(each) for each in cell]
    if hasattr(cell, "asDict"):
        return value(cell.asDict())
    if isinstance(cell, dict):
        return {key: value(item) for key, item in cell.items()}
    if isinstance(cell, tuple):  # a pair of a map
        return [value(each) for each in cell]
    return bytes(cell) if isinstance(cell, bytearray) else plain(cell)


def rows(frame: pd.DataFrame) -> list[tuple]:
    found = [tuple(map(value, row)) for row in frame.astype(object).itertuples(index=False, name=None)]
    return in_order(found)


def as_pandas(found: list[tuple]) -> list[tuple]:
    """Rows of Spark, whose maps are dicts where pandas has pairs."""
    return in_order([
        tuple([list(pair) for pair in cell.items()] if isinstance(cell, dict) else cell for cell in row)
        for row in found
    ])  # fmt: skip


@pytest.mark.parametrize("name", list(NESTED))
@pytest.mark.parametrize("how", ["left", "outer"])
def test_they_travel_untouched(tmp_path, name, how):
    column = NESTED[name]
    plan = equi_join(Side.frame(VISITS, "visits"), lands(tmp_path, **{name: column}), "c", "iso", how)
    found = plan.to_pandas()
    assert plan.counts().left_matched == 3 and len(found) == plan.counts().rows_out == (5 if how == "outer" else 4)
    assert rows(run_pandas(plan)) == rows(found)
    if name == "bbox":
        assert {"bbox.xmin", "bbox.at.y"} <= set(found.columns), "a struct is columns in the lake"
        assert value(found["bbox.at.y"].tolist()) == [[1], None, None, [1], *([None] if how == "outer" else [])]
    else:
        there = [value(cell) for cell in column.to_pandas()]
        assert [value(cell) for cell in found[name][:4]] == [there[0], there[1], None, there[0]]


def test_a_part_of_a_struct_may_be_the_key(tmp_path):
    codes = pa.array([{"iso": code} for code in ("at", "de", "fr")])
    side = lands(tmp_path, code=codes, image=NESTED["image"])
    for how in ("left", "right", "outer"):
        plan = equi_join(Side.frame(VISITS, "visits"), side, "c", "code.iso", how)
        assert plan.counts().left_matched == 3
        assert rows(run_pandas(plan)) == rows(plan.to_pandas())


def test_partitions_beside_lists(tmp_path):
    for year in ("01", "02"):
        (tmp_path / f"lands/year={year}").mkdir(parents=True)
        pq.write_table(pa.table({"iso": ["at", year], "xs": [[1], [2]], "s": [{"a": 1}, {"a": 2}]}),
                       tmp_path / f"lands/year={year}/a.parquet")  # fmt: skip
    plan = equi_join(Side.frame(VISITS, "visits"), Side.lake(lake(tmp_path, {})["lands"]), "c", "iso", "left")
    assert plan.to_pandas()["year"].dropna().unique().tolist() == ["01", "02"]
    assert rows(run_pandas(plan)) == rows(plan.to_pandas())


def test_what_spark_has_no_type_for_is_named(tmp_path):
    side = lands(tmp_path, at=pa.array([[datetime.time(1)], [], None]))
    plan = equi_join(Side.frame(VISITS, "visits"), side, "c", "iso", "left")
    assert rows(run_pandas(plan)) == rows(plan.to_pandas())
    with pytest.raises(InputError, match="the column 'at' of lands\\.parquet is list"):
        plan.code("sql")


@pytest.mark.spark
def test_they_travel_untouched_on_spark(tmp_path, spark):
    columns = dict(NESTED)
    for how, folder in (("left", tmp_path), ("outer", tmp_path / f"long{'_' * 120}")):  # a line of its own
        plan = equi_join(Side.frame(VISITS, "visits"), lands(folder, **columns), "c", "iso", how)
        expected = rows(plan.to_pandas())
        for found in (run_pyspark(plan, spark), run_sql(plan, spark), plan.to_spark(spark).toPandas()):
            assert list(found.columns) == list(plan.to_pandas().columns)
            assert as_pandas(rows(found)) == as_pandas(expected)
    frame = spark.createDataFrame(VISITS)
    plan = equi_join(Side.frame(frame, "visits"), lands(tmp_path, **columns), "c", "bbox.at.y", "left")
    assert plan.counts().left_matched == 0, "lists are no codes of countries"
    parts = tmp_path / "parts"
    for year in ("01", "02"):
        (parts / f"lands/year={year}").mkdir(parents=True)
        pq.write_table(pa.table({"iso": ["at", year], **{n: c.slice(0, 2) for n, c in columns.items()}}),
                       parts / f"lands/year={year}/a.parquet")  # fmt: skip
    plan = equi_join(Side.frame(VISITS, "visits"), Side.lake(lake(parts, {})["lands"]), "c", "iso", "left")
    for found in (run_pyspark(plan, spark), run_sql(plan, spark)):
        assert as_pandas(rows(found)) == as_pandas(rows(plan.to_pandas()))
