"""Profiles straight from values are those of their texts, and sketches of a column are the same either way."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeview.sketch.minima import bucket_minima
from lakeview.store import scanning
from lakeview.store.printed_columns import profiles_of_texts
from lakeview.store.scanning import ColumnScan, profile, profiles_of
from lakeview.store.typed_columns import _least, profile_of
from lakeview.values import xxh64

pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    monkeypatch.setattr(xxh64, "_spent", 100.0)


def some(n: int, seed: int = 0) -> list[pa.Array]:
    rng = np.random.default_rng(seed)
    missing = rng.random(n) < 0.1
    seconds = rng.integers(-(10**9), 2 * 10**9, n)
    mixed = np.where(rng.random(n) < 0.5, seconds // 86_400 * 86_400, seconds)
    return [
        pa.array(np.arange(n) + 10**6),
        pa.array(rng.integers(-n, n, n), mask=missing),
        pa.array(np.where(missing, np.nan, np.round(rng.normal(0, n, n), 2))),
        pa.array(np.where(missing, -0.0, np.floor(rng.random(n) * n))),
        pa.array(np.round(rng.random(n) * n).astype(np.uint32)),
        pa.array(seconds.astype("M8[s]"), mask=missing),
        pa.array((mixed * 1_000).astype("M8[ms]")),
        pa.array((seconds // 86_400).astype(np.int32)).view(pa.date32()),
        pa.array([None] * n, pa.int64()),
    ]


@pytest.mark.parametrize("n", [1, 40, 6_000])
@pytest.mark.parametrize("unsigned", [0, 100, 5_000])
def test_a_profile_is_that_of_the_texts(n, unsigned):
    columns = some(n)
    printed = profiles_of_texts(columns, "fold", [unsigned] * len(columns))
    for column, (tokens, counts, shape, signature) in zip(columns, printed, strict=True):
        found = profile_of(column, unsigned, is_outgrown=False)
        assert found is not None
        assert found[0].tolist() == tokens.tolist() and found[0].dtype == np.uint64
        assert found[1].tolist() == counts.tolist() and found[1].dtype == np.int64
        assert found[2] == shape
        assert found[3].tolist() == signature.tolist()


def test_printed_and_typed_columns_stay_in_their_places(monkeypatch):
    columns = [column for array in some(6_000) for column in (array, pa.array([f"x{i % 999}" for i in range(50)]))]
    together = profiles_of(columns, "fold")
    monkeypatch.setattr(scanning, "profile_of", lambda *given: None)
    for found, printed in zip(together, profiles_of(columns, "fold"), strict=True):
        assert [part.tolist() for part in (*found[:2], found[3])] == [
            part.tolist() for part in (*printed[:2], printed[3])
        ]
        assert found[2] == printed[2]


@given(st.lists(st.integers(0, 2**64 - 2), min_size=1, max_size=50))
def test_the_least_tokens_make_the_same_minima(numbers):
    tokens = np.array(numbers, np.uint64)
    least, rows = _least(np.unique(tokens), len(tokens))
    assert (bucket_minima(least) == bucket_minima(tokens)).all()
    assert least.tolist() == sorted({*least.tolist()}) and rows.sum() == len(tokens)


@pytest.mark.parametrize("place", range(len(some(1)) - 1))
def test_a_sketched_column_has_the_sketch_of_its_tokens(place, monkeypatch):
    arrays = [some(6_000, seed)[place] for seed in range(6)]

    def part(name: str) -> scanning.ColumnPart:
        scan = ColumnScan(name, arrays[0].type, keep=1_000)
        for array in arrays:
            profile([(scan, array)], "fold")
        return scan.part(6 * 6_000)

    found = part("typed")
    seen: list[bool] = []
    of = profile_of
    monkeypatch.setattr(
        scanning, "profile_of", lambda array, unsigned, alone: (seen.append(alone), of(array, unsigned, False))[1]
    )
    wanted = part("by all its tokens")
    assert any(seen), "no array was sketched alone"
    assert found.minima is not None and (found.minima == wanted.minima).all()
    assert found.valued == wanted.valued and found.signature.tolist() == wanted.signature.tolist()
    assert found.shape == wanted.shape
