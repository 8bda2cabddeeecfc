"""Which character separates the cells of a text?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from lakeview.catalog.reading.header import is_null_mark, is_number

DELIMITERS = (",", "\t", ";", "|")
_USUAL = {"csv": ",", "tsv": "\t", "tab": "\t", "psv": "|"}
_SEP_LINE = re.compile(r'^"?sep=(.)"?$', re.IGNORECASE)

Rows = Sequence[Sequence[str]]


def usual_delimiter(extension: str) -> str | None:
    """What files of this extension promise; None: nothing."""
    return _USUAL.get(extension)


def sep_line(line: str) -> str | None:
    """The delimiter that a spreadsheet's first line `sep=;` gives."""
    match = _SEP_LINE.match(line.rstrip("\r\n"))
    return match[1] if match else None


def typical_width(rows: Rows) -> int:
    """The width that most rows have; of two equally frequent, the larger."""
    widths = Counter(map(len, rows))
    return max(widths, key=lambda width: (widths[width], width), default=0)


def regularity(rows: Rows) -> float:
    """Share of the rows that have the typical width; notes before the first wide one are let pass, at a price."""
    table = _without_notes(rows)
    width = typical_width(rows)
    share = sum(len(row) == width for row in table) / len(table) if table else 0.0
    return share if len(table) == len(rows) else min(share, 0.95)


def _without_notes(rows: Rows) -> Rows:
    wide = next((place for place, row in enumerate(rows[:50]) if len(row) > typical_width(rows) // 2), 0)
    return rows[wide:]


def choose_delimiter(parse: Callable[[str], Rows], sample: str, extension: str) -> str | None:
    """The delimiter of `sample`, whose rows by a delimiter are `parse(delimiter)`; None where nothing separates it.

    Only delimiters that split most rows into the same number of cells compete. One that splits all rows so beats
    those that don't; among equals the one whose cells read best as numbers (so "2,5;3,50" splits at ";") wins, then
    the usual one of the extension.
    """
    usual = usual_delimiter(extension)
    found = {delimiter: parse(delimiter) for delimiter in DELIMITERS if delimiter in sample}
    regular = {delimiter: regularity(rows) for delimiter, rows in found.items() if typical_width(rows) > 1}
    for delimiter in [d for d in regular if d != usual and regular[d] < 0.75]:
        # One column of texts with a semicolon here and there is no table of two.
        if any(len(row) == 1 for row in _without_notes(found[delimiter])):
            del regular[delimiter]
    if not regular:
        return None
    best = max(regular.values())
    close = [delimiter for delimiter, share in regular.items() if share >= (1.0 if best == 1.0 else best - 0.1)]
    if len(close) == 1:
        return close[0]
    return max(close, key=lambda d: (round(_share_of_numbers(found[d]), 2), d == usual, regular[d]))


def _share_of_numbers(rows: Rows) -> float:
    cells = [cell for row in rows[:200] for cell in row if not is_null_mark(cell)]
    return sum(map(is_number, cells)) / len(cells) if cells else 0.0
