"""How many cells a sheet spans, before it is read: one of two cells, the first and the last that there may be, takes
more memory than there is, and python-calamine then ends the process."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

from lakeview.catalog.model import ReadError

MAX_CELLS = 8 << 20  # that any sheet may span, some 40 bytes each; beyond that, so many to a byte of the file
CELLS_TO_A_BYTE = 4
_CHUNK = 1 << 20
_OVERLAP = 512  # bytes that are looked at with the next chunk, too
_TAG = re.compile(rb"<(?:\w+:)?(?:row|c)[\s/>]")
_PLACED = re.compile(rb"""<(?:\w+:)?(?:row|c)\s(?:[^<>]{0,200}?\s)?r\s*=\s*["']([A-Za-z]*)(\d+)["']""")
_MEMORY = 2 << 30  # bytes for the process that looks
_SECONDS = 60
_LOOK = """
import sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[3]), int(sys.argv[3])))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
except (ImportError, ValueError, OSError):
    pass
from python_calamine import CalamineWorkbook
sheet = CalamineWorkbook.from_path(sys.argv[1]).get_sheet_by_name(sys.argv[2])
print((sheet.total_height + 1) * (sheet.total_width + 1))
"""


def refuse_vast(path: str, sheet: str) -> None:
    """Raises ReadError where a sheet spans far more cells than its file can hold.

    A workbook whose cells all say where they lie, as nearly all do, is looked through; another is opened by a process
    of its own.
    """
    most = max(MAX_CELLS, CELLS_TO_A_BYTE * Path(path).stat().st_size)
    if _most_cells(path) <= most:
        return
    look = [sys.executable, "-c", _LOOK, path, sheet, str(_MEMORY)]
    try:
        done = subprocess.run(look, capture_output=True, text=True, timeout=_SECONDS, check=False)
        spanned = int(done.stdout) if done.returncode == 0 else None
    except (subprocess.TimeoutExpired, ValueError, OSError):
        spanned = None
    if spanned is None or spanned > most:
        many = "more cells than there is memory for" if spanned is None else f"{spanned:,} cells, nearly all empty"
        raise ReadError(f"its sheet {sheet!r} spans {many}: delete what lies far from the table")


def _most_cells(path: str) -> float:
    """No sheet of the workbook spans more cells than this; infinite where only opening it tells."""
    if not zipfile.is_zipfile(path):
        return 0 if path.lower().endswith(".xls") else float("inf")  # .xls has 16 million at the most
    try:
        with zipfile.ZipFile(path) as packed:
            if "xl/workbook.xml" not in packed.namelist():
                return float("inf")
            return max((_spanned(packed, member) for member in packed.infolist()), default=0)
    except (zipfile.BadZipFile, EOFError, RuntimeError, NotImplementedError, zlib.error, OSError, ValueError):
        return float("inf")


def _spanned(packed: zipfile.ZipFile, member: zipfile.ZipInfo) -> float:
    """The last row times the last column of a member, whatever it is called; infinite where one does not say where it
    lies, or not at once."""
    rows = columns = tags = placed = 0
    text = b""
    with packed.open(member) as raw:
        while chunk := raw.read(_CHUNK):
            kept = text[-_OVERLAP:]
            text = kept + chunk
            for found in _PLACED.finditer(text):
                if found.end() > len(kept):  # else it was seen before
                    rows, columns = max(rows, int(found[2])), max(columns, _column(found[1]))
                    placed += 1
            tags += sum(found.end() > len(kept) for found in _TAG.finditer(text))
            if tags > placed + 1:
                return float("inf")
    return rows * columns if tags == placed else float("inf")


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - 64
    return number
