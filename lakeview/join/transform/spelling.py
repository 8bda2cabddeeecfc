"""What a program makes of a row in the row's own spelling: it reads canonical text, and people know what they wrote."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa

from lakeview import values
from lakeview.join.transform.columns import Columns
from lakeview.join.transform.operators import Constant, Piece
from lakeview.join.transform.program import Program

if TYPE_CHECKING:
    from lakeview.join.side import Side

Span = tuple[int, int]


@dataclass(frozen=True)
class Cell:
    """A value as it is written, its blanks folded ("" where there is none), and its canonical text."""

    written: str
    canonical: str

    @cached_property
    def _places(self) -> list[int] | None:
        """Where each character of the canonical text is written; None where it is not, as in times of other zones."""
        left = iter([(said, at) for at, char in enumerate(self.written) for said in _folded(char)])
        found: list[int] = []
        for char in self.canonical:
            wanted = _folded(char)[:1]
            for said, at in left:
                if said == wanted:
                    found.append(at)
                    break
                if said.isalnum():
                    return None
        return found if len(found) == len(self.canonical) else None

    def span(self, start: int, stop: int) -> Span | None:
        """Where a part of the canonical text is written."""
        if (start, stop) == (0, len(self.canonical)):
            return 0, len(self.written)
        return (self._places[start], self._places[stop - 1] + 1) if self._places else None


def _folded(char: str) -> str:
    return " " if char.isspace() else unicodedata.normalize("NFKC", char).lower()


class Spelling:
    """The rows of a side as they are written."""

    def __init__(self, side: Side, columns: Columns) -> None:
        self._side, self._columns = side, columns
        self._texts: dict[int, pa.Array] = {}

    def cell(self, place: int, row: int) -> Cell:
        """A value of the column at a place."""
        if place not in self._texts:
            self._texts[place] = values.text(self._side.key(self._side.columns[place]))
        written = " ".join((self._texts[place][row].as_py() or "").split())
        return Cell(unicodedata.normalize("NFC", written), self._columns.columns[place].values[row] or "")

    def made(self, program: Program, row: int) -> list[tuple[str, Span | None]]:
        """What each operator makes of a row, and where that is written in its column's cell; no two share a place."""
        found: list[tuple[str, Span | None]] = []
        taken: dict[int, list[Span]] = defaultdict(list)
        for operator in program.operators:
            if isinstance(operator, Constant):
                found.append((operator.text, None))
                continue
            cell = self.cell(operator.column, row)
            text = operator.value(cell.canonical or None) or ""
            start = free(cell.canonical, text, taken[operator.column])
            span = None
            if start >= 0:
                taken[operator.column].append((start, start + len(text)))
                span = cell.span(start, start + len(text))
            found.append((cell.written[slice(*span)] if span else _reshaped(operator, cell, text), span))
        return found

    def key(self, program: Program, row: int) -> str:
        """The key that a program makes of a row."""
        return "".join(text for text, _ in self.made(program, row))


def _reshaped(piece: Piece, cell: Cell, text: str) -> str:
    """A text that does not stand in its cell, as the piece makes it of what is written there where that is the same."""
    made = piece.value(cell.written or None) or ""
    return made if made.lower() == text else text


def free(cell: str, text: str, taken: list[Span]) -> int:
    """Where `text` stands in a cell and nothing else was taken from, or -1."""
    start = cell.find(text) if text else -1
    while start >= 0 and any(start < stop and first < start + len(text) for first, stop in taken):
        start = cell.find(text, start + 1)
    return start
