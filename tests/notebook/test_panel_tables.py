"""What the panel says of frames and tables: which columns join, how a table is read, what indexing will take."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import lakeview as lv
from lakeview.errors import InputError, NotFound
from lakeview.notebook import magics, state
from lakeview.notebook.panel import cost, joins, tables
from lakeview.pipeline import expected, session

CODES = [f"{a}{b}{c}" for a in "ABCDEFG" for b in "ABCDE" for c in "XYZ"]


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "data" / "air"
    folder.mkdir(parents=True)
    lines = [f"{code},City {i},{i}.5" for i, code in enumerate(CODES)]
    (folder / "airports.csv").write_text("\n".join(["faa,city,lat", *lines]) + "\n")
    (folder / "big list.csv").write_text("n\n" + "".join(f"row {i}\n" for i in range(1000)))
    opened = lv.open(tmp_path / "data")
    opened.index(engine="local")
    state.set_lake(opened)
    yield opened
    state.set_lake(None)


def test_columns_that_join_have_their_best_hit(lake: Any) -> None:
    frame = pd.DataFrame({"dest": CODES[:60] * 3, "n": range(180), "only": ["here"] * 180})
    found = joins.joins({"flights": frame}, "flights")
    assert found["frame"] == "flights" and len(found["columns"]) == 3
    assert found["columns"][0] == {"to": "airports.faa", "name": "air/airports.csv.faa", "confidence": "sure"}
    assert found["columns"][1:] == [None, None]


def test_of_a_long_frame_some_rows_are_asked(lake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    search = type(lake).search
    monkeypatch.setattr(
        type(lake), "search", lambda self, frame, *a, **o: asked.append(len(frame)) or search(self, frame, *a, **o)
    )
    frame = pd.DataFrame({"dest": CODES * 1000})
    (hit,) = joins.joins({"flights": frame}, "flights")["columns"]
    assert hit is not None and hit["to"] == "airports.faa"
    assert asked and max(asked) <= joins.MOST_ROWS < len(frame)


class DataFrame:
    """A Spark frame of which no value may be asked."""

    __module__ = "pyspark.sql.classic.dataframe"
    dtypes = (("dest", "string"),)

    def __getattr__(self, name: str) -> Any:
        if name == "iloc":
            raise AttributeError(name)
        raise AssertionError(f"the panel touched {name}")


def test_nothing_is_asked_of_spark_frames_nor_without_an_index(lake: Any, tmp_path: Path) -> None:
    frame = pd.DataFrame({"dest": CODES})
    assert joins.joins({"trips": DataFrame()}, "trips")["columns"] == []
    assert joins.joins({"flights": frame}, "gone")["columns"] == []
    (tmp_path / "empty").mkdir()
    state.set_lake(lv.open(tmp_path / "empty"))
    assert joins.joins({"flights": frame}, "flights")["columns"] == []


def test_the_code_that_reads_a_table_runs_and_takes_no_name(lake: Any) -> None:
    code = tables.read({"airports": 1}, "air/airports.csv")["code"]
    scope: dict[str, Any] = {}
    exec(code, scope)
    assert "airports" not in scope and list(scope["airports_2"]["faa"]) == CODES
    assert code.splitlines()[-1] == "airports_2.head()"
    assert tables.path({}, "air/airports.csv") == {"path": "data/air/airports.csv"}
    for ask in (tables.read, tables.path):
        with pytest.raises(NotFound):
            ask({}, "air/gone.csv")


def test_a_file_with_a_problem_has_a_path(lake: Any, tmp_path: Path) -> None:
    (tmp_path / "data" / "air" / "broken.parquet").write_bytes(b"PAR1 no")
    lake.index(engine="local")
    assert list(lake.problems["table"]) == ["air/broken.parquet"]
    assert tables.path({}, "air/broken.parquet") == {"path": "data/air/broken.parquet"}


def test_a_large_table_is_asked_by_sql(lake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from lakeview.join import lake_table

    monkeypatch.setattr(lake_table, "HERE", 10)
    assert tables.read({}, "air/big list.csv")["code"] == "%%lakeview sql\nSELECT * FROM `air/big list.csv` LIMIT 20"
    assert list(tables.preview({}, "air/big list.csv", 3)["n"]) == ["row 0", "row 1", "row 2"]


def test_the_first_rows_of_a_table(lake: Any) -> None:
    shown = magics.run('preview "air/big list.csv"', {})
    assert list(shown["n"]) == [f"row {i}" for i in range(20)]
    assert len(magics.run("preview air/airports.csv -n 3", {})) == 3
    with pytest.raises(InputError, match="which table"):
        magics.run("preview", {})
    with pytest.raises(InputError, match="how many rows"):
        magics.run("preview air/airports.csv -n 0", {})


def test_a_lake_of_frames_has_tables_too() -> None:
    state.set_lake(lv.open({"codes": pd.DataFrame({"faa": CODES})}))
    try:
        state.the_lake({}).index()
        assert list(tables.preview({}, "codes", 2)["faa"]) == CODES[:2]
        for ask in (tables.read, tables.path):
            with pytest.raises(InputError, match="DataFrame"):
                ask({}, "codes")
        assert cost.cost({})["files"] == 0
    finally:
        state.set_lake(None)


def test_what_indexing_takes_is_what_changed(lake: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "state", lambda: "asleep")
    assert cost.cost({}) == {"files": 0, "bytes": 0, "seconds": 0.0, "spark": None}
    (tmp_path / "data" / "new.csv").write_text("a\n1\n")
    (tmp_path / "data" / "air" / "airports.csv").write_text("faa,city,lat\nX,Y,1\n")
    found = cost.cost({})
    assert (found["files"], found["bytes"], found["spark"]) == (2, 4 + 19, None)
    monkeypatch.setattr(expected, "RATE", 100)  # bytes a second: as if there were much to do
    monkeypatch.setattr(expected.java, "find_java", lambda: tmp_path)
    slow = cost.cost({})
    assert slow["spark"] == expected.START and slow["seconds"] > expected.START
    monkeypatch.setattr(session, "state", lambda: "running")
    assert cost.cost({})["spark"] == 0.0
