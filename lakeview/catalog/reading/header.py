"""Is row 1 a header? The one rule, for text files.

Row 1 is a header unless it holds a number or a null mark in a column of such values, or a code in a column of codes
of the same shape. Headers all the same: a run of years beside words, and an empty first cell over row numbers. A null
mark or a code proves nothing beside a word over numbers: "Na" is sodium there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from lakeview.values import NULL_MARKS

_NUMBER = re.compile(
    r"""[+-]?[$€£]?\s?(
        \d+([.,]\d*)?([eE][+-]?\d+)? | [.,]\d+([eE][+-]?\d+)?     # 12  1.5  1,5  .5  1e9
        | \d{1,3}(,\d{3})+(\.\d*)? | \d{1,3}([. ']\d{3})+(,\d*)?  # 1,234.5  1.234,5
    )\s?%?""",
    re.VERBOSE,
)
_NULL_MARKS = frozenset(NULL_MARKS)
_YEAR = re.compile(r"(1[5-9]|20|21)\d\d")
_SHORT_CODE = re.compile(r"(?=.*\d)(?=.*[A-Z])[A-Z\d]{3,}")

# Share of a column's values that must be of a kind, so that a few odd ones change nothing.
_MOST = 0.9


def is_null_mark(cell: str) -> bool:
    """Whether a cell says that there is no value: DESIGN's null marks, blanks and case aside."""
    return cell.strip().lower() in _NULL_MARKS


def is_number(cell: str) -> bool:
    """Whether a cell reads as a number in any of the usual spellings: "1,234.5", "3,50", "1e9", "$5", "12 %"."""
    return bool(_NUMBER.fullmatch(cell.strip()))


def is_header(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether `first` names the columns of `rows` (a sample of what follows it; rows may be uneven)."""
    columns = [[row[place].strip() for row in rows if place < len(row)] for place in range(len(first))]
    cells = [cell.strip() for cell in first]
    if len(cells) > 1 and not cells[0] and _are_row_numbers(columns[0]):
        return True
    if _numbers_are_years(cells, columns):
        return True
    over = list(zip(cells, columns, strict=True))
    if any(is_number(cell) and are_numbers(column, empty=True) for cell, column in over):
        return False
    if _names_numbers(cells, columns):
        return True
    return not any(_is_null_among_such(cell, column) or _is_code_among_such(cell, column) for cell, column in over)


def is_surely_header(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether there is proof beyond the lack of any against it: a word over a column of numbers, or a run of years."""
    columns = [[row[place].strip() for row in rows if place < len(row)] for place in range(len(first))]
    return _numbers_are_years([cell.strip() for cell in first], columns) or _names_numbers(first, columns)


def _names_numbers(cells: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    return any(_is_word(cell) and are_numbers(column) for cell, column in zip(cells, columns, strict=True))


def _is_word(cell: str) -> bool:
    return not is_null_mark(cell) and not is_number(cell)


def are_numbers(column: Sequence[str], empty: bool = False) -> bool:
    """Whether nearly all values are numbers or null marks, and one a number; `empty`: the answer without values."""
    values = [value for value in column if value]
    if not values:
        return empty
    numbers, such = False, len(values)
    for value in values:
        if is_number(value):
            numbers = True
        elif not is_null_mark(value):
            such -= 1
            if such < _MOST * len(values):  # most columns of words are told by their first
                return False
    return numbers


def _is_null_among_such(cell: str, column: Sequence[str]) -> bool:
    """A null mark over numbers and null marks; but an empty cell over nothing but empty cells says nothing."""
    values = [value for value in column if value]
    such = sum(is_null_mark(value) or is_number(value) for value in values)
    return is_null_mark(cell) and bool(values) and such >= _MOST * len(values)


def _is_code_among_such(cell: str, column: Sequence[str]) -> bool:
    """A date, an "A-17", a "de_DE", an "N262" in a column of the same: nobody names a column so."""
    values = [value for value in column if not is_null_mark(value)]
    letters = any(map(str.isalpha, cell))
    # A few codes may look like their name, as "q2" and "q3" do like "q1"; a date or a time of day is no name.
    if len(values) < (3 if letters else 1) or (letters and len(set(values)) == 1):
        return False
    if _SHORT_CODE.fullmatch(cell):
        alike = [len(value) == len(cell) and value.isascii() and value.isalnum() and value.upper() == value
                 for value in values]  # fmt: skip
    elif re.search(r"\d|\w[^\w\s]\w|_", cell):
        shape = _shape(cell)
        alike = [_shape(value) == shape for value in values]
    else:
        return False
    return sum(alike) >= _MOST * len(values)


def _shape(cell: str) -> str:
    """The cell with its letters and runs of digits levelled: "P-56" and "Q-7" are both "A-9"."""
    return re.sub(r"\d+", "9", re.sub(r"[A-Z]", "A", re.sub(r"[^\W\d_A-Z]", "a", cell)))


def _numbers_are_years(cells: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Whether all numbers among the cells are years that rise or fall, over values that are no years, beside a word or
    an empty cell over words.

    A single year, or years in any order, will do where a word stands over numbers.
    """
    places = [place for place, cell in enumerate(cells) if is_number(cell)]
    if not places or not all(_YEAR.fullmatch(cells[place]) for place in places):
        return False
    above_words = not cells[0] and bool(columns[0]) and all(map(_is_word, columns[0]))
    if not any(map(_is_word, cells)) and not above_words:
        return False
    values = [value for place in places for value in columns[place] if not is_null_mark(value)]
    if values and sum(bool(_YEAR.fullmatch(value)) for value in values) >= 0.5 * len(values):
        return False
    steps = {later - earlier for earlier, later in pairwise(int(cells[place]) for place in places)}
    if (len(steps) == 1 and steps != {0}) or (len(steps) > 1 and (min(steps) > 0 or max(steps) < 0)):
        return True
    return _names_numbers(cells, columns)


def _are_row_numbers(column: Sequence[str]) -> bool:
    """Whether the values count on by one from 0 or 1."""
    numbers = [int(cell) for cell in column if re.fullmatch(r"\d{1,15}", cell)]
    return bool(column) and len(numbers) == len(column) and numbers[0] in (0, 1) and numbers == list(
        range(numbers[0], numbers[0] + len(numbers)))  # fmt: skip
