"""Typed values: the same token wherever they come from (pandas, Arrow, Parquet, CSV text, Python objects)."""

from __future__ import annotations

import io
import math
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scalar_rule
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeview.errors import InputError
from lakeview.values import as_arrow, canonical, text

few = settings(max_examples=100, deadline=None)


def column(values: st.SearchStrategy) -> st.SearchStrategy[list]:
    return st.lists(st.none() | values, max_size=12)


def agree(want: list[str | None], *columns: object) -> None:
    """Every column, and what a Parquet file makes of it, has the canonical text `want`."""
    for data in columns:
        arrow = as_arrow(data)
        assert canonical(arrow).to_pylist() == want, type(data)
        if not pa.types.is_float16(arrow.type):
            assert canonical(through_parquet(arrow)).to_pylist() == want, arrow.type


def through_parquet(array: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    file = io.BytesIO()
    pq.write_table(pa.table({"x": array}), file)
    file.seek(0)
    return pq.read_table(file)["x"]


def csv_cells(series: pd.Series) -> list[str]:
    """The cells as pandas writes them; a second column keeps the line of a missing value."""
    lines = series.to_frame("x").assign(y="").to_csv(index=False, header=False).splitlines()
    return [line.removesuffix(",") for line in lines]


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


@given(column(st.dates(date(1678, 1, 1), date(2262, 1, 1))))
@few
def test_dates_and_midnights(values):
    want = scalar_rule.canonical(values)
    midnights = [None if v is None else datetime(v.year, v.month, v.day) for v in values]
    agree(
        want,
        values,
        pa.array(values, pa.date32()),
        pa.array(values, pa.date64()),
        midnights,
        *(pa.array(midnights, pa.timestamp(unit)) for unit in ("s", "ms", "us", "ns")),
        pd.Series(midnights, dtype="datetime64[ns]"),
        pd.Series(midnights, dtype="datetime64[us]"),
        np.array(values, "M8[D]"),
        [None if v is None else str(v) for v in values],
        csv_cells(pd.Series(midnights, dtype="datetime64[ns]")),
    )


@given(column(st.datetimes(datetime(1678, 1, 1), datetime(2262, 1, 1))))
@few
def test_zoneless_times(values):
    want = scalar_rule.canonical(values)
    agree(
        want,
        values,
        pa.array(values, pa.timestamp("us")),
        pa.array(values, pa.timestamp("ns")),
        pd.Series(values, dtype="datetime64[us]"),
        pd.Series(values, dtype="datetime64[ns]"),
        pd.Series(values, dtype=object),
        pd.DatetimeIndex(pd.Series(values, dtype="datetime64[ns]")),
    )
    agree(
        scalar_rule.canonical([v and v.replace(microsecond=0) for v in values]),
        [None if v is None else str(v.replace(microsecond=0)).removesuffix(" 00:00:00") for v in values],
        pa.array(values).cast(pa.timestamp("us")).cast(pa.timestamp("s"), safe=False)
        if all(v is None or v.year >= 1970 for v in values)
        else [v and v.replace(microsecond=0) for v in values],
    )


ZONES = st.sampled_from([UTC, ZoneInfo("Europe/Berlin"), ZoneInfo("America/St_Johns"), timezone(timedelta(hours=5.75))])


@given(column(st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=ZONES)))
@few
def test_zoned_times_are_in_utc_and_always_have_a_time(values):
    want = scalar_rule.canonical(values)
    utc = [v and v.astimezone(UTC) for v in values]
    naive = [v and v.replace(tzinfo=None) for v in utc]
    agree(
        want,
        values,
        utc,
        pa.array(naive, pa.timestamp("us")).cast(pa.timestamp("us", "UTC")),
        pa.array(naive, pa.timestamp("ns", "Asia/Tokyo")),
        pd.Series(pd.to_datetime(pd.Series(utc), utc=True)),
        pd.Series(pd.to_datetime(pd.Series(utc), utc=True)).dt.tz_convert("Asia/Kolkata"),
    )


def test_times_by_example():
    agree(
        ["2024-03-01", "2024-03-01 12:30:00", "2024-03-01 12:30:00.5", None],
        pa.array([datetime(2024, 3, 1), datetime(2024, 3, 1, 12, 30), datetime(2024, 3, 1, 12, 30, 0, 500000), None]),
    )
    agree(
        ["2024-03-01 00:00:00z"], [datetime(2024, 3, 1, tzinfo=UTC)], pd.Series([pd.Timestamp("2024-03-01", tz="UTC")])
    )
    agree(
        ["2024-03-01 00:00:00.000000001"],
        pd.Series([pd.Timestamp("2024-03-01 00:00:00.000000001")]),
        [pd.Timestamp("2024-03-01 00:00:00.000000001")],
    )
    agree(["3000-01-01", None], [pd.Timestamp("3000-01-01"), pd.NaT])
    agree(["0001-01-01", "9999-12-31"], [datetime(1, 1, 1), datetime(9999, 12, 31)])
    agree(["12:30:00", "01:02:03.4", None], [time(12, 30), time(1, 2, 3, 400000), None])
    agree(["00:00:01", "00:00:00.001"], pa.array([1000, 1], pa.time32("ms")))
    agree(["1969-12-31 23:59:59.999", "1969-12-31"], pa.array([-1, -86_400_000], pa.timestamp("ms")))
    assert canonical(["2024-03-01 12:30:00Z"], "exact").to_pylist() == ["2024-03-01 12:30:00Z"]


def test_times_that_arrow_cannot_print():
    assert canonical(pa.array([10**17 + 1, 0, None], pa.timestamp("s"))).to_pylist() == [
        "3168875820-09-06 09:46:41",
        "1970-01-01",
        None,
    ]
    assert canonical(pa.array([86_400 * 2**40], pa.timestamp("s"))).to_pylist() == ["3010362559-12-15"]
    assert canonical(pa.array([2**31 - 1, None], pa.date32())).to_pylist() == ["5881580-07-11", None]


@given(column(st.timedeltas(timedelta(days=-(10**4)), timedelta(days=10**4))))
@few
def test_durations_print_as_in_pandas(values):
    def of_pandas(value: timedelta | None) -> str | None:
        if value is None:
            return None
        printed = str(pd.Timedelta(value))
        return printed.rstrip("0") if "." in printed else printed

    agree(
        [of_pandas(v) for v in values],
        values,
        pa.array(values, pa.duration("us")),
        pa.array(values, pa.duration("ns")),
        pd.Series(values, dtype="timedelta64[ns]"),
    )


def test_durations_are_one_token_in_every_unit():
    for unit, one in (("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)):
        assert canonical(pa.array([90_061 * one, None, -one], pa.duration(unit))).to_pylist() == [
            "1 days 01:01:01",
            None,
            "-1 days +23:59:59",
        ]


MIXED = st.one_of(
    st.text(st.characters(codec="ascii"), max_size=5),
    st.integers(),
    st.booleans(),
    st.floats(),
    st.dates(),
    st.datetimes(),
    st.decimals(-(10**6), 10**6, places=3),
    st.times(),
)


@given(column(MIXED), st.sampled_from([None, float("nan"), pd.NA, pd.NaT]))
@few
def test_mixed_objects_print_by_their_own_types(values, missing):
    want = scalar_rule.canonical(values)
    spoilt = [missing if value is None else value for value in values]
    assert canonical(spoilt).to_pylist() == want
    assert canonical(pd.Series(spoilt, dtype=object)).to_pylist() == want


def test_numbers_of_five_kinds_and_text_are_one_token():
    agree(
        ["5"] * 8 + ["true", "005"], [5, "5", "+5", 5.0, "5.00", Decimal("5.0"), np.int8(5), np.float32(5), True, "005"]
    )


def test_pandas_types_that_arrow_lacks():
    agree(["2024-01", None], pd.Series(pd.PeriodIndex(["2024-01", None], freq="M")))
    agree(["(0.0, 1.0]", None], pd.Series(pd.arrays.IntervalArray.from_breaks([0, 1, 2])).where([True, False]))
    agree(["0", "0", "1"], pd.Series(pd.arrays.SparseArray([0, 0, 1])))
    agree(
        ["a", "b", None, "a"],
        pd.Series(["a", "B", None, "A "], dtype="category"),
        pd.array(["a", "b", None, "a"]),
        pd.Series(["a", "b", None, "a"], dtype="string"),
        pd.Series(["a", "b", None, "a"], dtype=pd.ArrowDtype(pa.string())),
    )
    agree(["1", "x"], pd.Series([1, "x"], dtype="category"))
    agree(["2024-03", None], np.array(["2024-03", "NaT"], "M8[M]"))
    agree(["2024-03-01 05:00:00", None], np.array(["2024-03-01T05", "NaT"], "M8[h]"))
    agree(["2024-03-04"], np.array(["2024-03-04"], "M8[W]") + np.timedelta64(4, "D"))
    agree(["1", None], np.ma.array([1, 2], mask=[False, True]))
    agree(["1.5"], np.array([1.5], np.longdouble))
    agree(["a", "b"], np.array(["a", "b"]), np.array([b"a", b"b"]), {"a": 0, "b": 1}.keys(), (x for x in "ab"))


NESTED = pa.struct([("n", pa.int8()), ("s", pa.string())])


@pytest.mark.parametrize(
    ("array", "want"),
    [
        (pa.array([[1, None], [], None, [5]]), ["[1,null]", "[]", None, "[5]"]),
        (pa.array([[1, None], [], None, [5]], pa.list_view(pa.int8())), ["[1,null]", "[]", None, "[5]"]),
        (pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int8(), 2)), ["[1,2]", None, "[3,4]"]),
        (pa.array([['a"b', "É"]], pa.large_list(pa.string())), ['["a\\"b","é"]']),
        (pa.array([{"n": 1, "s": "x"}, {"n": None, "s": "y"}, None], NESTED), ['{"n":1,"s":"x"}', '{"s":"y"}', None]),
        (pa.array([[("k", 1), ("l", None)], None], pa.map_(pa.string(), pa.int8())), ['{"k":1,"l":null}', None]),
        (pa.array([[datetime(2024, 3, 1)], [None]], pa.list_(pa.timestamp("ns"))), ['["2024-03-01"]', "[null]"]),
        (
            pa.array([[0.1, 1e22, math.nan, math.inf]], pa.list_(pa.float32())),
            ['[0.1,10000000000000000000000,null,"inf"]'],
        ),
        (pa.array([[[1]], [[], [2, 3]]]), ["[[1]]", "[[],[2,3]]"]),
        (pa.array([{}], pa.struct([])), ["{}"]),
    ],
)
def test_nested_values_are_json(array, want):
    assert canonical(array).to_pylist() == want
    assert canonical(array.slice(1)).to_pylist() == want[1:]
    assert canonical(pa.concat_arrays([array, array]).slice(len(array))).to_pylist() == want


def test_nested_python_objects_are_the_same_json():
    agree(["[1,2]", None, "[3]"], [[1, 2], None, [3]], pd.Series([[1, 2], None, [3]]))
    agree(['{"a":1}', '{"b":"x"}'], [{"a": 1}, {"b": "x"}])
    assert canonical([{"a": 1}, {"a": "x"}]).to_pylist() == ['{"a":1}', '{"a":"x"}']


def test_extension_types():
    uuids = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"\0" * 15 + b"\5", None], pa.binary(16)))
    assert canonical(uuids).to_pylist() == ["00000000-0000-0000-0000-000000000005", None]
    bools = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0, None], pa.int8()))
    assert canonical(bools).to_pylist() == ["true", "false", None]
    runs = pa.RunEndEncodedArray.from_arrays([2, 3], ["A", "b"])
    assert canonical(runs).to_pylist() == ["a", "a", "b"]


def test_text_is_never_cast():
    assert text(["00501", "1e5", "2024-3-1", "TRUE", "5.0"]).to_pylist() == ["00501", "1e5", "2024-3-1", "TRUE", "5.0"]
    assert as_arrow(["00501"]).type == pa.string()
    array = pa.array(["x"])
    assert as_arrow(array) is array


@pytest.mark.parametrize(
    "data",
    ["abc", b"abc", 5, None, {"a": 1}, pd.DataFrame({"a": [1]}), pa.table({"a": [1]}), np.zeros((2, 2)), np.array(5)],
    ids=lambda data: type(data).__name__,
)
def test_what_is_not_a_column_is_refused(data):
    with pytest.raises(InputError, match="one column"):
        as_arrow(data)
