"""How many rows come before a table: titles, notes, pairs of a name and a value."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lakeview.catalog.reading.delimiter import typical_width
from lakeview.catalog.reading.header import is_header, is_surely_header

Rows = Sequence[Sequence[str]]
_LOOKED_AT = 50


def preamble_rows(rows: Rows) -> int:
    """How many rows come before the table: lines of one cell, and wider ones where the row below is a header.

    The wider they are, the better the header's proof must be: a header may itself be narrower than its rows. A row of
    empty cells below a title is as good as proof.
    """
    return _titles(rows) or _pairs_above_excess(rows)


def _titles(rows: Rows) -> int:
    width = typical_width(rows)
    proof: Callable[..., bool] | None = None
    gap = False
    for place, row in enumerate(rows[:_LOOKED_AT] if width > 1 else []):
        filled = sum(bool(cell.strip()) for cell in row)
        title = filled <= 1 and not any(map(str.strip, row[1:]))
        if len(row) == width and not title:
            enough = 2 * filled > width or width == 2
            return place if proof is None or (enough and proof(row, rows[place + 1 :])) else 0
        if len(row) > width:
            return 0
        gap = gap or (proof is not None and len(row) == width and not filled)
        if gap:
            proof = is_header
        elif (title and len(row) == width and filled) or len(row) > max(1, width // 2):
            proof = is_surely_header
        elif len(row) > 1 and filled:
            proof = proof or is_header
    return 0


def _pairs_above_excess(rows: Rows) -> int:
    """Rows above a header that is wider than they are, where the rows below it end in empty cells too many."""
    if len({len(row) for row in rows}) == 1:
        return 0
    bare = [_bare_width(row) for row in rows]
    above = 0
    for place, row in enumerate(rows[:_LOOKED_AT]):
        width, below = len(row), rows[place + 1 :]
        if place and above < width == bare[place] and len(below) > 1 and all(map(str.strip, row)):
            fits = sum(len(row) >= width >= filled for row, filled in zip(below, bare[place + 1 :], strict=True))
            if fits == len(below) and any(len(row) > width for row in below) and is_surely_header(row, below):
                return place
        above = max(above, bare[place])
    return 0


def _bare_width(row: Sequence[str]) -> int:
    """The cells up to the last that is not empty."""
    return max((place for place, cell in enumerate(row, start=1) if cell.strip()), default=0)
