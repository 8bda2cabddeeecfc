"""Frames of many columns: their columns are profiled together, as those of files are."""

from __future__ import annotations

import pandas as pd

from lakeview.pipeline import reading
from lakeview.pipeline.progress import Silent
from lakeview.store import scanning
from lakeview.store.store import Store


def test_the_columns_of_a_frame_are_profiled_together(tmp_path, monkeypatch):
    store = Store(tmp_path)
    frame = pd.DataFrame({f"c{i}": [f"{i} of {n}" for n in range(30)] for i in range(40)})
    frame["n"] = range(30)
    calls: list[int] = []
    of = scanning.profiles_of
    monkeypatch.setattr(
        scanning, "profiles_of", lambda arrays, *more: (calls.append(len(arrays)), of(arrays, *more))[1]
    )
    together = reading.scan_frame("t", frame, store, Silent()).columns("t")
    assert calls == [41]
    monkeypatch.setattr(reading, "GATHERED", 1)
    apart = reading.scan_frame("t", frame, store, Silent()).columns("t")
    assert calls == [41, *[1] * 41, 0]
    for one, other in zip(together, apart, strict=True):
        assert (one.name, one.type, one.rows, one.nulls, one.shape) == (
            other.name,
            other.type,
            other.rows,
            other.nulls,
            other.shape,
        )
        assert one.tokens.tolist() == other.tokens.tolist() and one.counts.tolist() == other.counts.tolist()
        assert one.signature.tolist() == other.signature.tolist()
