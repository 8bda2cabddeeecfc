"""Delimited text of any rows, however uneven, a piece at a time: from where Arrow's own reader gives up.

Lines without quotes are cut into cells by Arrow's kernels, others by Python's csv module, all of a piece at once. Only
where that does not tell where a row ends are rows read one by one. The rows are those of text_rows.RowReader (tests
hold it to that).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeview.catalog.reading import text_rows
from lakeview.catalog.reading.findings import Findings
from lakeview.catalog.reading.text_bytes import PIECE, Utf8, line_count, pieces_of
from lakeview.catalog.reading.text_format import TextFormat
from lakeview.catalog.reading.text_rows import BLANKS, Dialect, RowReader, is_comment

BATCH_ROWS = 50_000
BATCH_CELLS = 4 << 20
_END = "end\n"  # a row behind the last one: where it is none, a quote is open
_BLANK_LINE = re.compile(r"(?:\A|\n|\r(?!\n))[ \t]*(?:[\r\n]|(?<=[ \t])\Z)")
_FEW = 500  # lists of Python's that are kept: of more, the garbage collector would ask again and again
_LISTS = pa.list_(pa.string())


def bulk_batches(stream: Utf8, form: TextFormat, findings: Findings, given: int = 0,
                 places: Sequence[int] | None = None) -> Iterator[pa.RecordBatch]:  # fmt: skip
    """All rows but for the first `given`, as strings; of the columns those in `places`, None: all."""
    rows = _Rows(_Pieces(stream, form), form.dialect)
    width = len(form.names)
    places = range(width) if places is None else places
    names = [form.names[place] for place in places]
    most = min(BATCH_ROWS, max(1, BATCH_CELLS // max(1, width)))
    before = 0
    for cells in rows:
        for start in range(max(0, given - before), len(cells), most):
            batch = cells.slice(start, most)
            widths = np.asarray(pc.list_value_length(batch))
            findings.fit_all(widths, width, before + start + 1)
            yield pa.RecordBatch.from_arrays(_fitted(batch, widths, places), names=names)
        before += len(cells)
    met = rows.one_by_one
    findings.unclosed += [form.skip_lines + line for line in met.unclosed]
    findings.comments += met.comments
    findings.plain_from = met.plain_from and form.skip_lines + met.plain_from


def _fitted(cells: pa.ListArray, widths: np.ndarray, places: Sequence[int]) -> list[pa.Array]:
    """The columns at some places: short rows padded with nulls, the excess of long ones dropped."""
    first, widest = np.asarray(cells.offsets)[:-1], widths.max()
    return [
        cells.values.take(pa.array(first + place, mask=widths <= place))
        if place < widest
        else pa.nulls(len(cells), pa.string())
        for place in places
    ]


class _Rows:
    """Iterates over the rows, those of a piece at a time: lists of cells as Arrow has them.

    one_by_one: what reads the doubtful ones; its counts are those of all rows.
    """

    def __init__(self, pieces: _Pieces, dialect: Dialect) -> None:
        self._pieces = pieces
        self._dialect = replace(dialect, wrapped=False, backslash=False)  # the pieces are without
        self.one_by_one = RowReader(pieces, self._dialect)
        self._reading = iter(self.one_by_one)

    def __iter__(self) -> Iterator[pa.ListArray]:
        while piece := self._pieces.next():
            plain = self.one_by_one.plain_from or self._dialect.quote not in piece
            rows = self._of_lines(piece, bool(plain))
            yield self._of_several_lines(piece) if rows is None else rows

    def _of_lines(self, piece: str, plain: bool) -> pa.ListArray | None:
        """The rows, where each is one line; plain: quotes mean nothing."""
        lines = pc.split_pattern(pa.array([piece.replace("\r\n", "\n").replace("\r", "\n")]), "\n").values
        comments = 0
        if mark := self._dialect.comment:
            is_mark = pc.starts_with(lines, mark)
            lines = lines.filter(pc.invert(is_mark))
            comments = is_mark.true_count
        rows = self._plain(lines) if plain else self._quoted(lines)
        if rows is not None:
            self.one_by_one.lines_read += line_count(piece)
            self.one_by_one.comments += comments
        return rows

    def _plain(self, lines: pa.StringArray) -> pa.ListArray:
        cells = pc.split_pattern(lines, self._dialect.delimiter)
        if self._dialect.blanks:
            cells = pa.ListArray.from_arrays(cells.offsets, pc.ascii_ltrim(cells.values, " "))
        filled = pc.not_equal(pc.ascii_trim(lines, BLANKS), "")
        return cells.filter(pc.or_(filled, pc.greater(pc.list_value_length(cells), 1)))

    def _quoted(self, lines: pa.StringArray) -> pa.ListArray | None:
        """None where a quote is open at a line's end. The shorter lines are, the more of them are the same."""
        coded = lines.dictionary_encode()
        distinct = coded.dictionary.to_pylist()
        rows = list(csv.reader([*distinct, _END], **self._dialect.options()))
        if len(rows) <= len(distinct):
            return None
        full = [row if _is_row(row, line) else None for row, line in zip(rows, distinct, strict=False)]
        return pa.array(full, _LISTS).take(coded.indices).drop_null()

    def _of_several_lines(self, piece: str) -> pa.ListArray:
        """The rows; where the last one goes on beyond the piece, it is read to its end."""
        lines = io.StringIO(piece, newline="").readlines()
        mark = self._dialect.comment
        if len(piece) > text_rows.MAX_ROW or (mark and any(is_comment(line, mark) for line in lines)):
            return self._read(piece, len(lines))  # a row may be too long, or what looks like a comment be in one
        some_blank = _BLANK_LINE.search(piece)
        parts, rows, start = [], [], 0
        reader = csv.reader([*lines, _END], **self._dialect.options())
        for row in reader:
            end = reader.line_num
            if end > len(lines):
                break
            if not some_blank or _is_row(row, lines[start]):
                rows.append(row)
            start = end
            if len(rows) == _FEW:
                parts.append(pa.array(rows, _LISTS))
                rows = []
        parts.append(pa.array(rows, _LISTS))
        self.one_by_one.lines_read += start
        if start < len(lines):
            parts.append(self._read("".join(lines[start:]), 1))
        return pa.concat_arrays(parts)

    def _read(self, text: str, lines: int) -> pa.ListArray:
        """The rows that begin in the first lines of a text, which is given back."""
        self._pieces.give_back(text)
        rows = []
        until = self.one_by_one.lines_read + lines
        for row in self._reading:
            rows.append(row)
            if self.one_by_one.lines_read >= until:
                break
        self._pieces.give_back("".join(self.one_by_one.again))
        self.one_by_one.again.clear()
        return pa.array(rows, _LISTS)


def _is_row(row: list[str], line: str) -> bool:
    """Whether a row, whose first line this is, is more than a blank line."""
    return bool(row and (len(row) > 1 or row[0].strip(BLANKS) or line.strip(BLANKS)))


class _Pieces:
    """A text, its quotes by the book, in pieces of whole lines or line by line; what was taken may be given back."""

    def __init__(self, stream: Utf8, form: TextFormat) -> None:
        text = io.TextIOWrapper(io.BufferedReader(stream), "utf-8", newline="")
        self._pieces = pieces_of(text, form.skip_lines + 1)
        self._dialect = form.dialect
        self._given_back = io.StringIO(newline="")

    def next(self) -> str:
        """The next lines; "" at the end. Raises ReadError where one is longer than any row of a table."""
        if text := self._given_back.read(PIECE):
            return text + self._given_back.readline()
        text = next(self._pieces, "")
        if self._dialect.wrapped or self._dialect.backslash:
            text = "".join(map(self._dialect.by_the_book_line, io.StringIO(text, newline="")))
        return text

    def give_back(self, text: str) -> None:
        self._given_back = io.StringIO(text + self._given_back.read(), newline="")

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._given_back.readline()
        if not line:
            self.give_back(self.next())
            line = self._given_back.readline()
        if not line:
            raise StopIteration
        return line
