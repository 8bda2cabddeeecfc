from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeview.catalog.model import ReadError
from lakeview.catalog.reading import text_bytes, text_rows
from lakeview.catalog.reading.text_rows import Dialect, RowReader

texts = st.lists(st.sampled_from(["a", '"', ",", "\n", "\r", "\r\n", " ", '""', "é", ",", "\n"]), max_size=30).map(
    "".join
)


def read(text: str, delimiter: str = ",") -> tuple[list[list[str]], RowReader]:
    reader = RowReader(io.StringIO(text, newline=""), Dialect(delimiter))
    return list(reader), reader


def reference(text: str) -> tuple[list[list[str]], bool]:
    """RFC 4180, letter by letter, lenient about quotes after a closing quote; and whether a quote stays open."""
    rows: list[list[str]] = []
    row: list[str] = []
    cell = ""
    state = "start"  # of a cell; "plain", "quoted", "closed" (a quote inside quotes)
    place = 0
    while place < len(text):
        letter = text[place]
        place += 1
        if state == "quoted":
            state, cell = ("closed", cell) if letter == '"' else (state, cell + letter)
        elif state == "closed" and letter == '"':
            state, cell = "quoted", cell + '"'
        elif letter == '"' and state == "start":
            state = "quoted"
        elif letter == ",":
            row, cell, state = [*row, cell], "", "start"
        elif letter in "\r\n":
            if letter == "\r" and text[place : place + 1] == "\n":
                place += 1
            rows.append([*row, cell])
            row, cell, state = [], "", "start"
        else:
            state, cell = "plain", cell + letter
    if row or cell or state != "start":
        rows.append([*row, cell])
    return rows, state == "quoted"


def blank(row: list[str]) -> bool:
    return len(row) == 1 and not row[0].strip(" \t")


@given(texts)
def test_equals_a_reading_letter_by_letter(text):
    expected, unclosed = reference(text)
    rows, reader = read(text)
    assert bool(reader.unclosed) == unclosed
    if not unclosed:
        # A line `""` alone is a row with an empty cell, but a blank line is none.
        assert [row for row in rows if not blank(row)] == [row for row in expected if not blank(row)]
        assert reader.lines_read == len(io.StringIO(text, newline="").readlines())
        assert reader.chars_read == len(text)


@given(texts)
def test_an_open_quote_swallows_nothing(text):
    rows, _ = read(text)
    text_without_quotes = text.replace('"', "")
    letters = "".join(cell for row in rows for cell in row).replace('"', "")
    assert letters.count("a") == text_without_quotes.count("a")
    assert letters.count("é") == text_without_quotes.count("é")


def test_the_line_of_an_open_quote_is_plain_text():
    rows, reader = read('a,b\n1,"x\n2,y\n3,"z"\n4,"\n5,v\n')
    # The quote of line 2 is closed by that of line 4, whose rest then opens one that nothing closes.
    assert reader.unclosed == [5]
    assert rows == [["a", "b"], ["1", 'x\n2,y\n3,z"\n'], ["4", '"'], ["5", "v"]] or rows[-2:] == [
        ["4", '"'],
        ["5", "v"],
    ]


def test_one_open_quote_in_a_long_text():
    rows, reader = read("a,b\n1,2\n" + '2,"open\n' + "3,4\n" * 1000)
    assert reader.unclosed == [3]
    assert len(rows) == 1003
    assert rows[2] == ["2", '"open']


def test_a_quote_that_stays_open_too_long_counts_as_unclosed(monkeypatch):
    monkeypatch.setattr(text_rows, "MAX_ROW", 50)
    rows, reader = read('1,"open\n' + "2,3\n" * 30 + '4,"closed"\n')
    assert reader.unclosed == [1]
    assert len(rows) == 32
    assert rows[-1] == ["4", "closed"]


def test_blank_lines_are_no_rows_but_quoted_nothing_is():
    assert read('x\n1\n\n  \n""\n2\n')[0] == [["x"], ["1"], [""], ["2"]]


def test_a_cell_of_a_megabyte():
    big = "x" * (1 << 20)
    assert read(f'a,b\n1,"{big}"\n')[0][1] == ["1", big]
    assert csv.field_size_limit() > 1 << 20


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_delimiters(delimiter):
    assert read(f'a{delimiter}"b{delimiter}c"\n', delimiter)[0] == [["a", f"b{delimiter}c"]]


def test_after_too_many_open_quotes_a_quote_is_text(monkeypatch):
    lines = "a,b\n" + 'b","\n' * 5 + '1,"x,y"\n'
    rows, reader = read(lines)
    assert reader.plain_from is None
    monkeypatch.setattr(text_rows, "MAX_VAIN", 30)
    rows, reader = read("a,b\n" + 'b","\n' * 2000)
    assert reader.plain_from is not None
    assert len(reader.unclosed) < 5
    assert rows == [["a", "b"], *[['b"', '"']] * 2000]
    assert reader.lines_read == 2001


@pytest.mark.parametrize("piece", [1, 2, 7, 100])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_that_is_too_long_is_refused(monkeypatch, piece, end):
    monkeypatch.setattr(text_bytes, "MAX_LINE", 20)
    monkeypatch.setattr(text_bytes, "PIECE", piece)

    def pieces(text: str) -> list[str]:
        return list(text_bytes.pieces_of(io.StringIO(text, newline=""), 7))

    longest = f"a{end}{'x' * 18}{end}b"
    assert "".join(pieces(longest)) == longest
    assert all(piece[-1] in "\r\n" for piece in pieces(longest)[:-1])
    with pytest.raises(ReadError, match="line 7 has more than"):
        pieces("x" * 20 + end)
    if piece < 100:
        with pytest.raises(ReadError, match="line 8 has more than"):
            pieces(f"a{end}{'x' * 40}{end}b")


@given(texts, st.integers(1, 9))
def test_pieces_are_whole_lines(text, piece):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_bytes, "PIECE", piece)
        pieces = list(text_bytes.pieces_of(io.StringIO(text, newline="")))
    lines = [line for piece in pieces for line in io.StringIO(piece, newline="")]
    assert lines == io.StringIO(text, newline="").readlines()
    assert sum(map(text_bytes.line_count, pieces)) == len(lines)
