"""First rows from a sample of the query: their intervals hold the truth, and the exact answer follows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import lakeview as lv
from lakeview.search import sampled


@pytest.fixture(scope="module")
def lake():
    """Columns that hold between a hundredth and all of the values v0, v1, ... and others."""
    rng = np.random.default_rng(5)
    values = np.array([f"v{n}" for n in range(60_000)])
    frames = {
        f"t{i:02d}": pd.DataFrame({"key": rng.permutation(np.concatenate([rng.choice(values, n), [f"w{i}"] * 50]))})
        for i, n in enumerate(np.geomspace(600, 60_000, 30).astype(int))
    }
    lake = lv.open({**frames, "all": pd.DataFrame({"key": values})})
    lake.index(engine="local")
    return lake


def test_intervals_of_the_first_rows_hold_the_truth(lake):
    rng = np.random.default_rng(1)
    inside = said = 0
    for _ in range(5):
        query = pd.Series([f"v{n}" for n in rng.choice(60_000, 40_000, replace=False)])
        first, last = lake.search(query, k=40, stream=True)
        truth = {hit.table: hit.containment for hit in last}
        assert {hit.method for hit in first} == {sampled.METHOD} and {hit.method for hit in last} == {"exact"}
        assert {hit.table for hit in first} <= set(truth)
        assert first[0].table == "all" and first[0].containment_high == 1.0
        inside += sum(h.containment_low <= truth[h.table] <= h.containment_high for h in first)
        said += len(first)
        assert max(h.containment_high - h.containment_low for h in first) < 0.035
        assert last.to_pandas().equals(lake.search(query, k=40).to_pandas())
    assert said > 120
    assert inside / said >= 0.93


def test_the_sample_is_of_what_was_asked(lake):
    query = pd.Series([f"v{n}" for n in range(30_000)])
    first, last = lake.search(query, threshold=0.2, rank="join", stream=True)
    assert first[0].table == last[0].table == "all"
    assert all(hit.containment >= 0.19 for hit in first)
    assert "About" in first[0].reason and first.query.distinct == 30_000
    assert len(first.statistics.segments) == 1 and first.statistics.tokens == sampled.SAMPLE
    (only,) = lake.search(query.head(sampled.SAMPLE), stream=True)  # the sample is all of it
    assert {hit.method for hit in only} == {"exact"}
    hidden = next(iter(lake.search("all.key", stream=True)))
    assert hidden and "all" not in {hit.table for hit in hidden}
