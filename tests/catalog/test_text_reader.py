from __future__ import annotations

import gc
import gzip
import io
import pickle
import signal
import subprocess
import sys
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakeview.catalog.model import ReadError
from lakeview.catalog.reading import text_bulk, text_bytes, text_fast, text_reader, text_rows
from lakeview.catalog.reading.findings import Findings
from lakeview.catalog.reading.text_fast import GivesUp, arrow_batches
from lakeview.catalog.reading.text_format import TextFormat, sniff_sample
from lakeview.catalog.reading.text_reader import read_text
from lakeview.catalog.reading.text_rows import Dialect, RowReader
from lakeview.catalog.sources import text_format

pieces = ["a", "#", '"', ",", "\n", "\r", "\r\n", " ", '""', "é", "\t", "1", ",", ",", "\n"]
texts = st.lists(st.sampled_from(pieces), max_size=40).map("".join)
no_fixture_check = [HealthCheck.function_scoped_fixture]


def plain_format(columns: int, dialect: Dialect = Dialect()) -> TextFormat:  # noqa: B008 (it is frozen)
    """Everything is data, from the first byte on."""
    return TextFormat(
        encoding="utf-8", compression=None, header=False,
        names=tuple(f"c{place}" for place in range(columns)), skip_lines=0, skip_rows=0, preamble=0, sep_line=False,
        newline="\n", data_offset=0, invalid_at=None, nul_bytes=0, dialect=dialect,
    )  # fmt: skip


def rows_of(batches) -> list[tuple]:
    return [row for batch in batches for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)]


def data_of(path, form: TextFormat):
    return lambda: text_reader._data(str(path), form)


def one_by_one(text: str, form: TextFormat) -> tuple[list[tuple], Findings]:
    """The reading that every faster one must equal."""
    reader = RowReader(io.StringIO(text, newline=""), form.dialect)
    findings = Findings()
    rows = [tuple(findings.fit(row, len(form.names), number)) for number, row in enumerate(reader, start=1)]
    findings.unclosed, findings.comments = reader.unclosed, reader.comments
    findings.plain_from = reader.plain_from
    return rows, findings


dialects = st.builds(Dialect, comment=st.sampled_from(["", "#"]))
odd_dialects = st.builds(
    Dialect, delimiter=st.sampled_from(",\t"), quote=st.sampled_from("\"'"), blanks=st.booleans(),
    backslash=st.booleans(), wrapped=st.booleans(), comment=st.sampled_from(["", "#"]),
)  # fmt: skip


@settings(max_examples=700, deadline=None, suppress_health_check=no_fixture_check)
@given(
    text=texts, columns=st.integers(1, 4), block=st.sampled_from([16, 64, 1 << 20]), dialect=dialects,
    chosen=st.none() | st.sets(st.integers(0, 3)),
)  # fmt: skip
def test_the_fast_reading_equals_the_slow_one(tmp_path, text, columns, block, dialect, chosen):
    path = tmp_path / "x.csv"
    path.write_bytes(text.encode("utf-8"))
    form = plain_format(columns, dialect)
    found = Findings()
    places = None if chosen is None else sorted(place for place in chosen | {0, columns - 1} if place < columns)
    rows = rows_of(text_reader._batches(data_of(path, form), form, found, block, places))
    slow, met = one_by_one(text, form)
    assert (rows, found) == ([tuple(row[p] for p in places or range(columns)) for row in slow], met)


def in_bulk(text: str, form: TextFormat, *at: object) -> tuple[list[tuple], Findings]:
    found = Findings()
    stream = text_bytes.Utf8(iter([text.encode()]), io.BytesIO())
    return rows_of(text_bulk.bulk_batches(stream, form, found, *at)), found


@settings(max_examples=1500, deadline=None)
@given(
    text=st.lists(st.sampled_from([*pieces, "\\", "'"]), max_size=60).map("".join), columns=st.integers(1, 4),
    dialect=odd_dialects, piece=st.sampled_from([3, 10, 1 << 20]), longest=st.sampled_from([5, 20, 1 << 20]),
    vain=st.sampled_from([10, 50, 1 << 20]), batch=st.sampled_from([1, 3, 1000]), given=st.integers(0, 3),
)  # fmt: skip
def test_the_reading_in_bulk_equals_the_slow_one(text, columns, dialect, piece, longest, vain, batch, given):
    form = plain_format(columns, dialect)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_rows, "MAX_ROW", longest)
        patch.setattr(text_rows, "MAX_VAIN", vain)
        patch.setattr(text_bytes, "PIECE", piece)
        patch.setattr(text_bulk, "PIECE", piece)
        patch.setattr(text_bulk, "BATCH_ROWS", batch)
        rows, found = one_by_one(text, form)
        assert in_bulk(text, form) == (rows, found)
        later, _ = in_bulk(text, form, given)
        assert later == rows[given:]
        last, _ = in_bulk(text, form, 0, [columns - 1])
        assert last == [row[-1:] for row in rows]


CELLS = ["a", "7", "", '"b\n1"', '"', "x y", " 'c'", '"d""e"', "\\", "é", "# 1", "'3"]


@settings(max_examples=400, deadline=None, suppress_health_check=no_fixture_check)
@given(
    lines=st.lists(st.lists(st.sampled_from(CELLS), min_size=1, max_size=4).map(",".join), max_size=12),
    header=st.sampled_from(["", "name,n\n", "sep=,\na,b,c\n", "notes\n\nname,n,m\n", "#a,b\n", "name,n\nkg,m\n"]),
    end=st.sampled_from(["\n", "\r\n", "\nTotal,7"]), columns=st.sampled_from([None, [], ["n"]]),
)  # fmt: skip
def test_rows_that_told_the_format_are_those_of_a_reading(tmp_path, lines, header, end, columns):
    path = tmp_path / "x.csv"
    path.write_bytes((header + end.join([*lines, ""])).encode())
    try:
        sniffed = sniff_sample(str(path), "csv")
    except ReadError:
        return
    if sniffed is None:
        return
    form, sample = sniffed
    at_once, read = Findings(), Findings()
    found = list(read_text(str(path), form, at_once, columns, sample=sample))
    again = list(read_text(str(path), form, read, columns))
    assert [batch.schema for batch in found[:1]] == [batch.schema for batch in again[:1]]
    assert (rows_of(found), at_once) == (rows_of(again), read)


def test_a_small_file_is_parsed_once(tmp_path, monkeypatch):
    path = tmp_path / "x.csv"
    path.write_text("name,n\n" + "a,1\n" * 900)
    form, sample = sniff_sample(str(path), "csv")
    monkeypatch.setattr(text_reader, "_batches", None)
    assert rows_of(read_text(str(path), form, Findings(), sample=sample)) == [("a", "1")] * 900


@given(widths=st.lists(st.integers(1, 9)), width=st.integers(1, 9), number=st.integers(1, 5))
def test_widths_are_counted_at_once_as_one_by_one(widths, width, number):
    at_once, single = Findings(), Findings()
    at_once.fit_all(np.array(widths, int), width, number)
    for place, cells in enumerate(widths):
        single.fit([""] * cells, width, number + place)
    assert vars(at_once) == vars(single)


def test_what_arrow_gives_up_is_read_in_bulk(tmp_path, monkeypatch):
    """Rows one by one take ten times as long: only those are read so whose end a piece does not tell."""
    monkeypatch.setattr(text_bulk.RowReader, "__iter__", lambda reader: iter([]))
    path = tmp_path / "x.csv"
    for text in ("1\n", '""\n', "\n1\r\n", "  \n1\n", '"a\nb"\n', '1,"2"\n\n"3"\n', "#1\n2\n"):
        path.write_text(text * 20_000, newline="")
        form = plain_format(3, Dialect(comment="#"))
        found = Findings()
        assert len(rows_of(text_reader._batches(data_of(path, form), form, found, 1 << 20))) == found.short >= 20_000


@settings(max_examples=200, deadline=None, suppress_health_check=no_fixture_check)
@given(
    breaks=st.lists(st.sampled_from(["\r\n", "\r\n", "\r", "\n", "a"]), min_size=1, max_size=8).map("".join),
    block=st.integers(40, 60),
)
def test_line_breaks_inside_quotes_stay_where_blocks_end(tmp_path, breaks, block):
    path = tmp_path / "x.csv"
    path.write_bytes(f'1,"{breaks}"\r\n'.encode() * 100)
    assert (
        rows_of(text_reader._batches(data_of(path, plain_format(2)), plain_format(2), Findings(), block))
        == [("1", breaks)] * 100
    )


def test_the_fast_reading_is_what_reads(tmp_path, monkeypatch):
    """A text with uneven rows, quotes, blank lines and CRLF is read without the slow one."""
    monkeypatch.setattr(text_reader, "bulk_batches", None)
    path = tmp_path / "x.csv"
    path.write_bytes(b'1,"a\r\nb"\r\n\r\n2\r\n3,"say ""no""",x\r\n   \r\n4,d\r\n' * 50)
    findings = Findings()
    rows = rows_of(read_text(str(path), plain_format(2), findings, block=64))
    assert rows == [("1", "a\r\nb"), ("2", None), ("3", 'say "no"'), ("4", "d")] * 50
    assert findings == Findings(rows=200, short=50, long=50, first_uneven=2)


def test_a_row_longer_than_a_block(tmp_path):
    path = tmp_path / "x.csv"
    cells = ["x" * 10, "y" * 5000, "z" * 10]
    path.write_text("".join(f"{number},{cell}\n" for number, cell in enumerate(cells)))
    assert rows_of(read_text(str(path), plain_format(2), Findings(), block=64)) == list(zip("012", cells, strict=True))


def test_a_cell_of_three_megabytes(lake):
    lake.write("big.csv", "id,text\n1," + "x" * 3_000_000 + "\n2,y\n")
    assert [len(text) for _, text in lake.rows("big.csv")] == [3_000_000, 1]
    assert lake.problems() == []


def test_batches_are_bounded(tmp_path, monkeypatch):
    path = tmp_path / "x.csv"
    path.write_text("1,x\n" * 95)
    form = plain_format(2)
    assert max(batch.num_rows for batch in read_text(str(path), form, Findings(), block=64)) == 16

    def bulk_sizes() -> list[int]:
        with text_reader._data(str(path), form) as stream:
            return [batch.num_rows for batch in text_bulk.bulk_batches(stream, form, Findings())]

    monkeypatch.setattr(text_bulk, "BATCH_ROWS", 10)
    assert bulk_sizes() == [10] * 9 + [5]
    monkeypatch.setattr(text_bulk, "BATCH_CELLS", 9)
    assert bulk_sizes() == [4] * 23 + [3]
    monkeypatch.setattr(text_bytes, "PIECE", 8)
    assert bulk_sizes() == [2] * 47 + [1]


@pytest.mark.parametrize("row", ["x\n", "x,y,z\n", " \n"])
def test_arrow_hands_out_few_uneven_rows(tmp_path, monkeypatch, row):
    """Each costs a call of Python's, whatever it is: a block of nothing else would take minutes."""
    monkeypatch.setattr(text_fast, "MAX_UNEVEN", 50)
    path = tmp_path / "x.csv"
    form = plain_format(2)
    for count, gives_up in ((50, False), (51, True)):
        path.write_text("1,x\n" + row * count)
        with text_reader._data(str(path), form) as stream, pytest.raises(GivesUp) if gives_up else nullcontext():
            list(arrow_batches(stream, form, block=1 << 20))


def test_nobody_holds_the_stream_when_a_reading_is_left(tmp_path):
    """A thread of Arrow's that still held Python objects at the interpreter's end would abort the process."""
    path = tmp_path / "x.csv"
    path.write_text("1,x\n" * 100_000)
    form = plain_format(2)
    with text_reader._data(str(path), form) as stream:
        batches = arrow_batches(stream, form, block=1000)
        next(batches)
        batches.close()
        assert not [thing for thing in gc.get_objects() if type(thing).__name__ in ("_Blocks", "_Block", "_Token")]


def test_nobody_holds_the_stream_as_the_interpreter_ends(tmp_path):
    """Not even where somebody still holds the reading, as the traceback of an error does."""
    (tmp_path / "x.csv").write_text("1,x\n" * 100_000)
    code = """if True:
        import atexit, gc, pickle, sys
        held = ("_Blocks", "_Block", "_Token")
        atexit.register(lambda: print(sum(type(thing).__name__ in held for thing in gc.get_objects())))  # runs last
        from lakeview.catalog.reading import text_fast, text_reader
        form = pickle.loads(bytes.fromhex(sys.argv[1]))
        stream = text_reader._data("x.csv", form).__enter__()
        reading = text_fast.arrow_batches(stream, form, block=1000)
        next(reading)
        raise KeyboardInterrupt
        """
    form = pickle.dumps(plain_format(2)).hex()
    done = subprocess.run([sys.executable, "-c", code, form], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == -signal.SIGINT and "Abort" not in done.stderr and done.stdout == "0\n", done


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
@pytest.mark.parametrize("body", ['1,"open{end}', '0,x{end}1,"open{end}', '1,"op""en{end}', '1,"{end}'])
def test_an_open_quote_is_reported_at_the_end_of_the_file(lake, body, end):
    lake.write("x.csv", f"a,b{end or chr(10)}" + body.format(end=end or "\n").rstrip() + end)
    [problem] = lake.problems()
    assert problem.problem == "unclosed quote"
    assert lake.rows("x.csv")[-1][0] == "1"


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("body", ['1,"x"', '1,""', '1,"x\ny"', '1,"x""y"', '1,x"y', '1,"""x"""', '1,"x\n"'])
def test_a_closed_quote_is_not(lake, body, end):
    lake.write("x.csv", f"a,b\n{body}{end}")
    assert lake.problems() == []
    assert lake.table("x.csv").num_rows == 1


cells = st.text(alphabet=st.sampled_from('ab1é"\n\r,; \t'), max_size=6)
tables = st.integers(2, 4).flatmap(lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1))


@settings(max_examples=300, deadline=None, suppress_health_check=no_fixture_check)
@given(rows=tables, delimiter=st.sampled_from(",;\t|"), encoding=st.sampled_from(["utf-8-sig", "utf-8", "utf-16"]))
def test_what_pandas_writes_comes_back(lake, rows, delimiter, encoding):
    """Any values, all quoted, under a header of words, in any delimiter and encoding."""
    names = [f"name {'abcd'[place]}" for place in range(len(rows[0]))]
    frame = pd.DataFrame(rows, columns=names)
    lake.folder.mkdir(exist_ok=True)
    frame.to_csv(lake.folder / "x.csv", sep=delimiter, encoding=encoding, index=False, quoting=1)
    table = lake.table("x.csv")
    assert table.column_names == names
    assert rows_of(table.to_batches()) == [tuple(row) for row in rows]
    assert lake.problems() == []


@settings(max_examples=300, deadline=None, suppress_health_check=no_fixture_check)
@given(
    text=st.lists(st.sampled_from(["a", ",", "\n", "1", '"x,y"', "\r\n", "é"]), min_size=1, max_size=40).map("".join)
)
def test_pandas_reads_the_same_by_the_format(lake, text):
    """TextFormat tells pandas all it needs; where rows are uneven, pandas cuts and pads them alike."""
    path = str(lake.write("x.csv", text))
    form = text_format(path)
    if form is None or not form.rows or form.long or form.unclosed or len(form.names) == 1:
        return  # pandas refuses long rows; its blank lines in a single column follow rules of their own
    frame = pd.read_csv(
        path, sep=form.delimiter, quotechar=form.quote, encoding=form.encoding, compression=form.compression,
        header=None, skiprows=form.skip_rows, names=list(form.names), skipfooter=0, dtype=str, keep_default_na=False,
        na_values=[], index_col=False,
    )  # fmt: skip
    frame = frame.iloc[: len(frame) - form.total_rows]
    ours = lake.table("x.csv").to_pandas().fillna("")
    assert frame.fillna("").to_numpy().tolist() == ours.to_numpy().tolist()


def test_chosen_columns_alone(lake):
    lake.write("x.csv", "a,b,c\n1,2,3\n")
    from lakeview.catalog.sources import read_part, split

    [part] = split(lake.tables()["x.csv"])
    [batch] = read_part(part, [], columns=["c", "a", "zz"])
    assert batch.to_pylist() == [{"a": "1", "c": "3"}]


def test_all_columns_are_strings_as_written(lake):
    lake.write("x.csv", "id,code,when,yes\n007,1e5,2024-01-01,true\n,00501,,NA\n")
    table = lake.table("x.csv")
    assert set(table.schema.types) == {pa.string()}
    assert lake.rows("x.csv") == [("007", "1e5", "2024-01-01", "true"), ("", "00501", "", "NA")]


@pytest.mark.parametrize("name", ["x.csv.gz", "x.csv", "x.CSV.GZ"])
def test_gzip_is_told_by_its_bytes(lake, name):
    lake.write(name, gzip.compress(b"a,b\n1,2\n"))
    assert lake.rows(name) == [("1", "2")]
    assert lake.problems() == []


class TestTotals:
    @pytest.mark.parametrize("row", ["Total,,7", "total:,-,7", "Grand Total,3,7", "Summe,3,7", "TOTAL,3"])
    def test_a_row_of_totals_is_left_out(self, lake, row):
        lake.write("x.csv", f"name,n,m\na,1,3\nb,2,4\n{row}\n\n")
        assert [row[0] for row in lake.rows("x.csv")] == ["a", "b"]
        assert "total row" in {problem.problem for problem in lake.problems("x.csv")}

    @pytest.mark.parametrize("row", ["Total,x,7", "Total,,", "Totality,1,2", "c,1,2"])
    def test_other_last_rows_stay(self, lake, row):
        lake.write("x.csv", f"name,n,m\na,1,3\nb,2,4\n{row}\n")
        assert lake.table("x.csv").num_rows == 3
        assert lake.problems() == []

    def test_not_in_the_middle_nor_alone(self, lake):
        lake.write("x.csv", "name,n\nTotal,1\na,1\nb,2\n")
        lake.write("y.csv", "name,n\na,1\nTotal,1\n")
        assert lake.table("x.csv").num_rows == 3
        assert lake.table("y.csv").num_rows == 2
        assert lake.problems() == []


def test_uneven_rows_are_kept_and_counted(lake):
    lake.write("x.csv", "a,b,c\n1,2,3\n4,5\n6,7,8,9\n10\n\n11,12,13\n")
    assert lake.rows("x.csv") == [
        ("1", "2", "3"), ("4", "5", None), ("6", "7", "8"), ("10", None, None), ("11", "12", "13"),
    ]  # fmt: skip
    [problem] = lake.problems()
    assert (problem.table, problem.count) == ("x.csv", 3)
    assert "2 with too few cells" in problem.detail
    assert "1 with too many" in problem.detail
    assert "row 2" in problem.detail
    form = text_format(str(lake.folder / "x.csv"))
    assert (form.rows, form.short, form.long, form.uneven) == (5, 2, 1, True)


def test_nul_bytes_are_read_past(lake):
    lake.write("x.csv", b"a,b\n1,x\0y\n2,z\n")
    assert lake.rows("x.csv") == [("1", "xy"), ("2", "z")]
    [problem] = lake.problems()
    assert (problem.problem, problem.count) == ("NUL bytes", 1)


def test_what_is_not_utf8_is_told(lake):
    lake.write("x.csv", "a,b\n1,Malmö\n".encode("cp1252"))
    assert lake.rows("x.csv") == [("1", "Malmö")]
    [problem] = lake.problems()
    assert problem.detail == "read as cp1252: not valid UTF-8 at byte 10"
