"""All tables of a family as one side of a join: their rows one below the other, and which table each is of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import lakeview as lv
from lakeview.errors import InputError
from lakeview.join.as_one import stacked

YEARS = (2019, 2020, 2021)


def written(folder: Path, kind: str) -> dict[str, pd.DataFrame]:
    """Sales of three years; the last year has a column more, and prices that are not whole."""
    frames = {}
    for year in YEARS:
        rng = np.random.default_rng(year)
        frame = pd.DataFrame({
            "product": [f"P-{n:03d}" for n in rng.permutation(40)[:30]],
            "units": rng.integers(1, 90, 30),
            "price": rng.integers(5, 70, 30) + (0.5 if year == 2021 else 0),
            "shop": [f"shop {n}" for n in rng.integers(0, 5, 30)],
            "clerk": [f"clerk {n}" for n in rng.integers(0, 9, 30)],
        })  # fmt: skip
        if year == 2021:
            frame["note"] = "ok"
        name = f"sales_{year}.{kind}"
        frame.to_csv(folder / name, index=False) if kind == "csv" else frame.to_parquet(folder / name, index=False)
        frames[name] = frame
    return frames


@pytest.fixture(scope="module", params=["csv", "parquet"])
def asked(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"years-{request.param}")
    frames = written(folder, request.param)
    pd.DataFrame({"product": ["x", "y"], "other": [1, 2]}).to_csv(folder / "unrelated.csv", index=False)
    lake = lv.open(folder)
    lake.index(engine="local")
    stock = pd.DataFrame({"product": [f"P-{n:03d}" for n in range(45)], "held": range(45)})
    hits = lake.search(stock, "product", rank="join")
    (hit,) = (hit for hit in hits if hit.table.startswith("sales"))
    assert len(hit.alike) == 2
    return stock, hit, frames


def expected(stock: pd.DataFrame, frames: dict[str, pd.DataFrame], how: str) -> pd.DataFrame:
    """The same by hand."""
    below = pd.concat([frame.assign(file=name) for name, frame in frames.items()], ignore_index=True)
    return stock.merge(below, on="product", how=how)[["product", "held", *below.columns[1:]]]


def texts(frame: pd.DataFrame) -> list[list[str]]:
    """Rows as text in one order, numbers alike however they are typed."""

    def text(value: object) -> str:
        if value is None or value != value:
            return ""
        return f"{float(value):g}" if isinstance(value, int | float | np.number) else str(value)

    return sorted([text(value) for value in row] for row in frame.itertuples(index=False))


@pytest.mark.parametrize("how", ["left", "inner", "right", "outer"])
def test_all_of_them_are_joined_with_the_name_of_each_table(asked, how):
    stock, hit, frames = asked
    plan = hit.join(how, all_alike=True)
    found, wanted = plan.to_pandas(), expected(stock, frames, how)
    assert sorted(found.columns) == sorted(wanted.columns)
    assert texts(found[wanted.columns]) == texts(wanted)
    counts = plan.counts()
    assert counts.rows_out == len(wanted) and counts.right_rows == 90
    assert counts.left_matched == int(stock["product"].isin(pd.concat(frames.values())["product"]).sum())
    assert list(plan.preview(5).columns) == list(found.columns) and len(plan.preview(5)) == 5
    assert "sales_all" in plan.summary


def test_one_of_them_is_joined_alone(asked):
    stock, hit, frames = asked
    for one in (hit, *hit.alike):
        wanted = stock.merge(frames[one.table], on="product")
        assert len(one.join("inner").to_pandas()) == len(wanted)
        assert "file" not in one.join("inner").to_pandas().columns


@pytest.mark.parametrize("how", ["left", "inner", "right", "outer"])
def test_pandas_code(asked, how):
    stock, hit, _ = asked
    plan = hit.join(how, all_alike=True)
    scope = {"stock": stock}
    code = plan.code("pandas")
    exec(code, scope)
    made = next(value for name, value in reversed(scope.items()) if isinstance(value, pd.DataFrame))
    assert texts(made) == texts(plan.to_pandas()) and list(made.columns) == list(plan.to_pandas().columns)


@pytest.mark.spark
@pytest.mark.parametrize("how", ["left", "inner", "right", "outer"])
def test_code_for_spark(asked, how, spark):
    stock, hit, _ = asked
    plan = hit.join(how, all_alike=True)
    wanted = texts(plan.to_pandas())
    frame = spark.createDataFrame(stock)
    scope = {"stock": frame, "spark": spark}
    code = plan.code("pyspark")
    assert "read by pandas" not in code
    exec(code, scope)
    made = list(scope.values())[-1]
    assert texts(made.toPandas()) == wanted
    frame.createOrReplaceTempView("stock")
    for statement in plan.statements("sql"):
        made = spark.sql(statement)
    assert texts(made.toPandas()) == wanted and made.columns == list(plan.to_pandas().columns)
    assert texts(plan.to_spark(spark).toPandas()) == wanted


def test_what_changed_is_told(tmp_path):
    frames = written(tmp_path, "csv")
    lake = lv.open(tmp_path)
    lake.index(engine="local")
    (hit,) = lake.search(pd.Series([f"P-{n:03d}" for n in range(45)], name="product"), rank="join")
    frames["sales_2020.csv"].head(3).to_csv(tmp_path / "sales_2020.csv", index=False)
    with pytest.raises(lv.LakeChanged, match="sales_2020"):
        hit.join(left=pd.DataFrame({"product": ["P-001"]}), all_alike=True).to_pandas()


def test_a_column_called_file_stays(tmp_path):
    for year in YEARS:
        pd.DataFrame({"id": [f"{year}-{n}" for n in range(20)], "file": "mine", "n": range(20)}).to_csv(
            tmp_path / f"log_{year}.csv", index=False
        )
    lake = lv.open(tmp_path)
    lake.index(engine="local")
    found = stacked([lake.side(f"log_{year}.csv") for year in YEARS], ["id"])
    assert found.columns == ["id", "file", "n", "file_2"]
    frame = found.to_pandas()
    assert frame["file"].unique().tolist() == ["mine"] and frame["file_2"].nunique() == 3


def test_what_cannot_be_one_table_is_refused(tmp_path):
    pd.DataFrame({"id": range(9)}).to_csv(tmp_path / "a.csv", index=False)
    pd.DataFrame({"id": range(9)}).to_parquet(tmp_path / "b.parquet", index=False)
    pd.DataFrame({"key": range(9)}).to_csv(tmp_path / "c.csv", index=False)
    lake = lv.open(tmp_path)
    lake.index(engine="local")
    a, b, c = map(lake.side, ("a.csv", "b.parquet", "c.csv"))
    with pytest.raises(InputError, match="two kinds, text and parquet: join them one by one"):
        stacked([a, b], ["id"])
    with pytest.raises(InputError, match=r"c\.csv has no column 'id': join it by itself"):
        stacked([a, c], ["id"])
