"""Tokens of typed values without their text are those of their text."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lakeview.values import canonical_part, hash_strings, xxh64
from lakeview.values.typed import typed_tokens

pytest.importorskip("numba")

WHOLE = st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(-1000, 1000), st.integers(0, 18).map(lambda n: 10**n))
SHORT = st.builds(lambda units, places: units / 10.0**places, st.integers(-(10**15) + 1, 10**15 - 1), st.integers(0, 9))
FLOATS = st.one_of(SHORT, SHORT, st.sampled_from([0.0, -0.0, 1e15, 1e14, 1e22, 5e-9, 0.1 + 0.2, 2.0**53, -1.5]))
UNITS = ("s", "ms", "us", "ns")
EDGES = ("0001-01-01", "9999-12-31T23:59:59", "1970-01-01", "1969-12-31T23:59:59", "2000-02-29", "1900-03-01")
SECONDS = st.one_of(
    st.integers(-62_135_596_800, 253_402_300_799),
    st.integers(-719_162, 2_932_896).map(lambda day: day * 86_400),
    st.sampled_from([int(np.datetime64(edge, "s").astype(np.int64)) for edge in EDGES]),
)


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    monkeypatch.setattr(xxh64, "_spent", 100.0)


def agrees(array: pa.Array) -> bool:
    """Whether it is taken; what it then gives is right."""
    found = typed_tokens(array)
    if found is None:
        return False
    given, tokens, kinds = found
    texts = canonical_part(array).drop_null()
    assert tokens.tolist() == hash_strings(texts).tolist()
    assert given.to_pylist() == array.filter(canonical_part(array).is_valid()).to_pylist()
    if pa.types.is_temporal(array.type):
        assert kinds.tolist() == [len(text) > 10 for text in texts.to_pylist()]
    else:
        assert kinds.tolist() == [len(text.partition(".")[2]) for text in texts.to_pylist()]
    return True


def holed(values: st.SearchStrategy) -> st.SearchStrategy:
    return st.lists(st.one_of(st.none(), values), max_size=8)


@given(holed(WHOLE))
def test_whole_numbers(values):
    assert agrees(pa.array([0, *values], pa.int64())[1:])
    small = [None if value is None else value % 200 - 100 for value in values]
    for kind in (pa.int8(), pa.int16(), pa.int32()):
        assert agrees(pa.array(small, kind))
    assert agrees(pa.array([value if value is None else abs(value) % 2**63 for value in values], pa.uint64()))


def test_whole_numbers_beyond_64_bits_with_a_sign_are_printed():
    assert not agrees(pa.array([1, 2**63], pa.uint64()))
    assert agrees(pa.array([1, 2**63 - 1], pa.uint64()))


@given(holed(FLOATS))
@example([float("nan"), 1.5, None])
def test_floats_of_few_digits(values):
    agrees(pa.array(values, pa.float64()))


@given(st.lists(st.floats(), max_size=4))
def test_any_floats(values):
    agrees(pa.array(values, pa.float64()))


@pytest.mark.parametrize("value", [12.5, 0.000000001, 999_999_999_999_999.0, -99_999_999_999_999.9, float("nan")])
def test_floats_that_are_taken(value):
    assert agrees(pa.array([value, 1.0]))


@pytest.mark.parametrize("value", [1 / 3, 1e15, 1e300, 1e-10, float("inf"), 0.1 + 0.2])
def test_floats_that_are_printed(value):
    assert typed_tokens(pa.array([1.0, value])) is None


@given(holed(SECONDS), st.integers(0, 10**9 - 1), st.sampled_from(UNITS))
def test_times(values, fraction, unit):
    second = 1_000 ** UNITS.index(unit)
    least, most = -(2**63) // second + 1, 2**63 // second - 1
    counts = [None if v is None else min(max(v, least), most) * second + fraction % second for v in values]
    assert agrees(pa.array([0, *counts], pa.int64()).view(pa.timestamp(unit))[1:])
    whole = [None if v is None else min(max(v, least), most) * second for v in values]
    assert agrees(pa.array(whole, pa.int64()).view(pa.timestamp(unit)))
    assert agrees(pa.array([None if v is None else v // 86_400 for v in values], pa.int32()).view(pa.date32()))


@pytest.mark.parametrize("second", [-62_135_596_801, 253_402_300_800])
def test_years_without_four_digits_are_printed(second):
    assert typed_tokens(pa.array([0, second], pa.int64()).view(pa.timestamp("s"))) is None


@pytest.mark.parametrize(
    "array",
    [
        pa.array(["a"]),
        pa.array([True]),
        pa.array([Decimal("1.5")]),
        pa.array([1.5], pa.float32()),
        pa.array([datetime.datetime(2024, 1, 31)], pa.timestamp("us", "UTC")),
        pa.array([1]).dictionary_encode(),
    ],
    ids=lambda array: str(array.type),
)
def test_other_types_are_printed(array):
    assert typed_tokens(array) is None


def test_nothing_is_taken_before_there_is_compiled_code(monkeypatch):
    monkeypatch.setattr(xxh64, "_compiled", None)
    monkeypatch.setattr(xxh64, "_spent", 0.0)
    assert typed_tokens(pa.array([1])) is None
