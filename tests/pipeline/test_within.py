"""Pieces of work keep to `lv.options.memory`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import lakeview as lv
from lakeview.pipeline import build_parts, within
from lakeview.store import parts


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    yield
    lv.options.memory = None


@pytest.mark.parametrize("size", ["256 MB", "1 GB", "3 GB", "64 GB"])
def test_what_works_at_a_time_fits(size: str):
    lv.options.memory = size
    assert 2 * within.postings() * parts.BYTES <= lv.options.memory
    assert 2 * within.part_bytes() * 6 <= lv.options.memory
    assert within.held_bytes() * 6 <= lv.options.memory
    assert (within.postings() == parts.POSTINGS) == (size in ("3 GB", "64 GB"))


def test_a_large_machine_makes_pieces_no_larger():
    lv.options.memory = "1 TB"
    assert (within.postings(), within.part_bytes()) == (parts.POSTINGS, within.PART_BYTES)


def test_less_memory_means_more_parts_and_the_same_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    rng = np.random.default_rng(3)
    data = tmp_path / "data"
    data.mkdir()
    frame = pd.DataFrame({f"c{c}": rng.integers(0, 9_000, 20_000) for c in range(6)})
    frame["text"] = ['a "b"\n' + str(n) for n in rng.integers(0, 9_000, 20_000)]
    frame.to_csv(data / "big.csv", index=False)
    whole = lv.open(data, store=tmp_path / "whole")
    assert len(whole.index(engine="local").tasks) == 1

    monkeypatch.setattr(build_parts, "SPILLED", 1 << 16)
    monkeypatch.setattr(within, "_LEAST_PART", 1)
    monkeypatch.setattr(within, "_LEAST_POSTINGS", 1)
    monkeypatch.setattr(within.memory, "LEAST", 1)
    lv.options.memory = 2_000_000
    lake = lv.open(data, store=tmp_path / "small")
    report = lake.index(engine="local")
    assert len(report.tasks) > 4
    assert len(lake._snapshot.segments) > 2
    assert len(lake._snapshot.segments) <= 7
    pd.testing.assert_frame_equal(lake.columns, whole.columns)
    asked = pd.Series(range(100, 400), name="c1")
    pd.testing.assert_frame_equal(
        lake.search(asked, k=5).to_pandas(), whole.search(asked, k=5).to_pandas(), check_exact=False
    )
