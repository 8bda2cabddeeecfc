"""Numbers and booleans: the same token wherever they come from (pandas, Arrow, Parquet, CSV text, Python objects)."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scalar_rule
from agreeing import agree, column, csv_cells, few
from hypothesis import given
from hypothesis import strategies as st

from lakeview.values import canonical, text


@given(column(st.integers(-(2**63), 2**63 - 1)))
@few
def test_integers(values):
    want = scalar_rule.canonical(values)
    nullable = pd.Series(values, dtype="Int64")
    agree(
        want,
        values,
        nullable,
        pd.Series(values, dtype=object),
        pa.array(values, pa.int64()),
        [None if v is None else str(v) for v in values],
        [None if v is None else f"+{v}.00" if v >= 0 else f"{v}." for v in values],
        csv_cells(nullable),
        pa.array(values, pa.int64()).dictionary_encode(),
        pa.array(values, pa.decimal128(19, 0)),
    )
    if None not in values:
        agree(want, pd.Series(values, dtype="int64"), np.array(values, ">i8"), pd.Index(np.array(values, np.int64)))


@pytest.mark.parametrize(
    "kind",
    [
        pa.int8(),
        pa.int16(),
        pa.int32(),
        pa.uint8(),
        pa.uint16(),
        pa.uint32(),
        pa.uint64(),
        pa.float16(),
        pa.float32(),
        pa.float64(),
        pa.decimal32(5, 2),
        pa.decimal64(9, 1),
        pa.decimal128(20, 4),
        pa.decimal256(50, 10),
    ],
    ids=str,
)
def test_a_small_number_is_one_token_in_every_type(kind):
    make = Decimal if pa.types.is_decimal(kind) else float if pa.types.is_floating(kind) else int
    agree(["100", "7", None], pa.array([make(100), make(7), None], kind))


def test_integers_of_any_size_in_objects():
    agree(["1180591620717411303424", "1", "18446744073709551615"], [2**70, 1, 2**64 - 1])
    agree([str(2**64 - 1)], np.array([2**64 - 1], np.uint64), pa.array([2**64 - 1], pa.uint64()))


@given(column(st.floats()))
@few
def test_floats(values):
    want = scalar_rule.canonical(values)
    agree(
        want,
        values,
        pa.array(values, pa.float64()),
        pd.Series(values, dtype="float64"),
        pd.Series(values, dtype="Float64"),
        pd.Series(values, dtype=object),
        [None if v is None or math.isnan(v) else Decimal(repr(v)) if math.isfinite(v) else v for v in values],
    )


@given(column(st.floats(allow_infinity=False, allow_nan=False).filter(lambda x: x == 0 or 1e-4 <= abs(x) < 1e16)))
@few
def test_floats_as_csv_text(values):
    want = scalar_rule.canonical(values)
    agree(want, [None if v is None else repr(v) for v in values], csv_cells(pd.Series(values, dtype="float64")))


@given(column(st.floats(width=32)))
@few
def test_single_floats_print_by_their_own_shortest(values):
    def shortest(value: float | None) -> str | None:
        if value is None or math.isnan(value):
            return None
        return np.format_float_positional(np.float32(value) + np.float32(0), unique=True, trim="-")

    agree([shortest(v) for v in values], pa.array(values, pa.float32()), pd.Series(values, dtype="float32"))


@given(column(st.floats(width=16)))
@few
def test_half_floats_print_by_their_own_shortest(values):
    def shortest(value: float | None) -> str | None:
        if value is None or math.isnan(value):
            return None
        return np.format_float_positional(np.float16(value) + np.float16(0), unique=True, trim="-")

    halves = [None if v is None else np.float16(v) for v in values]
    agree([shortest(v) for v in values], pa.array(halves, pa.float16()), halves)


def test_floats_by_example():
    agree(
        ["10000000000000000000000", "0.0000001", "0", "5", "0.1", None, "inf", "-inf", "1234567890123456800"],
        [1e22, 1e-7, -0.0, 5.0, 0.1, math.nan, math.inf, -math.inf, 1234567890123456789.0],
    )
    assert text(pa.array([math.nan, None, 1e16])).to_pylist() == [None, None, "10000000000000000"]


@given(column(st.decimals(-(10**18), 10**18, places=6) | st.decimals(-1000, 1000, places=12)))
@few
def test_decimals(values):
    want = scalar_rule.canonical(values)
    agree(
        want,
        values,
        pa.array(values, pa.decimal128(38, 12)),
        pa.array(values, pa.decimal256(60, 20)),
        [None if v is None else format(v, "f") for v in values],
        csv_cells(pd.Series(values, dtype=object)) if all(v is None or "E" not in str(v) for v in values) else values,
    )


def test_decimals_by_example():
    assert canonical(pa.array([Decimal("1.5E+4")], pa.decimal128(5, -3))).to_pylist() == ["15000"]
    agree(["0", "0.00000001", "-0.5"], pa.array([Decimal(0), Decimal("1e-8"), Decimal("-0.50")], pa.decimal128(38, 18)))
    agree(["1" + "0" * 100, None, "inf"], [Decimal("1e100"), Decimal("NaN"), Decimal("Infinity")])


@given(column(st.booleans()))
@few
def test_booleans(values):
    agree(
        scalar_rule.canonical(values),
        values,
        pd.Series(values, dtype="boolean"),
        pd.Series(values, dtype=object),
        pa.array(values, pa.bool_()),
        [None if v is None else str(v) for v in values],
        pd.Series(values, dtype="category"),
        csv_cells(pd.Series(values, dtype="boolean")),
    )
