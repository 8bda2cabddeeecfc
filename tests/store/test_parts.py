"""An index cut into parts holds what it held, each part about as much, and answers as the whole."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lakeview as lv
from lakeview.store import compaction, parts
from lakeview.store.store import Manifest


@given(st.lists(st.integers(0, 1_000), max_size=60), st.integers(1, 20))
def test_ranges_cover_all_and_none_outgrows_the_rest(sizes, n):
    found = parts.ranges(np.array(sizes, np.int64), n)
    assert [i for part in found for i in part] == list(range(len(sizes)))
    assert 1 <= len(found) <= n
    assert all(found) or not sizes
    average = (sum(sizes) + len(sizes)) / n
    assert all(sum(sizes[i] + 1 for i in part) <= average + max(sizes) + 1 for part in found if part)


def frames() -> dict[str, pd.DataFrame]:
    rng = np.random.default_rng(5)
    made = {
        f"t{i:02d}": pd.DataFrame({f"c{c}": [f"v{v}" for v in rng.zipf(1.4, 60 + i) % 200] for c in range(4)})
        for i in range(12)
    }
    return {**made, "wide": pd.DataFrame({f"c{c}": range(c, c + 90) for c in range(20)})}


@pytest.fixture
def lake(tmp_path):
    lake = lv.open(frames(), store=tmp_path / "store")
    lake.index()
    return lake


def answers(lake: lv.Lake) -> list[pd.DataFrame]:
    asked = [f"v{n}" for n in range(50)]
    return [
        lake.tables, lake.columns, lake.problems,
        lake.search(asked, k=7).to_pandas(), lake.search(asked, threshold=0.2).to_pandas(),
        lake.search("wide.c3", k=30, rank="join").to_pandas(), lake.foreign_keys(0.5),
    ]  # fmt: skip


def test_the_parts_of_an_index_answer_as_the_whole(lake, monkeypatch):
    before = answers(lake)
    with lake.store.writing() as writer:
        manifest, segments = lake.store.read()
        added = parts.rewrite(segments, 6, writer.segment)
        writer.publish(Manifest(manifest.parameters, 0, [], manifest.problems, manifest.indexed_at), added)
    lake.refresh()
    segments = lake._snapshot.segments
    assert len(segments) == 6
    monkeypatch.setattr(parts, "POSTINGS", sum(segment.size for segment in segments) // 5)
    assert sum("wide" in segment.tables["name"] for segment in segments) > 1, "no table lies in several parts"
    for a, b in zip(answers(lake), before, strict=True):
        pd.testing.assert_frame_equal(a, b)
    lake.store.verify()
    # Full parts stay as they are, and what replaces a table of several parts replaces all of it.
    ids = {entry.id for entry in lake.store.manifest().segments}
    lake.compact()
    assert len(ids & {entry.id for entry in lake.store.manifest().segments}) >= 5
    assert not compaction.is_due(lake.store)
    changed = lv.open({**frames(), "wide": pd.DataFrame({"c1": ["other"]})}, store=lake.store.folder)
    report = changed.index()
    assert (report.tables, report.columns, report.changed) == (13, 49, 1)
    assert report.rows == sum(len(frame) for frame in changed._origin.frames().values())
    assert changed.columns[lambda found: found["table"] == "wide"]["column"].tolist() == ["c1"]
