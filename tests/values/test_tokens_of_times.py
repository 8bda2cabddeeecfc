"""Dates, times and durations: the same token wherever they come from (pandas, Arrow, Parquet, text, Python objects)."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
import scalar_rule
from agreeing import agree, column, csv_cells, few
from hypothesis import given
from hypothesis import strategies as st

from lakeview.values import canonical


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


WRITTEN = st.builds(
    lambda day, sign, clock, seconds, zone: f"{day}{sign}{clock}{seconds}{zone}",
    st.dates().map(str) | st.sampled_from(["2023-02-29", "2024-02-30", "0000-01-01", "2024-13-01", "24-01-01"]),
    st.sampled_from([" ", "T", "t", "  ", "-", ""]),
    st.times().map(lambda t: t.strftime("%H:%M")) | st.sampled_from(["24:00", "00:00", "23:60", "1:00"]),
    st.sampled_from(["", ":00", ":59", ":60", ":00.000", ":07.120", ":00,5", ":00.", ":01.1234567890123"]),
    st.sampled_from(["", "", "Z", "z", "+00:00", "-00:00", "+0530", "-03", "+14:00", "-17:59", "+18:00", "+5", " Z"]),
)


@given(column(WRITTEN), st.sampled_from(["fold", "exact"]))
@few
def test_times_that_are_text(values, normalize):
    assert canonical(values, normalize).to_pylist() == scalar_rule.canonical(values, normalize)
    again = canonical(canonical(values, normalize), normalize)
    assert again.to_pylist() == scalar_rule.canonical(values, normalize)


@given(column(st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1), timezones=st.none() | ZONES)))
@few
def test_times_meet_however_they_are_written(values):
    want = scalar_rule.canonical(values)
    for write in (str, datetime.isoformat, lambda v: v.isoformat().upper().replace("+00:00", "Z")):
        assert canonical([v and write(v) for v in values]).to_pylist() == want
    for zoned in (False, True):  # pandas writes a column of one kind
        alike = [v for v in values if v and (v.tzinfo is not None) == zoned]
        series = pd.Series(pd.to_datetime(pd.Series(alike, dtype=object), utc=zoned))
        assert canonical(csv_cells(series)).to_pylist() == scalar_rule.canonical(alike)


def test_times_by_example():
    agree(
        ["2024-03-01", "2024-03-01 12:30:00", "2024-03-01 12:30:00.5", None],
        pa.array([datetime(2024, 3, 1), datetime(2024, 3, 1, 12, 30), datetime(2024, 3, 1, 12, 30, 0, 500000), None]),
    )
    agree(
        ["2024-03-01 00:00:00Z"], [datetime(2024, 3, 1, tzinfo=UTC)], pd.Series([pd.Timestamp("2024-03-01", tz="UTC")])
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
    agree(
        ["2024-03-01", "2024-03-01 10:30:00", "2024-03-01 10:30:00.5", "2024-02-29 22:30:00Z", "2024-02-30t00:00"],
        ["2024-03-01T00:00", "2024-03-01t10:30", "2024-03-01 10:30:00,50", "2024-03-01 00:30+02", "2024-02-30T00:00"],
    )


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
