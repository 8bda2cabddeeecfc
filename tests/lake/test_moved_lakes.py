"""The index belongs to its lake: moved, copied and pulled lakes join their own rows, and what changed is named."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from moving import LEFT, TABLES, VERBS, indexed, marks, plans, write

import lakeview as lv
from lakeview.catalog.sources import split
from lakeview.pipeline import build_parts, task


@pytest.fixture
def here(tmp_path: Path) -> Path:
    write(tmp_path / "a", "a")
    return tmp_path / "a"


def refuse(*_: object, **__: object) -> None:
    raise AssertionError("a file was read again")


def test_nothing_in_the_index_says_where_the_lake_is(here: Path):
    lake = indexed(here)
    for path in lake.store.folder.rglob("*"):
        assert path.is_dir() or str(here).encode() not in path.read_bytes()


def test_a_copied_lake_reads_its_own_rows(here: Path, tmp_path: Path, monkeypatch):
    indexed(here)
    there = tmp_path / "b"
    shutil.copytree(here, there, copy_function=shutil.copy)  # all times differ
    lake = lv.open(there)
    for plan in plans(lake).values():
        assert marks(plan) == {"a"} and str(there) in plan.code() and str(here) not in plan.code()
    monkeypatch.setattr(task, "read_part", refuse)
    assert (report := lake.index(engine="local")).skipped == len(TABLES) and not report.tasks
    monkeypatch.undo()
    write(there, "b")
    report = lake.index(engine="local")
    assert report.changed == len(TABLES)
    for plan in plans(lake).values():
        assert marks(plan) == {"b"} and str(there) in plan.code() and str(here) not in plan.code()
    for plan in plans(lv.open(here)).values():
        assert marks(plan) == {"a"}


def test_a_moved_lake_is_as_it_was(here: Path, tmp_path: Path):
    indexed(here)
    here.rename(tmp_path / "b")
    lake = lv.open(tmp_path / "b")
    for plan in plans(lake).values():
        assert marks(plan) == {"a"}
    assert lake.index(engine="local").skipped == len(TABLES)
    assert not (lake.store.folder / "contents.json").exists()  # its times are those of the index


def test_a_pulled_index_finds_the_files_of_the_lake_it_came_to(here: Path, tmp_path: Path, monkeypatch):
    there = tmp_path / "b"
    shutil.copytree(here, there, copy_function=shutil.copy)
    indexed(here).publish(str(tmp_path / "shared"))
    shutil.rmtree(here)
    lake = lv.open(there)
    lake.pull(str(tmp_path / "shared"))
    for plan in plans(lake).values():
        assert marks(plan) == {"a"}
    monkeypatch.setattr(task, "read_part", refuse)
    for _ in range(2):
        assert (report := lake.index(engine="local")).skipped == len(TABLES) and not report.changed
    monkeypatch.setattr("lakeview.store.contents.digests", refuse)  # they are known by their new times
    assert lake.index(engine="local").skipped == len(TABLES)
    for plan in plans(lake).values():
        assert marks(plan) == {"a"}


def test_of_a_pulled_index_only_what_differs_is_read(here: Path, tmp_path: Path):
    there = tmp_path / "b"
    shutil.copytree(here, there, copy_function=shutil.copy)
    indexed(here).publish(str(tmp_path / "shared"))
    same_size = (there / "deep" / "t.csv").read_text().replace("k7,a", "k7,b")
    (there / "deep" / "t.csv").write_text(same_size)
    (there / "u.jsonl").unlink()
    lake = lv.open(there)
    lake.pull(str(tmp_path / "shared"))
    hits = lake.search(LEFT, "key", k=8)
    assert hits.changed == [
        "deep/t.csv changed since it was indexed: lake.index()",
        "u.jsonl is gone since it was indexed: lake.index()",
    ]
    report = lake.index(engine="local")
    assert {done["table"] for done in report.tasks} == {"deep/t.csv"} and (report.changed, report.removed) == (1, 1)
    assert lake.search(LEFT, "key").changed == []


@pytest.mark.parametrize("how", ["gone", "shorter", "as long", "one more file"])
@pytest.mark.parametrize("table", TABLES)
def test_what_changed_is_named_before_anything_is_joined(here: Path, table: str, how: str):
    lake = indexed(here)
    found = plans(lake)
    used = plans(lake)[table]  # one whose rows were read before
    used.counts(), used.to_pandas(), used.code()
    path = here / table if table != "sales" else here / "sales" / "half=1" / "part-0.csv"
    content = path.read_bytes()
    if how == "gone":
        path.unlink()
    elif how == "one more file":
        if table != "sales":
            pytest.skip("of a folder")
        (here / "sales" / "half=2").mkdir()
        (here / "sales" / "half=2" / "part-0.csv").write_text("k,of\nk99,z\n")
    else:
        path.write_bytes(content.replace(b"k30", b"k99" if how == "as long" else b"k"))
        os.utime(path, ns=(1, 1))
    is_gone = how == "gone" and table != "sales"
    said = (
        f"^{table} {'is gone' if is_gone else 'changed'} since it was indexed( \\(part-0.csv\\))?: lake\\.index\\(\\)$"
    )
    late = lake.search(LEFT, "key")
    for plan in (found[table], used, next(hit for hit in late if hit.table == table).join()):
        for verb in VERBS.values():
            with pytest.raises(lv.LakeChanged, match=said):
                verb(plan)
        assert "inner" in repr(plan) or "left" in repr(plan)  # which tells nothing new
    if how != "one more file":
        [told] = late.changed
        assert told.startswith(table)
        reasons = {hit.table: hit.reason for hit in late}
        assert reasons[table].startswith(f"{told}. ") and told in repr(late)
        assert "since" not in "".join(reason for name, reason in reasons.items() if name != table)
        assert late.to_pandas()["reason"].tolist() == [hit.reason for hit in late]
    for other in TABLES:
        if other != table:
            assert marks(found[other]) == {"a"}
    lake.index(engine="local")
    assert lake.search(LEFT, "key").changed == []


def test_a_file_that_only_looks_changed_is_read_and_joined(here: Path):
    lake = indexed(here)
    for path in here.rglob("*.*"):
        if path.is_file() and ".lakeview" not in path.parts:
            os.utime(path, ns=(1, 1))
    for plan in plans(lake).values():
        assert marks(plan) == {"a"}
    assert lake.search(LEFT, "key").changed == []


def altered(lake: lv.Lake, monkeypatch: Any, **file: Any) -> None:
    """Make the index say something else of a file of deep/t.csv, as a stranger's could."""
    spec_of = type(lake._snapshot).spec_of

    def other(snapshot: Any, table: str) -> dict[str, Any]:
        spec = spec_of(snapshot, table)
        if table == "deep/t.csv":
            spec["files"][0] |= file
        return spec

    monkeypatch.setattr(type(lake._snapshot), "spec_of", other)


@pytest.mark.parametrize("place", ["../a/deep/t.csv", "/etc/t.csv", "deep/../../x/t.csv", ".lakeview/t.csv", "u.jsonl"])
def test_what_lies_outside_is_refused_by_name(here: Path, place: str, monkeypatch):
    lake = indexed(here)
    altered(lake, monkeypatch, place=place)
    hits = lake.search(LEFT, "key")
    hit = next(hit for hit in hits if hit.table == "deep/t.csv")
    said = f"the index names {place!r} as a file of deep/t.csv, which is not in this lake: lake.index()"
    assert hits.changed == [said] and hit.reason.startswith(said)
    with pytest.raises(lv.StoreError) as error:
        hit.join()
    assert str(error.value) == said


def test_an_index_of_another_lake_is_refused_by_name(here: Path, tmp_path: Path):
    """It serves no lake of frames, and a lake of files no index of frames."""
    lake = indexed(here)
    frames = lv.open({"deep/t.csv": LEFT.rename(columns={"key": "k"})}, store=lake.store.folder)
    said = {hit.table: hit.reason for hit in frames.search(LEFT, "key")}
    assert said["p.parquet"].startswith("p.parquet is gone since it was indexed: lake.index(). ")
    with pytest.raises(lv.LakeChanged, match=r"^p\.parquet is gone"):
        next(hit for hit in frames.search(LEFT, "key") if hit.table == "p.parquet").join()
    with pytest.raises(lv.LakeChanged, match=r"^deep/t\.csv changed"):
        next(hit for hit in frames.search(LEFT, "key") if hit.table == "deep/t.csv").join()
    lv.open({"t.csv": LEFT}, store=tmp_path / "frames").index()
    with pytest.raises(lv.StoreError, match=r"which files t\.csv is made of: lake\.index\(\)"):
        lv.open(here, store=tmp_path / "frames").search(LEFT, "key")[0].join()


def test_frames_that_changed_are_named():
    frame = pd.DataFrame({"k": LEFT["key"], "of": "a"})
    frames = {"t": frame, "u": frame.copy()}
    lake = lv.open(frames)
    lake.index()
    assert marks(lake.search(LEFT, "key")[0].join("inner")) == {"a"}
    frame.loc[len(frame)] = ["more", "b"]
    hits = lake.search(LEFT, "key")
    assert hits.changed == ["t changed since it was indexed: lake.index()"]
    with pytest.raises(lv.LakeChanged, match=r"^t changed since it was indexed: "):
        hits[0].join()
    lake.index()
    assert lake.search(LEFT, "key").changed == []


@pytest.mark.parametrize("roots", [["x", "y"], ["x", "y/u.csv"], ["x/t.csv", "y/t.csv"], ["x/t.csv"]])
def test_several_roots_and_roots_that_are_files(roots: list[str], tmp_path: Path):
    for lake in ("a", "b"):
        for name in ("x/t.csv", "y/t.csv", "y/u.csv"):
            (tmp_path / lake / name).parent.mkdir(parents=True, exist_ok=True)
            pd.DataFrame({"k": LEFT["key"], "of": f"{lake}/{name}"}).to_csv(tmp_path / lake / name, index=False)

    def opened(name: str) -> lv.Lake:
        return lv.open([tmp_path / name / root for root in roots], store=tmp_path / f"store-{name}")

    (lake := opened("a")).index(engine="local")
    lake.publish(str(tmp_path / "shared"))
    other = opened("b")
    other.pull(str(tmp_path / "shared"))
    assert all("changed" in said for said in other.search(LEFT, "key").changed)
    other.index(engine="local")
    for name, found in (("a", lake), ("b", other)):
        read = {hit.table: marks(hit.join("inner")) for hit in found.search(LEFT, "key", k=20) if hit.column == "k"}
        assert len(read) == len(found.tables) and all(of.pop().startswith(f"{name}/") for of in read.values())


def test_a_lake_without_one_of_the_roots_says_so(here: Path, tmp_path: Path):
    both = indexed([here, tmp_path / "a" / "deep"], store=tmp_path / "both")  # type: ignore[arg-type]
    both.publish(str(tmp_path / "shared"))
    alone = lv.open(here, store=tmp_path / "alone")
    alone.pull(str(tmp_path / "shared"))
    hit = next(hit for hit in alone.search(LEFT, "key", k=20) if hit.table == "deep/t.csv")
    with pytest.raises(lv.StoreError, match=r"'deep/t\.csv' as a file of deep/t\.csv, which is not in this lake"):
        hit.join()


def test_searches_that_read_tables_leave_out_what_changed(here: Path):
    lake = indexed(here)
    several = LEFT.assign(of="a")
    assert [hit.table for hit in lake.search(several, ["key", "of"]).unfolded].count("deep/t.csv") == 1
    (here / "deep" / "t.csv").write_text("k,of\nk1,a\n")
    hits = lake.search(several, ["key", "of"])
    assert sorted(hit.table for hit in hits.unfolded) == ["p.parquet", "sales", "u.jsonl"]
    said = "deep/t.csv changed since it was indexed: lake.index()"
    assert hits.changed == [said] and said in repr(hits)


def test_a_table_that_could_not_be_read_is_found_by_transformation_once_it_can(tmp_path: Path):
    names = [f"{first} {last}" for first in ("Ann", "Bob", "Cy", "Dee", "Eve") for last in ("Doe", "Roe", "Poe", "Low")]
    (tmp_path / "lake").mkdir()
    path = tmp_path / "lake" / "people.csv"
    pd.DataFrame({"name": names, "n": range(20)}).to_csv(path, index=False)
    lake = indexed(tmp_path / "lake")
    asked = pd.DataFrame({"person": [f"{name.split()[1]}, {name.split()[0]}" for name in names]})
    path.rename(tmp_path / "people.csv")
    assert len(lake.search(asked, "person", transform=True)) == 0
    (tmp_path / "people.csv").rename(path)
    assert len(lv.open(tmp_path / "lake").search(asked, "person", transform=True)) == 1
    path.unlink()
    hits = lake.search(asked, "person", transform=True)
    assert len(hits) == 0 and hits.changed == ["people.csv is gone since it was indexed: lake.index()"]


def test_an_index_that_is_built_in_parts_knows_contents_too(here: Path, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(build_parts, "OUTGROWN", 0)
    lake = indexed(here)
    held = [file["content"] for table in TABLES for file in lake._snapshot.spec_of(table)["files"]]
    assert len(held) == 5 and all(held)
    there = tmp_path / "b"
    shutil.copytree(here, there, copy_function=shutil.copy)
    assert lv.open(there).index(engine="local").skipped == len(TABLES)


def test_a_large_file_is_hashed_by_its_parts(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("lakeview.catalog.digests.BLOCK", 1000)
    monkeypatch.setattr("lakeview.pipeline.reading.sources.split", lambda table, _: split(table, 4000))
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        table = pa.table({"k": [f"k{i}" for i in range(5000)]})
        pq.write_table(table, tmp_path / name / "t.parquet", row_group_size=500)
    lake = lv.open(tmp_path / "a")
    assert len(lake.index(engine="local").tasks) > 1
    [file] = lake._snapshot.spec_of("t.parquet")["files"]
    assert file["content"]
    lake.publish(str(tmp_path / "shared"))
    other = lv.open(tmp_path / "b")
    other.pull(str(tmp_path / "shared"))
    assert other.index(engine="local").skipped == 1
