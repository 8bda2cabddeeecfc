"""Planted joins among decoys are found, and the code that a hit leaves behind makes the join that pandas makes.

Seeds come from the command line: pytest tests/search/test_planted.py --seeds 11,12,13
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from planted import DECOYS, PLANTED, TABLES, write_lake

import lakeview as lv


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" in metafunc.fixturenames:
        seeds = [int(s) for s in metafunc.config.getoption("--seeds").split(",")]
        metafunc.parametrize("seed", seeds, indirect=True, scope="module")


@pytest.fixture(scope="module")
def seed(request: pytest.FixtureRequest) -> int:
    return request.param


@pytest.fixture(scope="module")
def planted(seed: int, tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp(f"planted-{seed}")
    joins = write_lake(folder, seed)
    lake = lv.open(folder)
    report = lake.index(engine="local")
    assert (report.tables, len(joins), DECOYS, report.problems) == (TABLES, PLANTED, 200, 0)
    return folder, joins, lake


def read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def rows(frame: pd.DataFrame, columns: list[str]) -> Counter:
    """The rows of a frame as text, numbers in one spelling: what the files say, whatever types a reader chose."""

    def cell(value: object) -> str:
        if value is None or value != value:
            return ""
        try:
            return repr(float(str(value)))
        except ValueError:
            return str(value)

    return Counter(tuple(cell(v) for v in row) for row in frame[columns].itertuples(index=False))


def expected(folder: Path, join) -> pd.DataFrame:
    left, right = read(folder / join.table), read(folder / join.other_table)
    return left.merge(right, how="left", left_on=join.column, right_on=join.other_column)


def best(planted, join, k: int = 3):
    """The hit of the planted join among the first k, the query column itself not counted."""
    _, _, lake = planted
    hits = lake.search(f"{join.table}.{join.column}", rank="join", k=k)
    found = [h for h in hits if (h.table, h.column) == (join.other_table, join.other_column)]
    assert found, f"{join} is not among {[(h.table, h.column, h.reason) for h in hits]}"
    return found[0]


def test_every_planted_join_is_in_the_top_three(planted):
    folder, joins, lake = planted
    for join in joins:
        assert not best(planted, join).accidental
        # from the other side it must be found too, and from data rather than from the lake
        back = lake.search(read(folder / join.other_table), join.other_column, rank="join", k=3)
        assert (join.table, join.column) in [(h.table, h.column) for h in back]


def test_decoys_are_called_accidents(planted):
    _, joins, lake = planted
    real = {(j.table, j.column) for j in joins} | {(j.other_table, j.other_column) for j in joins}
    columns = lake.columns
    whole = columns[(columns["type"] == "integer") & (columns["distinct"] > 2)]
    hits = [
        h
        for t, c in whole[["table", "column"]].itertuples(index=False)
        if (t, c) not in real
        for h in lake.search(f"{t}.{c}", rank="join", k=3)
    ]
    assert len(hits) > 100
    assert sum(h.accidental for h in hits) / len(hits) > 0.95


def test_pandas_code_makes_the_join_of_a_pandas_merge(planted):
    folder, joins, lake = planted
    for join in joins:
        wanted = expected(folder, join)
        frame = read(folder / join.table)
        hit = next(h for h in lake.search(frame, join.column, rank="join", k=4) if h.table == join.other_table)
        names: dict = {"frame": frame, "pd": pd}
        code = hit.join().code("pandas")
        exec(code, names)
        result = _result(names, {"frame", "pd"}, wanted)
        assert rows(result, list(wanted)) == rows(wanted, list(wanted)), code
        assert "lakeview" not in code.replace("# lakeview:", "")
        assert hit.counts.rows_out == len(wanted)


def _result(names: dict, given: set[str], wanted: pd.DataFrame) -> pd.DataFrame:
    """The frame that the code made last."""
    made = [v for k, v in names.items() if k not in given and isinstance(v, pd.DataFrame)]
    return next(v for v in reversed(made) if set(wanted) <= set(v.columns))


@pytest.mark.spark
def test_spark_code_makes_the_join_of_a_pandas_merge(planted, spark):
    folder, joins, lake = planted
    for join in joins:
        wanted = expected(folder, join)
        frame = read(folder / join.table)
        left = spark.createDataFrame(frame)
        hit = next(h for h in lake.search(frame, join.column, rank="join", k=4) if h.table == join.other_table)
        plan = hit.join()
        names: dict = {"frame": left, "spark": spark}
        exec(plan.code("pyspark"), names)
        made = [v for k, v in names.items() if k not in ("frame", "spark") and hasattr(v, "toPandas")][-1]
        assert rows(made.toPandas(), list(wanted)) == rows(wanted, list(wanted)), plan.code("pyspark")
        left.createOrReplaceTempView("frame")
        *before, last = plan.statements("sql")
        for statement in before:
            spark.sql(statement)
        assert rows(spark.sql(last).toPandas(), list(wanted)) == rows(wanted, list(wanted)), plan.code("sql")
