"""Delimited text as Arrow batches of strings: by Arrow's own reader where it can, piece by piece from there on.

Both read the same rows. The second reading starts again, passes over the rows that were already given, and goes on.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import pyarrow as pa

from lakeview.catalog.model import Problem
from lakeview.catalog.reading.findings import Findings, uneven_rows
from lakeview.catalog.reading.header import is_null_mark, is_number
from lakeview.catalog.reading.text_bulk import bulk_batches
from lakeview.catalog.reading.text_bytes import Utf8, encoding_problem, open_span, open_utf8
from lakeview.catalog.reading.text_fast import GivesUp, arrow_batches, may_be_unclosed
from lakeview.catalog.reading.text_format import TextFormat
from lakeview.catalog.reading.text_guards import without_guards
from lakeview.catalog.reading.text_sample import Sample

BLOCK = 4 << 20
JUDGED = 100  # columns by which a row is one of totals: all readings agree on that, whatever columns they are after
UNCLOSED_TOLD = 10
_TOTAL = {"total", "totals", "grand total", "sum", "overall", "gesamt", "summe", "totale", "totaal", "итого", "合计"}


class Piece(NamedTuple):
    """Rows of a file from one byte to another (`text_cuts`); its number among so many."""

    start: int
    stop: int
    number: int
    of: int

    @property
    def is_last(self) -> bool:
        return self.number == self.of - 1


def read_text(path: str, form: TextFormat, findings: Findings, columns: Sequence[str] | None = None,
              block: int = BLOCK, sample: Sample | None = None,
              piece: Piece | None = None) -> Iterator[pa.RecordBatch]:  # fmt: skip
    """Batches of the file's columns as strings: all of `form.names`, or those of `columns` that are among them.

    sample: the file's beginning as the format was told from it; where that is all of the file, it is not read again.
    piece: the rows that are read; None: all.
    """
    names = list(form.names)
    chosen = set(names if columns is None else columns)
    wanted = [name for name in names if name in chosen]
    places = [place for place, name in enumerate(names) if place < JUDGED or name in chosen or place == len(names) - 1]
    rows = None if sample is None or piece else sample.all_rows(form.dialect, form.skip_lines)
    if rows is None:
        batches = _batches(partial(_data, path, form, piece), form, findings, block, places)
    else:
        batches = _of_rows(rows, names, findings, places)
    if piece is None or piece.is_last:
        batches = _without_total(batches, findings, piece.number if piece else 0)
    for batch in batches:
        findings.rows += batch.num_rows
        batch = batch if wanted == names else batch.select(wanted)  # there may be many
        yield without_guards(batch, form.guarded) if form.guarded else batch
    if not findings.rows:
        yield pa.RecordBatch.from_arrays([pa.nulls(0, pa.string())] * len(wanted), names=wanted)


def _of_rows(
    rows: Sequence[list[str]], names: Sequence[str], findings: Findings, places: Sequence[int]
) -> Iterator[pa.RecordBatch]:
    """Rows that were read already: the columns at some places."""
    if rows:
        n, width = len(rows), len(names)
        columns = list(zip(*(findings.fit(row, width, number) for number, row in enumerate(rows, 1)), strict=True))
        whole = pa.array(list(itertools.chain.from_iterable(columns[place] for place in places)), pa.string())
        arrays = [whole.slice(n * i, n) for i in range(len(places))]
        yield pa.RecordBatch.from_arrays(arrays, names=[names[place] for place in places])


def _batches(
    data: Callable[[], Utf8], form: TextFormat, findings: Findings, block: int, places: Sequence[int] | None = None
) -> Iterator[pa.RecordBatch]:
    given = 0
    fast = Findings()
    with data() as stream:
        # The last batch waits: only the end of the file tells whether it holds.
        last: tuple[pa.RecordBatch, Findings] | None = None
        try:
            for batch, met in arrow_batches(stream, form, block, fast, places):
                if not batch.num_rows:
                    continue
                if last is not None:
                    given += last[0].num_rows
                    findings.add(last[1])
                    yield last[0]
                last = batch, met
            whole = last is None or not may_be_unclosed(last[0], stream.tail, form.quote)
        except GivesUp:
            whole = False
        if whole:
            findings.comments += fast.comments
        if last is not None and whole:
            findings.add(last[1])
            yield last[0]
    if not whole:
        with data() as stream:
            yield from bulk_batches(stream, form, findings, given, places)


def _data(path: str, form: TextFormat, piece: Piece | None = None) -> Utf8:
    """The stream of the file's text from its first data line on, or of a piece of it."""
    if piece:
        return open_span(path, piece.start, piece.stop)
    stream = open_utf8(path, form.text)
    left = form.data_offset
    while left and (chunk := stream.read(min(left, 1 << 20))):
        left -= len(chunk)
    return stream


def _without_total(batches: Iterable[pa.RecordBatch], findings: Findings, pieces: int = 0) -> Iterator[pa.RecordBatch]:
    """All batches but for a row of totals at the very end. pieces: those of the file before, of many rows each."""
    last, earlier = None, 2 * pieces
    for batch in batches:
        if last is not None:
            earlier += last.num_rows
            yield last
        last = batch
    if last is None:
        return
    if earlier + last.num_rows > 2 and _is_total([column[-1].as_py() for column in last.columns[:JUDGED]]):
        findings.total_rows += 1
        last = last.slice(0, last.num_rows - 1)
    if last.num_rows:
        yield last


def _is_total(cells: Sequence[str | None]) -> bool:
    """A label such as "Total" in the first filled cell, and numbers or nothing in the others, at least one."""
    filled = [cell for cell in cells if cell and cell.strip()]
    return (
        len(filled) > 1
        and filled[0].strip().rstrip(":").casefold() in _TOTAL
        and all(is_number(cell) or is_null_mark(cell) for cell in filled[1:])
    )


def describe(form: TextFormat, findings: Findings, table: str, piece: Piece | None = None) -> list[Problem]:
    """The problems of a reading, in words. Of all pieces of a file, the first tells what the format is."""
    beginning = _of_format(form, findings.comments) if piece is None or piece.number == 0 else ()
    return [replace(problem, table=table) for problem in (*beginning, *_of_rows_met(findings))]


def _of_format(form: TextFormat, comments: int) -> Iterator[Problem]:
    if problem := encoding_problem(form.text):
        yield problem
    if form.nul_bytes:
        yield Problem("", "NUL bytes", f"{form.nul_bytes:,} NUL bytes were left out", form.nul_bytes)
    if form.sep_line:
        yield Problem("", "sep= line", f"a first line that names the delimiter {form.delimiter!r} was read past")
    if form.preamble:
        yield Problem("", "preamble", f"{form.preamble:,} lines before the table were read past", form.preamble)
    if form.spanned:
        yield Problem("", "two header rows", "headings over several columns became a part of their names")
    if form.units:
        yield Problem("", "units row", "a row of units below the header was read past")
    if form.commented:
        yield Problem("", "commented header", "the header begins with #, which was left out of its first name")
    if form.guarded:
        detail = f"""a spreadsheet's guards (="00123", '00123) were taken off in {len(form.guarded):,} columns"""
        yield Problem("", "guarded cells", detail, len(form.guarded))
    for oddity in form.oddities:
        yield Problem("", "odd quotes", f"{oddity}: read that way, which makes the rows even")
    if comments := form.comments + comments:
        yield Problem(
            "", "comment lines", f"{comments:,} lines that begin with {form.dialect.comment} were left out", comments
        )
    if form.unnamed:
        yield Problem(
            "", "short header", f"the header names {form.unnamed} columns fewer than the rows have", form.unnamed
        )


def _of_rows_met(findings: Findings) -> Iterator[Problem]:
    if findings.short or findings.long:
        yield uneven_rows("", findings.short, findings.long, findings.first_uneven)
    if findings.total_rows:
        yield Problem("", "total row", "a row of totals at the end was left out", findings.total_rows)
    for line in findings.unclosed[:UNCLOSED_TOLD]:
        yield Problem("", "unclosed quote", f"the quote in line {line:,} is never closed; it was read as plain text")
    if (more := len(findings.unclosed) - UNCLOSED_TOLD) > 0:
        yield Problem("", "unclosed quote", f"{more:,} quotes in later lines are never closed either", more)
    if findings.plain_from:
        yield Problem(
            "",
            "unclosed quote",
            f"too many quotes are never closed: from line {findings.plain_from:,} on, quotes are text",
        )


def count(path: str, form: TextFormat) -> TextFormat:
    """The format with what only a whole reading tells: rows, uneven rows, totals, unclosed quotes, blank lines."""
    findings = Findings()
    for _ in read_text(path, form, findings, columns=[]):
        pass
    return replace(
        form, rows=findings.rows, short=findings.short, long=findings.long, total_rows=findings.total_rows,
        unclosed=tuple(findings.unclosed),
    )  # fmt: skip
