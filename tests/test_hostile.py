"""Hostile names and values go through the whole way: file, index, search, display, three codes, join."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

import lakeview as lv

HOSTILE = ["<img src=x onerror=alert(1)>", "'; DROP TABLE x; --", 'a"b', "col\nname", "a`b\\n{y}%s"]
LONG = "x" * 1_000_000


def file_name(name: str) -> str:
    """As much of a name as a file may have."""
    return name.replace("/", "") + ".csv"


@pytest.fixture(params=HOSTILE, ids=["markup", "sql", "quote", "newline", "mixed"])
def case(request: pytest.FixtureRequest, tmp_path: Path):
    name = request.param
    folder = tmp_path / "lake"
    folder.mkdir()
    values = [*HOSTILE, LONG, "plain"]
    right = pd.DataFrame({name: values, f"v {name}": [f"r{i}" for i in range(len(values))]})
    right.to_csv(folder / file_name(name), index=False)
    left = pd.DataFrame({name: [*values[::-1], "alone"], "n": [str(i) for i in range(len(values) + 1)]})
    lake = lv.open(folder)
    lake.index(engine="local")
    return name, left, right, lake


def expected(name: str, left: pd.DataFrame, right: pd.DataFrame) -> list[tuple]:
    return cells(left.merge(right, how="left", on=name))


def cells(frame: pd.DataFrame) -> list[tuple]:
    return sorted(tuple("" if v is None or v != v else str(v) for v in row) for row in frame.itertuples(index=False))


def test_found_and_joined(case):
    name, left, right, lake = case
    assert lake.problems.empty
    assert lake.tables["table"].tolist() == [file_name(name)]
    hit = lake.search(left, name)[0]
    assert (hit.table, hit.column, hit.overlap) == (file_name(name), name, len(right))
    assert lake.resolve(f"{file_name(name)}.{name}") == (file_name(name), name)
    assert cells(hit.join().to_pandas()) == expected(name, left, right)


def test_pandas_code(case):
    name, left, right, lake = case
    plan = lake.search(left, name)[0].join()
    names = {"left": left, "pd": pd}
    exec(plan.code("pandas"), names)
    made = [v for k, v in names.items() if k != "left" and isinstance(v, pd.DataFrame) and len(v) == len(left)]
    assert cells(made[-1]) == expected(name, left, right)


@pytest.mark.spark
def test_spark_codes(case, spark):
    name, left, right, lake = case
    plan = lake.search(left, name)[0].join()
    names = {"left": spark.createDataFrame(left), "spark": spark}
    exec(plan.code("pyspark"), names)
    made = [v for k, v in names.items() if k not in ("left", "spark") and hasattr(v, "toPandas")]
    assert cells(made[-1].toPandas()) == expected(name, left, right)
    if not name.isprintable():
        with pytest.raises(lv.InputError, match="no way to write the name"):
            plan.code("sql")
        return
    names["left"].createOrReplaceTempView("left")
    *before, last = plan.statements("sql")
    for statement in before:
        spark.sql(statement)
    assert cells(spark.sql(last).toPandas()) == expected(name, left, right)


def test_what_spark_sql_would_substitute_is_refused(tmp_path: Path):
    pd.DataFrame({"${x}": ["a", "b"]}).to_csv(tmp_path / "t.csv", index=False)
    lake = lv.open(tmp_path)
    lake.index(engine="local")
    left = pd.DataFrame({"k": ["a", "b"]})
    with pytest.raises(lv.InputError, match="rename it, or use PySpark"):
        lake.search(left, "k")[0].join().code("sql")


class Elements(HTMLParser):
    """The elements and attributes of a page, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple]] = []
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, tuple(attrs)))

    def handle_data(self, data):
        self.text += data


def test_shown_as_text(case):
    from lakeview.notebook.output import display

    name, left, _, lake = case
    hits = lake.search(left, name)
    for bundle in (display.hits_bundle(hits), display.plan_bundle(hits[0].join()), display.lake_bundle(lake)):
        page = Elements()
        page.feed(bundle["text/html"])
        assert not {tag for tag, _ in page.found} & {"img", "script", "iframe"}
        assert not [a for _, attrs in page.found for a, _ in attrs if a.startswith("on")]
        assert len(bundle["text/html"]) < 300_000, "a long value is cut"
        json.dumps(bundle)
