"""What tasks learn of parts, many at once, and how they tell it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakeview.catalog.sources import Part, list_tables, split
from lakeview.pipeline import task, told
from lakeview.store import scanning


@pytest.fixture
def parts(tmp_path: Path) -> list[tuple[int, Part]]:
    """Small files, one of several batches, one that ends in the middle, one that is none."""
    for n in range(8):
        (tmp_path / f"s{n}.csv").write_text("k,code\n" + "".join(f"{n + i},NA\n{n},US\n" for i in range(5)))
    (tmp_path / "s3.csv").write_bytes(b"PK\x03\x04 no text")
    (tmp_path / "s5.jsonl").write_text('{"a": 1}\n' * 50 + '{"a": ')
    many = pa.table({"n": np.arange(4_000), "text": [f"v{i % 3_000}" for i in range(4_000)]})
    pq.write_table(many, tmp_path / "s4.parquet", row_group_size=500)
    return list(enumerate(part for table in list_tables([tmp_path]).tables for part in split(table)))


def plain(found: task.PartScan) -> list:
    columns = [
        {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in asdict(column).items()}
        for column in found.columns
    ]
    return [found.number, found.rows, found.problems, found.digests, columns]


@pytest.mark.parametrize("keep", [None, 1_000])
def test_many_parts_at_once_are_each_by_itself(parts, keep, monkeypatch):
    for gathered in (scanning.GATHERED, 1 << 15, 1 << 10):
        monkeypatch.setattr(scanning, "GATHERED", gathered)
        alone = [plain(found) for part in parts for found in task.scan_parts([part], "fold", keep)]
        assert [plain(found) for found in task.scan_parts(parts, "fold", keep)] == alone
        assert [number for number, *_ in alone] == [number for number, _ in parts]
        assert "could not be read" in {p.problem for _, _, problems, *_ in alone for p in problems}


def test_values_that_cannot_be_profiled_spoil_no_other_table(parts, monkeypatch):
    of = scanning.profiles_of

    def fails(arrays, *more):
        if any(array.type == pa.int64() for array in arrays):
            raise OverflowError("too many")
        return of(arrays, *more)

    expected = {found.number: plain(found) for found in task.scan_parts(parts, "fold")}
    monkeypatch.setattr(scanning, "profiles_of", fails)
    for found in task.scan_parts(parts, "fold"):
        if parts[found.number][1].kind != "parquet":
            assert plain(found) == expected[found.number]
            continue
        assert (found.rows, found.columns) == (0, [])
        assert [(p.problem, p.detail) for p in found.problems] == [("could not be read", "OverflowError: too many")]


@pytest.mark.parametrize("batch", [1, 1 << 14, told._BATCH])
@pytest.mark.parametrize("keep", [None, 1_000])
def test_what_is_told_is_what_was_learned(parts, keep, batch, monkeypatch):
    monkeypatch.setattr(told, "_BATCH", batch)
    scans = list(task.scan_parts(parts, "fold", keep))
    again = list(told.decode(told.encode(scans)))
    assert list(map(plain, again)) == list(map(plain, scans))
    assert all(column.counts.dtype == np.int64 for found in again for column in found.columns)
    assert [(f.worker, f.seconds) for f in again] == [(f.worker, f.seconds) for f in scans]
    whole = pa.Table.from_batches(told.packed(told.encode(scans)))
    assert list(map(plain, told.decode(told.unpacked(whole)))) == list(map(plain, scans))
