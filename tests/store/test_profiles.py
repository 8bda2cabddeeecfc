"""Profiles: any split of a column into parts gives the same column, and that of a plain count."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeview import values
from lakeview.store import scanning
from lakeview.store.profiles import merge_parts, sketch_of
from lakeview.store.scanning import ColumnScan, profile, scan_batches
from lakeview.store.shapes import shape_of

cells = st.lists(
    st.one_of(
        st.sampled_from(["NA", "na", "DE", "fr", "", "-", " x ", "X", "5.0", "5", "+5", "007", None, "null", "1e5"]),
        st.text(max_size=4),
    ),
    max_size=40,
)


def scanned(parts, rows, keep=None):
    type_ = pa.string()
    scans = []
    for batches in parts:
        scan = ColumnScan("c", type_, keep)
        for batch in batches:
            profile([(scan, pa.array(batch, type_))], "fold")
        scans.append(scan.part(sum(map(len, batches))))
    return merge_parts("t", 0, scans, rows, keep)


@given(cells, st.data())
def test_any_split_gives_the_same_column(column, data):
    cut = data.draw(st.integers(0, len(column)))
    batch = data.draw(st.integers(1, 10))
    first, second = column[:cut], column[cut:]
    batched = [first[i : i + batch] for i in range(0, len(first), batch)]
    whole, split = scanned([[column]], len(column)), scanned([batched, [second]], len(column))
    assert whole.tokens.tolist() == split.tokens.tolist()
    assert whole.counts.tolist() == split.counts.tolist()
    assert (whole.nulls, whole.rows, whole.type) == (split.nulls, split.rows, split.type)


@given(cells, st.integers(0, 8), st.data())
def test_a_sketch_takes_the_place_of_many_tokens_however_split(column, keep, data):
    cut = data.draw(st.integers(0, len(column)))
    batch = data.draw(st.integers(1, 10))
    first, second = column[:cut], column[cut:]
    batched = [first[i : i + batch] for i in range(0, len(first), batch)]
    whole, split = scanned([[column]], len(column), keep), scanned([batched, [second]], len(column), keep)
    exact = scanned([[column]], len(column))
    others = exact.tokens[~np.isin(exact.tokens, values.NA_TOKENS)]
    if len(others) <= keep:
        assert whole.sketch is None and split.sketch is None
        assert whole.tokens.tolist() == split.tokens.tolist() == exact.tokens.tolist()
        assert whole.nulls == split.nulls == exact.nulls
        return
    for found in (whole, split):
        assert not len(found.tokens)
        # "NA" is no value of a column of so many, however few that is here.
        assert found.nulls == exact.nulls + int(exact.counts[np.isin(exact.tokens, values.NA_TOKENS)].sum())
        for mine, theirs in zip(found.sketch.pack(), sketch_of(others).pack(), strict=True):
            assert mine.tolist() == theirs.tolist()
        assert abs(found.distinct - len(others)) <= 1 + 4 * found.distinct_error


@given(cells)
def test_tokens_are_a_count_of_the_canonical_values(column):
    found = scanned([[column]], len(column))
    texts = [t for t in values.canonical(pa.array(column, pa.string())).to_pylist() if t is not None]
    wanted = Counter(int(values.hash_strings(pa.array([t]))[0]) for t in texts)
    assert dict(zip(found.tokens.tolist(), found.counts.tolist(), strict=True)) == wanted
    assert found.nulls == len(column) - len(texts)
    assert found.key_like == (len(texts) > 0 and len(set(texts)) == len(texts))


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (["1", "2", "NA"], "integer"), (["1", "2.5"], "number"), (["1", "1e-5"], "number"), (["007", "8"], "text"),
        (["2024-01-31", "2023-12-01"], "date"), (["2024-01-31 10:00:00"], "timestamp"), (["TRUE", "false"], "boolean"),
        (["a", "1"], "text"), ([None, "-"], "empty"), ([], "empty"), (["DE", "NA", "FR"], "text"),
    ],
)  # fmt: skip
def test_type_of_a_text_column(column, kind):
    assert scanned([[column]], len(column)).type == kind


@pytest.mark.parametrize(
    ("array", "kind"),
    [
        (pa.array([1, 2]), "integer"), (pa.array([1.5]), "number"), (pa.array([True]), "boolean"),
        (pa.array([], pa.date32()), "date"), (pa.array([], pa.timestamp("ns")), "timestamp"),
        (pa.array(["a"]).dictionary_encode(), "text"), (pa.array([[1]]), "other"), (pa.nulls(2), "empty"),
    ],
)  # fmt: skip
def test_type_of_a_typed_column(array, kind):
    rows, parts = scan_batches([pa.record_batch({"c": array})], "fold")
    assert rows == len(array)
    assert merge_parts("t", 0, parts, rows).type == kind


def test_shape():
    shape = shape_of(pa.array(["-5", "12", "3.25", "a", "bc", "bcde", "x1", "1e9", "20240101.5"]))
    assert (shape.values, shape.integers, shape.numbers, shape.exponents) == (9, 2, 4, 1)
    assert (shape.low, shape.high, shape.decimals) == (-5, 20240101.5, 2)
    assert shape.letters == (1, 1, 0, 1)


def test_a_column_missing_from_some_batches_has_nulls_there():
    batches = [pa.record_batch({"a": ["x", "y"]}), pa.record_batch({"a": ["z"], "b": ["1"]})]
    rows, parts = scan_batches(batches, "fold")
    a, b = (merge_parts("t", i, [p], rows) for i, p in enumerate(parts))
    assert (rows, a.nulls, b.nulls, b.distinct) == (3, 0, 2, 1)


def test_many_runs_are_merged_on_the_way(monkeypatch):
    monkeypatch.setattr("lakeview.store.scanning._RUNS", 50)
    scan = ColumnScan("c", pa.int64())
    rng = np.random.default_rng(3)
    data = rng.integers(0, 400, (40, 60))
    for batch in data:
        profile([(scan, pa.array(batch))], "fold")
    part = scan.part(data.size)
    assert len(part.tokens) == len(np.unique(data))
    assert part.counts.sum() == data.size


@pytest.mark.parametrize("kinds", [[pa.string()], [pa.string(), pa.int64()]])
def test_small_batches_are_scanned_together(monkeypatch, kinds):
    """Each call takes a millisecond a column: a wide table whose batches have a row each would take a thousand times
    what a long one does. Batches of other types stay apart."""
    calls = []
    of = scanning.profiles_of
    monkeypatch.setattr(
        scanning, "profiles_of", lambda arrays, *more: (calls.append(len(arrays[0])), of(arrays, *more))[1]
    )
    batches = [pa.record_batch({"a": pa.array([n], pa.int64()).cast(kinds[n * len(kinds) // 100])}) for n in range(100)]
    rows, [column] = scan_batches(iter(batches), "fold")
    assert (rows, len(column.tokens)) == (100, 100)
    assert calls == [100 // len(kinds)] * len(kinds)
    monkeypatch.setattr(scanning, "GATHERED", batches[0].nbytes * 7)
    calls.clear()
    scan_batches(iter(batches), "fold")
    assert sum(calls) == 100 and max(calls) <= 7
