"""The rows of a delimited text, by Python's csv module: the reading that every faster one must equal.

Quotes count where a cell begins with one; doubled quotes and line breaks inside are text; lines end in LF, CRLF or CR.
A quote that is never closed would swallow the rest of the file: such a line is read again, its quotes as plain text.
"""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# Text of one row that is kept to read it again should its quote never close: beyond, the quote counts as unclosed.
MAX_ROW = 256 << 20

# What a blank line may hold, for pandas as for us.
BLANKS = " \t\r\n"

csv.field_size_limit(2**31 - 1)  # sys.maxsize overflows a C long on Windows


@dataclass(frozen=True)
class Dialect:
    delimiter: str = ","
    quote: str = '"'

    def options(self) -> dict:
        return {"delimiter": self.delimiter, "quotechar": self.quote, "doublequote": True, "strict": False}


@dataclass
class RowReader:
    """Iterates over the rows of `lines` (each with its line end). Blank lines are no rows.

    After each row: `lines_read` counts the lines so far, `chars_read` their characters; `unclosed` lists the numbers
    (from 1) of lines with a quote that never closes.
    """

    lines: Iterable[str]
    dialect: Dialect

    def __post_init__(self) -> None:
        self.lines_read = 0
        self.chars_read = 0
        self.unclosed: list[int] = []

    def __iter__(self) -> Iterator[list[str]]:
        options = self.dialect.options()
        lines = iter(self.lines)
        row_lines: list[str] = []
        ended = False

        def feed() -> Iterator[str]:
            nonlocal ended
            size = 0
            for line in lines:
                if row_lines:
                    size += len(line)
                    if size > MAX_ROW:
                        row_lines.append(line)
                        break
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
            if ended:  # the reader asked for more in the middle of a row
                self.unclosed.append(self.lines_read + 1)
                row = next(csv.reader(row_lines[:1], **options, quoting=csv.QUOTE_NONE), [])
                lines = itertools.chain(row_lines[1:], lines)
                del row_lines[1:]
                ended = False
                reader = csv.reader(feed(), **options)
            self.lines_read += len(row_lines)
            self.chars_read += sum(map(len, row_lines))
            if row and (len(row) > 1 or row[0].strip(BLANKS) or row_lines[0].strip(BLANKS)):
                yield row
