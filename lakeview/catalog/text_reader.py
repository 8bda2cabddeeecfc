"""Delimited text as Arrow batches of strings: Arrow's own reader where it can, Python's csv module from there on.

Both read the same rows (tests hold them to it). Arrow stops at the first row that is uneven; the slow reading then
starts again, passes over the rows that were already given, and goes on.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa
import pyarrow.csv

from lakeview.catalog.header import is_null_mark, is_number
from lakeview.catalog.model import Problem
from lakeview.catalog.text_bytes import open_utf8
from lakeview.catalog.text_format import TextFormat
from lakeview.catalog.text_rows import RowReader

BLOCK = 4 << 20
BATCH_ROWS = 50_000
BATCH_CHARS = 32 << 20
_TOTAL = {"total", "totals", "grand total", "sum", "overall", "gesamt", "summe", "totale", "totaal", "итого", "合计"}


@dataclass
class Findings:
    """What a reading met, for `problems` and for the exported code. Row numbers count data rows from 1."""

    rows: int = 0
    short: int = 0
    long: int = 0
    first_uneven: int = 0
    total_rows: int = 0
    unclosed: list[int] = field(default_factory=list)


def read_text(path: str, form: TextFormat, findings: Findings, columns: Sequence[str] | None = None,
              block: int = BLOCK) -> Iterator[pa.RecordBatch]:  # fmt: skip
    """Batches of the file's columns as strings: all of `form.names`, or those of `columns` that are among them."""
    names = list(form.names)
    wanted = names if columns is None else [name for name in names if name in columns]
    for batch in _without_total(_batches(path, form, findings, block), findings):
        findings.rows += batch.num_rows
        yield batch.select(wanted)
    if not findings.rows:
        yield pa.RecordBatch.from_arrays([pa.nulls(0, pa.string())] * len(wanted), names=wanted)


def _batches(path: str, form: TextFormat, findings: Findings, block: int) -> Iterator[pa.RecordBatch]:
    given = 0
    # A single column has no delimiter that would tell a blank line from an empty cell as csv does.
    if len(form.names) > 1:
        last = None
        with _data(path, form) as stream:
            try:
                for batch in _arrow_batches(stream, form, block):
                    if last is not None:
                        given += last.num_rows
                        yield last
                    last = batch
                if last is None or not _may_be_unclosed(last, stream.tail):
                    if last is not None:
                        yield last
                    return
            except pa.ArrowInvalid:
                if last is not None:
                    given += last.num_rows
                    yield last
    with _data(path, form) as stream:
        yield from _slow_batches(stream, form, findings, given)


def _data(path: str, form: TextFormat):
    """The stream of the file's text from its first data line on."""
    stream = open_utf8(path, form.text)
    left = form.data_offset
    while left and (chunk := stream.read(min(left, 1 << 20))):
        left -= len(chunk)
    return stream


def _arrow_batches(stream: io.RawIOBase, form: TextFormat, block: int) -> Iterator[pa.RecordBatch]:
    names = list(form.names)
    reader = pyarrow.csv.open_csv(
        pa.PythonFile(stream, mode="r"),
        read_options=pyarrow.csv.ReadOptions(column_names=names, block_size=block, use_threads=False),
        parse_options=pyarrow.csv.ParseOptions(
            delimiter=form.delimiter, quote_char=form.quote, double_quote=True, newlines_in_values=True
        ),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types={name: pa.string() for name in names}, strings_can_be_null=False, check_utf8=False
        ),
    )
    for batch in reader:
        if batch.num_rows:
            yield batch


def _may_be_unclosed(batch: pa.RecordBatch, tail: bytes) -> bool:
    """Whether the last cell may run to the end of the file because its quote never closes (Arrow does not say)."""
    cell = (batch.column(batch.num_columns - 1)[-1].as_py() or "").encode("utf-8")
    return b"\n" in cell or b"\r" in cell or b'"' in cell or tail.endswith(b'"' + cell) or len(cell) >= len(tail)


def _slow_batches(stream: io.RawIOBase, form: TextFormat, findings: Findings, given: int) -> Iterator[pa.RecordBatch]:
    """All rows from row `given` on, short ones padded with nulls, the excess of long ones dropped."""
    width = len(form.names)
    reader = RowReader(io.TextIOWrapper(io.BufferedReader(stream), "utf-8", newline=""), form.dialect)
    rows: list[Sequence[str | None]] = []
    chars = 0
    for number, row in enumerate(reader, start=1):
        if number <= given:
            chars = reader.chars_read
            continue
        if len(row) != width:
            findings.first_uneven = findings.first_uneven or number
            if len(row) < width:
                findings.short += 1
                row = row + [None] * (width - len(row))
            else:
                findings.long += 1
                row = row[:width]
        rows.append(row)
        if len(rows) >= BATCH_ROWS or reader.chars_read - chars >= BATCH_CHARS:
            yield _batch(rows, form)
            rows, chars = [], reader.chars_read
    findings.unclosed += [form.skip_lines + line for line in reader.unclosed]
    if rows:
        yield _batch(rows, form)


def _batch(rows: list[Sequence[str | None]], form: TextFormat) -> pa.RecordBatch:
    columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
    return pa.RecordBatch.from_arrays(columns, names=list(form.names))


def _without_total(batches: Iterable[pa.RecordBatch], findings: Findings) -> Iterator[pa.RecordBatch]:
    """All batches but for a row of totals at the very end."""
    last, earlier = None, 0
    for batch in batches:
        if last is not None:
            earlier += last.num_rows
            yield last
        last = batch
    if last is None:
        return
    if earlier + last.num_rows > 2 and _is_total([column[-1].as_py() for column in last.columns]):
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


def describe(form: TextFormat, findings: Findings, table: str) -> list[Problem]:
    """The problems of a reading, in words."""
    found: list[Problem] = []

    def add(problem: str, detail: str, count: int = 1) -> None:
        found.append(Problem(table, problem, detail, count))

    if form.invalid_at is not None:
        add(f"read as {form.encoding}", f"read as {form.encoding}: not valid UTF-8 at byte {form.invalid_at:,}")
    if form.nul_bytes:
        add("NUL bytes", f"{form.nul_bytes:,} NUL bytes were left out", form.nul_bytes)
    if form.sep_line:
        add("sep= line", f"a first line that names the delimiter {form.delimiter!r} was read past")
    if form.preamble:
        add("preamble", f"{form.preamble:,} lines before the table were read past", form.preamble)
    if form.unnamed:
        add("short header", f"the header names {form.unnamed} columns fewer than the rows have", form.unnamed)
    if findings.short or findings.long:
        parts = []
        if findings.short:
            parts.append(f"{findings.short:,} with too few cells, padded with nulls")
        if findings.long:
            parts.append(f"{findings.long:,} with too many, the excess dropped")
        uneven = findings.short + findings.long
        detail = f"{uneven:,} uneven: {'; '.join(parts)} (the first is row {findings.first_uneven:,})"
        add("uneven rows", detail, uneven)
    if findings.total_rows:
        add("total row", "a row of totals at the end was left out", findings.total_rows)
    for line in findings.unclosed:
        add("unclosed quote", f"the quote in line {line:,} is never closed; it was read as plain text")
    return found


def count(path: str, form: TextFormat) -> TextFormat:
    """The format with what only a whole reading tells: rows, uneven rows, totals, unclosed quotes, blank lines."""
    findings = Findings()
    for _ in read_text(path, form, findings, columns=[]):
        pass
    return replace(
        form, rows=findings.rows, short=findings.short, long=findings.long, total_rows=findings.total_rows,
        unclosed=tuple(findings.unclosed),
    )  # fmt: skip
