"""Two rows of names: headings that span several columns ("2020,,2021,"), and below them the columns' own names."""

from __future__ import annotations

from collections.abc import Sequence

from lakeview.catalog.reading.header import are_numbers, is_null_mark, is_number
from lakeview.catalog.reading.text_units import is_units_row

Rows = Sequence[Sequence[str]]


def spanned_names(rows: Rows) -> list[str] | None:
    """The names of the columns where the first two rows have them, "2020 men" of "2020" over "men"; None: they do not.

    A heading spans the empty cells behind it, or is repeated over each of its columns. Each of these has a name of its
    own in the second row, a word over numbers; where nothing is empty, the second row may as well be one of units.
    """
    if len(rows) < 4 or len(rows[0]) > len(rows[1]):
        return None
    names, below = [cell.strip() for cell in rows[1]], rows[2:]
    top = [cell.strip() for cell in rows[0]] + [""] * (len(names) - len(rows[0]))
    if len({cell for cell in top if cell}) < 2 and top[0]:
        return None
    over = _filled(top)
    spans = [place for place in range(1, len(over)) if over[place] and over[place] == over[place - 1]]
    spanned = sorted({place for end in spans for place in (end - 1, end)})
    if not spanned or not all(map(_is_word, (names[place] for place in spanned))):
        return None
    if len({(over[place], names[place]) for place in spanned}) < len(spanned):
        return None
    numbers = [place for place in range(len(names)) if are_numbers(_column(below, place))]
    if not set(spanned) & set(numbers) or any(names[place] and not _is_word(names[place]) for place in numbers):
        return None
    if all(top) and is_units_row(rows[1], below):
        return None
    return [" ".join(part for part in pair if part) for pair in zip(over, names, strict=True)]


def _filled(top: Sequence[str]) -> list[str]:
    """Each heading over all of its columns; nothing before the first."""
    found: list[str] = []
    for cell in top:
        found.append(cell or (found[-1] if found else ""))
    return found


def _is_word(cell: str) -> bool:
    return not is_null_mark(cell) and not is_number(cell)


def _column(rows: Rows, place: int) -> list[str]:
    return [row[place].strip() for row in rows if place < len(row)]
