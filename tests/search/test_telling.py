"""`search(df, "key", target="y")`: hits by what their columns tell of y, told right, and said where it cannot be."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import lakeview as lv
from lakeview.errors import InputError, NotFound
from lakeview.search import telling as telling_file
from lakeview.search.column_parts import parted
from lakeview.search.target import numbers, summed

KEYS = 120
PLACES = [f"{a}{b}" for a in ("Kan", "Lor", "Mun", "Nor", "Pal", "Ris") for b in range(1000, 1020)]


def tables() -> dict[str, pd.DataFrame]:
    rng = np.random.default_rng(5)
    humid, wind = rng.uniform(10, 100, KEYS), rng.uniform(0, 30, KEYS)
    air = pd.DataFrame({"place": PLACES, "gust": rng.uniform(0, 9, KEYS), "humid": humid, "wind": wind,
                        "band": np.where(humid > 55, "wet", "dry"), "year": 2013,
                        "seen": pd.Timestamp("2024-01-01") + pd.to_timedelta(humid * 3600, "s")})  # fmt: skip
    people = pd.DataFrame(
        {"town": PLACES, "mayor": [f"mayor {i}" for i in range(KEYS)], "area": rng.uniform(1, 9, KEYS)}
    )
    sales = pd.DataFrame({"spot": np.repeat(PLACES, 3), "amount": np.repeat(humid, 3) + rng.uniform(0, 1, 3 * KEYS)})
    return {"air": air, "people": people, "sales": sales}


def trips(rows: int = 6000) -> pd.DataFrame:
    rng = np.random.default_rng(6)
    air, town = tables()["air"], rng.integers(0, KEYS, rows)
    delay = 5 + air.humid.to_numpy()[town] / 6 - air.wind.to_numpy()[town] / 3 + rng.normal(0, 9, rows)
    found = pd.DataFrame({"town": np.array(PLACES)[town], "seat": rng.integers(1, 9, rows), "delay": delay})
    found["late"] = found.delay > 15
    found["state"] = pd.cut(found.delay, [-99, 0, 15, 99], labels=["early", "fine", "late"]).astype(object)
    found["when"] = pd.Timestamp("2024-01-01")
    found["number"] = [f"t{i}" for i in range(rows)]
    found.loc[::50, "delay"] = np.nan
    found.loc[1::50, "town"] = None
    return found


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Any:
    lake = lv.open(tables(), store=tmp_path_factory.mktemp("telling"))
    lake.index(engine="local")
    return lake


def telling(hit: Any) -> list[str]:
    return [told.column for told in hit.tells if told.is_telling]


def test_the_most_telling_table_first(lake: Any):
    plain = lake.search(trips(), "town", rank="join")
    assert plain.target is None and all(hit.tells == () for hit in plain)
    hits = lake.search(trips(), "town", target="delay")
    assert hits.target == "delay" and {hit.name for hit in hits} == {hit.name for hit in plain}
    assert [hit.table for hit in hits][-1] == "people" and hits[0].explained >= hits[1].explained > 0
    of = {hit.table: hit for hit in hits}
    assert telling(of["air"])[0] in ("humid", "seen")
    assert {"humid", "seen", "band", "wind"} == set(telling(of["air"]))
    assert telling(of["people"]) == [] and of["people"].explained == 0
    assert telling(of["sales"]) == ["amount_sum"], "several rows of a key are aggregated"
    why = {told.column: told.why for told in of["air"].tells}
    assert why["gust"] == "tells little" and why["year"] == "one value"
    frame = hits.to_pandas()
    assert frame.explained.tolist() == [hit.explained for hit in hits]
    assert frame.telling.tolist() == [telling(hit) for hit in hits]


def test_the_means_are_those_of_her_rows(lake: Any):
    mine = trips()
    hit = next(hit for hit in lake.search(mine, "town", target="delay") if hit.table == "air")
    joined = hit.join(left=mine).to_pandas().dropna(subset=["delay", "humid"])
    told = next(told for told in hit.tells if told.column == "humid")
    assert told.mean == pytest.approx(mine.delay.mean()) and told.of == "delay" and not told.is_share
    assert sum(part.rows for part in told.parts) == len(joined)
    for part in told.parts:
        inside = joined[joined.humid.between(part.low, part.high)]
        assert (len(inside), inside.delay.mean()) == (part.rows, pytest.approx(part.mean))
    assert told.span == (told.parts[0].mean, told.parts[-1].mean) and told.span[0] < told.span[1]
    band = next(told for told in hit.tells if told.column == "band")
    assert {part.low: pytest.approx(part.mean) for part in band.parts} == joined.groupby("band").delay.mean().to_dict()
    assert "delay" in str(told) and str(told).startswith("humid: ")


@pytest.mark.parametrize("target", ["late", "state"])
def test_flags_and_categories(lake: Any, target: str):
    mine = trips()
    hits = lake.search(mine, "town", target=target)
    hit = next(hit for hit in hits if hit.table == "air")
    told = next(told for told in hit.tells if told.column == "humid")
    name = told.of.removeprefix(f"{target} = ")
    assert told.is_share and told.is_telling
    is_it = mine[target].astype(str) == name
    assert told.mean == pytest.approx(is_it.mean())
    joined = hit.join(left=mine.assign(it=is_it)).to_pandas().dropna(subset="humid")
    first = joined[joined.humid.between(told.parts[0].low, told.parts[0].high)]
    assert told.parts[0].mean == pytest.approx(first["it"].mean())


def test_what_is_shuffled_tells_nothing(tmp_path: Path):
    """Columns that are noise by key, however many rows her frame has and however many columns a table: of forty tables
    with thirty each about none, where chance says of twelve columns that they tell."""
    rng = np.random.default_rng(7)
    noise = {f"t{i}": pd.DataFrame({"place": PLACES, **{f"c{j}": rng.normal(size=KEYS) for j in range(30)}})
             for i in range(40)}  # fmt: skip
    lake = lv.open(noise, store=tmp_path)
    lake.index(engine="local")
    hits = lake.search(trips(20_000), "town", k=40, target="delay", fold=False)
    assert len(hits) == 40 and all(len(hit.tells) == 30 for hit in hits)
    assert sum(bool(hit.telling) for hit in hits) <= 2


def test_what_is_sure_and_tiny_is_little(tmp_path: Path):
    rng = np.random.default_rng(9)
    town = rng.integers(0, KEYS, 400_000)
    size = np.arange(KEYS) / KEYS
    mine = pd.DataFrame({"town": np.array(PLACES)[town], "y": 0.05 * size[town] + rng.normal(size=400_000)})
    lake = lv.open({"sizes": pd.DataFrame({"place": PLACES, "size": size})}, store=tmp_path)
    lake.index(engine="local")
    (told,) = lake.search(mine, "town", target="y")[0].tells
    assert told.chance < 1e-6 and told.explained < 0.001 and told.why == "tells little"


def test_a_table_that_is_too_large_is_not_read(lake: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(telling_file, "LARGE", 200)
    hits = lake.search(trips(), "town", target="delay")
    of = {hit.table: hit for hit in hits}
    assert of["sales"].tells == [] and of["air"].telling
    assert hits.left_out == ["sales has 360 rows: what its columns tell was not looked at"]


def test_chance_matches_stay_last(tmp_path: Path):
    """Whatever tells: what joins by chance is below what joins, and is not looked at."""
    rng = np.random.default_rng(4)
    small = pd.DataFrame({"n": range(60), "y": np.arange(60) + rng.normal(size=60), "town": PLACES[:60]})
    lake = lv.open({"rows": pd.DataFrame({"row": range(1, 90), "z": range(89)}), **tables()}, store=tmp_path)
    lake.index(engine="local")
    whole = lake.search(small, target="y")
    accidents = [hit.accidental for hit in whole]
    assert any(accidents) and not all(accidents) and accidents == sorted(accidents)
    assert all(hit.tells == () for hit in whole if hit.accidental)


def test_two_classes_are_one_number_and_gaps_are_no_class():
    found, classes = numbers(pa.array(["a", "b", None, "a"]), "y")
    assert classes == ["a"] and found[0][:2].tolist() == [1, 0] and np.isnan(found[0][2])
    found, classes = numbers(pa.array(["a", "b", "c", None, "a"] * 9), "y")
    assert classes == ["a", "b", "c"] and np.isnan(found[:, 3]).all() and found[:, 0].tolist() == [1, 0, 0]
    mean = summed(found, np.zeros(45, int), 1).mean
    assert mean == pytest.approx([0.5, 0.25, 0.25])


def test_keys_without_rows_are_in_no_part():
    used = np.arange(20) < 12
    for column in (pd.Series(range(20)), pd.Series(["a", "b"] * 10)):
        made = parted(column, used)
        assert made is not None and (made.codes[~used] == -1).all() and (made.codes[used] >= 0).all()
    one = parted(pd.Series(["a"] * 12 + ["b"] * 8), used)
    assert one is not None and one.distinct == 1


def test_streamed_and_several_and_a_whole_frame(lake: Any):
    *first, last = lake.search(trips(), "town", target="delay", stream=True)
    assert all(hits.target is None for hits in first) and last.target == "delay" and last.by_join is first[-1]
    whole = lake.search(trips(), target="delay")
    assert whole[0].explained > 0 and whole.answers["town",][0].explained == whole[0].explained
    assert [hit.accidental for hit in whole] == sorted(hit.accidental for hit in whole)
    other = lake.search(trips(), target="town")  # which joins, too
    assert all(hit.tells == [] for hit in other if hit.asked == "town")


def test_several_columns(tmp_path: Path):
    rng = np.random.default_rng(8)
    days = [f"day {i}" for i in range(8)]
    rain = pd.DataFrame([(p, d) for p in PLACES[:20] for d in days], columns=["place", "sky"])
    rain["drops"] = rng.uniform(0, 9, len(rain))
    at = rng.integers(0, len(rain), 4000)
    mine = pd.DataFrame({"town": rain.place.to_numpy()[at], "day": rain.sky.to_numpy()[at],
                         "sales": 9 - rain.drops.to_numpy()[at] + rng.normal(0, 2, 4000)})  # fmt: skip
    lake = lv.open({"rain": rain}, store=tmp_path)
    lake.index(engine="local")
    (hit,) = lake.search(mine, ["town", "day"], target="sales")
    assert telling(hit) == ["drops"] and hit.explained > 0.5


def test_the_frame_itself_and_what_she_has(tmp_path: Path):
    mine = trips().drop(columns=["when", "number"])
    air = tables()["air"].assign(seat=3)
    air["band"] = [f"{i:03d}" for i in range(KEYS)]
    mine["band"] = mine.town.map({place: i for i, place in enumerate(PLACES)})
    mine["humid"] = mine.town.map(dict(zip(air.place, air.humid, strict=True)))
    lake = lv.open({"air": air, "trips": mine}, store=tmp_path)
    lake.index(engine="local")
    hits = lake.search(mine, "town", target="delay")
    of = {hit.table: hit for hit in hits}
    assert of["trips"].tells == [] and any("trips has the columns of" in why for why in hits.left_out)
    why = {told.column: told.why for told in of["air"].tells}
    assert why["humid_air"] == why["band_air"] == "you have it" and why["seat_air"] == "one value"
    twin = pd.DataFrame({"place": PLACES, "delay": range(KEYS), "note": "x"})
    lake.add(twin, "twin")
    hit = next(hit for hit in lake.search(mine, "town", target="delay") if hit.table == "twin")
    assert {told.column: told.why for told in hit.tells}["delay_twin"] == "the target itself"


def test_a_column_of_the_lake_asks(tmp_path: Path):
    trips().drop(columns=["when"]).to_csv(tmp_path / "trips.csv", index=False)
    tables()["air"].to_csv(tmp_path / "air.csv", index=False)
    lake = lv.open(tmp_path)
    lake.index(engine="local")
    (hit,) = lake.search("trips.csv.town", target="delay")
    assert set(telling(hit)) >= {"humid", "band", "wind"}
    (tmp_path / "air.csv").unlink()
    hits = lake.search("trips.csv.town", target="delay")
    assert hits[0].tells == [] and len(hits.left_out) == 1 and "air.csv" in hits.left_out[0]


def test_what_is_no_target(lake: Any):
    mine = trips()
    for target, said in {
        "when": "when is of type timestamp",
        "number": "number has 6,000 different values in 6,000 rows",
        "town": "town is what is asked for",
    }.items():
        with pytest.raises(InputError, match=said):
            lake.search(mine, "town", target=target)
    for column, said in (("one", "one has one value in all rows"), ("none", "none has no values")):
        with pytest.raises(InputError, match=said):
            lake.search(mine.assign(one=1.0, none=np.nan), "town", target=column)
    with pytest.raises(NotFound, match="no column 'nothing'"):
        lake.search(mine, "town", target="nothing")
    with pytest.raises(InputError, match="another column of the DataFrame"):
        lake.search(mine.town, target="delay")
    with pytest.raises(InputError, match="overlap"):
        lake.search(mine, "town", target="delay", rank="overlap")


@pytest.mark.parametrize("column", [
    pd.Series([1, 2, 3, 4] * 5),
    pd.Series([1, None, 3, 4] * 5, dtype="Int64"),
    pd.Series([Decimal(1), Decimal("2.5"), None, Decimal(4)] * 5),
    pd.Series(["2024-01-01", "2024-02-01T10:00:00Z", None, "2025-01-01"] * 5),
    pd.Series(pd.to_datetime(["2024-01-01", None, "2024-02-01", "2025-01-01"] * 5)).dt.tz_localize("CET"),
    pd.Series([True, False, None, True] * 5),
    pd.Series(["a", "b", None, "c"] * 5, dtype="category"),
    pd.Series([np.inf, 1.0, 2.0, np.nan] * 5),
], ids=["integers", "gaps", "decimals", "texts of times", "times", "flags", "categories", "infinite"])  # fmt: skip
def test_columns_of_all_kinds(column: pd.Series):
    made = parted(column, np.ones(len(column), bool))
    assert made is not None and made.distinct in (2, 3, 4)
    assert (made.codes[column.isna().to_numpy()] == -1).all()
    assert len(made.bounds) == len(set(made.codes[made.codes >= 0].tolist()))
    assert all(low <= high for low, high in made.bounds if low is not None)


def test_lists_are_no_values_to_compare():
    assert parted(pd.Series([[1], [2]] * 5), np.ones(10, bool)) is None


@pytest.mark.spark
@pytest.mark.parametrize("target", ["delay", "late", "state", "number"])
def test_a_spark_frame_is_told_the_same(lake: Any, spark: Any, target: str):
    from pyspark.sql import functions

    mine = trips(3000).drop(columns=["when"])
    mine["number"] = np.where(mine.index % 9 == 0, np.inf, mine.delay)
    theirs = spark.createDataFrame(mine.astype({"town": object}).where(mine.notna() | (mine.dtypes == "float64"), None))
    delay = functions.col("delay")
    theirs = theirs.withColumn("delay", functions.when(delay.isNull(), float("nan")).otherwise(delay))
    expected = lake.search(mine, "town", target=target)
    found = lake.search(theirs, "town", target=target)
    assert [hit.name for hit in found] == [hit.name for hit in expected]
    for one, other in zip(found, expected, strict=True):
        assert [told.column for told in one.telling] == [told.column for told in other.telling]
        assert one.explained == pytest.approx(other.explained, rel=1e-6)
        for mine_, theirs_ in zip(one.telling, other.telling, strict=True):
            assert mine_.mean == pytest.approx(theirs_.mean) and mine_.of == theirs_.of
            assert [part.mean for part in mine_.parts] == pytest.approx([part.mean for part in theirs_.parts])
