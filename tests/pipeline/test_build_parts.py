"""An index that is built in parts, as where memory is too small, is the index that is built in one go."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lakeview as lv
from lakeview.catalog.model import File, Part, Table
from lakeview.guards import memory as memory_of
from lakeview.pipeline import build_parts, part_task, progress
from lakeview.pipeline.reading import Pieces, Reader
from lakeview.store import parts
from lakeview.store.snapshot import Snapshot


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A large table in several row groups and files beside small ones, an empty one and a broken one."""
    rng = np.random.default_rng(2)
    data = tmp_path / "data"
    (data / "big").mkdir(parents=True)
    for i in range(2):
        table = pa.table({f"c{c}": [f"v{v}" for v in rng.zipf(1.2, 3_000) % 9_000] for c in range(5)})
        pq.write_table(table, data / "big" / f"year={i}.parquet", row_group_size=1_000)
    for i in range(6):
        pd.DataFrame({"key": range(i, i + 50), "code": ["NA", "US"] * 25}).to_csv(data / f"s{i}.csv", index=False)
    (data / "empty.csv").write_text("")
    (data / "broken.parquet").write_bytes(b"PAR1 no")
    return data


def state(snapshot: Snapshot) -> dict:
    arrays = ("rows", "nulls", "distinct", "ordinal", "low", "high", "values")
    return {
        (snapshot.tables[n], snapshot.names[n]): (
            snapshot.types[n],
            *(snapshot.array(name)[n] for name in arrays),
            *(array.tolist() for array in snapshot.tokens_of(n)),
            *(array.tolist() for array in snapshot.sketch_of(n).pack()),
        )
        for n in np.flatnonzero(snapshot.alive)
    }


@pytest.mark.parametrize("exact", [True, False])
def test_parts_hold_what_one_segment_holds(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exact: bool):
    whole = lv.open(folder, store=tmp_path / "whole")
    one = whole.index(engine="local", exact=exact)
    monkeypatch.setattr(build_parts, "OUTGROWN", 0)
    monkeypatch.setattr(parts, "POSTINGS", 4_000)
    lake = lv.open(folder, store=tmp_path / "parts")
    many = lake.index(engine="local", exact=exact)
    segments = lake._snapshot.segments
    assert len(segments) > 2 or not exact
    assert max(segment.size for segment in segments) < 4_000 + max(lake.columns["distinct"])
    for name in ("tables", "columns", "rows", "added", "problems"):
        assert getattr(one, name) == getattr(many, name), name
    assert sorted(t["part"] for t in many.tasks) == sorted(t["part"] for t in one.tasks)
    np.testing.assert_equal(state(lake._snapshot), state(whole._snapshot))
    for a, b in ((lake.tables, whole.tables), (lake.columns, whole.columns), (lake.problems, whole.problems)):
        pd.testing.assert_frame_equal(a, b)
    for query in ("s1.csv.key", [f"v{n}" for n in range(100)]):
        for options in ({"k": 3}, {"k": 40}, {"threshold": 0.3}, {"rank": "join"}):
            a, b = (each.search(query, **options).to_pandas() for each in (lake, whole))
            pd.testing.assert_frame_equal(a, b)
    lake.store.verify()
    assert not list((lake.store.folder / "segments").glob("*.tmp"))
    assert lake.index(engine="local", exact=exact).skipped == many.tables


NOWHERE = Part("t", "text", File("nowhere.csv", 0, 0))


def test_a_folder_that_a_worker_does_not_see_is_named(tmp_path: Path):
    unseen = tmp_path / "segments" / "x.tmp"
    for batches in (part_task.spill(unseen, [(3, NOWHERE)], "fold", None), part_task.build(unseen, 3, None)):
        [row] = [row for batch in batches for row in batch.to_pylist()]
        assert row["part"] == 3
        assert re.search(r"worker on .* does not see .*segments; open the lake with store=", row["error"])


@pytest.mark.parametrize(
    ("files", "folder", "memory", "spills"),
    [
        (200, "", "4 GB", False),  # small tables, many
        (200, "day", "4 GB", True),  # the files of one table, which can be taken out again
        (200, "", "256 MB", False),
        (20_000, "", "256 MB", True),  # more than there is room for
        (20_000, "", "8 GB", False),
    ],
)
def test_small_tables_are_held_where_there_is_room(
    monkeypatch: pytest.MonkeyPatch, files: int, folder: str, memory: str, spills: bool
):
    monkeypatch.setattr(build_parts, "SPILLED", 12 << 20)
    monkeypatch.setattr(memory_of, "_limit", memory_of.size("memory", memory))
    tables = [Table(f"t{i}.csv", "csv", (File(f"/lake/t{i}.csv", 500, 0),)) for i in range(files)]
    if folder:
        tables = [Table(folder, "csv", tuple(table.files[0] for table in tables), folder)]
    assert build_parts.is_due(Pieces.of(tables), Reader(None, None, "local", None, progress.Silent())) is spills
