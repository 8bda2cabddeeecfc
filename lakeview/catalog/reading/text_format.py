"""How a text file is to be read: its encoding, delimiter, preamble, header and names, told from its beginning."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field, replace

from lakeview.catalog.model import ReadError
from lakeview.catalog.naming import unique_names
from lakeview.catalog.reading.delimiter import sep_line, typical_width
from lakeview.catalog.reading.header import is_header
from lakeview.catalog.reading.text_bytes import TextBytes, as_utf8, inspect, open_utf8
from lakeview.catalog.reading.text_dialect import COMMENT_SIGNS, choose_dialect
from lakeview.catalog.reading.text_guards import guarded_columns, may_have_guards, without_guard
from lakeview.catalog.reading.text_preamble import preamble_rows
from lakeview.catalog.reading.text_rows import Dialect, comment_lines, is_comment
from lakeview.catalog.reading.text_sample import Sample, read_sample
from lakeview.catalog.reading.text_spans import spanned_names
from lakeview.catalog.reading.text_units import is_units_row
from lakeview.values import ZERO_WIDTH

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
    dialect: its delimiter, and how its quotes are to be read.
    header: whether a line of names was found; names: the final, unique names in place of it.
    skip_lines: physical lines before the first data line (preamble, `sep=`, header; blank lines among them count).
    skip_rows: the same counted in rows, where a quoted line break does not end one; blank lines count.
    preamble, sep_line: what is skipped besides the header. newline: "\\n", "\\r\\n" or "\\r", by the first line.
    comments: comment lines among those skipped. spanned: whether a row of headings above the names is a part of these.
    units: whether a row of units below the header is skipped, too;
    commented: whether the header began with "#". guarded: the columns whose cells have a spreadsheet's guards.
    data_offset: bytes before the first data line in the decoded UTF-8 text.

    After a whole reading (`text_format`), else None or zero: rows; short and long: rows with too few or too many cells;
    total_rows: rows of totals at the end that are left out; unclosed: lines whose quote never closes.
    Blank lines are no rows, wherever they are.
    """

    encoding: str
    compression: str | None
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
    spanned: bool = False
    commented: bool = False
    dialect: Dialect = field(default_factory=Dialect)
    comments: int = 0
    guarded: tuple[str, ...] = ()
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
    def delimiter(self) -> str:
        return self.dialect.delimiter

    @property
    def quote(self) -> str:
        return self.dialect.quote

    @property
    def oddities(self) -> list[str]:
        """In words, what of its quotes is not by the book."""
        odd = {
            "cells are in single quotes": self.quote == "'",
            "blanks stand before cells and their quotes": self.dialect.blanks,
            "quotes in cells stand after a backslash": self.dialect.backslash,
            "whole lines are in quotes": self.dialect.wrapped,
        }
        return [words for words, holds in odd.items() if holds]

    @property
    def text(self) -> TextBytes:
        return TextBytes(self.encoding, self.compression, self.invalid_at, self.nul_bytes, 0, self.stray)


def sniff(path: str, extension: str, like: TextFormat | None = None) -> TextFormat | None:
    """The format of a file, from its bytes (all of them, for the encoding) and its first lines; None: it is empty.

    Args:
        extension: "csv", "tsv", "txt" …, without `.gz`.
        like: the format of another file of the same table, whose delimiter and header this one shares.

    Raises:
        ReadError: damaged, or text that is no table.
    """
    found = sniff_sample(path, extension, like)
    return found and found[0]


def sniff_sample(
    path: str, extension: str, like: TextFormat | None = None, is_utf8: bool = False
) -> tuple[TextFormat, Sample] | None:
    """The format of a file as `sniff` tells it, and its beginning, from which it was told. is_utf8: nobody has to read
    all of the file to tell its encoding."""
    text = as_utf8(path) if is_utf8 else inspect(path)
    with open_utf8(path, text) as stream:
        sample = read_sample(stream)
    if not any(line.strip() for line in sample.lines):
        return None
    beginning = sample.lines[0].lstrip().lower()
    for start, what in _IMPOSTORS.items():
        if beginning.startswith(start):
            raise ReadError(f"is {what}, not a table")
    return _sniff(sample, text, extension, like), sample


def _sniff(sample: Sample, text: TextBytes, extension: str, like: TextFormat | None) -> TextFormat:
    lines = sample.lines
    delimiter = sep_line(lines[0])
    has_sep_line = delimiter is not None
    skip = int(has_sep_line)
    if delimiter is not None:
        dialect, uncommented = Dialect(delimiter), None
    else:
        dialect, uncommented = choose_dialect(sample, extension, like.dialect if like else None)
    if uncommented is not None:
        skip = uncommented
        sample = replace(sample, lines=[*lines[:skip], lines[skip].lstrip(COMMENT_SIGNS), *lines[skip + 1 :]])
    rows, ends = sample.parse(dialect, skip)
    if notes := preamble_rows(rows):
        skip += ends[notes - 1]
    rows, ends = rows[notes:] or [[]], [end - (ends[notes - 1] if notes else 0) for end in ends[notes:]]
    guards = guarded_columns(rows[1:]) if may_have_guards(sample.text) else []
    if guards:
        rows = [[without_guard(cell) if place in guards else cell for place, cell in enumerate(row)] for row in rows]
    preamble, spanned = skip, spanned_names(rows)
    if spanned:
        skip += ends[0]
        rows, ends = [spanned, *rows[2:]], [end - ends[0] for end in ends[1:]]
    header = spanned is not None or is_header(rows[0], rows[1:])
    if like:
        same_names = tuple(unique_names(rows[0])) == like.names
        header = like.header and (header or same_names)
    units = header and len(rows) > 1 and is_units_row(rows[1], rows[2:])
    if units:
        header_end = ends[0]
        del rows[1], ends[0]
    names, unnamed = _names(rows, header)
    commented = uncommented is not None
    if header and _is_commented(names):
        commented = True
        names[0] = names[0].strip().lstrip("#")
    if like and not header and len(names) == len(like.names):
        names = list(like.names)

    skip_lines = skip + (ends[0] if header and ends else 0)
    blank = _no_rows(sample.lines[skip:], dialect.comment)
    skip_rows = skip + blank + 1 if header else skip
    if units:
        skip_rows += 1 + _no_rows(sample.lines[skip + header_end :], dialect.comment)
    first = lines[0]
    final = tuple(unique_names(names))
    return TextFormat(
        encoding=text.encoding,
        compression=text.compression,
        header=header,
        names=final,
        guarded=tuple(final[place] for place in guards if place < len(final)),
        skip_lines=skip_lines,
        skip_rows=skip_rows,
        preamble=preamble - has_sep_line,
        spanned=spanned is not None,
        sep_line=has_sep_line,
        newline="\r\n" if first.endswith("\r\n") else "\r" if first.endswith("\r") else "\n",
        data_offset=len("".join(lines[:skip_lines]).encode("utf-8")),
        invalid_at=text.invalid_at,
        nul_bytes=text.nul_bytes,
        stray=text.stray,
        unnamed=unnamed,
        units=units,
        commented=commented,
        dialect=dialect,
        comments=len(comment_lines(sample.lines[skip:skip_lines], dialect)),
    )


def _no_rows(lines: list[str], comment: str) -> int:
    """How many of the first lines are blank, or comments."""
    return sum(1 for _ in itertools.takewhile(lambda line: not line.strip() or is_comment(line, comment), lines))


def _is_commented(names: list[str]) -> bool:
    """Whether the header stands in a comment: "#chrom", but neither "#" nor "#wins" beside "#losses"."""
    hashes = [name.strip() for name in names if name.strip().startswith("#")]
    return len(names) > 1 and len(hashes) == 1 and hashes[0] == names[0].strip() and bool(hashes[0].strip("# "))


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
