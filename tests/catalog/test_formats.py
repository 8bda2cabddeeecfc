"""Feather, Arrow, ORC, workbooks and SQLite: the same table in each has the same columns, values and tokens."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from datetime import date, datetime
from pathlib import Path

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather, orc

import lakeview as lv
from lakeview.catalog.model import ReadError
from lakeview.catalog.reading import sqlite_tables
from lakeview.values import canonical

FRAME = pd.DataFrame({
    "code": ["AA", "007", "Zoë", None], "units": [1, 20, 300, 4], "price": [1.5, 2.0, None, 1e22],
    "day": [date(2024, 3, 1), date(2024, 3, 2), None, date(1999, 12, 31)],
    "at": [datetime(2024, 3, 1, 12, 30), datetime(2024, 3, 1), datetime(2024, 3, 2, 0, 0, 1), None],
    "open": [True, False, True, True],
})  # fmt: skip
ROWS = FRAME.astype(object).where(FRAME.notna(), None).to_numpy().tolist()


def write_feather(path: Path) -> None:
    feather.write_feather(pa.Table.from_pandas(FRAME), path)


def write_stream(path: Path) -> None:
    table = pa.Table.from_pandas(FRAME)
    with pa.ipc.new_stream(path, table.schema) as out:
        out.write_table(table, max_chunksize=2)


def write_orc(path: Path) -> None:
    orc.write_table(pa.Table.from_pandas(FRAME), path)


def write_xlsx(path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in [list(FRAME), *ROWS]:
        sheet.append(row)
    book.save(path)


def write_sqlite(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute('CREATE TABLE "the table" (code TEXT, units INTEGER, price REAL, day TEXT, at TEXT, open)')
        plain = [[str(cell) if isinstance(cell, date) else cell for cell in row] for row in ROWS]
        database.executemany('INSERT INTO "the table" VALUES (?, ?, ?, ?, ?, ?)', plain)
    database.close()


def write_duckdb(path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(path)) as database:
        found = pa.Table.from_pandas(FRAME)
        assert found.num_rows == 4  # which the statement reads by its name
        database.execute('CREATE TABLE "the table" AS SELECT * FROM found')


WRITERS = {
    "a.feather": write_feather, "a.arrow": write_stream, "a.orc": write_orc, "a.xlsx": write_xlsx,
    "a.sqlite": write_sqlite, "a.duckdb": write_duckdb,
}  # fmt: skip


@pytest.mark.parametrize("name", WRITERS)
def test_a_table_is_the_same_in_every_format(name, lake):
    lake.write("x", "")
    WRITERS[name](lake.folder / name)
    (lake.folder / "x").unlink()
    pq.write_table(pa.Table.from_pandas(FRAME), lake.folder / "b.parquet")
    wanted, found = lake.table("b.parquet"), lake.table(name)
    assert lake.problems() == []
    assert found.column_names == list(FRAME)
    for column in FRAME:
        if column == "open" and name == "a.sqlite":  # which has no booleans
            continue
        assert canonical(found[column]).to_pylist() == canonical(wanted[column]).to_pylist(), column
    assert lake.table(name).select(["price"]).equals(found.select(["price"]))


def test_they_join_and_know_what_changed(tmp_path):
    for name, write in WRITERS.items():
        write(tmp_path / name)
    pd.DataFrame({"code": ["AA", "zoë", "none of them"]}).to_csv(tmp_path / "c.csv", index=False)
    lake = lv.open(tmp_path)
    report = lake.index(engine="local")
    assert (report.tables, report.problems) == (7, 0)
    hits = {hit.table: hit for hit in lake.search("c.csv.code") if hit.column == "code"}
    assert {table: hit.overlap for table, hit in hits.items()} == dict.fromkeys(WRITERS, 2)
    for hit in hits.values():
        plan = hit.join(how="inner")
        assert len(plan.to_pandas()) == 2
        scope: dict = {}
        exec(plan.code("pandas"), scope)
        assert any(isinstance(found, pd.DataFrame) and len(found) == 2 for found in scope.values()), hit.table
        assert "createDataFrame" in plan.code("pyspark")  # read here, as Spark does not read it so
    assert lake.index(engine="local").skipped == 7
    write_orc(tmp_path / "a.feather")
    again = lake.index(engine="local")
    assert (again.changed, again.skipped) == (0, 6) and "damaged Arrow file" in lake.problems["detail"].item()


def test_every_sheet_and_every_table_is_one(lake):
    book = openpyxl.Workbook()
    book.active.title = "north"
    book.create_sheet("south east").append(["a", "b"])
    book["south east"].append([1, "x"])
    book["north"].append(["Report of March"])
    book["north"].append([])
    for row in (["id", "town"], [7, "Rome"], [8, "Oslo"]):
        book["north"].append(row)
    lake.write("book.xlsx", "")
    book.save(lake.folder / "book.xlsx")
    with sqlite3.connect(lake.folder / "many.db") as database:
        database.executescript(
            'CREATE TABLE t (x); CREATE TABLE "sq""l" (y, y2); INSERT INTO t VALUES (1);'
            "CREATE VIEW v AS SELECT * FROM t;"
        )
    database.close()
    assert sorted(lake.tables()) == ["book.xlsx/north", "book.xlsx/south east", 'many.db/sq"l', "many.db/t"]
    assert lake.table("book.xlsx/north").to_pydict() == {"id": ["7", "8"], "town": ["Rome", "Oslo"]}
    assert lake.table("book.xlsx/south east").num_rows == 1
    assert lake.table('many.db/sq"l').to_pydict() == {"y": [], "y2": []}
    assert [(p.table, p.problem, p.count) for p in lake.problems()] == [("book.xlsx/north", "rows above the table", 1)]


def test_rows_beside_the_file_of_a_database_are_seen(tmp_path):
    with closing(sqlite3.connect(tmp_path / "a.db")) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE t (x)")
        database.execute("INSERT INTO t VALUES (1)")
        database.commit()
        lake = lv.open(tmp_path)
        lake.index(engine="local")
        assert lake.columns["distinct"].tolist() == [1]
        database.execute("INSERT INTO t VALUES (2)")
        database.commit()
        assert lake.index(engine="local").changed == 1
        assert lake.columns["distinct"].tolist() == [2] and "being written" in set(lake.problems["problem"])
    assert lake.index(engine="local").changed == 1  # its rows are in the file now
    assert lake.index(engine="local").skipped == 1 and lake.problems.empty


def test_every_table_of_a_duckdb_file_is_one(lake):
    duckdb = pytest.importorskip("duckdb")
    lake.write("x.csv", "a,b\n1,2\n")
    with duckdb.connect(str(lake.folder / "many.duckdb")) as database:
        database.execute('CREATE TABLE t (x INT); CREATE SCHEMA s; CREATE TABLE s."a""b" (y VARCHAR)')
        database.execute("INSERT INTO t VALUES (7)")
        database.execute(f"CREATE VIEW v AS SELECT * FROM read_csv('{lake.folder / 'x.csv'}')")
        database.execute("CREATE TABLE s.nested AS SELECT {'a': 1, 'b': [1, 2]} AS n, 170141183460469231731 AS huge")
    assert list(lake.tables()) == ['many.duckdb/s.a"b', "many.duckdb/s.nested", "many.duckdb/t", "x.csv"]
    assert lake.table("many.duckdb/t").to_pydict() == {"x": [7]}
    assert lake.table('many.duckdb/s.a"b').num_rows == 0
    assert lake.columns("many.duckdb/s.nested") == ["n.a", "n.b", "huge"]
    assert canonical(lake.table("many.duckdb/s.nested")["huge"]).to_pylist() == ["170141183460469231731"]
    assert lake.problems() == []


def test_a_table_by_its_inner_name_is_found_again(tmp_path):
    with pd.ExcelWriter(tmp_path / "book.xlsx") as book:
        FRAME[["code"]].to_excel(book, sheet_name="one", index=False)
        FRAME[["code", "units"]].to_excel(book, sheet_name="two", index=False)
    lake = lv.open(tmp_path)
    lake.index(engine="local")
    assert lake.tables["table"].tolist() == ["book.xlsx/one", "book.xlsx/two"]
    assert lv.open(tmp_path).index(engine="local").skipped == 2
    assert lake.side("book.xlsx/two").to_pandas()["units"].tolist() == [1, 20, 300, 4]
    frame = FRAME[["code"]].dropna()
    (hit,) = (hit for hit in lake.search(frame, "code") if hit.table == "book.xlsx/two")
    assert 'sheet_name="two"' in hit.join(how="inner").code("pandas")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.xlsx", b"PK\x03\x04 no workbook", "cannot be opened as a workbook"),
        ("a.ods", b"", "the file is empty"),
        ("a.db", b"no database at all, but long enough to look", "is not a SQLite file"),
        ("a.sqlite", b"SQLite format 3\0" + b"\xff" * 2000, "SQLite"),
        ("a.feather", b"FEA1....", "version 1"),
        ("a.arrow", b"ARROW1\0\0 and nothing more", "damaged Arrow file"),
        ("a.orc", b"ORC and nothing more", "damaged ORC"),
    ],
)
def test_what_is_damaged_is_named(name, content, said, lake):
    lake.write(name, content)
    [problem] = lake.problems()
    assert said in problem.detail and "\n" not in problem.detail


def test_a_workbook_that_unpacks_to_too_much_is_refused(lake):
    import zipfile

    lake.write("x", "")
    with zipfile.ZipFile(lake.folder / "a.xlsx", "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("xl/worksheets/sheet1.xml", b" " * (300 << 20))
    [problem] = [p for p in lake.problems() if p.table == "a.xlsx"]
    assert "unpacks to more than" in problem.detail


def test_without_calamine_a_workbook_says_what_to_install(lake, monkeypatch):
    lake.write("x", "")
    write_xlsx(lake.folder / "a.xlsx")
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    [problem] = [p for p in lake.problems() if p.table == "a.xlsx"]
    assert "pip install lakeview[excel]" in problem.detail


def test_what_another_program_is_writing_is_read_and_told(lake):
    lake.write("x", "")
    writer = sqlite3.connect(lake.folder / "a.db")
    writer.executescript("PRAGMA journal_mode=WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1), (2);")
    writer.commit()
    (lake.folder / "x").unlink()
    assert lake.table("a.db").to_pydict() == {"x": ["1", "2"]}
    assert [problem.problem for problem in lake.problems()] == ["being written"]
    writer.close()


def test_a_column_that_an_expression_makes_is_bounded(tmp_path):
    path = str(tmp_path / "x.sqlite")
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE t(a TEXT)")
        database.executemany("INSERT INTO t VALUES (?)", [("x",)] * 5)
        database.execute("ALTER TABLE t ADD COLUMN b TEXT AS (hex(zeroblob(3000000)))")
        database.commit()
    with pytest.raises(ReadError, match="string or blob too big"):
        list(sqlite_tables.read_sqlite(path, "t", print))


def test_a_reading_without_end_is_left(tmp_path, monkeypatch):
    path = str(tmp_path / "x.sqlite")
    with closing(sqlite3.connect(path)) as made:
        made.execute("CREATE TABLE t(a)")
        made.executemany("INSERT INTO t VALUES (?)", [(n,) for n in range(50_000)])
        made.execute("CREATE VIRTUAL TABLE v USING fts5(a)")
        made.commit()
    assert "v" not in sqlite_tables.names(path)
    assert sum(batch.num_rows for batch in sqlite_tables.read_sqlite(path, "t", print)) == 50_000
    monkeypatch.setattr(sqlite_tables, "FEWEST_STEPS", 20_000)
    monkeypatch.setattr(sqlite_tables, "STEPS_A_BYTE", 0)
    with pytest.raises(ReadError, match="interrupted"):
        list(sqlite_tables.read_sqlite(path, "t", print))
