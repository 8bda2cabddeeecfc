"""The PySpark and SQL codes and to_spark(), run on Spark: the rows of to_pandas(), in no order."""

from __future__ import annotations

import datetime
import gzip
import json

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from joining import in_order, lake, rows, run_pandas, run_pyspark, run_sql

import lakeview as lv
from lakeview.errors import InputError
from lakeview.join import lake_table
from lakeview.join.model import HOWS
from lakeview.join.plan import CompositePlan, equi_join
from lakeview.join.side import Side

pytestmark = pytest.mark.spark

RUN = {
    "pyspark": run_pyspark,
    "sql": run_sql,
    "to_spark": lambda plan, spark: plan.to_spark(spark).toPandas(),
    "pandas": lambda plan, spark: run_pandas(plan),
}


def check(plan, spark, *dialects: str) -> None:
    expected = plan.to_pandas()
    for dialect in dialects or RUN:
        found = RUN[dialect](plan, spark)
        assert list(found.columns) == [str(column) for column in expected.columns], dialect
        assert in_order(rows(found)) == in_order(rows(expected)), dialect


MESSY = {
    "text": 'key,year,v\nABC,1,x\n abc,2,y\n"d  e",3,"z,1"\n-,4,\nNULL,5,w\nz\u200bw,7,r\ncafé,8,s\n,9,t\nΑΣ,10,u\n',
    "numbers": "key,year,v\n5,1,x\n5.0,2,y\n+6,3,z\n007,4,\n1.50,5,w\n-0,6,q\n1e3,7,r\n10000000,NA,u\n",
    "days": "key,v\n2024-03-01,1\n2024-03-02 12:30:00,2\n2024-03-03,NA\n01/03/2024,4\n",
    "codes": "key,v\nNA,1\nNO,2\nZA,3\nDE,4\n",
    "flags": "key,v\nTRUE,1\nfalse,2\n",
    "names": "KEY,V\nx,1\nY,2\n",
}
LEFT = {
    "text": {"key": ["abc", "D E", "-", "null", None, "zw", "Café", "ABC ", "αβ"], "year": range(9)},
    "numbers": {"key": [5.0, 6, 1.5, None, 0, 1e7, 7, 0.25], "year": range(8)},
    "days": {"key": [datetime.datetime(2024, 3, 1), datetime.datetime(2024, 3, 2, 12, 30), None], "n": range(3)},
    "codes": {"key": ["NA", "x", "yyy", "no"], "n": range(4)},
    "flags": {"key": [True, False, True], "n": range(3)},
    "names": {"key": ["X", "y"], "v": [1, 2], "n": [1, 2]},
}


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("name", MESSY)
def test_messy_keys(tmp_path, spark, name, how):
    table = lake(tmp_path, {"t.csv": MESSY[name]})["t.csv"]
    right = Side.lake(table, {"year": "integer"})
    left = pd.DataFrame(LEFT[name])
    on = right.columns[0]
    check(equi_join(Side.frame(left, "flights"), right, "key", on, how), spark)
    if how == "left":
        check(equi_join(Side.frame(left.rename(columns={"key": "k"}), "flights"), right, "k", on, how), spark)


@pytest.mark.parametrize("how", ["left", "outer"])
def test_unicode_forms_are_folded_in_pyspark_and_refused_in_sql(tmp_path, spark, how):
    table = lake(tmp_path, {"t.csv": "k,v\nｆｕｌｌ,1\ncafé,2\nb,3\n"})["t.csv"]
    left = pd.DataFrame({"k": ["full", "cafe\u0301", "cafe\u0301", "b"]})
    plan = equi_join(Side.frame(left, "flights"), Side.lake(table), "k", "k", how)
    check(plan, spark, "pyspark", "to_spark")
    with pytest.raises(
        InputError, match=r"Spark SQL has no Unicode normalisation .*: this concerns 3 rows of the left"
    ):
        plan.code("sql")


def test_letters_that_spark_folds_otherwise_are_refused_or_right(tmp_path, spark):
    """Spark's lower() knows the final sigma; by the rule ΟΔΟΣ is οδοσ."""
    table = lake(tmp_path, {"t.csv": "k,v\nοδοσ,1\nb,2\n"})["t.csv"]
    plan = equi_join(Side.frame(pd.DataFrame({"k": ["ΟΔΟΣ", "B"]}), "f"), Side.lake(table), "k", "k", "inner")
    assert plan.counts().rows_out == 2
    for dialect in ("pyspark", "sql"):
        with pytest.raises(
            InputError, match=r"no lower case for some letters as the key f\.k needs it: this concerns 1 row "
        ):
            plan.code(dialect)
    check(plan, spark, "pandas", "to_spark")


HOSTILE = [
    "<img src=x onerror=alert(1)>", "'; DROP TABLE x; --", 'a"b', "a`b", "dots.in.it", "col\nname", "back\\slash",
    "select", "[a]*{b}?", "l_c0",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names(tmp_path, spark, name):
    quoted = '"' + name.replace('"', '""') + '"'
    table = lake(tmp_path, {f"{name}.csv": f"{quoted},n,v\nx,1,{quoted}\nY,2,b\n"})[f"{name}.csv"]
    left = pd.DataFrame({name: ["X ", "z"], "n": [1, 2]})
    right = Side.lake(table, {"n": "integer"})
    dialects = [dialect for dialect in RUN if dialect != "sql" or name.isprintable()]
    for plan in (
        equi_join(Side.frame(left, name), right, name, name, "outer"),
        equi_join(Side.frame(left.rename(columns={name: "k"}), "flights"), right, "k", name, "left"),
    ):
        check(plan, spark, *dialects)
        if not name.isprintable():
            with pytest.raises(InputError, match="no way to write the name"):
                plan.code("sql")


def test_names_that_spark_cannot_take_are_refused(tmp_path, spark):
    tables = lake(tmp_path, {"12:30.csv": "k,v\nx,1\n", "case.csv": "id,ID\nx,1\n", "d.csv": "k,${x}\nx,1\n"})
    left = Side.frame(pd.DataFrame({"k": ["x"]}), "flights")
    colon = equi_join(left, Side.lake(tables["12:30.csv"]), "k", "k")
    with pytest.raises(InputError, match="a colon in its name"):
        colon.code("sql")
    check(colon, spark, "pyspark", "to_spark", "pandas")  # pandas reads the file for PySpark
    both = equi_join(left, Side.lake(tables["case.csv"]), "k", "id")
    for dialect in ("pyspark", "sql"):
        with pytest.raises(InputError, match=r"cannot tell the columns 'id' and 'ID' of case\.csv apart"):
            both.code(dialect)
    check(both, spark, "to_spark")
    dollar = equi_join(left, Side.lake(tables["d.csv"]), "k", "k")
    with pytest.raises(InputError, match="for a variable"):
        dollar.code("sql")
    check(dollar, spark, "pyspark")


FILES = {
    "semicolons.csv": "faa;name;lat\nORD;a,b;1\nATL;c;2\n",
    "tabs.tsv": "faa\tname\tlat\nORD\ta\t1\nATL\tc\t2\n",
    "bom.csv": "\ufefffaa,name,lat\nORD,ä,1\nATL,c,2\n",
    "bom_headless.csv": "\ufeffORD,1,2.5\nATL,2,3.5\nJFK,3,4.5\n",
    "utf16.csv": "faa,name,lat\nORD,ä,1\nATL,c,2\n".encode("utf-16"),
    "latin.csv": "faa,name,lat\nORD,ä,1\nATL,c,2\n".encode("cp1252"),
    "quotes.csv": 'faa,name,lat\nORD,"a\nb ""c"", d",1\nATL,"",2\n',
    "cr_in_quotes.csv": 'faa,name,lat\nORD,"a\r\n\r\nb",1\nATL,c,2\n',
    "crlf.csv": 'faa,name,lat\r\nORD,"a\nb",1\r\nATL,c,2\r\n',
    "cr.csv": "faa,name,lat\rORD,a,1\rATL,c,2",
    "uneven.csv": "faa,name,lat\nORD,a,1\nATL,c\nJFK,d,3,more\nXXX,e,\n",
    "marks.csv": "faa,name,lat\nORD,NA,NA\nATL,-,2\nnull,x,-\n",
    "zeros.csv": "faa,name,lat\nORD,007,007\nATL,08,2.50\n",
    "digits.csv": "faa,name,lat\nORD,a,0.1234567890123456\nATL,b,5e-324\nXXX,c,NA\nJFK,d,0.30000000000000004\n",
    "blanks.csv": "faa,name,lat\n\nORD, a ,1\n\nATL,\u00a0c,2\n   \n",
    "stray.csv": 'faa,name,lat\nORD,5" disk,1\nATL,a "b" c,2\n',
    "twice.csv": "faa,faa,,lat\nORD,1,0,1\nATL,2,1,2\n",
    "headless.csv": "ORD,1,2.5\nATL,2,3.5\nJFK,3,4.5\n",
    "one.csv": "faa\nORD\n\nATL\n",
    "gz.csv.gz": gzip.compress(b"faa,name,lat\nORD,a,1\nATL,c,2\n"),
    "flat.jsonl": '{"faa": "ORD", "name": "x", "lat": 1.50}\n{"faa": "ATL", "lat": null}\n{"faa": "7", "name": true}\n',
}
# What Spark's reader would take otherwise: pandas reads for PySpark, SQL refuses.
ODD = {
    "cp1252.csv": ("faa,name,lat\nORD,€ä,1\nATL,c,2\n".encode("cp1252"), "Windows' encoding"),
    "crlf_in_quotes.csv": ('faa,name,lat\r\nORD,"a\r\nb",1\r\nATL,c,2\r\n', "line breaks in quotes"),
    "total.csv": ("faa,n,lat\nORD,5,1\nATL,6,2\nJFK,7,3\nTotal,18,6\n", "a row of totals"),
    "preamble.csv": ("Report of 2024\n\nfaa,name,lat\nORD,a,1\nATL,c,2\nJFK,d,3\n", "lines before the header"),
    "beside.csv": ('faa,name,lat\nORD,"a"b,1\nATL,c,2\n', "text beside a closing quote"),
    "nested.jsonl": ('{"faa": "ORD", "at": {"lat": 1}}\n{"faa": "ATL", "at": {"lat": 2}}\n', "nested values"),
    "array.json": (json.dumps([{"faa": "ORD", "n": 1}, {"faa": "ATL", "n": 2}]), "not JSON"),
}
DEST = pd.DataFrame({"dest": ["ORD", "ATL", "XXX"], "year": [1, 2, 3]})


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_read_as_the_lake_reads_it(tmp_path, spark, name):
    side = Side.lake(lake(tmp_path, FILES)[name], {"lat": "number", "column_3": "number"})
    check(equi_join(Side.frame(DEST, "flights"), side, "dest", side.columns[0], "outer"), spark)


@pytest.mark.parametrize("name", ODD)
def test_files_that_spark_reads_otherwise(tmp_path, spark, name):
    content, reason = ODD[name]
    side = Side.lake(lake(tmp_path, {name: content})[name], {"lat": "number", "n": "integer"})
    plan = equi_join(Side.frame(DEST, "flights"), side, "dest", "faa", "outer")
    with pytest.raises(InputError, match=reason):
        plan.code("sql")
    assert "# read by pandas: " in plan.code("pyspark")
    check(plan, spark, "pyspark", "to_spark", "pandas")


def test_parquet_and_partitioned_folders(tmp_path, spark):
    for month in ("01", "02", "10"):
        folder = tmp_path / "readings" / f"month={month}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"sensor": ["s1", "s2"], "value": [1.5, 2.5]}), folder / "part-0.parquet")
    lake(tmp_path, {f"plain/year={y}/a.csv": f"key,n\n0{y},{y}\n" for y in (1, 2)})
    pq.write_table(
        pa.table({"day": pa.array([0, 19_000, None], pa.date32()), "n": [1, 2, 3]}), tmp_path / "days.parquet"
    )
    nanos = pa.array([10**18 + 1, 0, None], pa.timestamp("ns"))
    pq.write_table(pa.table({"at": nanos, "n": ["a", "b", "c"]}), tmp_path / "nanos.parquet")
    tables = lake(tmp_path, {})
    left = pd.DataFrame({"month": ["01", "10", "03"], "n": range(3), "day": ["1970-01-01", "x", None]})
    flights = Side.frame(left, "flights")
    check(equi_join(flights, Side.lake(tables["readings"]), "month", "month", "outer"), spark)
    check(equi_join(flights, Side.lake(tables["plain"], {"n": "integer"}), "month", "year", "outer"), spark)
    check(equi_join(flights, Side.lake(tables["days.parquet"]), "day", "day", "left"), spark)
    check(equi_join(Side.lake(tables["days.parquet"]), flights, "day", "day", "inner"), spark)
    nano = equi_join(flights, Side.lake(tables["nanos.parquet"]), "day", "at", "inner")
    with pytest.raises(InputError, match=r"is timestamp\[ns\]: Spark reads it differently"):
        nano.code("sql")
    assert nano.counts().rows_out == 1
    check(equi_join(flights, Side.lake(tables["nanos.parquet"]), "month", "n", "left"), spark, "pandas")


def test_a_string_of_a_megabyte(tmp_path, spark):
    long = "x" * 1_000_000
    table = lake(tmp_path, {"t.csv": f"k,v\n{long},1\nb,{long}\n"})["t.csv"]
    left = pd.DataFrame({"k": [long.upper(), "b"]})
    check(equi_join(Side.frame(left, "flights"), Side.lake(table), "k", "k", "outer"), spark)


@pytest.mark.parametrize("how", HOWS)
def test_a_left_table_of_the_lake(tmp_path, spark, how):
    tables = lake(
        tmp_path, {"orders.csv": "item.id,qty,a`b\n010,1,x\n11,2,y\n", "items.csv": "id,label\n010,nut\n12,c\n"}
    )
    sides = [Side.lake(table, {"qty": "integer"}) for table in (tables["orders.csv"], tables["items.csv"])]
    check(equi_join(*sides, "item.id", "id", how), spark)
    check(equi_join(sides[0], sides[0], "item.id", "item.id", how), spark)


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("normalize", ["fold", "exact"])
def test_spark_frames(tmp_path, spark, how, normalize):
    """What the frames' rows do in Spark is what they do in pandas; pairs hold key values."""
    table = lake(tmp_path, {"codes.csv": "code,n\nNA,1\nno,2\nNO,3\nDE,4\n-,5\n,6\n"})["codes.csv"]
    left = pd.DataFrame({"code": ["NA", "no ", "x1", None, "-", "NO", "yyy"], "v": range(7)})
    right = Side.lake(table, {"n": "integer"})
    local = equi_join(Side.frame(left, "flights"), right, "code", "code", how, normalize)
    frame = spark.createDataFrame(left)
    plan = equi_join(Side.frame(frame, "flights"), right, "code", "code", how, normalize)
    assert plan.counts() == local.counts()
    expected = local.to_pandas()
    for found in (plan.to_pandas(), plan.to_spark(spark).toPandas(), run_pyspark(plan, spark), run_sql(plan, spark)):
        assert list(found.columns) == list(expected.columns)
        assert in_order(rows(found)) == in_order(rows(expected))
    values = local.pairs.apply(
        lambda pair: (left["code"][pair["left"]], right.to_pandas(("code",))["code"][pair["right"]]), 1
    )
    assert in_order(rows(plan.pairs)) == in_order(list(values))
    assert len(plan.preview(2)) == min(2, len(expected))
    with pytest.raises(InputError, match="is a Spark frame"):
        plan.code("pandas")


def test_two_spark_frames_of_typed_columns(spark):
    left = spark.createDataFrame(pd.DataFrame({"a.b": [1, 2, 3], "x": ["p", "q", "r"]}))
    right = spark.createDataFrame(pd.DataFrame({"a.b": [1.0, 2.5, 3.0], "x": ["s", "t", "u"]}))
    plan = equi_join(Side.frame(left, "one"), Side.frame(right, "two"), "a.b", "a.b", "outer")
    assert list(plan.to_pandas().columns) == ["a.b", "x", "x_two"]
    expected = [(1, "p", "s"), (2, "q", None), (2.5, None, "t"), (3, "r", "u")]
    assert in_order(rows(plan.to_pandas())) == in_order(expected)
    assert plan.counts().rows_out == 4


def test_a_table_of_the_catalog_is_read_by_its_name(tmp_path, spark):
    stored = spark.createDataFrame(pd.DataFrame({"k": ["a", "b"], "n": [1, 2]}))
    stored.createOrReplaceTempView("stored")
    right = Side.catalog(spark.table("stored"), "stored")
    plan = equi_join(Side.frame(pd.DataFrame({"k": ["A", "c"], "n": [3, 4]}), "flights"), right, "k", "k", "outer")
    assert 'stored = spark.table("stored")' in plan.code("pyspark")
    assert "FULL OUTER JOIN stored AS stored" in plan.code("sql")
    check(plan, spark, "pyspark", "sql", "to_spark")
    names = pd.DataFrame({"name": [f"Ada{i} Lovelace{i}" for i in range(20)], "n": range(20)})
    spark.createDataFrame(names).createOrReplaceTempView("names")
    turned = Side.frame(pd.DataFrame({"who": [f"Lovelace{i}, Ada{i}" for i in range(20)]}), "turned")
    program = lv.auto_join(turned, Side.catalog(spark.table("names"), "names"))[0]
    assert 'names = spark.table("names")' in program.code("pyspark")
    assert sorted(run_pyspark(program, spark)["n"]) == list(range(20)) == sorted(program.to_pandas()["n"])


def test_a_large_table_is_read_in_sparks_workers(tmp_path, spark, monkeypatch):
    monkeypatch.setattr(lake_table, "HERE", 0)
    lake(tmp_path, {f"t/year={y}/a.csv": f"key,n,x\nNA,{y},1.5\n{y},NA,-\n+{y}.0,7,\n,1,2e3\n" for y in (1, 2)})
    table = lake(tmp_path, {})["t"]
    left = pd.DataFrame({"key": ["1", "2.0", "NA", None], "v": range(4)})
    for how in HOWS:
        side = Side.lake(table, {"n": "integer", "x": "number"})
        check(equi_join(Side.frame(left, "flights"), side, "key", "key", how), spark, "to_spark", "pandas")
        assert not side.lake_table.is_small


@pytest.mark.parametrize("kind", ["equi", "composite", "transform", "fuzzy"])
def test_a_pandas_frame_beside_a_spark_frame_is_sent_there_and_neither_variable_changes(spark, kind):
    people = pd.DataFrame({"name": [f"Ada{i} Lovelace{i}" for i in range(30)], "year": range(30), "n": range(30)})
    turned = people.assign(name=[f"Lovelace{i}, Ada{i}" for i in range(30)])
    left = {"transform": turned, "fuzzy": people.assign(name=people.name + "s")}.get(kind, people)
    for sides in ((left, spark.createDataFrame(people)), (spark.createDataFrame(left), people)):
        a, b = (Side.frame(frame, name) for frame, name in zip(sides, ("one", "other"), strict=True))
        if kind == "equi":
            plan = equi_join(a, b, "name", "name", "left")
        elif kind == "composite":
            plan = CompositePlan(a, b, ("name", "year"), ("name", "year"), "left")
        elif kind == "transform":
            plan = lv.auto_join(a, b)[0]
        else:
            plan = lv.fuzzy_join(*sides, on="name", threshold=0.5)
        assert plan.dialect == "pyspark"
        found = run_pyspark(plan, spark)
        assert len(found) == 30 and found.notna().all(axis=None)
        assert found.columns.tolist() == plan.columns.names + ["similarity"] * (kind == "fuzzy")
