"""Workbooks that span more cells than they hold: named, and the process lives."""

from __future__ import annotations

import io
import re
import subprocess
import zipfile
from pathlib import Path

import openpyxl
import pytest

from lakeview.catalog.reading import sheet_size, sheets

pytest.importorskip("python_calamine")

SHEET = "xl/worksheets/sheet1.xml"


def workbook(*cells: tuple[int, int]) -> dict[str, bytes]:
    """The members of a workbook with a small table and some cells more."""
    book = openpyxl.Workbook()
    for row in (["id", "town"], [1, "Rome"], [2, "Oslo"]):
        book.active.append(row)
    for row, column in cells:
        book.active.cell(row, column, "far")
    sink = io.BytesIO()
    book.save(sink)
    with zipfile.ZipFile(sink) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def written(path: Path, members: dict[str, bytes]) -> str:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return str(path)


def elsewhere(members: dict[str, bytes]) -> dict[str, bytes]:
    """The sheet lies where no sheet should."""
    moved = {name.replace(SHEET, "xl/media/a.png"): content.replace(b"worksheets/sheet1.xml", b"media/a.png")
             for name, content in members.items()}  # fmt: skip
    assert "xl/media/a.png" in moved
    return moved


def spelt(old: bytes, new: bytes):
    def changed(members: dict[str, bytes]) -> dict[str, bytes]:
        text = re.sub(old, new, members[SHEET])
        assert text != members[SHEET]
        return {**members, SHEET: text}

    return changed


FAR = b'r="XFD1048576"'
DISGUISES = {
    "as it is": lambda members: members,
    "elsewhere": elsewhere,
    "single quotes": spelt(FAR, b"r='XFD1048576'"),
    "blanks": spelt(FAR, b"r" + b" " * 900 + b'= "XFD1048576"'),
    "zeros": spelt(FAR, b'r="XFD' + b"0" * 900 + b'1048576"'),
    "small letters": spelt(FAR, b'r="xfd1048576"'),
    "other attributes": spelt(FAR, b'x="' + b"y" * 900 + b'" ' + FAR),
    "a prefix": spelt(rb"<c " + FAR, b"<x:c " + FAR),
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_cell_far_away_ends_nothing(tmp_path, monkeypatch, disguise):
    monkeypatch.setattr(sheet_size, "_CHUNK", 1000)
    path = written(tmp_path / "x.xlsx", DISGUISES[disguise](workbook((1048576, 16384))))
    try:
        batches = list(sheets.read_sheet(path, "Sheet", print))
    except sheets.ReadError as error:
        assert "delete what lies far from the table" in str(error) or "cannot be" in str(error)
    else:
        assert batches[0].num_rows == 2, "what python-calamine does not understand, it leaves out"


@pytest.mark.parametrize("cells, refused", [([(100_000, 50)], False), ([(100_000, 700)], True), ([(9, 16384)], False)])
def test_what_a_sheet_spans_is_told_without_opening_it(tmp_path, monkeypatch, cells, refused):
    asked = []
    monkeypatch.setattr(subprocess, "run", lambda *at, **how: asked.append(at) or subprocess.CompletedProcess(at, 1))
    path = written(tmp_path / "x.xlsx", workbook(*cells))
    if refused:
        with pytest.raises(sheets.ReadError, match="'Sheet' spans more cells than there is memory for"):
            sheet_size.refuse_vast(path, "Sheet")
    else:
        sheet_size.refuse_vast(path, "Sheet")
    assert bool(asked) == refused


def test_cells_that_do_not_say_where_they_lie_are_counted_by_another_process(tmp_path):
    strip = spelt(rb' r="[A-Z]*\d+"', b"")
    sheet_size.refuse_vast(written(tmp_path / "x.xlsx", strip(workbook())), "Sheet")
    wide = b"<row>" + b"<c><v>1</v></c>" * 10_000 + b"</row>"
    members = strip(workbook())
    members[SHEET] = members[SHEET].replace(
        b"</sheetData>", wide + b"<row><c><v>1</v></c></row>" * 10_000 + b"</sheetData>"
    )
    with pytest.raises(sheets.ReadError, match="cells"):
        sheet_size.refuse_vast(written(tmp_path / "y.xlsx", members), "Sheet")


def test_repeated_cells_of_opendocument(tmp_path):
    text = (
        b'<?xml version="1.0"?>'
        b'<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        b'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
        b'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet>'
        b'<table:table table:name="Sheet"><table:table-row table:number-rows-repeated="1000000"><table:table-cell '
        b'table:number-columns-repeated="16000" office:value-type="float" office:value="1"/></table:table-row>'
        b"</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    members = {"mimetype": b"application/vnd.oasis.opendocument.spreadsheet", "content.xml": text}
    with pytest.raises(sheets.ReadError, match="more cells than there is memory for"):
        sheet_size.refuse_vast(written(tmp_path / "x.ods", members), "Sheet")
