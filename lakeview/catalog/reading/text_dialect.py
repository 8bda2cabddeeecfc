"""Which delimiter and quotes does a text have, and which lines are comments?

Quotes are double ones, by the book, unless another reading gives more even rows, or rows as even with fewer quotes left
over in their cells.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from functools import partial

from lakeview.catalog.reading.delimiter import DELIMITERS, choose_delimiter, regularity, typical_width, usual_delimiter
from lakeview.catalog.reading.header import is_header, is_number, is_surely_header
from lakeview.catalog.reading.prose import refuse_aligned, refuse_prose
from lakeview.catalog.reading.text_rows import Dialect, comment_lines, is_comment
from lakeview.catalog.reading.text_sample import SAMPLE_ROWS, Sample

_ENOUGH = 200  # lines to try other quotes on
_MARKS = ("#", "//", "%", "--", "!")
COMMENT_SIGNS = "".join(_MARKS) + " "
# Each begins with its quote, which is quick to find.
_CELL = re.escape("".join(DELIMITERS))
_SINGLE = re.compile(rf"'(?:(?<=[{_CELL}\r\n]')|(?<=[{_CELL}] '))[^'\n]*'")
_BLANKS = re.compile("|".join(rf"{quote}(?:(?<=[{_CELL}] {quote})|(?<=[{_CELL}]  {quote}))" for quote in "\"'"))
_BACKSLASHED = re.compile(r"""\\[\\"']""")
_WRAPPED = re.compile(r'"(?:[^"]|"")*"')


def choose_dialect(sample: Sample, extension: str, like: Dialect | None) -> tuple[Dialect, int | None]:
    """The dialect, and the line of the header where that is a comment.

    Args:
        like: the dialect of another file of the same table, which this one shares.

    Raises:
        ReadError: the text is no table.
    """
    for mark in _MARKS:
        if mark[0] in sample.begins:
            found = _with_comments(sample, extension, like, mark)
            if found is not None:
                return found
    return like or _without_comments(sample, extension), None


def _with_comments(
    sample: Sample, extension: str, like: Dialect | None, mark: str
) -> tuple[Dialect, int | None] | None:
    """The dialect where lines with this mark are comments: most are not as wide as the table, or a header follows."""
    marked = [place for place, line in enumerate(sample.lines) if is_comment(line, mark)]
    others = [line for line in sample.lines if line.strip() and not is_comment(line, mark)]
    leading = sum(1 for _ in itertools.takewhile(lambda line: not line.strip() or is_comment(line, mark), sample.lines))
    if len(others) < 2 or sum(place >= leading for place in marked) > len(others) // 2:
        return None
    rest = Sample(others, sample.whole)
    dialect = replace(like or _without_comments(rest, extension), comment=mark)
    marked = comment_lines(sample.lines, dialect)  # without those in cells
    rows = rest.rows(dialect)
    width = typical_width(rows)
    if width < 2:
        return None
    wide = [place for place in marked if _width(sample.lines[place], dialect) == width]
    header = max((place for place in marked if place < leading), default=None)
    if header is not None and (header not in wide or not _is_header_of(sample.lines[header], rows, dialect)):
        header = None
    wide = [place for place in wide if place != header]
    if len(marked) == (header is not None):
        return None
    proven = leading and header is None and is_surely_header(rows[0], rows[1:])
    if 2 * len(wide) > len(marked) - (header is not None) and not proven:
        return None
    return dialect, header


def _width(line: str, dialect: Dialect) -> int:
    return max(map(len, Sample([line], True).rows(replace(dialect, comment=""))), default=0)


def _is_header_of(line: str, rows: list[list[str]], dialect: Dialect) -> bool:
    [names, *_] = Sample([line.lstrip(COMMENT_SIGNS)], True).rows(replace(dialect, comment="")) or [[]]
    return is_header(names, rows) and not is_surely_header(rows[0], rows[1:]) and all(name.strip() for name in names)


def _without_comments(sample: Sample, extension: str) -> Dialect:
    dialect = Dialect(_delimiter(sample, extension))
    if '"' in sample.begins and (wrapped := _wrapped(sample, extension)):
        return wrapped
    others = _others(sample.text)
    if others and len(sample.lines) > _ENOUGH and (near := _others("".join(sample.lines[:_ENOUGH]))):
        others, sample = near, Sample(sample.lines[:_ENOUGH], False)
    if not others:
        return dialect
    rows = sample.rows(dialect)
    best, best_rows, even, left = dialect, rows, _evenness(rows), _left_over(rows)
    for quote, skip, escaped in others:
        other = Dialect(dialect.delimiter, quote, skip, escaped)
        found = choose_delimiter(partial(_rows_by, sample, other), sample.text, extension)
        other = replace(other, delimiter=found or dialect.delimiter)
        rows = sample.rows(other)
        evenness, left_over = _evenness(rows), _left_over(rows)
        if len(rows) < len(best_rows) and (quote == "'" or evenness <= even):
            continue  # a quote that closes lines below is an apostrophe
        if left_over < left and evenness >= even and (evenness > even or 2 * left_over <= left):
            best, best_rows, even, left = other, rows, evenness, left_over
    return best


def _rows_by(sample: Sample, dialect: Dialect, delimiter: str) -> list[list[str]]:
    return sample.rows(replace(dialect, delimiter=delimiter))


def _others(text: str) -> list[tuple[str, bool, bool]]:
    """The ways to read quotes besides the book's that a text gives reason to try: quote, blanks, backslash."""
    quotes = ['"', "'"] if "'" in text and len(_SINGLE.findall(text)) > 1 else ['"']
    blanks = [False, True] if (' "' in text or ("'" in text and " '" in text)) and _BLANKS.search(text) else [False]
    backslash = [False, True] if "\\" in text else [False]
    found = itertools.product(quotes, blanks, backslash)
    return [way for way in found if way != ('"', False, False) and (not way[2] or "\\" + way[0] in text)]


def _evenness(rows: list[list[str]]) -> float:
    return round(regularity(rows), 3)


def _left_over(rows: list[list[str]]) -> int:
    """Quotes at an end of a cell, and (twice) backslashes before quotes, that a reading leaves."""
    count = 0
    for cell in itertools.chain.from_iterable(rows):
        text = cell.strip()
        if _BACKSLASHED.search(text):
            count += 2
        if text and (text[0] in "\"'" or text[-1] in "\"'"):
            count += 1
    return count


def _wrapped(sample: Sample, extension: str) -> Dialect | None:
    """The dialect of rows that are a quoted cell each: as many cells in each, under a header or at least three."""
    if not all(line[0] == '"' for line in sample.lines[1:20] if line.strip()):
        return None
    lines = [line.rstrip("\r\n") for line in sample.lines[:SAMPLE_ROWS] if line.strip()]
    body = lines[1:]
    if len(body) < 2 or not all(line[0] == line[-1] == '"' and _WRAPPED.fullmatch(line) for line in body):
        return None
    book = Dialect(wrapped=True)
    inner = Sample([book.by_the_book_line(line) + "\n" for line in lines], sample.whole)
    found = choose_delimiter(lambda d: inner.rows(Dialect(d)), inner.text, extension)
    if found is None:
        return None
    rows = inner.rows(Dialect(found))
    width = typical_width(rows)
    if width < 2 or regularity(rows) < 1.0 or sum(cell[:1] == " " for row in rows for cell in row) * 2 > len(rows):
        return None
    if width == 2 and not is_surely_header(rows[0], rows[1:]) and not any(is_number(c) for row in rows for c in row):
        return None
    return replace(book, delimiter=found)


def _delimiter(sample: Sample, extension: str) -> str:
    found = choose_delimiter(lambda d: sample.rows(Dialect(d)), sample.text, extension)
    usual = usual_delimiter(extension)
    if usual is None:
        if found and regularity(sample.rows(Dialect(found))) < 0.8:
            found = None
        refuse_prose(sample.lines[:SAMPLE_ROWS], delimited=found is not None)
    elif found is None:
        refuse_aligned(sample.lines[:SAMPLE_ROWS])
    return found or usual or ","
