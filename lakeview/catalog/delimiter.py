"""Which character separates the cells of a text?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from lakeview.catalog.header import is_null_mark, is_number

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


def consistency(rows: Rows) -> float:
    """Share of the rows that have the typical width."""
    width = typical_width(rows)
    return sum(len(row) == width for row in rows) / len(rows) if rows else 0.0


def choose_delimiter(parse: Callable[[str], Rows], sample: str, extension: str) -> str | None:
    """The delimiter of `sample`, whose rows by a delimiter are `parse(delimiter)`; None where nothing separates it.

    Only delimiters that split most rows into the same number of cells compete. The most regular ones win; among
    these the one whose cells read best as numbers and null marks (so "2,5;3,50" splits at ";"), then the usual one.
    """
    usual = usual_delimiter(extension)
    scores = {}
    for delimiter in DELIMITERS:
        if delimiter not in sample:
            continue
        rows = parse(delimiter)
        if typical_width(rows) > 1:
            scores[delimiter] = consistency(rows), rows
    if not scores:
        return None
    best = max(regular for regular, _ in scores.values())
    close = {delimiter: rows for delimiter, (regular, rows) in scores.items() if regular >= best - 0.1}
    if len(close) == 1:
        return next(iter(close))
    return max(close, key=lambda delimiter: (round(_typed(close[delimiter]), 2), delimiter == usual, scores[delimiter][0]))


def _typed(rows: Rows) -> float:
    cells = [cell for row in rows[1:200] for cell in row if not is_null_mark(cell)]
    return sum(map(is_number, cells)) / len(cells) if cells else 0.0
