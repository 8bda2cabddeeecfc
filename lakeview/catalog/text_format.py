"""How a text file is to be read: its encoding, delimiter, preamble, header and names, told from its beginning."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lakeview.catalog.delimiter import choose_delimiter, sep_line, typical_width, usual_delimiter
from lakeview.catalog.header import is_header
from lakeview.catalog.model import ReadError
from lakeview.catalog.naming import unique_names
from lakeview.catalog.text_bytes import TextBytes, inspect, open_utf8
from lakeview.catalog.text_rows import Dialect, RowReader

SAMPLE = 64 << 10
MAX_SAMPLE = 64 << 20
SAMPLE_ROWS = 1000


@dataclass(frozen=True)
class TextFormat:
    """Everything that other code needs to read a text file as lakeview reads it.

    encoding, compression: as Python and pandas name them; `invalid_at` and `nul_bytes` as in TextBytes.
    delimiter, quote: one character each; quotes inside quotes are doubled.
    header: whether a line of names was found; names: the final, unique names in place of it.
    skip_lines: physical lines before the first data line (preamble, `sep=`, header; blank lines among them count).
    skip_rows: the same counted in rows, where a quoted line break does not end one; blank lines count.
    preamble, sep_line: what is skipped besides the header. newline: "\\n", "\\r\\n" or "\\r", by the first line.
    data_offset: bytes before the first data line in the decoded UTF-8 text.

    After a whole reading (`text_format`), else None or zero: rows; short and long: rows with too few or too many cells;
    total_rows: rows of totals at the end that are left out; unclosed: lines whose quote never closes;
    blank_lines: blank lines between data lines.
    """

    encoding: str
    compression: str | None
    delimiter: str
    quote: str
    header: bool
    names: tuple[str, ...]
    skip_lines: int
    skip_rows: int
    preamble: int
    sep_line: bool
    newline: str
    data_offset: int
    invalid_at: int | None
    nul_bytes: int
    unnamed: int = 0
    rows: int | None = None
    short: int = 0
    long: int = 0
    total_rows: int = 0
    unclosed: tuple[int, ...] = ()
    blank_lines: int = 0

    @property
    def uneven(self) -> bool:
        """Whether some rows have too few or too many cells."""
        return bool(self.short or self.long)

    @property
    def dialect(self) -> Dialect:
        return Dialect(self.delimiter, self.quote)

    @property
    def text(self) -> TextBytes:
        return TextBytes(self.encoding, self.compression, self.invalid_at, self.nul_bytes, 0)


@dataclass(frozen=True)
class Sample:
    """The beginning of a text: whole lines, and whether that is all of it."""

    lines: list[str]
    whole: bool

    def rows(self, delimiter: str, skip: int = 0, most: int = SAMPLE_ROWS) -> list[list[str]]:
        """Rows from line `skip` on; the last one is left out where it may go on beyond the sample."""
        rows = list(RowReader(self.lines[skip:], Dialect(delimiter)))
        return (rows if self.whole or len(rows) < 2 else rows[:-1])[:most]


def sniff(path: str, extension: str, like: TextFormat | None = None) -> TextFormat | None:
    """The format of a file, from its bytes (all of them, for the encoding) and its first lines; None: it is empty.

    Args:
        extension: "csv", "tsv", "txt" …, without `.gz`.
        like: the format of another file of the same table, whose delimiter and header this one shares.

    Raises:
        ReadError: damaged, or text that is no table.
    """
    text = inspect(path)
    with open_utf8(path, text) as stream:
        sample = read_sample(stream)
    if not any(line.strip() for line in sample.lines):
        return None
    return _like(sample, text, like) if like else _sniff(sample, text, extension)


def read_sample(stream: io.RawIOBase) -> Sample:
    """At least SAMPLE bytes and two lines, if there are."""
    wanted, data = SAMPLE, b""
    while True:
        while len(data) < wanted and (chunk := stream.read(wanted - len(data))):
            data += chunk
        whole = len(data) < wanted
        lines = io.StringIO(data.decode("utf-8", "ignore"), newline="").readlines()
        if whole or wanted >= MAX_SAMPLE:
            return Sample(lines, whole)
        if len(lines) > 3:
            return Sample(lines[:-1], False)
        wanted *= 4


def _sniff(sample: Sample, text: TextBytes, extension: str) -> TextFormat:
    skip = 0
    delimiter = sep_line(sample.lines[0])
    has_sep_line = delimiter is not None
    if has_sep_line:
        skip = 1
    else:
        delimiter = choose_delimiter(sample.rows, "".join(sample.lines), extension)
    if delimiter is None:
        if usual_delimiter(extension) is None:
            _refuse_prose(sample.lines)
        delimiter = usual_delimiter(extension) or ","

    preamble = _preamble(sample.rows(delimiter, skip))
    while preamble:
        preamble -= bool(sample.lines[skip].strip())
        skip += 1
    rows = sample.rows(delimiter, skip)
    header = is_header(rows[0], rows[1:])
    return _format(sample, text, delimiter, skip, rows, header, has_sep_line)


def _format(sample: Sample, text: TextBytes, delimiter: str, skip: int, rows: list[list[str]], header: bool,
            has_sep_line: bool) -> TextFormat:  # fmt: skip
    cells, unnamed = _names(rows, header)
    reader = RowReader(sample.lines[skip:], Dialect(delimiter))
    skip_lines, skip_rows = skip, skip
    if header:
        next(iter(reader))
        skip_lines = skip + reader.lines_read
        blank = sum(1 for _ in _leading_blank(sample.lines[skip:]))
        skip_rows = skip + blank + 1
    offset = len("".join(sample.lines[:skip_lines]).encode("utf-8"))
    first = sample.lines[0]
    newline = "\r\n" if first.endswith("\r\n") else "\r" if first.endswith("\r") else "\n"
    return TextFormat(
        text.encoding, text.compression, delimiter, '"', header, tuple(unique_names(cells)), skip_lines, skip_rows,
        skip - has_sep_line, has_sep_line, newline, offset, text.invalid_at, text.nul_bytes, unnamed,
    )  # fmt: skip


def _leading_blank(lines: Sequence[str]):
    for line in lines:
        if line.strip():
            return
        yield line


def _names(rows: list[list[str]], header: bool) -> tuple[list[str], int]:
    """The names as the file has them, and how many columns the header leaves out."""
    if not header:
        return [""] * typical_width(rows), 0
    names, body = list(rows[0]), rows[1:]
    if not body:
        return names, 0
    widths = {len(row) for row in body}
    wide = widths.pop() if len(widths) == 1 else 0
    if wide > len(names):
        extra = [row[len(names) :] for row in body]
        if any(cell.strip() for cells in extra for cell in cells):
            missing = wide - len(names)
            # R's write.table leaves out the name of the row names, which come first.
            first = [row[0] for row in body]
            if missing == 1 and len(set(first)) == len(first):
                return ["", *names], 1
            return names + [""] * missing, missing
    return names, 0


def _preamble(rows: list[list[str]]) -> int:
    """Rows before the header: titles and notes, narrower than half of the table."""
    width = typical_width(rows)
    if width < 2:
        return 0
    for place, row in enumerate(rows[:50]):
        filled = [cell for cell in row if cell.strip()]
        if len(row) < width and (len(row) == 1 or len(row) <= width // 2):
            continue
        if width > 2 and len(row) == width and len(filled) <= 1 and row[0].strip():
            continue
        return place if place and (len(row) == width or is_header(row, rows[place + 1 :])) else 0
    return 0


def _refuse_prose(lines: Sequence[str]) -> None:
    """Text without any delimiter is a table of one column only if its lines are not sentences or aligned columns."""
    filled = [line.strip() for line in lines if line.strip()]
    words = sum(len(line.split()) for line in filled) / len(filled)
    if words >= 4 or (len(filled) < 3 and words > 2):
        raise ReadError("is running text, not a table: its lines have no delimiter in common")
    if words > 1.5 and sum(bool(re.search(r"\S( {2,}|\t)\S", line)) for line in filled) > 0.5 * len(filled):
        raise ReadError("is aligned by blanks, which lakeview does not read; save it as CSV")


def _like(sample: Sample, text: TextBytes, like: TextFormat) -> TextFormat:
    """The format of a further part of a table: its first row is a header only if the first part's is the same kind."""
    rows = sample.rows(like.delimiter)
    cells = unique_names(rows[0])
    header = like.header and (tuple(cells) == like.names or is_header(rows[0], rows[1:]) and len(rows) > 1)
    found = _format(sample, text, like.delimiter, 0, rows, header, False)
    return found if header else replace(found, names=like.names)
