"""Whether Spark reads the bytes of a file as lakeview does: a file is taken only where they leave no two ways."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator

from lakeview.catalog.reading.text_bytes import open_utf8
from lakeview.catalog.reading.text_format import TextFormat
from lakeview.errors import InputError

ENCODINGS = {"utf-8": None, "utf-8-sig": None, "utf-16": "UTF-16", "utf-16-le": "UTF-16LE", "utf-16-be": "UTF-16BE",
             "latin-1": "ISO-8859-1", "cp1252": "ISO-8859-1"}  # fmt: skip
_PIECE = 16 << 20  # letters of a text file that are looked at together
# Lines of blanks; each pattern begins with a letter, which is looked for quickly.
_BLANK = {newline: re.compile(rf"{newline}[^\S\r\n]+(?=[\r\n]|\Z)") for newline in ("\n", "\r")}
_ASCII_BLANKS = "".join(map(chr, range(33)))


class CannotRead(InputError):
    """Spark reads a file otherwise than the lake does."""


class Number(str):
    """A number of a JSON file as it is written."""

    __slots__ = ()


def check_format(form: TextFormat, name: str) -> None:
    """Raise CannotRead where Spark's reader knows no such layout."""
    reasons = {
        "lines before the header": form.skip_rows > form.header + form.units,
        "a row of units": form.units,
        "a row of totals": bool(form.total_rows),
        "a quote that never closes": bool(form.unclosed),
        "NUL bytes": bool(form.nul_bytes),
        "bytes in two encodings": bool(form.stray),
        "quotes of its own kind": bool(form.oddities),
        "a spreadsheet's guards": bool(form.guarded),
        "comment lines": bool(form.dialect.comment),
        f"the encoding {form.encoding}": form.encoding not in ENCODINGS,
        f"the compression {form.compression}": form.compression not in (None, "gzip"),
    }
    found = [reason for reason, holds in reasons.items() if holds]
    if found:
        raise CannotRead(f"{name} has {' and '.join(found)}, which Spark's reader does not skip")


def is_multiline(path: str, form: TextFormat, name: str) -> bool:
    """Whether a row may span lines. Raises CannotRead where quotes or blanks can be read in two ways."""
    delimiter, quote = re.escape(form.delimiter), re.escape(form.quote)
    start, end = rf"(?<![^{delimiter}\r\n]){quote}", rf"{quote}(?![^{delimiter}\r\n])"
    # A quoted cell, or else a quote that begins a cell and does not end it.
    cell = re.compile(rf"{start}(?:[^{quote}]|{quote}{quote})*+{end}|(?P<open>{start})")
    multiline, blank, odd_blank = False, False, False
    for text in _in_lines(path, form, cell, name):
        if form.encoding == "cp1252" and max(text, default="") > "\xff":
            raise CannotRead(f"{name} is in Windows' encoding (cp1252), which Spark does not know")
        if form.quote in text:
            spans = [found[0] for found in cell.finditer(text) if "\n" in found[0] or "\r" in found[0]]
            multiline |= bool(spans)
            if form.newline == "\r\n" and any("\r" in found for found in spans):
                raise CannotRead(f"{name} has line breaks in quotes that Spark would change (CR LF to LF)")
            if form.newline == "\r" and spans:
                raise CannotRead(f"{name} has line breaks in quotes and lines that end in CR")
        for newline, lines in _BLANK.items():
            for line in lines.findall(newline + text):
                blank, odd_blank = True, odd_blank or bool(line.strip(_ASCII_BLANKS))
    # Lines of blanks are no rows; Spark drops the ASCII ones, and none where rows span lines.
    if blank and (multiline or form.delimiter.isspace() or odd_blank):
        raise CannotRead(f"{name} has lines of blanks, which Spark may take for rows")
    return multiline


def _in_lines(path: str, form: TextFormat, cell: re.Pattern[str], name: str) -> Iterator[str]:
    """The text of a file in pieces of whole lines and whole cells. Raises CannotRead where one has a quote before and
    none behind it."""
    newline, rest = "\r" if form.newline == "\r" else "\n", ""
    with open_utf8(path, form.text) as stream:
        reader = io.TextIOWrapper(io.BufferedReader(stream), "utf-8", newline="")
        while more := reader.read(_PIECE):
            rest += more
            whole = rest.rfind(newline) + 1
            opened = _opened(cell, rest, whole) if form.quote in rest else None
            if opened is not None:
                if len(rest) - opened > 4 * _PIECE:
                    raise CannotRead(f"{name} has text beside a closing quote, which Spark reads differently")
                whole = rest.rfind(newline, 0, opened) + 1
            yield rest[:whole]
            rest = rest[whole:]
    if form.quote in rest and _opened(cell, rest, len(rest)) is not None:
        raise CannotRead(f"{name} has text beside a closing quote, which Spark reads differently")
    yield rest


def _opened(cell: re.Pattern[str], text: str, stop: int) -> int | None:
    """Where the first cell begins that is not closed in the text, up to `stop`."""
    return next((found.start() for found in cell.finditer(text, 0, stop) if found["open"]), None)


def json_lines(path: str, name: str) -> Iterator[dict]:
    """The records of a JSON file. Raises CannotRead where Spark takes none, or others."""
    from lakeview.catalog.reading.text_bytes import inspect

    form = inspect(path)
    if form.stray:
        raise CannotRead(f"{name} has bytes in two encodings, which Spark's JSON reader does not take")
    if form.encoding not in ("utf-8",) or form.nul_bytes:
        raise CannotRead(f"{name} is {form.encoding}, which Spark's JSON reader does not take")

    def pairs(items: list[tuple[str, object]]) -> dict:
        if len({key.lower() for key, _ in items}) < len(items):
            raise CannotRead(f"{name} has records that name a key twice")
        return dict(items)

    with open_utf8(path, form) as stream:
        for line in io.TextIOWrapper(io.BufferedReader(stream), "utf-8"):
            if not line.strip():
                continue
            try:
                record = json.loads(line, object_pairs_hook=pairs, parse_int=Number, parse_float=Number)
            except ValueError as error:
                raise CannotRead(f"{name} has lines that are not JSON") from error
            if not isinstance(record, dict):
                raise CannotRead(f"{name} has lines that are not JSON objects")
            yield record
