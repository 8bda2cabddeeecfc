"""How a text file is to be read: its encoding, delimiter, preamble, header and names, told from its beginning."""

from __future__ import annotations

import io
import itertools
import re
from dataclasses import dataclass

from lakeview.catalog.delimiter import choose_delimiter, regularity, sep_line, typical_width, usual_delimiter
from lakeview.catalog.header import is_header
from lakeview.catalog.model import ReadError
from lakeview.catalog.naming import unique_names
from lakeview.catalog.prose import refuse_aligned, refuse_prose
from lakeview.catalog.text_bytes import MAX_LINE, TextBytes, inspect, open_utf8
from lakeview.catalog.text_preamble import preamble_rows
from lakeview.catalog.text_rows import Dialect, RowReader
from lakeview.catalog.text_units import is_units_row
from lakeview.values import ZERO_WIDTH

SAMPLE = 64 << 10
MAX_COLUMNS = 100_000
SAMPLE_ROWS = 1000
SAMPLE_UNCLOSED = 20  # quotes that never close, of a sample
_IMPOSTORS = {
    "<!doctype html": "a web page",
    "<html": "a web page",
    "<?xml": "an XML file",
    "version https://git-lfs.github.com/spec/": "a Git LFS pointer to the data",
}


@dataclass(frozen=True)
class TextFormat:
    """Everything that other code needs to read a text file as lakeview reads it.

    encoding, compression: as Python and pandas name them; `invalid_at`, `nul_bytes` and `stray` as in TextBytes.
    delimiter, quote: one character each; quotes inside quotes are doubled.
    header: whether a line of names was found; names: the final, unique names in place of it.
    skip_lines: physical lines before the first data line (preamble, `sep=`, header; blank lines among them count).
    skip_rows: the same counted in rows, where a quoted line break does not end one; blank lines count.
    preamble, sep_line: what is skipped besides the header. newline: "\\n", "\\r\\n" or "\\r", by the first line.
    units: whether a row of units below the header is skipped, too; commented: whether the header began with "#".
    data_offset: bytes before the first data line in the decoded UTF-8 text.

    After a whole reading (`text_format`), else None or zero: rows; short and long: rows with too few or too many cells;
    total_rows: rows of totals at the end that are left out; unclosed: lines whose quote never closes.
    Blank lines are no rows, wherever they are.
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
    stray: int = 0
    unnamed: int = 0
    units: bool = False
    commented: bool = False
    rows: int | None = None
    short: int = 0
    long: int = 0
    total_rows: int = 0
    unclosed: tuple[int, ...] = ()

    @property
    def uneven(self) -> bool:
        """Whether some rows have too few or too many cells."""
        return bool(self.short or self.long)

    @property
    def dialect(self) -> Dialect:
        return Dialect(self.delimiter, self.quote)

    @property
    def text(self) -> TextBytes:
        return TextBytes(self.encoding, self.compression, self.invalid_at, self.nul_bytes, 0, self.stray)


@dataclass(frozen=True)
class Sample:
    """The beginning of a text: whole lines, and whether that is all of it."""

    lines: list[str]
    whole: bool

    def rows(self, delimiter: str) -> list[list[str]]:
        return self.parse(delimiter, 0)[0]

    def parse(self, delimiter: str, skip: int) -> tuple[list[list[str]], list[int]]:
        """Rows from line `skip` on, and how many of these lines were read after each.

        The last row is left out where it may go on beyond the sample.
        """
        lines = self.lines[skip:]
        reader = RowReader(lines, Dialect(delimiter), SAMPLE_UNCLOSED)
        rows: list[list[str]] = []
        ends: list[int] = []
        for row in reader:
            if reader.unclosed and not self.whole and reader.unclosed[0] > len(lines) // 2:
                break  # the quote may well close beyond the sample
            if len(row) > MAX_COLUMNS:
                raise ReadError(f"has {len(row):,} columns, or one row with as many cells: {MAX_COLUMNS:,} are read")
            rows.append(row)
            ends.append(reader.lines_read)
            if len(rows) == SAMPLE_ROWS:
                break
        else:
            if not self.whole and len(rows) > 1:
                rows.pop()
        return rows, ends


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
    beginning = sample.lines[0].lstrip().lower()
    for start, what in _IMPOSTORS.items():
        if beginning.startswith(start):
            raise ReadError(f"is {what}, not a table")
    return _sniff(sample, text, extension, like)


def read_sample(stream: io.RawIOBase) -> Sample:
    """At least SAMPLE bytes and three lines, if there are.

    Raises ReadError where a line is longer than any row of a table.
    """
    wanted, data = SAMPLE, bytearray()
    while True:
        while len(data) < wanted and (chunk := stream.read(wanted - len(data))):
            data += chunk
        whole = len(data) < wanted
        lines = io.StringIO(data.decode("utf-8", "ignore"), newline="").readlines()
        if whole:
            return Sample(lines, True)
        if max(map(len, lines), default=0) >= MAX_LINE:
            raise ReadError(f"has a line of more than {MAX_LINE >> 20} MB: no row of a table is so long")
        if len(lines) > 3:
            return Sample(lines[:-1], False)
        wanted *= 4


def _sniff(sample: Sample, text: TextBytes, extension: str, like: TextFormat | None) -> TextFormat:
    delimiter = sep_line(sample.lines[0])
    has_sep_line = delimiter is not None
    skip = int(has_sep_line)
    if delimiter is None:
        delimiter = like.delimiter if like else _delimiter(sample, extension)
    rows, ends = sample.parse(delimiter, skip)
    if notes := preamble_rows(rows):
        skip += ends[notes - 1]
    rows, ends = rows[notes:] or [[]], [end - (ends[notes - 1] if notes else 0) for end in ends[notes:]]
    header = is_header(rows[0], rows[1:])
    if like:
        same_names = tuple(unique_names(rows[0])) == like.names
        header = like.header and (header or same_names)
    units = header and len(rows) > 1 and is_units_row(rows[1], rows[2:])
    if units:
        header_end = ends[0]
        del rows[1], ends[0]
    names, unnamed = _names(rows, header)
    if commented := header and _is_commented(names):
        names[0] = names[0].strip().lstrip("#")
    if like and not header and len(names) == len(like.names):
        names = list(like.names)

    skip_lines = skip + (ends[0] if header and ends else 0)
    blank = _blank_lines(sample.lines[skip:])
    skip_rows = skip + blank + 1 if header else skip
    if units:
        skip_rows += 1 + _blank_lines(sample.lines[skip + header_end :])
    first = sample.lines[0]
    return TextFormat(
        encoding=text.encoding,
        compression=text.compression,
        delimiter=delimiter,
        quote='"',
        header=header,
        names=tuple(unique_names(names)),
        skip_lines=skip_lines,
        skip_rows=skip_rows,
        preamble=skip - has_sep_line,
        sep_line=has_sep_line,
        newline="\r\n" if first.endswith("\r\n") else "\r" if first.endswith("\r") else "\n",
        data_offset=len("".join(sample.lines[:skip_lines]).encode("utf-8")),
        invalid_at=text.invalid_at,
        nul_bytes=text.nul_bytes,
        stray=text.stray,
        unnamed=unnamed,
        units=units,
        commented=commented,
    )


def _blank_lines(lines: list[str]) -> int:
    """How many of the first lines are blank."""
    return sum(1 for _ in itertools.takewhile(lambda line: not line.strip(), lines))


def _is_commented(names: list[str]) -> bool:
    """Whether the header stands in a comment: "#chrom", but neither "#" nor "#wins" beside "#losses"."""
    hashes = [name.strip() for name in names if name.strip().startswith("#")]
    return len(names) > 1 and len(hashes) == 1 and hashes[0] == names[0].strip() and bool(hashes[0].strip("# "))


def _delimiter(sample: Sample, extension: str) -> str:
    found = choose_delimiter(sample.rows, "".join(sample.lines), extension)
    usual = usual_delimiter(extension)
    if usual is None:
        if found and regularity(sample.rows(found)) < 0.8:
            found = None
        refuse_prose(sample.lines[:SAMPLE_ROWS], delimited=found is not None)
    elif found is None:
        refuse_aligned(sample.lines[:SAMPLE_ROWS])
    return found or usual or ","


def _names(rows: list[list[str]], header: bool) -> tuple[list[str], int]:
    """The names as the file has them, and how many columns the header leaves out."""
    if not header:
        return [""] * typical_width(rows), 0
    names, body = [re.sub(ZERO_WIDTH, "", name) for name in rows[0]], rows[1:]
    widths = {len(row) for row in body}
    while len(names) > 1 and not names[-1].strip() and body and max(widths) < len(names):
        names.pop()  # a delimiter at the end of the header alone
    missing = widths.pop() - len(names) if len(widths) == 1 and len(body) > 2 else 0
    if missing < 1 or not any(cell.strip() for row in body for cell in row[len(names) :]):
        return names, 0
    # R's write.table leaves out the name of the row names, which come first and differ.
    if missing == 1 and len({row[0] for row in body}) == len(body):
        return ["", *names], 1
    return names + [""] * missing, missing
