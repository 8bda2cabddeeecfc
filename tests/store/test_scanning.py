"""Many columns at once give what each gives by itself, and that is a count of its canonical values."""

from __future__ import annotations

import datetime
from collections import Counter
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lakeview import values
from lakeview.store import printed_columns, scanning
from lakeview.store.profiles import has_signature
from lakeview.store.scanning import profiles_of
from lakeview.store.shapes import shape_of
from lakeview.values.signatures import hashes

texts = st.lists(
    st.one_of(
        st.none(),
        st.sampled_from(["NA", "na", "DE", "fr", "-", " x ", "X", "5.0", "+5", "007", "null", "1e5", "-3.25", "true"]),
        st.sampled_from(["2024-01-31", "2024-01-31T10:00Z", "Ａ", "é", "\ufeffx", "a  b"]),
        st.text(max_size=4),
    ),
    max_size=12,
)
COLUMNS = st.one_of(
    texts.map(lambda values: pa.array(values, pa.string())),
    texts.map(lambda values: pa.array(["left out", *values], pa.string())[1:]),
    texts.map(lambda values: pa.array(values, pa.large_string())),
    texts.map(lambda values: pa.array(values, pa.string()).dictionary_encode()),
    texts.map(lambda values: pa.array(values * 20, pa.string()).dictionary_encode()[1:]),
    st.lists(st.one_of(st.none(), st.integers(-9, 9)), max_size=9).map(lambda values: pa.array(values, pa.int64())),
    st.lists(st.one_of(st.none(), st.floats()), max_size=9).map(lambda values: pa.array(values, pa.float64())),
    st.lists(st.booleans(), max_size=9).map(lambda values: pa.array(values, pa.bool_())),
    st.lists(st.dates(), max_size=5).map(lambda values: pa.array(values, pa.date32())),
    st.lists(st.binary(max_size=3), max_size=5).map(lambda values: pa.array(values, pa.binary())),
    st.just(pa.nulls(3)),
    st.just(pa.array([Decimal("1.50"), None], pa.decimal128(5, 2))),
    st.just(pa.array([["a"], [], None], pa.list_(pa.string()))),
    st.just(pa.array([datetime.datetime(2024, 1, 31, 10)] * 2, pa.timestamp("us", "Europe/Oslo"))),
)


@given(st.lists(COLUMNS, max_size=8), st.sampled_from(["fold", "exact"]))
def test_many_columns_at_once_are_each_by_itself(columns, normalize):
    together = profiles_of(columns, normalize)
    assert len(together) == len(columns)
    for column, (tokens, counts, shape, signature) in zip(columns, together, strict=True):
        [(own_tokens, own_counts, own_shape, own_signature)] = profiles_of([column], normalize)
        assert tokens.tolist() == own_tokens.tolist()
        assert counts.tolist() == own_counts.tolist()
        assert shape == own_shape
        assert signature.tolist() == own_signature.tolist()


@given(st.lists(COLUMNS, min_size=1, max_size=4))
@example([pa.array(["NA", "NA", "1e5"], pa.string())])  # rows that may have no value do not count against a key
def test_a_profile_counts_the_canonical_values(columns):
    for column, (tokens, counts, shape, signature) in zip(columns, profiles_of(columns, "fold"), strict=True):
        found = [text for text in values.canonical_part(column).to_pylist() if text is not None]
        wanted = Counter(int(values.hash_strings(pa.array([text]))[0]) for text in found)
        assert dict(zip(tokens.tolist(), counts.tolist(), strict=True)) == wanted
        assert tokens.dtype == np.uint64 and counts.dtype == np.int64
        assert tokens.tolist() == sorted(wanted)
        proper = sorted({text for text in found if text != "na"})
        assert shape == shape_of(pa.array(proper, pa.string()))
        if has_signature(shape.type, len(proper), len(found) - found.count("na")):
            assert {*signature.tolist()} == {int(key) for kind in hashes(proper) for key in kind}
        else:
            assert not len(signature)


@pytest.mark.parametrize("n", [1, 3, 70_000])  # more than 16 bits number
def test_any_number_of_columns(n):
    found = profiles_of([pa.array([str(i % 7), "x"]) for i in range(n)], "fold")
    x = int(values.hash_strings(pa.array(["x"]))[0])
    assert len(found) == n
    assert all(x in tokens.tolist() and len(tokens) == 2 for tokens, *_ in found[:: max(1, n // 50)])
    assert [shape.low for *_, shape, _ in found[:3]] == [0, 1, 2][:n]


def test_no_columns_and_no_values():
    assert profiles_of([], "fold") == []
    for tokens, counts, shape, signature in profiles_of(
        [pa.nulls(2), pa.array(["", "-"]), pa.array([], pa.int64())], "fold"
    ):
        assert (len(tokens), len(counts), shape.values, len(signature)) == (0, 0, 0, 0)


@pytest.mark.parametrize("distinct", [3, 900, 400_000])
def test_values_that_repeat_are_counted_as_those_that_do_not(distinct, monkeypatch):
    rng = np.random.default_rng(distinct)
    numbers = rng.integers(0, distinct, 40_000)
    missing = rng.random(40_000) < 0.1
    floats = np.where(missing, np.nan, np.where(numbers % 3 == 0, -0.0, numbers / 4))
    columns = [
        pa.array(numbers, mask=missing),
        pa.array([f" É {n}" if n % 5 else "NA" for n in numbers], mask=missing),
        pa.array(floats),
        pa.array(numbers.astype("M8[s]")),
    ]
    found = profiles_of(columns, "fold")
    coded = [pa.types.is_dictionary(printed_columns.coded(column).type) for column in columns]
    assert coded[0] == (distinct < 1_000)
    monkeypatch.setattr(scanning, "MANY", 1 << 30)
    for (tokens, counts, shape, signature), (own_tokens, own_counts, own, own_signature) in zip(
        found, profiles_of(columns, "fold"), strict=True
    ):
        assert tokens.tolist() == own_tokens.tolist() and counts.tolist() == own_counts.tolist()
        assert shape == own and signature.tolist() == own_signature.tolist()
