"""Guards that keep a spreadsheet from taking text for a number: ="00123" and '00123 are both 00123."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

_FORMULA = re.compile(r'="([^"]*)"')
_APOSTROPHE = re.compile(r"'[-+=@\d][^'\"]*")
_YEAR = re.compile(r"'\d\d")  # '68
_BEGINS = re.compile(r"""'(?<=[,;\t|"\r\n ]')[-+=@\d]""")
_MOST = 0.9
_PATTERN = r"""^(?:="([^"]*)"|'([-+=@0-9][^'"]*))$"""


def may_have_guards(text: str) -> bool:
    """Whether it is worth to look for guards in the cells of a text."""
    return ("=" in text and '="' in text) or ("'" in text and bool(_BEGINS.search(text)))


def guarded_columns(rows: Sequence[Sequence[str]]) -> list[int]:
    """The places of columns with guards: a formula that is a text in any cell, or an apostrophe before nearly all."""
    width = max(map(len, rows), default=0)
    return [place for place in range(width) if _is_guarded([row[place] for row in rows if place < len(row)])]


def _is_guarded(column: Sequence[str]) -> bool:
    values = [cell.strip() for cell in column if cell.strip()]
    if any(map(_FORMULA.fullmatch, values)):
        return True
    before = sum(bool(_APOSTROPHE.fullmatch(value)) for value in values)
    return before > 1 and before >= _MOST * len(values) and not all(map(_YEAR.fullmatch, values))


def without_guard(cell: str) -> str:
    """The text of a cell in a column with guards."""
    found = re.match(_PATTERN, cell.strip())
    return cell if found is None else (found[1] or "") + (found[2] or "")


def without_guards(batch: pa.RecordBatch, columns: Sequence[str]) -> pa.RecordBatch:
    """The batch, these of its columns (those that it has) without guards."""
    for name in columns:
        if (place := batch.schema.get_field_index(name)) >= 0:
            bare = pc.replace_substring_regex(batch.column(place), _PATTERN, r"\1\2")
            batch = batch.set_column(place, name, bare)
    return batch
