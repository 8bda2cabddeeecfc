"""Times that tools write each in a way of their own: they meet, and the code of every dialect says so."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pandas as pd
import pytest
from joining import in_order, lake, rows, run_pandas, run_pyspark, run_sql

from lakeview.errors import InputError
from lakeview.join.plan import JoinPlan, equi_join
from lakeview.join.side import Side

MOMENTS = [datetime(2024, 3, 1), datetime(2024, 3, 1, 1), datetime(2024, 3, 1, 12, 30, 0, 500_000)]
ZONELESS = {
    "iso": ["2024-03-01T00:00:00", "2024-03-01T01:00:00", "2024-03-01T12:30:00.500"],
    "pandas": ["2024-03-01 00:00:00.000", "2024-03-01 01:00:00.000", "2024-03-01 12:30:00.500"],
    "short": ["2024-03-01", "2024-03-01t01:00", "2024-03-01 12:30:00,50"],
}
ZONED = {
    "iso": ["2024-03-01T00:00:00Z", "2024-03-01T01:00:00Z", "2024-03-01T12:30:00.5Z"],
    "pandas": ["2024-03-01 00:00:00+00:00", "2024-03-01 01:00:00+00:00", "2024-03-01 12:30:00.500000+00:00"],
    "database": ["2024-03-01 00:00:00+00", "2024-03-01 01:00:00+00", "2024-03-01 12:30:00.50+00"],
}
ELSEWHERE = ["2024-03-01T05:30:00+05:30", "2024-02-29 23:00:00-02", "2024-03-01T14:30:00.5+0200"]
PAIRS = [(kind, a, b) for kind in (ZONELESS, ZONED) for a in kind for b in kind if a < b]


def plan_of(folder: Path, left: list[str], right: list[str] | pd.Series, how: str = "inner") -> JoinPlan:
    tables = lake(folder, {"left.csv": "t;a\n" + "".join(f'"{t}";{i}\n' for i, t in enumerate(left)) + "other;9\n"})
    here = Side.lake(tables["left.csv"])
    if isinstance(right, pd.Series):
        there = Side.frame(pd.DataFrame({"t": right, "b": range(3)}), "events")
    else:
        there = Side.lake(lake(folder, {
            "right.csv": "t;b\n" + "".join(f'"{t}";{i}\n' for i, t in enumerate(right)) + "another;9\n",
        })["right.csv"])  # fmt: skip
    return equi_join(here, there, "t", "t", how)


@pytest.mark.parametrize(("kind", "one", "other"), PAIRS)
def test_they_meet_in_pandas(kind, one, other, tmp_path):
    plan = plan_of(tmp_path, kind[one], kind[other], "outer")
    assert list(plan.pairs.itertuples(index=False, name=None)) == [(0, 0), (1, 1), (2, 2)]
    assert in_order(rows(run_pandas(plan))) == in_order(rows(plan.to_pandas()))


@pytest.mark.parametrize("texts", [*ZONELESS.values()])
def test_typed_ones_meet_them(texts, tmp_path):
    plan = plan_of(tmp_path, texts, pd.Series(MOMENTS))
    assert plan.counts().rows_out == 3
    assert in_order(rows(run_pandas(plan))) == in_order(rows(plan.to_pandas()))


@pytest.mark.parametrize("texts", [*ZONED.values(), ELSEWHERE])
def test_typed_ones_with_a_zone_meet_them(texts, tmp_path):
    plan = plan_of(tmp_path, texts, pd.Series(MOMENTS).dt.tz_localize("UTC").dt.tz_convert("Asia/Kolkata"))
    assert plan.counts().rows_out == 3
    assert in_order(rows(run_pandas(plan))) == in_order(rows(plan.to_pandas()))


def test_a_time_without_a_zone_is_none_in_utc(tmp_path):
    assert plan_of(tmp_path, ZONELESS["iso"], ZONED["iso"]).counts().rows_out == 0


def test_spark_says_where_it_cannot_put_a_time_in_utc(tmp_path):
    with pytest.raises(InputError, match=r"one form for every time.*3 rows"):
        plan_of(tmp_path, ELSEWHERE, ZONED["iso"]).code("pyspark")


@pytest.mark.spark
@pytest.mark.parametrize(("kind", "one", "other"), PAIRS)
def test_they_meet_in_spark(spark, kind, one, other, tmp_path):
    plan = plan_of(tmp_path, kind[one], kind[other], "inner")
    wanted = in_order(rows(plan.to_pandas()))
    assert len(wanted) == 3
    assert in_order(rows(run_pyspark(plan, spark))) == wanted
    assert in_order(rows(run_sql(plan, spark))) == wanted
