"""A damaged index: after any bit flipped, end cut off or stretch zeroed, the answers are those of the whole one, or a
LakeviewError of one line; `verify` notices each; no process ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import lakes
import numpy as np
import pandas as pd
import pytest
from apart import counted

import lakeview as lv
from lakeview.store.manifest import Manifest, parameters
from lakeview.store.profiles import Column, Shape
from lakeview.store.store import CHECKED_AT_OPEN, Store

BATCH = 100  # faults to a process


Job = tuple[Path, Path, int, bool]  # tables, store, faults, nothing checked at the opening


def damage(*jobs: Job, under: bool = False, least_told: float = 0.8) -> None:
    """Try so many faults on each; fails where a process ended, or anything but the same answers and errors came."""
    batches = [
        {
            "data": str(data),
            "store": str(store),
            "first": first,
            "faults": min(BATCH, n - first),
            "at_first_use": late,
            "under": under,
        }
        for data, store, n, late in jobs
        for first in range(0, n, BATCH)
    ]
    told: Counter[str] = Counter()
    while batches:
        some, faults = [], 0
        while batches and faults < BATCH:
            some.append(batches.pop(0))
            faults += some[-1]["faults"]
        told.update(counted("damaging.py", some))
    print(dict(told))
    assert set(told) <= {"same", "told"}, told
    assert told["told"] > least_told * told.total(), "hardly a fault was noticed"


def test_a_damaged_index(tmp_path: Path, rounds: Callable[[int, int], int]):
    """Of all kinds: exact, sketches with filters, segments with tombstones, pulled in parts."""
    jobs: list[Job] = []
    for kind in ("exact", "sketches", "segments"):
        data = tmp_path / kind / "data"
        lakes.write_tables(data)
        lakes.indexed(data, tmp_path / kind / "store", kind)
        jobs += [(data, tmp_path / kind / "store", rounds(12, 280), late) for late in (False, True)]
    lv.open(data, store=tmp_path / "segments" / "store").publish(str(tmp_path / "url"), partitions=5)
    lv.open(data, store=tmp_path / "parts").pull(str(tmp_path / "url"))
    damage(*jobs, (data, tmp_path / "parts", rounds(12, 220), False))


def test_files_cut_short_between_two_searches(tmp_path: Path, rounds: Callable[[int, int], int]):
    """Under a lake that is open: what was read stays, what is mapped is told of before it is touched."""
    jobs: list[Job] = []
    for kind in ("exact", "segments"):
        data, store = tmp_path / kind / "data", tmp_path / kind / "store"
        lakes.write_tables(data)
        wide = {f"c{n}": [f"{n}-{row}" for row in range(9_000)] for n in range(4)}  # whose arrays are mapped
        pd.DataFrame(wide).to_csv(data / "large.csv", index=False)
        lakes.indexed(data, store, kind)
        jobs += [(data, store, rounds(10, 150), late) for late in (False, True)]
    damage(*jobs, under=True, least_told=0.01)


def test_a_large_damaged_index(tmp_path: Path, rounds: Callable[[int, int], int]):
    """More than is checked at the opening."""
    if not rounds(0, 1):
        pytest.skip("350 MB: make faults")
    lakes.write_tables(tmp_path / "data")
    lakes.indexed(tmp_path / "data", tmp_path / "store", "exact")
    write_large(tmp_path / "store")
    files = [path.stat().st_size for path in (tmp_path / "store").rglob("*") if path.is_file()]
    assert sum(files) > max(300 << 20, CHECKED_AT_OPEN)
    damage((tmp_path / "data", tmp_path / "store", 100, False))


def write_large(folder: Path) -> None:
    """Add a segment of more than 300 MB beside the others."""
    rng = np.random.default_rng(5)
    store = Store(folder)
    with store.writing() as writer:
        segment = writer.segment()
        columns = []
        for n in range(10):
            tokens = np.sort(rng.integers(0, 1 << 64, 1_600_000, np.uint64))
            shape = Shape(values=len(tokens))
            columns.append(Column("large.csv", f"c{n}", n, "text", len(tokens), 0, shape, tokens, np.ones(len(tokens))))
        spec = {"name": "large.csv", "kind": "text", "files": []}
        segment.add_table("large.csv", spec, 1_600_000, [], columns)
        old = writer.manifest
        writer.publish(Manifest(parameters("fold"), 0, old.segments, old.problems, old.indexed_at), [segment])
