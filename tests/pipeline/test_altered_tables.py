"""What a table's files held that went or changed is taken out again, and the index is that of a full reading."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables_of_files import day, equals_a_fresh_build, read, write

import lakeview as lv
from lakeview.index import merging
from lakeview.pipeline import altered, build_parts, within
from lakeview.store import parts, segment_writer


@pytest.fixture(autouse=True, scope="module")
def any_table_is_large():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build_parts, "SPILLED", 0)
        yield


def kept(lake: lv.Lake) -> list[Path]:
    return list((lake.store.folder / "parts").glob("*.arrow"))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_that_went_is_taken_out_without_reading(tmp_path: Path, kind: str):
    folder = tmp_path / "lake"
    write(folder, {f"sales/m={n}/{n}.{kind}": day(n) for n in range(1, 6)} | {"other.csv": day(9)})
    lake = lv.open(folder)
    read(lake)
    (folder / f"sales/m=3/3.{kind}").unlink()
    assert read(lake) == set() and equals_a_fresh_build(lake, folder)
    write(folder, {f"sales/m=6/6.{kind}": day(6)})
    assert read(lake) == {f"6.{kind}"} and equals_a_fresh_build(lake, folder)
    (folder / f"sales/m=6/6.{kind}").unlink()  # what was read of it alone is kept, too
    write(folder, {f"sales/m=4/4.{kind}": day(4, 31)})
    assert read(lake) == {f"4.{kind}"} and equals_a_fresh_build(lake, folder)
    (folder / f"sales/m=2/2.{kind}").unlink()
    write(folder, {f"sales/m=7/7.{kind}": day(7), f"sales/m=8/8.{kind}": day(8)})
    assert read(lake) == {f"7.{kind}", f"8.{kind}"} and equals_a_fresh_build(lake, folder)
    assert read(lake) == set()
    (folder / "other.csv").unlink()
    assert read(lake) == set() and equals_a_fresh_build(lake, folder)
    lake.store.verify()


def test_the_first_file_of_text_says_how_the_others_are_read(tmp_path: Path):
    for kind, again in (("csv", {"2.csv", "3.csv"}), ("parquet", set())):
        folder = tmp_path / kind / "lake"
        write(folder, {f"sales/m={n}/{n}.{kind}": day(n) for n in (1, 2, 3)})
        lake = lv.open(folder)
        read(lake)
        (folder / f"sales/m=1/1.{kind}").unlink()
        assert read(lake) == again and equals_a_fresh_build(lake, folder)


def test_columns_come_and_go_with_their_files(tmp_path: Path):
    folder = tmp_path / "lake"
    write(folder, {f"t/p={n}/{n}.parquet": day(n) for n in (1, 3)} | {"t/p=2/2.parquet": day(2).assign(more=range(30))})
    lake = lv.open(folder)
    read(lake)
    (folder / "t/p=2/2.parquet").unlink()
    assert read(lake) == set() and equals_a_fresh_build(lake, folder)
    assert "more" not in set(lake.columns["column"])
    (folder / "t/p=1/1.parquet").unlink()
    write(folder, {"t/p=0/0.parquet": day(5)[["x", "id"]].assign(new="NA")})
    assert read(lake) == {"0.parquet"} and equals_a_fresh_build(lake, folder)


def test_na_is_what_the_files_that_are_left_say(tmp_path: Path):
    folder = tmp_path / "lake"
    codes = pd.DataFrame({"c": [a + b for a in "abc" for b in "stuvwxyz"] + ["NA"]})
    words = pd.DataFrame({"c": [f"word {n}" for n in range(99)] + ["NA"]})
    write(folder, {"f/p=1/1.csv": codes, "f/p=2/2.csv": words, "f/p=3/3.csv": codes[:9]})
    lake = lv.open(folder)
    read(lake)
    (folder / "f/p=2/2.csv").unlink()  # Namibia, now
    assert read(lake) == set() and equals_a_fresh_build(lake, folder)
    write(folder, {"f/p=2/2.csv": words})
    (folder / "f/p=3/3.csv").unlink()  # a mark again
    assert read(lake) == {"2.csv"} and equals_a_fresh_build(lake, folder)


def test_what_is_kept_is_proved_and_no_more_than_is_needed(tmp_path: Path):
    folder = tmp_path / "lake"
    write(folder, {f"t/p={n}/{n}.parquet": day(n) for n in range(1, 6)})
    lake = lv.open(folder)
    read(lake)
    path = kept(lake)[0]
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)
    (folder / "t/p=2/2.parquet").unlink()
    assert read(lake) == {f"{n}.parquet" for n in (1, 3, 4, 5)} and equals_a_fresh_build(lake, folder)
    assert path not in kept(lake)
    write(folder, {"other.csv": day(9)})
    for n in (1, 3, 4, 5):
        (folder / f"t/p={n}/{n}.parquet").unlink()
    assert read(lake) == {"other.csv"} and kept(lake) == []


def test_without_what_was_kept_a_table_is_read_again(tmp_path: Path):
    folder = tmp_path / "lake"
    write(folder, {f"t/p={n}/{n}.parquet": day(n) for n in range(1, 4)})
    lake = lv.open(folder)
    read(lake)
    (lake.store.folder / "parts" / "parts.json").write_text("{")
    (folder / "t/p=2/2.parquet").unlink()
    assert read(lake) == {"1.parquet", "3.parquet"} and equals_a_fresh_build(lake, folder)


def test_what_was_kept_of_another_file_is_not_taken_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Nobody but a fault writes such: it is told once, and the next call reads all."""
    folder = tmp_path / "lake"
    write(folder, {f"t/p={n}/{n}.parquet": day(n) for n in range(1, 4)})
    lake = lv.open(folder)
    read(lake)
    (folder / "t/p=2/2.parquet").unlink()
    with monkeypatch.context() as patch:
        patch.setattr(altered.merging, "merged", lambda runs: iter([(runs[0][0][:1], np.array([-1]))]))
        with pytest.raises(lv.StoreError, match=r"run lake.index\(\) once more, which reads t as a whole"):
            lake.index(engine="local")
    assert read(lake) == {"1.parquet", "3.parquet"} and equals_a_fresh_build(lake, folder)


def test_a_large_one_is_altered_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(parts, "POSTINGS", 200)
    folder = tmp_path / "lake"
    write(folder, {f"t/p={n}/{n}.parquet": day(n, 300) for n in range(1, 4)})
    lake = lv.open(folder)
    read(lake)
    (folder / "t/p=2/2.parquet").unlink()
    assert read(lake) == set() and len(lake.store.read()[1]) > 1 and equals_a_fresh_build(lake, folder)


CELLS = st.one_of(st.none(), st.sampled_from(["NA", "na", "1", "01", "2.50", "1e3", "2024-02-01", "True", "ab", "x y"]))
FILES = st.dictionaries(st.integers(0, 4), st.lists(CELLS, min_size=1, max_size=6), min_size=1, max_size=5)


@settings(max_examples=10)
@given(
    histories=st.lists(FILES, min_size=2, max_size=3),
    compiled=st.booleans(),
    kind=st.sampled_from(["csv", "parquet"]),
    piece=st.sampled_from([8, within.PART_BYTES]),
)
def test_any_history(tmp_path_factory: pytest.TempPathFactory, histories, compiled: bool, kind: str, piece: int):
    folder = tmp_path_factory.mktemp("any") / "lake"
    lake = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "COMPILED_FROM", 1 if compiled else 1 << 60)
        patch.setattr(segment_writer, "_LAID_FROM", 1 if compiled else 1 << 60)
        patch.setattr(within, "part_bytes", lambda: piece)
        for files in histories:
            for path in (folder / "t").rglob(f"*.{kind}"):
                if int(path.stem) not in files:
                    path.unlink()
            for n, cells in files.items():
                frame = pd.DataFrame({"k": np.arange(len(cells)), "v": pd.Series(cells, dtype="string")})
                path = folder / f"t/p={n}/{n}.{kind}"
                before = path.read_bytes() if path.exists() else None
                write(folder, {f"t/p={n}/{n}.{kind}": frame})
                if path.read_bytes() == before:
                    os.utime(path, ns=(1, 1))  # touched
            lake = lake or lv.open(folder)
            lake.index(engine="local")
            assert equals_a_fresh_build(lake, folder)
