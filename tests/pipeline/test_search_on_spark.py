"""What tasks find in their parts of a published index, merged: the answer of the whole, ties by (table, column).

The tasks run in this process here; `test_cluster` has them on two workers.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bucket
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import fs

import lakeview as lv
from lakeview.errors import InputError, StoreError
from lakeview.pipeline import scan, search_on_spark, search_task
from lakeview.pipeline.pairs_on_spark import PairsOnSpark
from lakeview.pipeline.workers import Workers
from lakeview.relations.chances import chances
from lakeview.store import published
from lakeview.store.all_pairs import AllPairs


class Here:
    """A job whose tasks run one after the other."""

    def __init__(self, spark: Any, work: Any, description: str) -> None:
        self.wait = lambda show: work()


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def run_tasks(spark: Any, n: int, work: Any, ddl: str) -> pa.Table:
        return pa.Table.from_batches([batch for number in range(n) for batch in work(number)])

    monkeypatch.setattr(scan, "run_tasks", run_tasks)
    monkeypatch.setattr(search_on_spark, "Job", Here)
    search_on_spark._open.clear()
    search_task._opened.cache_clear()


def frames(rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """Few values and repeated columns, so that many columns tie."""
    made = {
        f"t{i:02d}": pd.DataFrame({f"c{c}": [f"v{v}" for v in rng.integers(0, 12, 15)] for c in range(3)})
        for i in rng.permutation(14)
    }
    return {**made, "copy": made["t03"], "z": made["t03"], "lone": pd.DataFrame({"a": ["v1", "other"]})}


@pytest.fixture
def lake(tmp_path: Path) -> lv.Lake:
    running = SimpleNamespace(sc=lambda: SimpleNamespace(isStopped=lambda: False))
    spark = SimpleNamespace(
        _lakeview_workers=Workers("python", "3.11", frozenset()),
        sparkContext=SimpleNamespace(master="spark://x", defaultParallelism=3, _jsc=running),
        createDataFrame=None,
    )
    lake = lv.open(frames(np.random.default_rng(4)), store=tmp_path / "store", spark=spark, exclude=["t05.c1"])
    lake.index()
    return lake


def pairs(lake: lv.Lake) -> list[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """Answers of both engines."""
    made = []
    for query in ("t03.c0", [f"v{n}" for n in range(0, 12, 2)], ["v1"], ["nowhere"]):
        for options in (
            *({"k": k} for k in (1, 5, 100)),
            {"threshold": 0.5}, {"threshold": 0.5, "k": 3}, {"rank": "join"}, {"rank": "join", "threshold": 0.1},
        ):  # fmt: skip
            hits = [lake.search(query, engine=engine, **options) for engine in ("spark", "local")]
            made.append((f"{query} {options}", *(each.to_pandas() for each in hits)))
    return made


@pytest.mark.parametrize("partitions", [None, 5, 9])
def test_the_answer_is_that_of_the_whole_index(lake: lv.Lake, tmp_path: Path, partitions: int | None):
    lake.publish(str(tmp_path / "shared"), partitions=partitions)
    for said, there, here in pairs(lake):
        pd.testing.assert_frame_equal(there, here, obj=said)
    explained = lake.search(["v1", "v2"], engine="spark").explain()
    wanted = partitions or 1
    assert (explained.partitions, explained.tasks) == (wanted, min(wanted, 3))
    assert explained.lists > 0
    hit, other = (lake.search("t03.c0", k=1, engine=engine)[0] for engine in ("spark", "local"))
    assert (hit.counts, hit.examples()) == (other.counts, other.examples())
    several, expected = (lake.search(frames(np.random.default_rng(4))["t07"], ["c0", "c1"], engine=engine).to_pandas()
                         for engine in ("spark", "local"))  # fmt: skip
    pd.testing.assert_frame_equal(several, expected)
    first, *rest = lake.search(["v1"], engine="spark", stream=True)
    assert (len(first), rest) == (10, [])


@pytest.mark.parametrize("partitions", [None, 2, 5])
def test_keys_and_what_they_are_told_by_are_those_of_the_whole_index(
    tmp_path: Path, partitions: int | None, lake: lv.Lake
):
    """Pairs of columns that lie in two partitions, numbers beyond those told from their tokens, keys of two columns."""
    rng = np.random.default_rng(8)
    far = 2_000_000 + 3 * np.arange(60)
    offers = pd.DataFrame({"part_id": np.repeat(far, 3), "place": [f"p{i}" for i in range(12)] * 15})
    keys = {
        "parts": pd.DataFrame({"part_id": far, "weight": rng.random(60)}),
        "places": pd.DataFrame({"n": range(12), "place": [f"p{i}" for i in range(12)]}),
        "offers": offers.assign(price=rng.random(180)),
        "orders": offers.sample(300, replace=True, random_state=1).assign(n=range(300)).reset_index(drop=True),
        "staff": pd.DataFrame({"staff_id": range(1, 41), "boss": [None, *(i // 4 + 1 for i in range(39))]}),
        **frames(rng),
    }
    larger = lv.open(keys, store=tmp_path / "larger", spark=lake._spark, exclude=["t05.c1"])
    larger.index()
    if partitions:
        larger.publish(str(tmp_path / "shared"), partitions=partitions)
    else:
        larger.publish(str(tmp_path / "shared"))
    for least in (0.95, 0.4):
        here, there = (larger.foreign_keys(least, engine=engine) for engine in ("local", "spark"))
        pd.testing.assert_frame_equal(there, here)
    assert {("orders", "part_id", "parts"), ("staff", "boss", "staff")} <= {
        (key.table, key.column, key.references_table) for key in here.itertuples()
    }
    snapshot = search_on_spark.published(larger.store, lake._spark)
    numbers = np.array([n for columns in snapshot.by_table.values() for n in columns.values()])
    one, other = AllPairs(snapshot, numbers), PairsOnSpark(snapshot, numbers)
    assert one.bits(3.0).tolist() == other.bits(3.0).tolist()
    every = np.arange(len(snapshot))
    for a, b in zip(one.known(every), other.known(every), strict=True):
        assert a.tolist() == b.tolist()
    assert one.repeats(every).tolist() == other.repeats(every).tolist()
    sources, targets = np.repeat(numbers, len(numbers)), np.tile(numbers, len(numbers))
    chance = chances(snapshot, other, sources, targets)
    assert chance.tolist() == chances(snapshot, one, sources, targets).tolist()
    assert chance.any()


def test_a_pulled_index_can_be_asked_where_it_was_published(lake: lv.Lake, tmp_path: Path):
    lake.publish(str(tmp_path / "shared"), partitions=5)
    mine = lv.open(lake._origin.frames(), store=tmp_path / "other", spark=lake._spark)
    mine.pull(str(tmp_path / "shared"))
    assert len(mine._snapshot.segments) == 5
    for said, there, here in pairs(mine):
        pd.testing.assert_frame_equal(there, here, obj=said)


def test_files_of_another_file_system_are_fetched_once_and_checked(lake, tmp_path, monkeypatch):
    lake.publish(str(tmp_path / "shared"), partitions=3)
    elsewhere = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())
    monkeypatch.setattr(published, "file_system", lambda url: (elsewhere, Path(url).name))
    monkeypatch.setattr(published, "_cache", lambda: tmp_path / "cache")
    for said, there, here in pairs(lake)[:4]:
        pd.testing.assert_frame_equal(there, here, obj=said)
    fetched = {path.name for path in (tmp_path / "cache").rglob("*.*")}
    assert "postings_columns.npy" in fetched
    there = {path.name for path in (tmp_path / "shared").rglob("*.npy")}
    assert there > {name for name in fetched if name.endswith(".npy")}, "what no search reads was fetched"


def test_a_bucket_is_searched_and_no_damaged_file_of_it_is_kept(lake, tmp_path, monkeypatch):
    monkeypatch.setattr(published, "_cache", lambda: tmp_path / "cache")
    with bucket.serving() as team:
        lake.publish(team.url("index"), partitions=3)
        key = next(key for key in team.objects if key.endswith("postings_columns.npy"))
        whole, team.objects[key] = team.objects[key], team.objects[key][:-1]
        with pytest.raises(StoreError, match=r"^s3://team/index/\S+/postings_columns.npy\?.* damaged; delete it"):
            lake.search(["v1"], engine="spark")
        del team.objects[key]
        with pytest.raises(StoreError, match=r"^s3://team/\S+ cannot be read on .* \(FileNotFoundError\)"):
            lake.search(["v1"], engine="spark")
        team.objects[key] = whole
        for said, there, here in pairs(lake)[:4]:
            pd.testing.assert_frame_equal(there, here, obj=said)
        (tmp_path / "cache" / Path(key).relative_to("index/segments")).write_bytes(b"?")
        search_task._opened.cache_clear()
        assert len(lake.search(["v1"], engine="spark")) == 10
        files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
        assert not [file for file in files if b"secret" in file or bucket.KEY.encode() in file]


def test_an_index_published_anew_is_searched_anew(lake: lv.Lake, tmp_path: Path):
    url = str(tmp_path / "shared")
    for partitions in (3, 3, 5):
        lake.publish(url, partitions=partitions)
        assert lake.search(["new"], engine="spark").to_pandas().empty
    more = lv.open({**lake._origin.frames(), "more": pd.DataFrame({"a": ["new"]})}, store=lake.store.folder)
    more.index(engine="local")
    more._spark = lake._spark
    more.publish(url, partitions=5)
    assert more.search(["new"], engine="spark").to_pandas()["table"].tolist() == ["more"]
    theirs = lv.open(more._origin.frames(), store=tmp_path / "theirs", spark=lake._spark)
    theirs.pull(url)
    more.publish(url, partitions=2)
    with pytest.raises(InputError, match=r"another index was published at .*shared since: .* lake.pull\(url\)"):
        theirs.search(["new"], engine="spark")


def test_what_cannot_be_is_said(lake: lv.Lake, tmp_path: Path):
    with pytest.raises(InputError, match=r"not published: call lake.publish"):
        lake.search(["v1"], engine="spark")
    with pytest.raises(InputError, match="partitions is a whole number"):
        lake.publish(str(tmp_path / "shared"), partitions=0)
    with pytest.raises(InputError, match="engine is"):
        lake.search(["v1"], engine="cloud")
    lake.publish(str(tmp_path / "shared"), partitions=4)
    with pytest.raises(InputError, match='leave engine="spark" out'):
        lake.search(["v1"], engine="spark", transform=True)
    file = next((tmp_path / "shared" / "segments").glob("*/postings_columns.npy"))
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    with pytest.raises(StoreError, match=r"postings_columns.npy is damaged; delete it and publish the index again"):
        lake.search(["v1"], engine="spark")
    file.unlink()
    with pytest.raises(StoreError, match=r"postings_columns.npy cannot be read on .* \(FileNotFoundError\)"):
        lake.search(["v1"], engine="spark")
    lake.compact()
    with pytest.raises(InputError, match=r"changed since it was published: call lake.publish\('.*shared'\) again"):
        lake.search(["v1"], engine="spark")
