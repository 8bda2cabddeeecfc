"""Indexing: what changed is scanned, what did not is not read again, and Spark and the local path agree."""

from __future__ import annotations

import gzip
import os
import socket
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lakeview as lv
from lakeview.pipeline import scan, task


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small lake in several formats."""
    rng = np.random.default_rng(1)
    (tmp_path / "sub").mkdir()
    pd.DataFrame({"id": range(50), "city": [f"City {i % 7}" for i in range(50)]}).to_csv(
        tmp_path / "a.csv", index=False
    )
    (tmp_path / "sub" / "b.tsv.gz").write_bytes(gzip.compress(b"k\tv\n1\tx\n2\ty\n"))
    (tmp_path / "c.jsonl").write_text('{"p": 1, "q": "NA"}\n{"p": 2.50}\n')
    table = pa.table({"n": rng.integers(0, 100, 5000), "s": [f"s{i}" for i in range(5000)]})
    pq.write_table(table, tmp_path / "big.parquet", row_group_size=500)
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 no")
    (tmp_path / "empty.csv").write_text("")
    return tmp_path


def state(lake: lv.Lake) -> dict:
    """All that an index knows, comparable."""
    snapshot = lake._snapshot
    return {
        (t, c): (
            snapshot.types[n], int(snapshot.rows[n]), int(snapshot.nulls[n]),
            *(a.tolist() for a in snapshot.tokens_of(n)),
        )
        for t, columns in snapshot.by_table.items()
        for c, n in columns.items()
    }  # fmt: skip


def test_what_did_not_change_is_not_read_again(folder: Path, monkeypatch: pytest.MonkeyPatch):
    lake = lv.open(folder)
    first = lake.index(engine="local")
    assert (first.tables, first.columns, first.added, first.skipped) == (4, 8, 4, 0)
    assert set(lake.problems["table"]) == {"broken.parquet", "empty.csv"}
    before = state(lake)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a file was read again")

    monkeypatch.setattr(task, "read_part", refuse)
    again = lake.index(engine="local")
    assert (again.added, again.changed, again.removed, again.skipped, again.tasks) == (0, 0, 0, 4, ())
    assert state(lake) == before
    assert again.problems == first.problems == 2


def test_changed_added_and_removed_tables(folder: Path):
    lake = lv.open(folder)
    lake.index(engine="local")
    (folder / "c.jsonl").write_text('{"p": 3}\n')
    (folder / "sub" / "b.tsv.gz").unlink()
    (folder / "d.csv").write_text("z\nnew\n")
    os.utime(folder / "c.jsonl", ns=(1, 1))
    report = lake.index(engine="local")
    assert (report.added, report.changed, report.removed, report.skipped) == (1, 1, 1, 2)
    fresh = lv.open(folder, store=folder.parent / f"{folder.name}-fresh")
    fresh.index(engine="local")
    assert state(lake) == state(fresh)
    lake.compact()
    assert state(lake) == state(fresh)
    assert len(lake.store.manifest().segments) == 1


def test_many_small_changes_are_compacted(folder: Path):
    lake = lv.open(folder)
    for i in range(12):
        (folder / "c.jsonl").write_text(f'{{"p": {i}, "r": "{"x" * i}"}}\n')
        lake.index(engine="local")
    assert len(lake.store.manifest().segments) < 8
    assert state(lake)["c.jsonl", "p"][1] == 1
    fresh = lv.open(folder, store=folder.parent / f"{folder.name}-fresh")
    fresh.index(engine="local")
    assert state(lake) == state(fresh)


def test_the_store_is_never_scanned(folder: Path):
    lake = lv.open(folder, store=folder / "my-index")
    lake.index(engine="local")
    lake.index(engine="local")
    assert not any(t.startswith("my-index") for t in lake.tables["table"])


def sketched(lake: lv.Lake) -> set[tuple[str, str]]:
    snapshot = lake._snapshot
    return {(snapshot.tables[n], snapshot.names[n]) for n in np.flatnonzero(snapshot.sketched & snapshot.alive)}


def test_between_tokens_and_sketches_only_what_must_be_read_is_read(folder: Path):
    lake = lv.open(folder)
    lake.index(engine="local", exact=False)
    assert sketched(lake) == {("big.parquet", "s")}
    assert lake.index(engine="local", exact=False).tasks == ()
    only = [(n.tolist(), m.tolist(), r.tolist()) for n, m, r in lake._snapshot.sketches()]
    report = lake.index(engine="local")
    assert {task["table"] for task in report.tasks} == {"big.parquet"}
    assert sketched(lake) == set()
    fresh = lv.open(folder, store=folder.parent / f"{folder.name}-fresh")
    fresh.index(engine="local")
    assert state(lake) == state(fresh)
    # And back: nothing is read, the tokens go, their number stays known.
    assert lake.index(engine="local", exact=False).tasks == ()
    assert sketched(lake) == {("big.parquet", "s")}
    assert lake.columns.set_index("column").loc["s", "distinct"] == 5000
    assert [(m.tolist(), r.tolist()) for _, m, r in lake._snapshot.sketches()] == [(m, r) for _, m, r in only]
    lake.compact()
    assert [(m.tolist(), r.tolist()) for _, m, r in lake._snapshot.sketches()] == [(m, r) for _, m, r in only]


def test_frames_are_indexed_here_and_left_alone_where_they_did_not_change():
    frames = {
        "one": pd.DataFrame({"a": [1, 2, None], "b": ["x", "NA", "y"]}),
        "two": pd.DataFrame({"when": [pd.Timestamp("2024-01-01"), pd.Timestamp("2024-01-02 10:00")]}),
    }
    lake = lv.open(frames)
    report = lake.index()
    assert (report.tables, report.columns, report.rows, report.added) == (2, 3, 5, 2)
    assert lake.columns.set_index("column")["type"].to_dict() == {"a": "number", "b": "text", "when": "timestamp"}
    assert (lake.index().changed, lake.index().skipped) == (0, 2)
    frames["one"].loc[0, "b"] = "z"
    report = lv.open(frames, store=lake.store.folder).index()
    assert (report.changed, report.skipped) == (1, 1)


@pytest.mark.parametrize("cores", [1, 4])
def test_packing_keeps_every_part_once_and_balances(cores: int):
    sizes = [1 << 20] * 300 + [200 << 20] * 3
    tasks = scan.pack(sizes, cores)
    assert sorted(n for members in tasks for n in members) == list(range(len(sizes)))
    loads = [sum(sizes[n] for n in members) for members in tasks]
    assert max(loads) <= 2 * max(max(sizes), sum(sizes) / len(tasks))
    assert len(tasks) >= 8 * cores
    assert scan.pack([], 2) == []


def test_waves_hold_a_bounded_load():
    sizes = [3 << 30, 2 << 30, 1 << 30, 9 << 30, 1]
    assert [list(w) for w in scan.waves(sizes)] == [[0], [1, 2], [3], [4]]


@pytest.mark.spark
def test_spark_and_the_local_path_agree(folder: Path, spark):
    here, there = (
        lv.open(folder, store=folder.parent / f"{folder.name}-1"),
        lv.open(folder, store=folder.parent / f"{folder.name}-2", spark=spark),
    )
    here.index(engine="local")
    report = there.index()
    assert state(here) == state(there)
    assert here.problems.equals(there.problems)
    assert sum(t["rows"] for t in report.tasks if t["table"] == "big.parquet") == 5000
    assert len(report.tasks) > 1
    assert f"{socket.gethostname()}:{os.getpid()}" not in {t["worker"] for t in report.tasks}  # but Spark's own


@pytest.mark.spark
def test_sketches_of_spark_and_of_the_local_path_agree(folder: Path, spark):
    here, there = (lv.open(folder, store=folder.parent / f"{folder.name}-{i}", spark=spark) for i in (1, 2))
    here.index(engine="local", exact=False)
    there.index(exact=False)
    assert state(here) == state(there)
    one, other = (list(lake._snapshot.sketches()) for lake in (here, there))
    assert len(one) == len(other) == 1
    assert all((a == b).all() for a, b in zip(one[0][1:], other[0][1:], strict=True))
    frame = pd.DataFrame({"s": [f"s{i}" for i in range(6000)]})
    for data in (frame, spark.createDataFrame(frame).repartition(3)):
        lake = lv.open({"t": data})
        lake.index(exact=False)
        assert sketched(lake) == {("t", "s")}
        assert abs(lake.columns["distinct"][0] - 6000) < 300


@pytest.mark.spark
def test_spark_frames_pass_through_the_same_code(spark):
    pandas = pd.DataFrame(
        {"a": ["x", "Y ", None, "NA"], "d": [pd.Timestamp("2024-01-01"), pd.Timestamp("2024-05-01 10:30")] * 2}
    )
    frames = {"t": spark.createDataFrame(pandas).repartition(3)}
    there, here = lv.open(frames), lv.open({"t": pandas})
    there.index()
    here.index()
    assert state(there)["t", "a"][1:] == state(here)["t", "a"][1:]
    hits = here.search(frames["t"], "a")
    assert [(h.table, h.column, h.overlap) for h in hits] == [("t", "a", 2)]


@pytest.mark.spark
def test_a_catalog_is_a_lake(spark, tmp_path: Path):
    frame = spark.createDataFrame(pd.DataFrame({"k": ["p", "q"]}))
    frame.write.saveAsTable("lv_table", path=str(tmp_path / "t"))
    frame.createOrReplaceTempView("lv_view")
    try:
        lake = lv.open("catalog:default", spark=spark, store=tmp_path / "store")
        lake.index()
        assert list(state(lake)) == [("default.lv_table", "k")]
        assert lake.search("default.lv_table.k").query.distinct == 2
    finally:
        spark.catalog.dropTempView("lv_view")
        spark.sql("DROP TABLE lv_table")
