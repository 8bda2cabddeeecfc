"""The sheets of a workbook (Excel, OpenDocument) as tables: by python-calamine, which `lakeview[excel]` installs."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from lakeview.catalog.model import Problem, ReadError
from lakeview.catalog.naming import unique_names
from lakeview.catalog.reading.cells import string_batches
from lakeview.catalog.reading.compressed import refuse_trap
from lakeview.catalog.reading.header import is_header
from lakeview.catalog.reading.sheet_size import refuse_vast
from lakeview.catalog.reading.text_preamble import preamble_rows

_LOOKED_AT = 200  # rows from which header and titles are told


def names(path: str) -> list[str]:
    """The sheets of a workbook that hold cells, in its order; charts are none.

    Raises ReadError where it cannot be opened, is encrypted, or python-calamine is missing.
    """
    return [sheet.name for sheet in _opened(path).sheets_metadata if "work" in str(sheet.typ).lower()]


def read_sheet(
    path: str, sheet: str, report: Callable[[Problem], None], columns: Sequence[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """Batches of a sheet's columns as strings. Titles and empty rows above the table are passed over; where its first
    row is no header, its columns are called as those of a text file without one. Raises ReadError."""
    book = _opened(path)
    refuse_vast(path, sheet)
    try:
        rows = book.get_sheet_by_name(sheet).to_python(skip_empty_area=True)
    except Exception as error:  # of calamine, or that a sheet went
        raise ReadError(f"its sheet {sheet!r} cannot be read: {error}") from None
    rows = [row for row in rows if any(cell != "" for cell in row)]
    if not rows:
        report(Problem("", "empty", "the sheet is empty"))
        return
    above = preamble_rows([list(map(_text, row)) for row in rows[:_LOOKED_AT]])
    if above:
        report(Problem("", "rows above the table", f"{above:,} rows above the header were passed over", above))
    rows = rows[above:]
    width = max(map(len, rows))
    first, below = list(map(_text, rows[0])), [list(map(_text, row)) for row in rows[1:_LOOKED_AT]]
    has_header = is_header(first, below)
    if not has_header:
        report(Problem("", "no header", "its first row is data: the columns are called column_1, column_2 …"))
    called = [*first, *[""] * (width - len(first))] if has_header else [""] * width
    cells = ([None if cell == "" else cell for cell in row] for row in rows[has_header:])
    yield from string_batches(unique_names(called), cells, columns)


def _opened(path: str) -> Any:
    try:
        from python_calamine import CalamineWorkbook
    except ImportError:
        raise ReadError("is a workbook: pip install lakeview[excel] reads it, or save it as CSV") from None
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            refuse_trap(sum(member.file_size for member in packed.infolist()), Path(path).stat().st_size)
    try:
        return CalamineWorkbook.from_path(path)
    except Exception as error:  # calamine has errors of its own
        raise ReadError(f"cannot be opened as a workbook: {error}") from None


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell)
