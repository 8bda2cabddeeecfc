"""Of a folder's table that has more files than before only these are read, and the index is that of a full reading."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables_of_files import day, equals_a_fresh_build, read, write

import lakeview as lv
from lakeview.store import parts, segment_writer


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_new_files_alone_are_read(tmp_path: Path, kind: str):
    folder = tmp_path / "lake"
    write(folder, {f"sales/m={n}/{n}.{kind}": day(n) for n in (1, 2, 3)})
    lake = lv.open(folder)
    assert len(read(lake)) == 3
    write(folder, {f"sales/m={n}/{n}.{kind}": day(n) for n in (4, 5)})
    assert read(lake) == {f"4.{kind}", f"5.{kind}"}
    assert equals_a_fresh_build(lake, folder)
    assert lake.search(day(5), "id")[0].name == "sales.id"
    assert read(lake) == set()
    (folder / f"sales/m=1/1.{kind}").touch()  # compared by content, once
    write(folder, {f"sales/m=6/6.{kind}": day(6)})
    assert read(lake) == {f"6.{kind}"}
    assert read(lake) == set() and equals_a_fresh_build(lake, folder)


def test_a_table_that_may_read_otherwise_is_read_whole(tmp_path: Path):
    folder = tmp_path / "lake"
    write(folder, {f"sales/m={n}/{n}.csv": day(n) for n in (1, 2)})
    lake = lv.open(folder)
    read(lake)
    changes = {
        "a new first file": lambda: write(folder, {"sales/m=0/0.csv": day(3)}),
        "a new column": lambda: write(folder, {"sales/m=3/3.csv": day(3).assign(more=1)}),
        "a file that changed": lambda: write(folder, {"sales/m=4/4.csv": day(4), "sales/m=2/2.csv": day(2, 31)}),
        "a file that went": lambda: ((folder / "sales/m=2/2.csv").unlink(), write(folder, {"sales/m=5/5.csv": day(5)})),
    }
    for change, make in changes.items():
        make()
        files = {path.name for path in folder.rglob("*.csv")}
        assert read(lake) == files, change
        assert equals_a_fresh_build(lake, folder), change


def test_a_null_that_was_an_na_may_be_namibia(tmp_path: Path):
    folder = tmp_path / "lake"
    codes = [a + b for a in "abc" for b in "stuvwxyz"]
    write(folder, {"f/m=1/1.csv": pd.DataFrame({"c": ["NA", "North", "South", "East"]}),
                   "f/m=2/2.csv": pd.DataFrame({"c": ["West", "South", "West", "East"]})})  # fmt: skip
    lake = lv.open(folder)
    read(lake)
    write(folder, {"f/m=3/3.csv": pd.DataFrame({"c": codes})})
    assert len(read(lake)) == 3 and equals_a_fresh_build(lake, folder)
    write(folder, {"f/m=4/4.csv": pd.DataFrame({"c": [f"word {n}" for n in range(99)]})})
    assert read(lake) == {"4.csv"} and equals_a_fresh_build(lake, folder)  # NA is a mark again


def test_a_large_one_is_written_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "lake"
    write(folder, {f"sales/m={n}/{n}.parquet": day(n, 300) for n in (1, 2)} | {"other.csv": day(9)})
    lake = lv.open(folder)
    read(lake)
    monkeypatch.setattr(parts, "POSTINGS", 200)
    write(folder, {"sales/m=3/3.parquet": day(3, 300)})
    assert read(lake) == {"3.parquet"}
    assert len({s for s, segment in enumerate(lake.store.read()[1]) if segment.alive.any()}) > 1
    assert equals_a_fresh_build(lake, folder)
    write(folder, {"sales/m=4/4.parquet": day(4, 300)})
    assert read(lake) == {"4.parquet"} and equals_a_fresh_build(lake, folder)


CELLS = st.one_of(st.none(), st.sampled_from(["NA", "na", "1", "01", "2.50", "1e3", "2024-02-01", "True", "ab", "x y"]))


@settings(max_examples=25)
@given(tables=st.lists(st.lists(CELLS, min_size=1, max_size=6), min_size=2, max_size=4),
       typed=st.sampled_from([str, float, "bool", None]), laid=st.booleans())  # fmt: skip
def test_any_values_add_up(
    tmp_path_factory: pytest.TempPathFactory, tables: list[list[str | None]], typed: object, laid: bool
):
    folder = tmp_path_factory.mktemp("any") / "lake"
    kind = "csv" if typed is str else "parquet"

    def frame(cells: list[str | None]) -> pd.DataFrame:
        if typed is float:
            return pd.DataFrame({"k": range(len(cells)), "v": [len(cell or "") / 2 for cell in cells]})
        return pd.DataFrame({"k": range(len(cells)), "v": pd.Series(cells, dtype="object").astype("string")
                             if typed != "bool" else [bool(cell) for cell in cells]})  # fmt: skip

    write(folder, {f"t/p={n}/{n}.{kind}": frame(cells) for n, cells in enumerate(tables[:-1])})
    lake = lv.open(folder)
    lake.index(engine="local")
    write(folder, {f"t/p={len(tables)}/{len(tables)}.{kind}": frame(tables[-1])})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segment_writer, "_LAID_FROM", 1 if laid else 1 << 60)
        lake.index(engine="local")
    assert equals_a_fresh_build(lake, folder)


def test_a_segment_of_which_nothing_lives_goes_without_merging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "lake"
    write(folder, {f"f/m={n}/{n}.csv": day(n) for n in (1, 2)})
    lake = lv.open(folder)
    read(lake)
    monkeypatch.setattr("lakeview.store.compaction.compact", lambda *_: pytest.fail("nothing is left to merge"))
    write(folder, {"f/m=3/3.csv": day(3)})
    assert read(lake) == {"3.csv"} and len(lake.store.read()[1]) == 1
    assert len(list((lake.store.folder / "segments").iterdir())) == 1
