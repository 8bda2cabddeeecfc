"""The folders that the panel proposes: those of before, and those that complete a path."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakeview.notebook.panel import places


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the kernel runs in, of a user with nothing in the cache yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("data/a", "data-2024", "Other", ".hidden", "_marker"):
        (tmp_path / "work" / name).mkdir(parents=True)
    for name in ("data/x.csv", "data/a/y.parquet", "data/a/notes.md", "data/.z.csv"):
        (tmp_path / "work" / name).write_text("a")
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def proposed(text: str) -> list[tuple[str, int]]:
    return [(folder["path"], folder["files"]) for folder in places.folders(text)["folders"]]


def test_a_path_is_completed_with_the_tables_below(here: Path) -> None:
    (here / "data" / ".hidden").mkdir()
    (here / "data" / ".hidden" / "z.csv").touch()
    assert proposed("da") == [("data/", 2), ("data-2024/", 0)]
    assert proposed("DATA/") == []  # a file system that tells them apart
    assert proposed("data/") == [("data/a/", 1)]
    assert proposed("o") == [("Other/", 0)]
    assert [path for path, _ in proposed("")] == ["Other/", "data/", "data-2024/"]
    assert proposed("nowhere/x") == [] and proposed("\0") == [] and proposed("~no such user/") == []


def test_what_can_be_opened_and_what_was_meant(here: Path) -> None:
    for text in ("data", "data/x.csv", str(here), "catalog:sales", "postgresql://host/db", " data "):
        assert places.folders(text)["there"], text
    meant = {"dta": "data", "DATA": "data", "dta/a": "data/a", str(here / "Othr"): f"{here}/Other"}
    for text, near in meant.items():
        answer = places.folders(text)
        assert not answer["there"] and answer["near"] == near, text
    assert places.folders("zzz") == {"there": False, "near": None, "folders": []}


def test_many_files_are_not_all_counted(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "_COUNTED", 3)
    for i in range(5):
        (here / "Other" / f"{i}.csv").touch()
    (found,) = places.folders("Oth")["folders"]
    assert found == {"path": "Other/", "files": 3, "more": True}
    monkeypatch.setattr(places, "_SECONDS", -1)
    assert places.folders("Oth")["folders"] == [{"path": "Other/", "files": 0, "more": True}]


def test_lakes_are_remembered_the_newest_first(here: Path) -> None:
    assert places.recent() == {"recent": []}
    assert places.note([str(here / "data")], 2, "2026-01-01T00:00:00+00:00") == "data"
    home = here.parent / "home" / "lake"
    home.mkdir(parents=True)
    assert places.note([str(home)], 1, None) == "~/lake"
    assert places.note([str(here / "data")], 3, None) == "data"
    assert [(p["name"], p["path"], p["tables"]) for p in places.recent()["recent"]] == [
        ("data", "data", 3), ("lake", "~/lake", 1),
    ]  # fmt: skip
    home.rmdir()
    assert [p["name"] for p in places.recent()["recent"]] == ["data"]
    # several folders, and a file, are no place
    assert places.note([str(here), str(here / "data")], 1, None) is None
    assert places.note([str(here / "data" / "x.csv")], 1, None) is None
    assert len(places.recent()["recent"]) == 1


@pytest.mark.parametrize("text", ["no json", "{}", '[{"folder": 1}]', "[1]"])
def test_a_list_that_is_damaged_is_none(here: Path, text: str) -> None:
    file = places._file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    assert places.recent() == {"recent": []}
    assert places.note([str(here)], 1, None) == str(here)
    assert len(places.recent()["recent"]) == 1


def test_a_home_that_cannot_be_written_remembers_nothing(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "_file", lambda: here / "data" / "x.csv" / "recent.json")
    assert places.note([str(here / "data")], 1, None) == "data"
    assert places.recent() == {"recent": []}


def test_only_so_many_are_kept(here: Path) -> None:
    for i in range(places.KEPT + 3):
        (here / f"lake{i}").mkdir()
        places.note([str(here / f"lake{i}")], 1, None)
    found = [place["name"] for place in places.recent()["recent"]]
    assert found == [f"lake{i}" for i in range(places.KEPT + 2, 2, -1)]
