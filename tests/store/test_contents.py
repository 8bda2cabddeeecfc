"""Whether files are as they were indexed: by size and time, and where the time alone differs by what they hold."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import xxhash

from lakeview.catalog import digests
from lakeview.catalog.model import Table
from lakeview.catalog.places import spec_of
from lakeview.catalog.sources import list_tables, split
from lakeview.store import contents as module
from lakeview.store.contents import Contents, change, is_held, scanned


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lake" / "sales" / "k=1").mkdir(parents=True)
    (tmp_path / "lake" / "t.csv").write_text("k\n1\n2\n")
    (tmp_path / "lake" / "sales" / "k=1" / "x.csv").write_text("v\n7\n")
    (tmp_path / "lake" / "sales" / "k=1" / "y.csv").write_text("v\n8\n")
    return tmp_path / "lake"


def tables(folder: Path) -> dict[str, Table]:
    """The lake as a scan saw it."""
    found = {}
    for table in list_tables([folder]).tables:
        blocks = {part.file.path: digests.digests(part.file.path, *part.share) for part in split(table)}
        found[table.name] = scanned(table, blocks)
    return found


def later(path: Path) -> None:
    """Another time, and nothing else."""
    os.utime(path, ns=(1, path.stat().st_mtime_ns + 10**9))


@pytest.mark.parametrize("size", [0, 1, 9, 10, 11, 20, 95])
@pytest.mark.parametrize("step", [1, 2, 3])
def test_blocks_that_are_hashed_apart_make_one_hash(size: int, step: int, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(digests, "BLOCK", 10)
    path, content = tmp_path / "f", os.urandom(size)
    path.write_bytes(content)
    blocks = {}
    for first in range(step):
        blocks |= digests.digests(str(path), first, step)
    each = [xxhash.xxh3_64(content[at : at + 10]).hexdigest() for at in range(0, max(size, 1), 10)]
    assert [blocks[block] for block in sorted(blocks)] == each
    expected = each[0] if len(each) == 1 else xxhash.xxh3_64("".join(each).encode()).hexdigest()
    assert digests.whole(blocks, size) == expected
    assert digests.whole({**blocks, len(each): "one more"}, size) == ""
    if len(blocks) > 1:
        assert digests.whole({block: blocks[block] for block in blocks if block}, size) == ""


def test_what_cannot_be_read_has_no_hash(tmp_path: Path):
    assert digests.digests(str(tmp_path / "nowhere")) == {}
    assert digests.whole({}, 5) == ""


def test_a_file_that_changes_while_it_is_scanned_has_no_content(folder: Path):
    [table] = [table for table in list_tables([folder]).tables if table.name == "t.csv"]
    blocks = {table.files[0].path: digests.digests(table.files[0].path)}
    assert scanned(table, blocks).files[0].content
    (folder / "t.csv").write_text("k\n1\n3\n")
    later(folder / "t.csv")
    assert scanned(table, blocks).files[0].content == ""


def test_what_became_of_a_file(folder: Path, tmp_path: Path):
    table, contents = tables(folder)["t.csv"], Contents(tmp_path)
    path = folder / "t.csv"
    for glance in (False, True):
        assert change(table, contents, glance) == ""
    later(path)
    for glance in (False, True):
        assert change(table, contents, glance) == ""
    for text in ("k\n1\n3\n", "k\n1\n"):
        path.write_text(text)
        later(path)
        for glance in (False, True):
            assert change(table, contents, glance) == "t.csv changed since it was indexed: lake.index()"
    path.unlink()
    for glance in (False, True):
        assert change(table, contents, glance) == "t.csv is gone since it was indexed: lake.index()"


def test_a_file_of_another_size_is_another_whatever_its_time(folder: Path, tmp_path: Path):
    table, path = tables(folder)["t.csv"], folder / "t.csv"
    path.write_text("k\n1\n")
    os.utime(path, ns=(1, table.files[0].mtime_ns))
    for glance in (False, True):
        assert change(table, Contents(tmp_path), glance) == "t.csv changed since it was indexed: lake.index()"


def test_what_became_of_a_folder(folder: Path, tmp_path: Path):
    table, contents = tables(folder)["sales"], Contents(tmp_path)
    inside = folder / "sales" / "k=1"
    assert change(table, contents) == ""
    (inside / "_SUCCESS").write_text("")
    (inside / "notes.md").write_text("not of the table")
    assert change(table, contents) == ""
    (folder / "sales" / "k=2").mkdir()
    (folder / "sales" / "k=2" / "z.csv").write_text("v\n9\n")
    assert change(table, contents) == "sales changed since it was indexed (z.csv): lake.index()"
    assert change(table, contents, glance=True) == ""  # what is known is as it was
    (inside / "y.csv").unlink()
    for glance in (False, True):
        assert change(table, contents, glance) == "sales changed since it was indexed (y.csv): lake.index()"
    shutil.rmtree(folder / "sales")
    assert change(table, contents) == "sales is gone since it was indexed: lake.index()"


def test_a_lake_that_is_one_table(tmp_path: Path):
    (tmp_path / "lake" / "k=1").mkdir(parents=True)
    (tmp_path / "lake" / "k=1" / "x.csv").write_text("v\n7\n")
    table, contents = tables(tmp_path / "lake")["lake"], Contents(tmp_path)
    assert change(table, contents) == ""
    (tmp_path / "lake" / "k=1" / "y.csv").write_text("v\n8\n")
    assert change(table, contents) == "lake changed since it was indexed (y.csv): lake.index()"


def test_without_a_hash_the_time_tells(folder: Path, tmp_path: Path):
    table = tables(folder)["t.csv"]
    table = replace(table, files=(replace(table.files[0], content=""),))
    assert change(table, Contents(tmp_path)) == ""
    later(folder / "t.csv")
    assert "changed" in change(table, Contents(tmp_path))


def test_a_glance_reads_little(folder: Path, tmp_path: Path, monkeypatch):
    table = tables(folder)["t.csv"]
    (folder / "t.csv").write_text("k\n1\n3\n")
    later(folder / "t.csv")
    monkeypatch.setattr(module, "GLANCE_BYTES", 3)
    contents = Contents(tmp_path)
    assert change(table, contents, glance=True) == ""
    assert "changed" in change(table, contents)
    assert "changed" in change(table, contents, glance=True)  # which is known by now


def test_a_glance_looks_at_few_files(folder: Path, tmp_path: Path, monkeypatch):
    table = tables(folder)["sales"]
    (folder / "sales" / "k=1" / "y.csv").unlink()
    monkeypatch.setattr(module, "GLANCE_FILES", 1)
    assert change(table, Contents(tmp_path), glance=True) == ""
    assert "(y.csv)" in change(table, Contents(tmp_path))


def test_a_file_that_changes_while_it_is_hashed_has_no_hash(folder: Path, tmp_path: Path, monkeypatch):
    file, contents = tables(folder)["t.csv"].files[0], Contents(tmp_path)

    def hashed(path: str) -> dict[int, str]:
        later(Path(path))
        return digests.digests(path)

    with monkeypatch.context() as patched:
        patched.setattr(module, "digests", hashed)
        assert contents.of(file) == ""
    os.utime(file.path, ns=(1, file.mtime_ns))
    assert contents.of(file) == file.content


def test_a_file_is_read_once(folder: Path, tmp_path: Path, monkeypatch):
    held = tables(folder)["t.csv"]
    spec = json.loads(json.dumps(spec_of(held)))
    later(folder / "t.csv")
    now = {table.name: table for table in list_tables([folder]).tables}["t.csv"]
    first = Contents(tmp_path)
    assert is_held(now, spec, first)
    first.save()

    def refuse(*_: object) -> None:
        raise AssertionError("a file was read again")

    monkeypatch.setattr(module, "digests", refuse)
    again = Contents(tmp_path)
    assert is_held(now, spec, again) and change(held, again) == ""
    again.save()
    (tmp_path / "contents.json").write_text("[[1, 2")
    monkeypatch.undo()
    assert is_held(now, spec, Contents(tmp_path))  # damaged: it is read once more


def test_what_nobody_asks_for_is_forgotten(folder: Path, tmp_path: Path):
    table = tables(folder)["t.csv"]
    contents = Contents(tmp_path)
    contents.of(table.files[0])
    contents.save()
    assert (tmp_path / "contents.json").exists()
    Contents(tmp_path).save()
    assert not (tmp_path / "contents.json").exists()


def test_a_part_of_a_file_is_held_by_its_name(folder: Path, tmp_path: Path):
    table = tables(folder)["t.csv"]
    spec = json.loads(json.dumps(spec_of(table)))
    assert is_held(table, spec, Contents(tmp_path))
    spec["files"][0]["inner"] = "another"
    assert not is_held(table, spec, Contents(tmp_path))


def test_a_database_that_is_being_written_is_not_held(tmp_path: Path):
    (tmp_path / "lake").mkdir()
    with closing(sqlite3.connect(tmp_path / "lake" / "d.sqlite")) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE t AS SELECT 1 AS k")
        database.commit()
        [written] = tables(tmp_path / "lake").values()
    [table] = tables(tmp_path / "lake").values()
    spec, contents = json.loads(json.dumps(spec_of(table))), Contents(tmp_path)
    assert table.files[0].content and not written.files[0].content
    assert is_held(table, spec, contents)
    (tmp_path / "lake" / "d.sqlite-wal").write_bytes(b"x")
    assert not is_held(table, spec, contents)
    (tmp_path / "lake" / "d.sqlite-wal").unlink()
    spec["files"][0]["content"] = ""
    assert not is_held(table, spec, contents)


@pytest.mark.parametrize("spec", [None, [], {}, "x", {"frame": "0"}, {"kind": "text", "folder": None, "files": [{}]}])
def test_an_index_that_knows_nothing_of_the_table_does_not_hold_it(spec: object, folder: Path, tmp_path: Path):
    table = {table.name: table for table in list_tables([folder]).tables}["t.csv"]
    assert not is_held(table, spec, Contents(tmp_path))


def test_a_name_of_two_lines_is_told_in_one(tmp_path: Path):
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake" / "a\n\u2028b.csv").write_text("k\n1\n")
    [table] = tables(tmp_path / "lake").values()
    Path(table.files[0].path).unlink()
    assert change(table, Contents(tmp_path)) == r"'a\n\u2028b.csv' is gone since it was indexed: lake.index()"
