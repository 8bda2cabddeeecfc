"""The pandas code makes the rows of to_pandas(), in their order, and carries no step that the join does not need."""

from __future__ import annotations

import gzip
import json
import uuid

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from joining import in_order, lake, rows, run_pandas

from lakeview import values
from lakeview.errors import InputError
from lakeview.join.model import HOWS
from lakeview.join.plan import equi_join
from lakeview.join.side import Side

TEXTS = [
    "a", "A", " a ", "b", "b  c", "b c", "B\u00a0C", "5", "5.0", "+5", "05", "-0", "0", "-", "N/A", "null", "NA", "no",
    "DE", "ｗide", "wide", "é", "e\u0301", "zero\u200bwidth", "zerowidth", "ΟΔΟΣ", "οδοσ", "οδος", "İ", "i",
]  # fmt: skip
PRINTED = [
    "0", "5", "5.0", "+5", "0.1", "0.10", "10000000000000000000000", "0.0000001", "2.50", "TRUE", "false", "2024-03-01",
    "2024-03-01 12:30:00", "2024-03-01 12:30:00.5", "-",
]  # fmt: skip


def plan_of(left, right, left_on="k", right_on="k", how="left", normalize="fold", name="flights"):
    return equi_join(Side.frame(left, name), right, left_on, right_on, how, normalize)


def check(plan) -> str:
    """The plan's code, having been run."""
    found, expected = run_pandas(plan), plan.to_pandas()
    assert list(found.columns) == list(expected.columns)
    # pandas' inner merge shuffles the right rows of one key (2.3), whatever its documentation says
    order = in_order if plan.how == "inner" and plan.counts().max_fanout > 1 else list
    assert order(rows(found)) == order(rows(expected))
    assert found.index.equals(expected.index)
    return plan.code("pandas")


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.sampled_from([*TEXTS, "", None]), max_size=10), st.lists(st.sampled_from([*TEXTS, None]), max_size=10),
    st.sampled_from(HOWS), st.sampled_from(["fold", "exact"]), st.booleans(),
)  # fmt: skip
def test_any_messy_keys(left, right, how, normalize, one_name):
    name = "k" if one_name else "q"
    a = pd.DataFrame({"k": pd.Series(left, dtype=object), "n": range(len(left))})
    b = pd.DataFrame({"n": range(len(right)), name: pd.Series(right, dtype=object)})
    check(plan_of(a, Side.frame(b, "other"), "k", name, how, normalize))


NUMBERS = st.lists(st.sampled_from([0.0, -0.0, 5.0, 0.1, 1e22, 1e-7, 2.5, None]), max_size=6)
STAMPS = st.lists(st.sampled_from(["2024-03-01", "2024-03-01 12:30:00", "2024-03-01 12:30:00.5", None]), max_size=6)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.one_of(
        NUMBERS.map(lambda x: pd.Series(x, dtype="float64")),
        st.lists(st.sampled_from([0, 5, 10**15]), max_size=6).map(lambda x: pd.Series(x, dtype="int64")),
        st.lists(st.sampled_from([0, 5, None]), max_size=6).map(lambda x: pd.Series(x, dtype="Int64")),
        STAMPS.map(lambda x: pd.Series(pd.to_datetime(pd.Series(x, dtype=object), format="mixed"))),
        st.lists(st.sampled_from([True, False]), max_size=4).map(lambda x: pd.Series(x, dtype=bool)),
        st.lists(st.sampled_from(["5", "0.1", "a"]), max_size=4).map(lambda x: pd.Series(pd.Categorical(x))),
        st.lists(st.sampled_from([5, "5", 0.1, None]), max_size=4).map(lambda x: pd.Series(x, dtype=object)),
    ),
    st.lists(st.sampled_from(PRINTED), max_size=8),
    st.sampled_from(HOWS), st.booleans(),
)  # fmt: skip
def test_typed_keys_against_text(left, right, how, one_name):
    name = "k" if one_name else "q"
    a, b = pd.DataFrame({"k": left, "n": range(len(left))}), pd.DataFrame({name: pd.Series(right, dtype=object)})
    check(plan_of(a, Side.frame(b, "other"), "k", name, how))


LEFT = pd.DataFrame({"dest": ["ORD", "ATL", "XXX"], "year": [1, 2, 3]})
AIRPORTS = "faa,name,lat\nORD,Chicago,41.5\nATL,Atlanta,33\n"


def test_the_plain_case_is_three_lines(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = lake(tmp_path, {"data/airports.csv.gz": gzip.compress(AIRPORTS.encode())})["data/airports.csv.gz"]
    plan = plan_of(LEFT, Side.lake(table, {"lat": "number", "faa": "text", "name": "text"}), "dest", "faa")
    assert check(plan) == (
        "# lakeview: flights.dest = airports.faa, left join, 3 rows\n"
        "import pandas as pd\n"
        'airports = pd.read_csv("data/airports.csv.gz")\n'
        'flights_airports = flights.merge(airports, how="left", '
        'left_on="dest", right_on="faa", validate="many_to_one")\n'
    )


@pytest.mark.parametrize("left, right, has, lacks", [
    (["ORD"], ["ORD", "ATL"], [], [".str.", ".assign", "dropna"]),
    (["ord"], ["ORD", "ATL"], ['airports["faa"].str.lower()'], ['flights["dest"]', "strip", "normalize"]),
    (["ORD "], ["ORD"], ['flights["dest"].str.strip()'], ["lower", "normalize"]),
    (["é"], ["e\u0301"], ['.str.normalize("NFKC")'], ["lower", "strip"]),
    (["a\u200bb"], ["ab"], ["\\u200b"], ["lower", "normalize"]),
    (["5.0", "6"], ["5", "6"], [r"\.0+$"], ["lower", "normalize"]),
    (["-", "a"], ["-", "a"], ['isin(["-"])'], ["lower", "strip", "dropna"]),
    (["-", None], ["-", "a"], ['isin(["-"])', "dropna"], ["lower", "strip"]),
    (["-", "a"], ["null", "a"], [], ["isin", "dropna", "lower"]),
    ([None, "a"], [None, "a"], ["dropna"], ["isin", "lower"]),
    ([None, "a"], ["b", "a"], [], ["dropna", "lower"]),
    ([5], ["5"], ['.astype("string")'], ["lower", "strip"]),
    (["NA", "no", "de"], ["NA", "x", "yy y"], ['isin(["NA"])'], ["lower"]),
])  # fmt: skip
def test_code_carries_what_changes_the_join_and_nothing_else(left, right, has, lacks):
    right_side = Side.frame(pd.DataFrame({"faa": right}), "airports")
    code = check(plan_of(pd.DataFrame({"dest": left}), right_side, "dest", "faa"))
    assert [piece for piece in has if piece not in code] == []
    assert [piece for piece in lacks if piece in code] == []


@pytest.mark.parametrize("right, left, expected", [
    (["a", "b"], ["a", "a"], "many_to_one"), (["a", "a"], ["a", "b"], "one_to_many"), (["a", "a"], ["a", "a"], None),
    (["a", None], ["a", "a"], "many_to_one"), (["a", None, None], ["a", "a"], None),
    (["a", None, None], ["a", "a", None], "many_to_one"),
])  # fmt: skip
def test_validate_says_what_holds(left, right, expected):
    code = check(plan_of(pd.DataFrame({"k": left}), Side.frame(pd.DataFrame({"k": right}), "b")))
    assert (f'validate="{expected}"' in code) if expected else "validate" not in code


FILES = {
    "semicolons.csv": "faa;name;lat\nORD;a,b;1\nATL;c;2\n",
    "tabs.tsv": "faa\tname\tlat\nORD\ta\t1\nATL\tc\t2\n",
    "bom.csv": "\ufefffaa,name,lat\nORD,ä,1\nATL,c,2\n",
    "utf16.csv": "faa,name,lat\nORD,ä,1\nATL,c,2\n".encode("utf-16"),
    "cp1252.csv": "faa,name,lat\nORD,€ä,1\nATL,c,2\n".encode("cp1252"),
    "quotes.csv": 'faa,name,lat\nORD,"a\nb ""c"", d",1\nATL,c,2\n',
    "crlf_in_quotes.csv": 'faa,name,lat\r\nORD,"a\r\nb",1\r\nATL,c,2\r\n',
    "cr.csv": "faa,name,lat\rORD,a,1\rATL,c,2",
    "uneven.csv": "faa,name,lat\nORD,a,1\nATL,c\nJFK,d,3,more\nXXX,e,\n",
    "first_long.csv": "faa,name,lat\nORD,a,1,\nATL,c,2\nJFK,x,3\n",
    "marks.csv": "faa,name,lat\nORD,NA,NA\nATL,-,2\nnull,x,-\n",
    "zeros.csv": "faa,name,lat\nORD,007,007\nATL,08,2.50\n",
    "blanks.csv": "faa,name,lat\n\nORD, a ,1\n\nATL,\u00a0c,2\n   \n",
    "twice.csv": "faa,faa,,lat\nORD,1,0,1\nATL,2,1,2\n",
    "total.csv": "faa,n,lat\nORD,5,1\nATL,6,2\nJFK,7,3\nTotal,18,6\n",
    "preamble.csv": "Report of 2024\n\nfaa,name,lat\nORD,a,1\nATL,c,2\nJFK,d,3\n",
    "sep.csv": "sep=;\nfaa;name;lat\nORD;a;1\nATL;c;2\n",
    "headless.csv": "ORD,1,2.5\nATL,2,3.5\nJFK,3,4.5\n",
    "digits.csv": "faa,name,lat\nORD,a,0.1234567890123456\nATL,b,5e-324\nXXX,c,NA\nJFK,d,0.30000000000000004\n",
    "digits_and_marks.csv": "faa,n,lat\nORD,1,0.30000000000000004\n\\N,2,\\N\nJFK,3,-6.081689834590001\n",
    "one.csv": "faa\nORD\n\nATL\n",
}


@pytest.mark.parametrize("how", ["left", "outer"])
@pytest.mark.parametrize("name", FILES)
def test_every_file_is_read_as_the_lake_reads_it(tmp_path, name, how):
    side = Side.lake(lake(tmp_path, FILES)[name], {"lat": "number", "column_3": "number", "n": "integer"})
    check(plan_of(LEFT, side, "dest", side.columns[0], how))


def test_what_pandas_reads_otherwise_is_refused(tmp_path):
    table = lake(tmp_path, {"nul.csv": b"faa,name,lat\nORD,a\0b,1\nATL,c,2\n"})["nul.csv"]
    with pytest.raises(InputError, match=r"pandas reads nul.csv differently .* use to_pandas\(\)"):
        plan_of(LEFT, Side.lake(table), "dest", "faa").code()


def test_json_lines(tmp_path):
    records = [
        {"faa": "ORD", "n": 1.10, "ok": True},
        {"faa": "ATL", "n": None, "deep": {"x": "y"}},
        {"faa": "007", "n": 5},
    ]
    text = "\n".join(json.dumps(record) for record in records).replace("1.1", "1.10")
    files = {"a.jsonl": text, "b.jsonl.gz": gzip.compress(text.encode()), "c.json": json.dumps(records)}
    tables = lake(tmp_path, files)
    for table in tables.values():
        side = Side.lake(table, {"n": "number"})
        check(plan_of(LEFT, side, "dest", "faa", "outer"))
        check(plan_of(pd.DataFrame({"n": [1.1, 5]}), Side.lake(table), "n", "n", "left"))


TYPED = {
    "int64": pa.array([1, 2, None]),
    "float64": pa.array([1.0, 2.5, None]),
    "decimal": pa.array([1, 2, None], pa.decimal128(9, 2)),
    "nanoseconds": pa.array([0, 10**18, None], pa.timestamp("ns")),
    "zoned": pa.array([0, 10**12, None], pa.timestamp("us", "UTC")),
    "date": pa.array([0, 19_000, None], pa.date32()),
    "bool": pa.array([True, False, None]),
    "string": pa.array(["a", "1", None]),
}


@pytest.mark.parametrize("made", TYPED.values(), ids=TYPED)
def test_parquet_keeps_its_types(tmp_path, made):
    pq.write_table(pa.table({"k": made, "v": ["x", None, "z"]}), tmp_path / "t.parquet")
    table = lake(tmp_path, {})["t.parquet"]
    typed = made.to_pandas()
    check(plan_of(pd.DataFrame({"k": typed}), Side.lake(table), how="outer"))
    as_text = Side.lake(table).to_pandas()
    text = values.text(made).to_pandas().astype(object)
    check(plan_of(pd.DataFrame({"k": text}), Side.frame(as_text, "t"), how="inner"))


def test_a_partitioned_folder_keeps_its_keys_as_text(tmp_path):
    for month in ("01", "02", "10"):
        folder = tmp_path / "readings" / f"month={month}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"sensor": ["s1", "s2"], "value": [1.5, 2.5]}), folder / "part-0.parquet")
    lake(tmp_path, {f"plain/year={y}/a.csv": f"key,n\n0{y},{y}\n" for y in (1, 2)})
    tables = lake(tmp_path, {})
    left = pd.DataFrame({"month": ["01", "10", "03"], "n": range(3)})
    check(plan_of(left, Side.lake(tables["readings"]), "month", "month", "outer"))
    check(plan_of(left, Side.lake(tables["plain"], {"n": "integer"}), "month", "year", "outer"))
    check(plan_of(left, Side.lake(tables["plain"], {"n": "integer"}), "month", "key", "left"))


def test_a_left_table_of_the_lake_is_read_too(tmp_path):
    tables = lake(tmp_path, {"orders.csv": "item.id,qty\n010,1\n11,2\n", "items.csv": "id,label\n010,nut\n12,cam\n"})
    sides = [Side.lake(table, {"qty": "integer"}) for table in (tables["orders.csv"], tables["items.csv"])]
    code = check(equi_join(*sides, "item.id", "id", "outer"))
    assert "orders = pd.read_csv" in code and "items = pd.read_csv" in code
    assert "orders_2" in check(equi_join(sides[0], sides[0], "item.id", "item.id", "inner"))


HOSTILE = [
    "<img src=x onerror=alert(1)>", "'; DROP TABLE x; --", 'a"b', "a`b", "dots.in.it", "col\nname", "{x}", "${HOME}",
    "key", "%s", "back\\slash", "class",
]  # fmt: skip


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_quoted(tmp_path, name, how):
    quoted = '"' + name.replace('"', '""') + '"'
    table = lake(tmp_path, {f"{name}.csv": f"{quoted},n\nx,1\nY,2\n"})[f"{name}.csv"]
    left = pd.DataFrame({name: ["X ", "z"], "n": [1, 2]})
    check(plan_of(left, Side.lake(table, {"n": "integer"}), name, name, how, name=name))
    check(plan_of(left.rename(columns={name: "k"}), Side.lake(table), "k", name, how))


def test_a_string_of_a_megabyte(tmp_path):
    long = "x" * 1_000_000
    table = lake(tmp_path, {"t.csv": f"k,v\n{long},1\nb,{long}\n"})["t.csv"]
    check(plan_of(pd.DataFrame({"k": [long.upper(), "b"]}), Side.lake(table), how="outer"))


@pytest.mark.parametrize("kind", ["string", "string[pyarrow]", "category"])
@pytest.mark.parametrize("how", HOWS)
def test_other_kinds_of_text_columns(kind, how):
    left = pd.DataFrame({"k": pd.Series(["A", "+5.0", "-0", "b  c", "ΟΔΟΣ", None, "-"], dtype=kind)})
    right = pd.DataFrame({"k": pd.Series(["a", "5", "0", "b c", "οδοσ", None, "-"], dtype=kind), "v": range(7)})
    check(plan_of(left, Side.frame(right, "b"), how=how))


def test_labels_without_a_literal_are_refused():
    left = pd.DataFrame({"k": ["a"], pd.Timestamp("2024-01-01"): [1]})
    with pytest.raises(InputError, match="a column Timestamp"):
        plan_of(left, Side.frame(pd.DataFrame({"k": ["a"]}), "b")).code()


@pytest.mark.parametrize("how", HOWS)
def test_a_key_whose_name_changes_is_joined_by_the_new_one(how):
    a = pd.DataFrame({"a": ["1", "2"], "k": ["x", "y"], "k_b": [1, 2]})
    b = pd.DataFrame({"k": ["1", "3"], "c": [5, 6]})
    assert 'right_on="k_b_2"' in check(plan_of(a, Side.frame(b, "b"), "a", "k", how))


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("column, keys", [
    (pd.Series(pd.period_range("2019Q1", periods=3, freq="Q")), ["2019Q1", "2019q3", "2020Q1", None]),
    (pd.Series(pd.PeriodIndex(["2019-01", None, "2019-02"], freq="M")), ["2019-01", "2019-02", "NaT"]),
    (pd.Series([uuid.UUID(int=1), None, uuid.UUID(int=2)], dtype=object), [str(uuid.UUID(int=2)).upper(), "x"]),
    (pd.Series(pd.interval_range(0, 3)), ["(0, 1]", "(2, 3]"]),
])  # fmt: skip
def test_keys_of_pandas_own_types(column, keys, how):
    left = pd.DataFrame({"k": column, "n": range(3)})
    right = pd.DataFrame({"key": pd.Series(keys, dtype=object), "m": range(len(keys))})
    plan = plan_of(left, Side.frame(right, "other"), "k", "key", how)
    assert plan.counts().left_matched in (1, 2)
    check(plan)
