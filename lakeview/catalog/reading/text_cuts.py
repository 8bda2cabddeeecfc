"""Where a large text file can be cut, so that its pieces are read side by side, each with little in memory.

Where a row ends depends on every quote before it. A file is cut only where all of them are by the book: one opens where
a cell begins and closes where it ends, so that a line end behind an even number of them ends a row.
"""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import BinaryIO

import numpy as np

from lakeview.catalog.reading.text_format import TextFormat

MAX_ROW = 1 << 20  # bytes: of longer rows it is doubtful whether their quotes close (`text_rows.MAX_ROW`)
_BLOCK = 16 << 20


def cuts(path: str, form: TextFormat, target: int) -> list[int]:
    """Places in a file at which rows begin, some `target` bytes apart: the first one of all, …, and the file's end.

    Empty where the file is not to be cut. Raises OSError where it cannot be read.
    """
    if not _is_plain(form):
        return []
    with Path(path).open("rb") as file:
        start = 0
        while file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8:  # of files that were put together
            start += len(codecs.BOM_UTF8)
        start += form.data_offset
        file.seek(start)
        return _cuts(file, start, form, target)


def _is_plain(form: TextFormat) -> bool:
    """Whether a byte of the file is a byte of its text, and all that is told of rows is told by quotes."""
    as_it_is = form.encoding in ("utf-8", "utf-8-sig") and form.compression is None and form.invalid_at is None
    by_quotes = form.dialect.by_the_book and not form.dialect.comment and form.delimiter.isascii()
    return as_it_is and not form.nul_bytes and by_quotes


def _cuts(file: BinaryIO, start: int, form: TextFormat, target: int) -> list[int]:
    quotes = _Quotes(form)
    found, at, row = [start], start, start  # where the block and the last row begin
    while data := file.read(_BLOCK):
        block = np.frombuffer(data, np.uint8)
        places = quotes.of(block)
        if places is None:
            return []
        ends = np.flatnonzero(block == ord("\n"))
        if len(places) or quotes.were_open:
            ends = ends[(np.searchsorted(places, ends) + quotes.were_open) % 2 == 0]
        begins = at + 1 + ends
        at += len(block)
        if np.diff(begins, prepend=row, append=at).max() > MAX_ROW:
            return []
        row = int(begins[-1]) if len(begins) else row
        while (i := np.searchsorted(begins, found[-1] + target)) < len(begins):
            found.append(int(begins[i]))
    if quotes.are_open:
        return []
    if at - found[-1] < target // 2 and len(found) > 1:
        found.pop()  # the last piece is not worth its own
    return [*found, at]


class _Quotes:
    """The quotes of a file, block by block. were_open, are_open: whether one was before the block, is behind it."""

    def __init__(self, form: TextFormat) -> None:
        self.were_open = self.are_open = False
        self._quote = ord(form.quote)
        self._beside = np.zeros(256, np.bool_)
        self._beside[[ord(form.delimiter), ord("\n"), ord("\r"), self._quote]] = True  # doubled ones: closed and open
        self._before = ord("\n")

    def of(self, block: np.ndarray) -> np.ndarray | None:
        """Where quotes stand in the next block, in order; None where one is not by the book."""
        places = np.flatnonzero(block == self._quote)
        opening, closing = places[self.are_open :: 2], places[not self.are_open :: 2]
        fits = self.are_open or self._before != self._quote or self._beside[block[0]]  # one that closed last
        if len(opening) and opening[0] == 0:
            fits = fits and self._beside[self._before]
            opening = opening[1:]
        if len(closing) and closing[-1] == len(block) - 1:
            closing = closing[:-1]  # the next block tells
        fits = fits and self._beside[block[opening - 1]].all() and self._beside[block[closing + 1]].all()
        self.were_open = self.are_open
        self.are_open ^= bool(len(places) % 2)
        self._before = int(block[-1])
        return places if fits else None
