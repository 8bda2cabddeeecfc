"""Plain text and the saved table: aligned, bounded, with nothing lost that matters."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
from standins import Hit, Hits, Query, flights, nothing

import lakeview as lv
from lakeview.notebook.output import saved, text, words
from lakeview.notebook.output.html import table_parts


def test_hits_as_text() -> None:
    lines = text.hits_text(flights()).splitlines()
    assert lines[0].startswith("Joins for flights.dest: 105 distinct values, no nulls, lake of 43 tables")
    assert " ".join(lines[1].split()) == "# table.column how sure rows matched rows after adds why"
    assert "! 82,380,482, × 245, up to 911" in lines[5]
    assert lines[6] == "1 chance match, never joined unasked:"
    assert len({line.index("  ", 4) for line in lines[2:4]}) == 2 and max(map(len, lines)) < 260


def test_nothing_as_text() -> None:
    lines = text.hits_text(nothing()).splitlines()
    assert lines[1:] == [
        "Nothing in this lake joins with it.",
        "The closest:",
        "  aircraft.csv.icao_code: 6 of 127",
        "  teams.csv.park: 1 of 127",
        "512 columns in 43 tables compared, all exactly.",
        "3 problems met while reading the lake: some values may be missing.",
    ]


def test_why_there_is_nothing(tmp_path: Path) -> None:
    hours = pd.date_range("2024-01-02", periods=30, freq="h")
    lake = lv.open({"log": pd.DataFrame({"at": hours})}, store=tmp_path)
    assert "Nothing is indexed yet." in text.hits_text(Hits(Query("df.x", 0, 5, 5), [], columns=0, tables=0))
    lake.index(engine="local")
    for values, why in (
        (hours.tz_localize("Europe/Berlin"), "times with a zone, which equal none without one"),
        (pd.Series(["-", None, "N/A"]), "The column has no values: all are null marks."),
        (pd.Series([], dtype=object), "It has no rows."),
        (pd.Series(["2024-01-02 05:00:00+00:00", "x"]), "1 column in 1 table compared, all exactly."),
    ):
        said = text.hits_text(lake.search(pd.Series(values, name="x")))
        assert why in said and ("zone" in said) == ("zone" in why)
    assert len(lake.search(pd.Series(hours.tz_localize("UTC").tz_localize(None)))) == 1


def test_text_is_bounded_and_one_line_a_hit() -> None:
    hit = Hit("x" * 1_000_000, "col\nname", 1, 0.1, 1, reason="y\n" * 1000)
    lines = text.hits_text(Hits(Query("q" * 1_000_000, 5, 0, 5), [hit] * 500)).splitlines()
    assert len(lines) == 2 + 50 + 1
    assert lines[-1] == "… 450 more: hits.to_pandas()"
    assert max(map(len, lines)) < 400


def test_frame_as_text() -> None:
    frame = pd.DataFrame({"n": [1458, None], "f": [0.5, np.nan], "t": ["a\nb", None], "b": [True, False]})
    assert text.frame_text(frame)[1].split()[0] == "1458"  # data may be a year
    lines = text.frame_text(frame, grouped=True)
    assert lines[1].split() == ["1,458", "0.5", r"a\nb", "yes"]
    assert lines[2].split() == ["no"]
    assert text.frame_text(pd.DataFrame({str(i): range(60) for i in range(20)}))[-1] == "… 10 rows and 12 columns more"


def test_saved_hits_are_plain_json_of_bounded_size() -> None:
    hits = flights()
    hits.hits[0].containment = float("nan")
    hits.hits[1].rows = np.int64(7)
    hits.hits[2].table = "x" * 1_000_000
    hits.hits = hits.hits * 40
    data = saved.saved_hits(hits)
    dumped = json.dumps(data, allow_nan=False)
    assert len(dumped) < 50_000
    assert data["total"] == 200 and len(data["rows"]) == 50
    assert all(len(row) == len(data["columns"]) for row in data["rows"])
    labels = [column["label"] for column in data["columns"]]
    row = dict(zip(labels, data["rows"][1], strict=True))
    assert row["table"] == "airports.csv.gz" and row["rows"] == 7 and row["rows_out"] == 336_776
    assert not any(value in dumped for value in ("ORD", "SJU"))


def test_saved_frame() -> None:
    frame = pd.DataFrame({"n": [1, 2**60], "t": [pd.NA, pd.Timestamp("2024-03-01")], "f": [float("inf"), 1.5]})
    data = saved.saved_frame("t", [], frame)
    json.dumps(data, allow_nan=False)
    assert data["rows"] == [[1, None, "inf"], [str(2**60), "2024-03-01 00:00:00", 1.5]]
    assert [column["type"] for column in data["columns"]] == ["number", "text", "number"]


def test_shares_and_durations_in_words() -> None:
    assert [words.share(x) for x in (0, 0.001, 0.5, 0.9996, 1)] == ["0.00", "<0.01", "0.50", ">0.99", "1.00"]
    assert words.share(0.0131, 3) == "0.013"
    spans = {0.0001: "1 ms", 0.012: "12 ms", 1.44: "1.4 s", 42.4: "42 s", 125: "2 min 5 s", 3725: "1 h 2 min"}
    assert {seconds: words.duration(seconds) for seconds in spans} == spans


def test_table_and_extension() -> None:
    cases = {
        "airports.csv.gz": ("airports", ".csv.gz"),
        "dir.x/a.b.parquet": ("dir.x/a.b", ".parquet"),
        "plain": ("plain", ""),
        ".csv": (".csv", ""),
        "db.table": ("db.table", ""),
    }
    assert {name: table_parts(name) for name in cases} == cases
