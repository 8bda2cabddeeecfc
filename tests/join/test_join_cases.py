"""Troubles that analysts reported, each small enough to read: what meets, what does not, and what the join will do."""

from __future__ import annotations

import datetime
from dataclasses import astuple

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from joining import in_order, lake, rows, run_pandas, run_pyspark, run_sql

from lakeview.join.plan import JoinPlan, equi_join
from lakeview.join.side import Side


def join(tables, left: tuple[str, str], right: tuple[str, str], how: str = "left", normalize: str = "fold") -> JoinPlan:
    return equi_join(Side.lake(tables[left[0]]), Side.lake(tables[right[0]]), left[1], right[1], how, normalize)


def compared(tables, left: tuple[str, str], right: tuple[str, str]) -> tuple[int, int, int]:
    """Distinct keys that both have, that the left has, that the right has."""
    a, b = (set(keys.drop_null().to_pylist()) for keys in join(tables, left, right).keys)
    return len(a & b), len(a), len(b)


def pairs(plan: JoinPlan) -> list[tuple[int, int]]:
    return list(plan.pairs.itertuples(index=False, name=None))


def test_a_key_that_repeats_on_both_sides_multiplies_rows(tmp_path):
    tables = lake(tmp_path, {
        "visits.csv": "ward,visit\nx,1\nx,2\ny,3\nz,4\n", "beds.csv": "ward,bed\nx,a\nx,b\nx,c\ny,d\nw,e\n",
    })  # fmt: skip
    left, right = ("visits.csv", "ward"), ("beds.csv", "ward")
    six = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    for how, out in {"left": 8, "inner": 7, "right": 8, "outer": 9}.items():
        plan = join(tables, left, right, how)
        assert astuple(plan.counts()) == (4, 3, 5, 4, out, 3)
        assert pairs(plan) == [*six, (2, 3)]
        assert len(plan.to_pandas()) == out
    assert compared(tables, left, right) == (2, 3, 3)


def test_missing_keys_keep_their_rows_and_meet_nothing(tmp_path):
    tables = lake(tmp_path, {
        "left.csv": 'key,x\nK-100,1\n,2\nNA,3\nK-200,4\nnull,5\n-,6\n"  ",7\n',
        "right.csv": "key,y\nK-100,a\n,b\nN/A,c\nK-200,d\nNone,e\nnan,f\n",
    })  # fmt: skip
    left, right = ("left.csv", "key"), ("right.csv", "key")
    plan = join(tables, left, right)
    assert astuple(plan.counts()) == (7, 2, 6, 2, 7, 1)
    assert pairs(plan) == [(0, 0), (3, 3)]
    assert plan.to_pandas()["x"].tolist() == list("1234567")
    assert astuple(join(tables, left, right, "inner").counts()) == (7, 2, 6, 2, 2, 1)
    assert compared(tables, left, right) == (2, 2, 2)
    for how in ("left", "inner", "right", "outer"):
        plan = join(tables, left, right, how)
        assert rows(run_pandas(plan)) == rows(plan.to_pandas())


DOTS = {
    "orders.csv": "item.id,qty,a`b\n10,1,x\n11,2,y\n12,5,z\n11,7,w\n",
    "items.csv": "id,label\n10,nut\n11,bolt\n12,gear\n13,cam\n",
    "a.csv": "b.csv.k,v\np,1\nq,2\n",
    "a.csv.b.csv": "k,v\nr,1\ns,2\nt,3\n",
}


def test_dots_and_backticks_in_names(tmp_path):
    tables = lake(tmp_path, DOTS)
    plan = join(tables, ("orders.csv", "item.id"), ("items.csv", "id"))
    assert astuple(plan.counts()) == (4, 4, 4, 3, 4, 1)
    assert pairs(plan) == [(0, 0), (1, 1), (2, 2), (3, 1)]
    assert compared(tables, ("orders.csv", "item.id"), ("items.csv", "id")) == (3, 3, 4)
    assert rows(run_pandas(plan)) == rows(plan.to_pandas())
    assert pairs(join(tables, ("a.csv", "b.csv.k"), ("a.csv.b.csv", "k"))) == []


@pytest.mark.spark
@pytest.mark.parametrize("run", [run_pyspark, run_sql])
def test_dots_and_backticks_in_code_for_spark(tmp_path, spark, run):
    plan = join(lake(tmp_path, DOTS), ("orders.csv", "item.id"), ("items.csv", "id"))
    assert in_order(rows(run(plan, spark))) == in_order(rows(plan.to_pandas()))


def test_a_repeated_and_an_empty_name(tmp_path):
    tables = lake(
        tmp_path, {"saved.csv": ",id,name,id\n0,A1,x,B1\n1,A2,y,B2\n2,A3,z,B2\n", "b.csv": "key\nB1\nB2\nB3\n"}
    )
    assert compared(tables, ("saved.csv", "id_2"), ("b.csv", "key")) == (2, 2, 3)
    plan = join(tables, ("saved.csv", "id_2"), ("b.csv", "key"), "inner")
    assert list(plan.to_pandas()) == ["column_1", "id", "name", "id_2", "key"]
    assert rows(run_pandas(plan)) == rows(plan.to_pandas())


def test_years_as_names(tmp_path):
    tables = lake(tmp_path, {
        "exports.csv": "country,2019,2020,2021\nPeru,46,42,63\nChile,69,73,94\nBrazil,225,209,280\n",
        "capitals.csv": "country,capital\nPeru,Lima\nChile,Santiago\n",
    })  # fmt: skip
    assert compared(tables, ("capitals.csv", "country"), ("exports.csv", "country")) == (2, 2, 3)


def test_a_day_is_a_date_a_midnight_or_iso_text(tmp_path):
    days = [datetime.date(2024, 3, 1), datetime.date(2024, 3, 2), datetime.date(2024, 2, 29)]
    stamps = [datetime.datetime(2024, 3, 1), datetime.datetime(2024, 3, 2, 12, 30), datetime.datetime(2024, 2, 29)]
    columns = {"days": ("day", pa.array(days)), "stamps": ("at", pa.array(stamps, pa.timestamp("us"))),
               "nanos": ("at", pa.array(stamps, pa.timestamp("ns")))}  # fmt: skip
    for name, (column, array) in columns.items():
        pq.write_table(pa.table({column: array}), tmp_path / f"{name}.parquet")
    tables = lake(tmp_path, {"text.csv": "day,n\n2024-03-01,1\n2024-02-29,2\n01/03/2024,3\n"})
    day, at, nano = ("days.parquet", "day"), ("stamps.parquet", "at"), ("nanos.parquet", "at")
    assert compared(tables, day, at) == (2, 3, 3)
    assert compared(tables, at, nano) == (3, 3, 3)
    assert compared(tables, ("text.csv", "day"), day) == (2, 3, 3)
    assert pairs(join(tables, ("text.csv", "day"), at)) == [(0, 0), (1, 2)]
    for left, right in ((day, at), (at, nano), (("text.csv", "day"), day), (("text.csv", "day"), nano)):
        plan = join(tables, left, right, "outer")
        assert rows(run_pandas(plan)) == rows(plan.to_pandas())


def test_accents_in_one_character_or_two(tmp_path):
    names = ["Cafe\u0301 Zoe\u0308", "\u212bngstro\u0308m", "Ło\u0301dz\u0301", "nai\u0308ve", "\ufb01nch"]
    tables = lake(tmp_path, {
        "files.csv": "name,size\n" + "".join(f"{name},{size}\n" for size, name in enumerate(names)),
        "typed.csv": "name\nCafé Zoë\nÅngström\nŁódź\nnaïve\nfinch\n",
    })  # fmt: skip
    files, typed = ("files.csv", "name"), ("typed.csv", "name")
    assert compared(tables, files, typed) == (5, 5, 5)
    assert pairs(join(tables, files, typed, normalize="exact")) == []


def test_leading_zeros_are_part_of_a_code(tmp_path):
    tables = lake(tmp_path, {
        "zips.csv": "zip,town\n00501,A\n02139,B\n10001,C\n07030,D\n501,E\n",
        "sales.csv": "zip,amount\n00501,9\n2139,4\n10001,3\n7030,7\n501,1\n",
    })  # fmt: skip
    sales, zips = ("sales.csv", "zip"), ("zips.csv", "zip")
    plan = join(tables, sales, zips)
    assert compared(tables, sales, zips) == (3, 5, 5)
    assert astuple(plan.counts()) == (5, 3, 5, 3, 5, 1)
    assert pairs(plan) == [(0, 0), (2, 2), (4, 4)]
    assert "dtype={" in plan.code() or "dtype=str" in plan.code()
    assert rows(run_pandas(plan)) == rows(plan.to_pandas())


def test_na_is_namibia_among_country_codes(tmp_path):
    countries = "NA,Namibia,3\nNO,Norway,NA\nNP,Nepal,8\nNG,Nigeria,N/A\nNE,Niger,5\nNL,Netherlands,6\n"
    tables = lake(tmp_path, {
        "countries.csv": f"iso2,name,score\n{countries}",
        "ports.csv": "country,port\nNA,Walvis Bay\nNO,Bergen\nNA,Luderitz\nZA,Durban\n",
    })  # fmt: skip
    ports, codes = ("ports.csv", "country"), ("countries.csv", "iso2")
    plan = join(tables, ports, codes)
    assert compared(tables, ports, codes) == (2, 3, 6)
    assert astuple(plan.counts()) == (4, 3, 6, 2, 4, 1)
    assert pairs(plan) == [(0, 0), (1, 1), (2, 0)]
    assert rows(run_pandas(plan)) == rows(plan.to_pandas())
    assert pairs(join(tables, ports, ("countries.csv", "score"))) == []
    plan = join(tables, codes, ("countries.csv", "score"))
    assert rows(run_pandas(plan)) == rows(plan.to_pandas())


def test_blanks_and_letters_of_the_web(tmp_path):
    tables = lake(tmp_path, {
        "pasted.csv": 'place\n"Oslo\u00a0"\n"New\u00a0York"\n"  Bergen "\n"Kyoto\u3000"\n"ＡＢＣ１２"\n',
        "typed.csv": "place,n\noslo,0\nnew york,1\nbergen,2\nkyoto,3\nabc12,4\nNew  York,5\n",
    })  # fmt: skip
    pasted, typed = ("pasted.csv", "place"), ("typed.csv", "place")
    plan = join(tables, pasted, typed, "inner")
    assert compared(tables, pasted, typed) == (5, 5, 5)
    assert astuple(plan.counts()) == (5, 5, 6, 6, 6, 2)
    assert pairs(plan) == [(0, 0), (1, 1), (1, 5), (2, 2), (3, 3), (4, 4)]
    assert in_order(rows(run_pandas(plan))) == in_order(rows(plan.to_pandas()))


def test_numbers_that_a_spreadsheet_spoilt_meet_nothing(tmp_path):
    tables = lake(tmp_path, {
        "orders.csv": "order,amount\n1.23457E+15,10\n1.23457E+15,20\n8.80E+11,5\n2.19E+26,7\n",
        "master.csv": "order,client\n1234567890123456,a\n1234567890123999,b\n880000000000,c\n1234570000000000,d\n",
    })  # fmt: skip
    orders, master = ("orders.csv", "order"), ("master.csv", "order")
    assert compared(tables, orders, master) == (0, 3, 4)
    plan = join(tables, orders, master, "outer")
    assert plan.counts().rows_out == 8
    assert rows(run_pandas(plan)) == rows(plan.to_pandas())


def test_the_analysts_numbers_meet_text(tmp_path):
    """pandas made floats of the codes because one is missing."""
    tables = lake(tmp_path, {"codes.csv": "code,name\n10,ten\n007,seven\n2.50,two\n"})
    left = pd.DataFrame({"code": [10, None, 2.5, 7]})
    plan = equi_join(Side.frame(left, "df"), Side.lake(tables["codes.csv"]), "code", "code")
    assert pairs(plan) == [(0, 0), (2, 2)]
    assert rows(run_pandas(plan)) == rows(plan.to_pandas())
