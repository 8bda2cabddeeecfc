"""Is row 1 a header? The one rule, for text files.

Row 1 is a header unless it holds a number or a null mark in a column of such values. Two rows that hold numbers are
headers all the same: a run of years beside words, and an empty first cell over row numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

NULL_MARKS = frozenset({"\\n", "na", "n/a", "null", "none", "nan", "-", ""})
_NUMBER = re.compile(
    r"""[+-]?[$€£]?\s?(
        \d+([.,]\d*)?([eE][+-]?\d+)? | [.,]\d+([eE][+-]?\d+)?   # 12  1.5  1,5  .5  1e9
        | \d{1,3}(,\d{3})+(\.\d*)? | \d{1,3}([. ']\d{3})+(,\d*)?  # 1,234.5  1.234,5
    )\s?%?""",
    re.VERBOSE,
)
# A date is as good as a number: nothing else is written so, and no column is named after one of its own days.
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ][\d:.,+Z-]*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}([T ][\d:.,+Z-]*)?")
_YEAR = re.compile(r"(1[5-9]|20|21)\d\d")


def is_null_mark(cell: str) -> bool:
    return cell.strip().lower() in NULL_MARKS


def is_number(cell: str) -> bool:
    """Whether a cell reads as a number or a date, in any of the usual spellings."""
    cell = cell.strip()
    return cell[-1:].isdigit() | (cell[-1:] in ".,%Z") and bool(_NUMBER.fullmatch(cell) or _DATE.fullmatch(cell))


def is_header(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether `first` names the columns of `rows` (a sample of what follows it; rows may be uneven)."""
    columns = [[row[place] for row in rows if place < len(row)] for place in range(len(first))]
    if not rows:
        return not any(is_number(cell) for cell in first) or _is_run_of_years(first, columns)
    if not first[0].strip() and len(first) > 1 and _are_row_numbers(columns[0]):
        return True
    evidence = [_is_data(cell, column) for cell, column in zip(first, columns, strict=True)]
    return not any(evidence) or _is_run_of_years(first, columns)


def _is_data(cell: str, column: Sequence[str]) -> bool:
    """Whether `cell` is a number or null mark in a column of such values."""
    empty = not cell.strip()
    if not empty and not is_null_mark(cell) and not is_number(cell):
        return False
    values = [value for value in column if value.strip()]
    if not values:  # nothing but empty cells: says nothing about an empty one
        return not empty and is_number(cell)
    such = sum(is_null_mark(value) or is_number(value) for value in values)
    return such >= 0.9 * len(values)


def _is_run_of_years(first: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Years at equal steps over values that are not years themselves, beside at least one word."""
    cells = [cell.strip() for cell in first]
    places = [place for place, cell in enumerate(cells) if is_number(cell)]
    if len(places) < 2 or not all(_YEAR.fullmatch(cells[place]) for place in places):
        return False
    if not any(cell and not is_null_mark(cell) and not is_number(cell) for cell in cells):
        return False
    years = [int(cells[place]) for place in places]
    steps = {later - earlier for earlier, later in pairwise(years)}
    if len(steps) != 1 or steps == {0}:
        return False
    values = [value.strip() for place in places for value in columns[place] if not is_null_mark(value)]
    return not values or sum(bool(_YEAR.fullmatch(value)) for value in values) < 0.5 * len(values)


def _are_row_numbers(column: Sequence[str]) -> bool:
    try:
        numbers = [int(cell) for cell in column]
    except ValueError:
        return False
    return bool(numbers) and numbers[0] in (0, 1) and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
