"""The beginning of a text file, from which its format is told."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from lakeview.catalog.model import ReadError
from lakeview.catalog.reading.text_bytes import MAX_LINE
from lakeview.catalog.reading.text_rows import Dialect, RowReader

SAMPLE = 64 << 10
MAX_COLUMNS = 100_000
SAMPLE_ROWS = 1000
SAMPLE_UNCLOSED = 20  # quotes that never close, of a sample


class Parsed(NamedTuple):
    """Rows of a sample, how many lines were read after each, and whether these are all, each sure."""

    rows: list[list[str]]
    ends: list[int]
    is_all: bool


@dataclass(frozen=True)
class Sample:
    """The beginning of a text: whole lines, and whether that is all of it."""

    lines: list[str]
    whole: bool

    @cached_property
    def text(self) -> str:
        return "".join(self.lines)

    @cached_property
    def begins(self) -> set[str]:
        """The characters that lines begin with."""
        return {line[0] for line in self.lines}

    @cached_property
    def _parsed(self) -> dict[tuple[Dialect, int], Parsed]:
        return {}

    def rows(self, dialect: Dialect) -> list[list[str]]:
        return self.parse(dialect, 0)[0]

    def parse(self, dialect: Dialect, skip: int) -> tuple[list[list[str]], list[int]]:
        """Rows from line `skip` on, and how many of these lines were read after each; they are not to be changed.

        The last row is left out where it may go on beyond the sample.
        """
        if (dialect, skip) not in self._parsed:
            self._parsed[dialect, skip] = self._parse(dialect, skip)
        found = self._parsed[dialect, skip]
        return found.rows, found.ends

    def all_rows(self, dialect: Dialect, skip: int) -> list[list[str]] | None:
        """All rows of the text from line `skip` on, where the sample is all of it and was read to its end without a
        doubt; else None."""
        if dialect.comment:  # they are to be counted
            return None
        for (other, start), found in self._parsed.items():
            if other == dialect and start <= skip and found.is_all:
                if start == skip:
                    return found.rows
                if skip - start in found.ends:
                    return found.rows[found.ends.index(skip - start) + 1 :]
        return None

    def _parse(self, dialect: Dialect, skip: int) -> Parsed:
        lines = self.lines[skip:]
        reader = RowReader(lines, dialect, SAMPLE_UNCLOSED)
        rows: list[list[str]] = []
        ends: list[int] = []
        is_all = False
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
            is_all = self.whole and not reader.unclosed
            if not self.whole and len(rows) > 1:
                rows.pop()
        return Parsed(rows, ends, is_all)


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
        if max(map(len, lines), default=0) >= MAX_LINE:
            raise ReadError(f"has a line of more than {MAX_LINE >> 20} MB: no table has rows that long")
        if whole:
            return Sample(lines, True)
        if len(lines) > 3:
            return Sample(lines[:-1], False)
        wanted *= 4
