"""The state of an index, told."""

from __future__ import annotations

import pandas as pd
import pytest

import lakeview as lv
from lakeview.lake.status import _judge
from lakeview.store.compaction import COMPACT_FROM


def frames(n: int, version: int = 0) -> dict[str, pd.DataFrame]:
    return {f"t{i}": pd.DataFrame({"a": [f"{version} {i} {j}" for j in range(50)], "b": range(50)}) for i in range(n)}


def test_a_lake_tells_its_segments_its_dead_and_its_size(tmp_path):
    lake = lv.open(frames(10), store=tmp_path / "store")
    assert lake.status().columns == 0
    assert "nothing is indexed" in repr(lake.status())
    lake.index()
    told = lake.status()
    assert (told.tables, told.columns, told.segments, told.dead, told.pays) == (10, 20, 1, 0.0, False)
    assert told.bytes == sum(p.stat().st_size for p in (tmp_path / "store" / "segments").rglob("*") if p.is_file())
    assert told.indexed_at == lake.indexed_at
    assert told.search_ms > 0
    changed = {**frames(10), "t3": frames(4, version=1)["t3"]}
    lake = lv.open(changed, store=tmp_path / "store")
    lake.index()
    told = lake.status()
    assert (told.tables, told.columns, told.segments) == (10, 20, 2)
    assert told.dead == pytest.approx(2 / 22)
    assert "compact()" in repr(told)
    lake.compact()
    assert (lake.status().segments, lake.status().dead) == (1, 0.0)


def test_when_compacting_pays():
    assert _judge(2, 0.5, 1.0, 0.0) == (True, "50% of the columns are dead")
    assert _judge(COMPACT_FROM, 0.0, 1.0, 0.0)[0]
    assert _judge(3, 0.1, 2.0, 1.0) == (True, "it would spare 1.00 ms of the 2.00 ms that a search takes")
    assert not _judge(3, 0.1, 2.0, 0.1)[0]
    assert not _judge(1, 0.0, 1.0, 0.0)[0]
