"""The rows of a delimited text, by Python's csv module: the reading that every faster one must equal.

Quotes count where a cell begins with one; doubled quotes and line breaks inside are text; lines end in LF, CRLF or CR.
A quote that is never closed would swallow the rest of the file: such a line is read again, its quotes as plain text.
Reading again has its bounds: where too much was in vain, quotes mean nothing from there on.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# Characters of one row that are kept to read it again should its quote never close: beyond, the quote counts as
# unclosed. Twice Arrow's blocks, so that what it reads as one row is one here.
MAX_ROW = 8 << 20

# Characters that are read in vain, and quotes that do not close, until quotes mean nothing.
MAX_VAIN = 16 << 20
MAX_UNCLOSED = 1000

# What a blank line may hold, for pandas as for us.
BLANKS = " \t\r\n"

csv.field_size_limit(2**31 - 1)  # sys.maxsize overflows a C long on Windows


@dataclass(frozen=True)
class Dialect:
    """How a text is cut into cells.

    delimiter, quote: one character each; quotes inside quotes are doubled. blanks: those after a delimiter are no part
    of the cell. backslash: quotes inside quotes may also stand after a backslash, as a backslash itself does. wrapped:
    each line is one quoted cell that holds the row. comment: lines that begin so are no rows.
    """

    delimiter: str = ","
    quote: str = '"'
    blanks: bool = False
    backslash: bool = False
    wrapped: bool = False
    comment: str = ""

    @property
    def by_the_book(self) -> bool:
        """Whether, comments aside, Arrow knows it, too."""
        return not (self.blanks or self.backslash or self.wrapped)

    def options(self) -> dict:
        return {"delimiter": self.delimiter, "quotechar": self.quote, "doublequote": True, "strict": False,
                "skipinitialspace": self.blanks}  # fmt: skip

    def by_the_book_line(self, line: str) -> str:
        """The line as it would be without `wrapped` and `backslash`."""
        if self.wrapped:
            text = line.rstrip("\r\n")
            if len(text) > 1 and text[0] == text[-1] == self.quote:
                line = text[1:-1].replace(2 * self.quote, self.quote) + line[len(text) :]
        if self.backslash and "\\" in line:
            line = _ESCAPED[self.quote].sub(lambda found: found[1] * (1 + (found[1] == self.quote)), line)
        return line


_ESCAPED = {quote: re.compile(rf"\\([\\{quote}])") for quote in "\"'"}


def is_comment(line: str, mark: str) -> bool:
    """Whether a line begins with the mark of comments ("": there are none)."""
    return bool(mark) and line.startswith(mark)


@dataclass
class RowReader:
    """Iterates over the rows of `lines` (each with its line end). Blank lines are no rows.

    After each row: `lines_read` counts the lines so far, `chars_read` their characters; `unclosed` lists the numbers
    (from 1) of lines with a quote that never closes. `plain_from`: the line from which on quotes mean nothing, or None.
    `comments`: how many lines were comments. `again`: lines that were taken in vain, to be read again.
    """

    lines: Iterable[str]
    dialect: Dialect
    most_unclosed: int = MAX_UNCLOSED

    def __post_init__(self) -> None:
        self.lines_read = 0
        self.chars_read = 0
        self.comments = 0
        self.unclosed: list[int] = []
        self.plain_from: int | None = None
        self.again: deque[str] = deque()

    def __iter__(self) -> Iterator[list[str]]:
        options = self.dialect.options()
        lines = iter(self.lines) if self.dialect.by_the_book else map(self.dialect.by_the_book_line, self.lines)
        comment = self.dialect.comment
        row_lines: list[str] = []
        ended = False
        vain = 0

        def feed() -> Iterator[str]:
            nonlocal ended
            size = 0
            while (line := self.again.popleft() if self.again else next(lines, None)) is not None:
                if row_lines:
                    size += len(line)
                    if size > MAX_ROW:
                        row_lines.append(line)
                        break
                elif comment and is_comment(line, comment):
                    self.comments += 1
                    self.lines_read += 1
                    self.chars_read += len(line)
                    continue
                else:
                    size = 0
                row_lines.append(line)
                yield line
            ended = True

        reader = csv.reader(feed(), **options)
        while True:
            row_lines.clear()
            row = next(reader, None)
            if row is None:
                return
            if ended and self.plain_from is None:  # the reader asked for more in the middle of a row
                self.unclosed.append(self.lines_read + 1)
                row = next(csv.reader(row_lines[:1], **options, quoting=csv.QUOTE_NONE), [])
                vain += sum(map(len, row_lines))
                self.again.extendleft(reversed(row_lines[1:]))
                del row_lines[1:]
                ended = False
                if vain > MAX_VAIN or len(self.unclosed) >= self.most_unclosed:
                    self.plain_from = self.lines_read + 1
                    options["quoting"] = csv.QUOTE_NONE
                reader = csv.reader(feed(), **options)
            self.lines_read += len(row_lines)
            self.chars_read += sum(map(len, row_lines))
            if row and (len(row) > 1 or row[0].strip(BLANKS) or row_lines[0].strip(BLANKS)):
                yield row


def comment_lines(lines: list[str], dialect: Dialect) -> list[int]:
    """The places of the lines that are comments: between two rows, not in the middle of a quoted cell."""
    found: list[int] = []
    if not dialect.comment:
        return found
    reader, end = RowReader(lines, dialect), 0
    for _ in itertools.chain(reader, [None]):
        while end < len(lines) and ((mine := is_comment(lines[end], dialect.comment)) or not lines[end].strip(BLANKS)):
            found += [end] * mine
            end += 1
        end = reader.lines_read
    return found
