import numpy as np
import pytest

from lakeview.estimate import all_pairs
from lakeview.estimate.inclusion import bml
from lakeview.sketch.hyperloglog import registers
from lakeview.sketch.minima import bucket_minima


@pytest.fixture(scope="module")
def lake():
    rng = np.random.default_rng(4)
    pool = rng.integers(0, 2**64 - 1, 60_000, dtype=np.uint64)
    columns = [
        pool[start : start + size]
        for start, size in [
            (0, 500),
            (0, 5_000),
            (250, 500),
            (4_000, 20_000),
            (30_000, 20_000),
            (50_000, 40),
            (50_000, 10_000),
        ]
    ]
    return np.array([registers(bucket_minima(c)) for c in columns]), np.array([len(c) for c in columns], float)


@pytest.fixture(params=["numba", "numpy"])
def engine(request, monkeypatch):
    if request.param == "numpy":
        monkeypatch.setattr(all_pairs, "_compiled", lambda: None)
    else:
        pytest.importorskip("numba")


def test_register_counts(lake, engine):
    values, _ = lake
    expected = (values[:, None, :] <= values[None, :, :]).sum(axis=2)
    assert np.array_equal(all_pairs.register_counts(values, values), expected)
    high = np.full((2, 64), 53, np.uint8)
    assert all_pairs.register_counts(high, np.zeros((1, 64), np.uint8)).tolist() == [[0], [0]]


def test_every_seen_inclusion_equals_that_of_the_pair(lake, engine):
    values, sizes = lake
    i, j, found = all_pairs.inclusions(values, sizes)
    assert len(set(zip(i.tolist(), j.tolist(), strict=True))) == len(i) and (i != j).all()
    for at in range(len(i)):
        alone = bml(values[i[at]], values[j[at]], sizes[i[at]], sizes[j[at]])
        assert found[at] == pytest.approx(alone.value, abs=1e-5)
    seen = set(zip(i.tolist(), j.tolist(), strict=True))
    assert {(0, 1), (2, 1), (1, 0), (5, 6), (0, 2), (2, 0)} <= seen
    assert len(seen) <= 10
