"""`%%lakeview sql`: statements, which views it makes, and the real thing on Spark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import lakeview as lv
from lakeview.errors import InputError
from lakeview.notebook import sql, state
from lakeview.pipeline import progress, session


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("SELECT 1", ["SELECT 1"]),
        ("SELECT 1;\n\nSELECT 2;", ["SELECT 1", "SELECT 2"]),
        ("SELECT ';' AS a; SELECT 2", ["SELECT ';' AS a", "SELECT 2"]),
        ("SELECT `a;b`, \"c;d\", 'it\\';s'", ["SELECT `a;b`, \"c;d\", 'it\\';s'"]),
        ("-- one; two\nSELECT 3 - -1 / 2 -- three; four", ["SELECT 3 - -1 / 2"]),
        ("/* a; b */ SELECT 4", ["SELECT 4"]),
        ("SELECT 5 -- a;\n+ 6", ["SELECT 5 \n+ 6"]),
        (" ; ;\n", []),
    ],
)
def test_statements(text: str, parts: list[str]) -> None:
    assert sql.statements(text) == parts


class Lake:
    __module__ = "lakeview.lake.lake"
    tables = pd.DataFrame({"table": ["air/ports.csv.gz", "one/t.csv", "two/t.csv", "df.csv", "a`b.csv", "plain",
                                     "big/Towns.csv"]})  # fmt: skip


@pytest.fixture
def lake() -> Iterator[None]:
    state.set_lake(Lake())
    yield
    state.set_lake(None)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SELECT * FROM df", ["`df`"]),
        ("SELECT * FROM ports JOIN df ON df.x = ports.y", ["`df`", "`ports`"]),
        ("SELECT * FROM `air/ports.csv.gz`", ["`air/ports.csv.gz`"]),
        ("SELECT * FROM t", []),  # which of the two?
        ("SELECT * FROM `one/t.csv`", ["`one/t.csv`"]),
        ("SELECT * FROM `a``b.csv`", ["`a``b.csv`"]),
        ("SELECT dfx, mydf, reports, a`b FROM other", []),
        ("SELECT * FROM plain", ["`plain`"]),
        ("SELECT * FROM `plain`", ["`plain`"]),
        ("SELECT * FROM Towns", ["`Towns`"]),
    ],
)
def test_only_what_is_mentioned_becomes_a_view(lake: None, text: str, found: list[str]) -> None:
    names = {"df": pd.DataFrame({"x": [1]}), "_": pd.DataFrame({"x": [1]})}
    assert [view for view, _ in sql.views(text, names)] == found


def test_names_in_another_case_are_the_same_to_spark(lake: None) -> None:
    ports = pd.DataFrame({"x": [1]})

    def found(text: str, **names: Any) -> list[str]:
        return [view for view, _ in sql.views(text, names)]

    assert found("SELECT * FROM DF", df=ports) == ["`df`"]
    assert found("SELECT * FROM Ports JOIN `DF` USING (x)", df=ports) == ["`df`", "`ports`"]
    assert found("SELECT Ports FROM a LEFT JOIN dfs USING (x)", left=ports, df=ports) == []
    assert found("SELECT * FROM ports", Ports=ports) == ["`Ports`"], "a variable comes before a table"
    assert found("SELECT * FROM `one/t.csv`, T", T=ports) == ["`T`", "`one/t.csv`"]
    assert found("SELECT * FROM `plain`", Plain=ports) == ["`Plain`"]
    assert found("SELECT * FROM Towns", towns=ports) == ["`towns`"]
    assert found("SELECT * FROM df", df=ports, DF=ports) == ["`df`"]
    with pytest.raises(InputError, match="`df` and `DF` differ in case alone"):
        found("SELECT * FROM df JOIN DF USING (x)", df=ports, DF=ports)


def test_errors_before_spark_is_needed() -> None:
    with pytest.raises(InputError, match="cannot be one"):
        sql.run_sql("SELECT 1", "not a name", {})
    with pytest.raises(InputError, match="no statement"):
        sql.run_sql("-- nothing", "", {})


def test_how_many_rows_are_shown_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    told, names = [], {}

    class Reporter:
        def update(self, *_: Any) -> None:
            pass

        def close(self, said: str) -> None:
            told.append(said)

    class Job:
        rows = pd.DataFrame({"x": range(sql.SHOWN + 1)})

        def __init__(self, *_: Any) -> None:
            pass

        def wait(self, _: Any) -> tuple[Any, pd.DataFrame]:
            return "the whole", self.rows

    monkeypatch.setattr(progress, "reporter", Reporter)
    monkeypatch.setattr(progress, "Job", Job)
    monkeypatch.setattr(session, "get", lambda: None)
    assert len(sql.run_sql("SELECT 1", "", names)) == sql.SHOWN and names == {}
    assert len(sql.run_sql("SELECT 1", "kept", names)) == sql.SHOWN and names == {"kept": "the whole"}
    Job.rows = Job.rows.head(3)
    assert len(sql.run_sql("SELECT 1", "", names)) == 3
    assert told == ["SQL: the first 100 rows; %%lakeview sql NAME keeps all",
                    "SQL: the first 100 rows; kept is all of them", "SQL: 3 rows"]  # fmt: skip


@pytest.fixture
def without_views(spark: Any) -> None:
    """The session that tests share, without the views that others left: they would be hers."""
    for each in spark.catalog.listTables():
        if each.isTemporary:
            spark.catalog.dropTempView(each.name)


@pytest.mark.spark
@pytest.mark.usefixtures("without_views")
def test_on_spark(shell: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "air ports.csv").write_text("code,name\nA,Alpha\nB,Beta\n007,Bond\n")
    (tmp_path / "more.csv").write_text("code,n\nA,5\n")
    lv.open(tmp_path).index(engine="local")
    shell.run_line_magic("lakeview", f"open {tmp_path}")
    shell.user_ns["df"] = pd.DataFrame({"code": ["A", "A", "Z"], "a b": [1, 2, 3]})
    query = "SELECT df.`a b`, p.name, n FROM df LEFT JOIN `air ports.csv` p USING (code) LEFT JOIN more USING (code)"
    result = shell.run_cell_magic("lakeview", "sql kept", f"{query} ORDER BY 1;")
    assert result.values.tolist()[:2] == [[1, "Alpha", 5.0], [2, "Alpha", 5.0]]
    assert shell.user_ns["kept"].count() == 3
    result = shell.run_cell_magic("lakeview", "sql", "SELECT code FROM `air ports.csv` WHERE name = 'Bond'")
    assert result.code[0] == "007"
    assert len(shell.run_cell_magic("lakeview", "sql", "SELECT * FROM range(1000)")) == sql.SHOWN
    assert shell.run_cell_magic("lakeview", "sql", "CREATE OR REPLACE TEMP VIEW v AS SELECT 1 AS x") is None
    capsys.readouterr()
    assert not shell.run_cell("%%lakeview sql\nSELECT nothing FROM df").success
    printed = "".join(capsys.readouterr()).strip()
    assert "nothing" in printed and "\n" not in printed


@pytest.mark.spark
@pytest.mark.usefixtures("without_views")
def test_views_of_the_analyst_stay_hers(lake: None, spark: Any, tmp_path: Path) -> None:
    (tmp_path / "ports.csv").write_text("x\nof the lake\n")
    (tmp_path / "towns.csv").write_text("x\nof the lake\n")
    opened = lv.open(tmp_path)
    opened.index(engine="local")
    state.set_lake(opened)
    spark.sql("SELECT 'hers' AS x").createOrReplaceTempView("ports")
    try:
        for _ in range(2):
            rows = sql.run_sql("SELECT p.x, t.x AS y FROM Ports p, towns t", "", {})
            assert rows is not None and rows.values.tolist() == [["hers", "of the lake"]]
        sql.run_sql("SELECT * FROM `ports.csv`", "", {})
        assert spark.table("ports").first().x == "hers"
        (tmp_path / "towns.csv").write_text("x\nnew\n")
        opened.index(engine="local")
        rows = sql.run_sql("SELECT * FROM towns", "", {})
        assert rows is not None and rows.x.tolist() == ["new"], "what a cell made is made anew"
    finally:
        for name in ("ports", "towns", "`ports.csv`"):
            spark.sql(f"DROP VIEW IF EXISTS {name}")
