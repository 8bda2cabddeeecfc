"""Whole lakes with the troubles that real files have: what tables there are, with which columns, rows and problems."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakeview.catalog.naming import resolve
from lakeview.catalog.sources import ReadError, list_tables, read_part, read_table, split, text_format


def cells(lake, table: str, column: str) -> list:
    return lake.table(table)[column].to_pylist()


def test_a_mark_before_a_quoted_header(lake):
    """'CSV UTF-8' with every cell quoted: the first column has its plain name."""
    lake.write("stations.csv", '\ufeff"Station","Level"\r\n"Alta","12"\r\n"Bodø","7"\r\n"Vardø","3"\r\n')
    lake.write("notes.csv", "place,note\nAlta,ok\nVardø,dry\n")
    assert lake.columns("stations.csv") == ["Station", "Level"]
    assert lake.rows("stations.csv") == [("Alta", "12"), ("Bodø", "7"), ("Vardø", "3")]
    assert lake.problems() == []


def test_lines_that_end_in_a_carriage_return_alone(lake):
    lake.write("old_mac.csv", "code,city\rC1,Lund\rC2,Malmö\rC3,Ystad")
    assert lake.rows("old_mac.csv") == [("C1", "Lund"), ("C2", "Malmö"), ("C3", "Ystad")]
    assert lake.problems() == []


def test_a_partitioned_folder_keeps_its_leading_zeros(lake):
    def parquet(sensors):
        sink = io.BytesIO()
        pq.write_table(pa.table({"sensor": sensors, "value": [1.5, 4.0]}), sink)
        return sink.getvalue()

    lake.write("months.csv", "month,name\n01,January\n02,February\n03,March\n10,October\n")
    for month, sensors in [("01", ["s1", "s2"]), ("02", ["s1", "s3"]), ("10", ["s2", "s3"])]:
        lake.write(f"readings/month={month}/part-00000.parquet", parquet(sensors))
    lake.write("readings/_SUCCESS", "")
    lake.write("readings/month=01/.part-00000.parquet.crc", b"crc\0")
    assert list(lake.tables()) == ["months.csv", "readings"]
    assert lake.columns("readings") == ["sensor", "value", "month"]
    assert lake.table("readings").num_rows == 6
    assert set(cells(lake, "readings", "month")) == {"01", "02", "10"}
    assert lake.problems() == []


def test_line_breaks_blank_lines_and_quotes_inside_quotes(lake):
    lake.write(
        "tickets.csv",
        'id,text,owner\n1,"printer\non fire",ana\n2,"said ""later"", left",bo\n3,plain,cy\n4,"first\r\n\r\nlast",dee\n',
    )
    assert lake.rows("tickets.csv") == [
        ("1", "printer\non fire", "ana"), ("2", 'said "later", left', "bo"), ("3", "plain", "cy"),
        ("4", "first\r\n\r\nlast", "dee"),
    ]  # fmt: skip
    assert lake.problems() == []


def test_uneven_rows_stay_in_their_columns(lake):
    lake.write("sites.csv", "site,region\nS1,north\nS2,south\n")
    lake.write("survey.csv", "site,species,n\nS1,wren,4\nS2,owl\nS3,jay,2,windy\nS4,crow,1,\nS5,gull,3\n")
    assert lake.rows("survey.csv") == [
        ("S1", "wren", "4"), ("S2", "owl", None), ("S3", "jay", "2"), ("S4", "crow", "1"), ("S5", "gull", "3"),
    ]  # fmt: skip
    [problem] = lake.problems()
    assert (problem.table, problem.count) == ("survey.csv", 3)


def test_semicolons_beside_decimal_commas(lake):
    lake.write("preise.csv", "artikel;menge;preis\nA-1;2,5;3,50\nA-2;10,0;1.234,00\nA-3;1,0;0,99\n")
    lake.write("lager.csv", "artikel,halle\nA-1,H1\nA-7,H2\n")
    assert lake.columns("preise.csv") == ["artikel", "menge", "preis"]
    assert cells(lake, "preise.csv", "preis") == ["3,50", "1.234,00", "0,99"]
    assert lake.problems() == []


def test_blank_and_repeated_headings(lake):
    lake.write("saved.csv", ",id,name,id\n0,A1,x,B1\n1,A2,y,B2\n2,A3,z,B2\n")
    assert lake.columns("saved.csv") == ["column_1", "id", "name", "id_2"]
    assert cells(lake, "saved.csv", "column_1") == ["0", "1", "2"]
    assert cells(lake, "saved.csv", "id_2") == ["B1", "B2", "B2"]
    assert lake.problems() == []


def test_dots_and_backticks_in_names(lake):
    lake.write("orders.csv", "item.id,qty,a`b\n10,1,x\n11,2,y\n12,5,z\n11,7,w\n")
    lake.write("a.csv", "b.csv.k,v\np,1\nq,2\n")
    lake.write("a.csv.b.csv", "k,v\nr,1\ns,2\nt,3\n")
    columns = {name: lake.columns(name) for name in lake.tables()}
    assert columns == {"orders.csv": ["item.id", "qty", "a`b"], "a.csv": ["b.csv.k", "v"], "a.csv.b.csv": ["k", "v"]}
    assert resolve("orders.csv.item.id", columns) == resolve("orders.item.id", columns) == ("orders.csv", "item.id")
    assert resolve("a.csv.b.csv.k", columns) == ("a.csv.b.csv", "k")
    assert resolve("orders.csv.a`b", columns) == ("orders.csv", "a`b")


def test_years_as_headings(lake):
    lake.write("exports.csv", "country,2019,2020,2021\nPeru,46,42,63\nChile,69,73,94\nBrazil,225,209,280\n")
    assert lake.columns("exports.csv") == ["country", "2019", "2020", "2021"]
    assert cells(lake, "exports.csv", "2019") == ["46", "69", "225"]
    assert lake.problems() == []


def test_values_are_text_as_written(lake):
    lake.write("zips.csv", "zip,town\n00501,A\n02139,B\n501,C\n")
    lake.write("orders.csv", "order,amount\n1.23457E+15,10\n8.80E+11,5\n")
    lake.write("pasted.csv", 'place\n"Oslo\u00a0 "\n"New\u00a0York"\n"  Bergen "\n"Kyoto\u3000"\n"ＡＢＣ１２"\n')
    lake.write("null.csv", 'key,x\nK-100,1\n,2\nNA,3\nnull,5\n-,6\n"  ",7\n')
    assert cells(lake, "zips.csv", "zip") == ["00501", "02139", "501"]
    assert cells(lake, "orders.csv", "order") == ["1.23457E+15", "8.80E+11"]
    assert cells(lake, "pasted.csv", "place") == [
        "Oslo\u00a0 ",
        "New\u00a0York",
        "  Bergen ",
        "Kyoto\u3000",
        "ＡＢＣ１２",
    ]
    assert cells(lake, "null.csv", "key") == ["K-100", "", "NA", "null", "-", "  "]
    assert lake.problems() == []


def test_names_and_cells_that_attack(lake):
    odd = ["<img src=x onerror=alert(1)>", "'; DROP TABLE x; --", 'a"b', "col\nname"]
    header = ",".join('"' + name.replace('"', '""') + '"' for name in odd)
    lake.write("<img src=x onerror=alert(1)>/';--\n\".csv", f"{header}\n{header.replace('col', 'cell')}\n")
    [name] = lake.tables()
    assert lake.columns(name) == odd
    assert lake.rows(name) == [(*odd[:3], "cell\nname")]
    assert lake.problems() == []


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_partition_keys_may_be_chosen_alone(lake, kind):
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": ["1", "3"], "b": ["2", "4"]}), sink)
    data = {"csv": "a,b\n1,2\n3,4\n", "jsonl": '{"a":1,"b":2}\n{"a":3,"b":4}\n', "parquet": sink.getvalue()}[kind]
    lake.write(f"t/day=1/x.{kind}", data)
    assert read_table(lake.tables()["t"], columns=["day"]).to_pylist() == [{"day": "1"}, {"day": "1"}]
    assert read_table(lake.tables()["t"], columns=["b", "day"]).to_pylist()[1] == {"b": "4", "day": "1"}


def test_a_damaged_file_does_not_stop_the_others(lake):
    lake.write("good.csv", "a,b\n1,2\n")
    lake.write("cut.csv.gz", gzip.compress(b"a,b\n1,2\n" * 100)[:-8])
    lake.write("cut.parquet", b"PAR1")
    lake.write("odd.csv", "a,b\n1,2\n".encode("utf-16") + b"x")
    lake.write("empty.csv", "")
    assert lake.rows("good.csv") == [("1", "2")]
    assert {problem.table for problem in lake.problems()} == {"cut.csv.gz", "cut.parquet", "odd.csv", "empty.csv"}


def test_a_file_that_vanishes_is_a_read_error(lake):
    path = lake.write("x.csv", "a,b\n1,2\n")
    table = lake.tables()["x.csv"]
    path.unlink()
    with pytest.raises(ReadError, match="cannot be opened"):
        read_table(table)


def test_one_schema_a_part_and_all_strings(lake, monkeypatch):
    monkeypatch.setattr("lakeview.catalog.reading.text_bulk.BATCH_ROWS", 7_000)
    lake.write("t/k=1/x.csv", 'a\n" "\n' + "1\n" * 49_999)
    batches, problems = lake.read("t")
    assert len(batches) > 2
    assert {batch.schema for batch in batches} == {pa.schema([("a", pa.string()), ("k", pa.string())])}
    assert sum(batch.num_rows for batch in batches) == 50_000
    assert problems == []


pieces = st.sampled_from(
    [b"a", b'"', b",", b"\n", b"\r", b"\r\n", b" ", b'""', b"\xc3\xa9", b"\xe9", b"\t", b"1", b",", b"0", b"\n", b"\0",
     b";", b"|", b"{", b"}", b"[", b"]", b":", b'{"a":1}', b'{"b":{"c":[1,2.0]}}', b"\xff\xfe", b"\xef\xbb\xbf",
     b"2019", b"sep=;\n", b"Total", b"\x1f\x8b", b"word word word."]
)  # fmt: skip


@settings(max_examples=800, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.one_of(st.binary(max_size=60), st.lists(pieces, max_size=40).map(b"".join)),
    name=st.sampled_from(["x.csv", "x.tsv", "x.txt", "x.dat", "x.json", "x.jsonl", "x.parquet"]),
    zipped=st.booleans(),
)
def test_any_bytes_are_read_or_reported(tmp_path, data, name, zipped):
    """Nothing but a ReadError, valid batches of one schema, unique names."""
    path = tmp_path / (f"{name}.gz" if zipped else name)
    path.write_bytes(gzip.compress(data) if zipped else data)
    for table in list_tables([path]).tables:
        schemas = set()
        try:
            for part in split(table):
                for batch in read_part(part, []):
                    batch.validate(full=True)
                    schemas.add(batch.schema)
            if table.kind == "text":
                text_format(str(path))
        except ReadError:
            continue
        assert len(schemas) <= 1
        for schema in schemas:
            assert all(schema.names)
            assert len(set(schema.names)) == len(schema.names)


def test_importing_loads_no_heavy_package():
    heavy = ("pandas", "pyspark", "numba")
    code = f"import sys, lakeview.catalog.sources; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
