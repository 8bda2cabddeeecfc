"""The demo lake: many tables in many formats, the same each time, and never over somebody's files."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from lakeview import InputError, NotFound, demo


def digest(folder: Path) -> str:
    state = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        state.update(str(path.relative_to(folder)).encode() + path.read_bytes())
    return state.hexdigest()


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return demo.write_demo_lake(tmp_path_factory.mktemp("demo") / "lake")


def test_mixed_formats(lake: Path):
    files = [path for path in lake.rglob("*") if path.is_file() and path.name != demo.STAMP]
    kinds = {"".join(path.suffixes) for path in files}
    assert {".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".dat", ".jsonl", ".jsonl.gz", ".parquet"} <= kinds
    tables = {path if "=" not in str(path) else path.parents[2] for path in files}
    assert len(tables) >= 40
    assert (lake / "world" / "countries_utf16.csv").read_bytes().startswith(b"\xff\xfe")
    with pytest.raises(UnicodeDecodeError):
        (lake / "world" / "city_airports_cp1252.txt").read_text(encoding="utf-8")


def test_catalog_lists_it_whole(lake: Path):
    from lakeview.catalog.sources import list_tables

    listing = list_tables([str(lake)])
    names = {table.name for table in listing.tables}
    assert len(names) >= 40
    assert {"nycflights13/airlines.csv", "nycflights13/weather", "baseball/People.jsonl.gz"} <= names
    assert listing.problems == []


def test_the_same_bytes_each_time(lake: Path, tmp_path: Path):
    assert digest(demo.write_demo_lake(tmp_path / "other")) == digest(lake)


def test_a_complete_lake_is_left_alone(lake: Path):
    file = lake / "nycflights13" / "airlines.csv"
    before = file.stat().st_mtime_ns
    said: list[str] = []
    demo.write_demo_lake(lake, said.append)
    assert file.stat().st_mtime_ns == before
    assert "up to date" in said[-1]


def test_an_interrupted_lake_is_written_again_and_its_index_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "lake"
    with monkeypatch.context() as patch:
        patch.setattr(demo, "_baseball", lambda: iter([("baseball/half.csv", None)]))
        with pytest.raises(AttributeError):
            demo.write_demo_lake(folder)
    (folder / ".lakeview").mkdir()
    monkeypatch.setattr(demo, "_world", lambda: iter(()))
    monkeypatch.setattr(demo, "_baseball", lambda: iter(()))
    demo.write_demo_lake(folder)
    assert not (folder / "world").exists()
    assert (folder / ".lakeview").is_dir()


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="not a demo lake"):
        demo.write_demo_lake(tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "mine"
    with pytest.raises(InputError):
        demo.write_demo_lake(tmp_path / "thesis.txt")


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(demo.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(NotFound, match=r"lakeview\[demo\]"):
        demo.write_demo_lake(tmp_path / "lake")


def test_namibia_is_not_missing(lake: Path):
    import pyarrow.parquet as pq

    assert "NA" in pq.read_table(lake / "world" / "airports.parquet").column("country").to_pylist()


def test_flights():
    frame = demo.flights()
    assert len(frame) == 336_776
    assert set(demo.COLUMNS) <= set(frame.columns)
