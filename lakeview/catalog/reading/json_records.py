"""The records of a JSON file, one at a time: JSON lines, one array, or objects one after another.

Numbers stay the text that the file has (`Number`), so that neither 1.10 nor 12345678901234567890 changes.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import TextIO

from lakeview.catalog.model import ReadError
from lakeview.catalog.reading.json_shapes import shape_of
from lakeview.values.objects import Number

CHUNK = 1 << 20
MAX_RECORD = 16 << 20  # characters
_DEPTH = 3  # levels of a document to look for records on
_USUAL_KEYS = frozenset({"data", "records", "rows", "items", "results", "features", "entries", "objects", "value"})
_BLANKS = " \t\r\n\x1e"  # \x1e begins the records of a JSON text sequence


def _number(text: str) -> Number:
    if "e" in text or "E" in text:
        value = Decimal(text)
        if abs(value.adjusted()) < 400:  # beyond the range of a double, positional notation helps nobody
            return Number(format(value, "f"))
    return Number(text)


# What JavaScript knows and JSON does not: as a typed column prints them.
_CONSTANTS = {"NaN": None, "Infinity": Number("inf"), "-Infinity": Number("-inf")}
_decoder = json.JSONDecoder(parse_int=Number, parse_float=_number, parse_constant=_CONSTANTS.get, strict=False)


@dataclass
class Bad:
    """What could not be read: bad lines (and the first one's number), records that are no objects or nested too deeply,
    a damaged end. `below`: the key of the one document of the file whose records were read, and the number of its other
    keys. `several`: keys of a document with records each, of which none was read so. `shape`: what else a document was
    read as (`json_shapes`)."""

    lines: int = 0
    first_line: int = 0
    other: int = 0
    deep: int = 0
    end: str = ""
    below: tuple[str, int] | None = None
    several: tuple[str, ...] = ()
    shape: str = ""


def records(text: TextIO, bad: Bad, document: bool = False) -> Iterator[dict]:
    """The objects of the file, in order; where it is one document with records below one of its keys, these.

    Args:
        document: whether a single line may be such a document; in a file of JSON lines it is a record.

    Raises:
        ReadError: the file is one single object, laid out on several lines, without such records.
    """
    head = ""
    while not head.strip(_BLANKS) and (more := text.readline(CHUNK)):
        head = more
    start = head.lstrip(_BLANKS)
    if start.startswith("["):
        values = _values(start, text, bad, in_array=True)
    elif _has_lines(start, ahead := [text.readline(CHUNK) for _ in range(20)]):
        if document and not any(map(str.strip, ahead)) and not ahead[-1]:
            yield from _records_below(_parsed(start), bad)
            return
        yield from _lines(itertools.chain([head], ahead, iter(lambda: text.readline(CHUNK), "")), bad)
        return
    else:
        values = _values(start + "".join(ahead), text, bad, in_array=False)
        values = _more_than_one(values, bad)
    for value in values:
        if isinstance(value, dict):
            yield value
        else:
            bad.other += 1


def _has_lines(first: str, ahead: list[str]) -> bool:
    """Whether most of the lines are an object each (one line inside a laid-out document may be one, too)."""
    lines = [line for line in (first, *ahead) if line.strip()]
    return 2 * sum(isinstance(_parsed(line), dict) for line in lines) >= len(lines)


def _parsed(line: str) -> object:
    try:
        return _decoder.decode(line)
    except (ValueError, RecursionError):
        return None


def _lines(pieces: Iterable[str], bad: Bad) -> Iterator[dict]:
    for number, line in enumerate(filter(None, (line.strip(_BLANKS) for line in _whole_lines(pieces))), start=1):
        value = _parsed(line)
        if isinstance(value, dict):
            yield value
        else:
            bad.lines += 1
            bad.first_line = bad.first_line or number


def _whole_lines(pieces: Iterable[str]) -> Iterator[str]:
    """Lines of pieces that may have been cut at CHUNK; a line that is longer than any record is cut short, and so is
    none of JSON's."""
    line: list[str] = []
    size = 0
    for piece in pieces:
        size += len(piece)
        if size <= MAX_RECORD or not line:
            line.append(piece)
        if piece.endswith("\n"):
            yield "".join(line)
            line, size = [], 0
    yield "".join(line)


def _more_than_one(values: Iterator[object], bad: Bad) -> Iterator[object]:
    first = next(values, None)
    second = next(values, None)
    if second is None and not bad.end:
        below = list(_records_below(first, bad))
        if bad.below is None and not bad.shape:
            where = f" (it has some below {' and '.join(map(repr, bad.several))})" if bad.several else ""
            raise ReadError(f"is one JSON object, not a list of records; save the records as JSON lines{where}")
        yield from below
        return
    if first is not None:
        yield first
    if second is not None:
        yield second
    yield from values


def _records_below(document: object, bad: Bad) -> Iterator[dict]:
    """The records below a key of a document, told in `bad.below`; the document where no key, or several, have some."""
    if not isinstance(document, dict):
        return
    above: dict[str, object] = {"": document}
    for _ in range(_DEPTH):
        level = {f"{path}.{key}" if path else key: value
                 for path, part in above.items() if isinstance(part, dict) for key, value in part.items()}  # fmt: skip
        found = {path: value for path, value in level.items() if _are_records(path, value)}
        if len(found) == 1:
            [(path, value)] = found.items()
            bad.below = path, len(level) - 1
            yield from value  # type: ignore[misc]
            return
        if found:
            bad.several = tuple(found)
            break
        above = level
    if not bad.several and (shape := shape_of(document)):
        bad.shape = shape.said
        yield from shape.rows
        return
    yield document


def _are_records(path: str, value: object) -> bool:
    if not isinstance(value, list) or not all(isinstance(record, dict) and record for record in value):
        return False
    return len(value) > 1 or (len(value) == 1 and path.rsplit(".", 1)[-1].lower() in _USUAL_KEYS)


def _values(buffer: str, text: TextIO, bad: Bad, in_array: bool) -> Iterator[object]:
    """JSON values in an array or one after another, with no more than one of them (and a chunk) in memory."""
    at, ended, number = int(in_array), False, 0
    wanted = CHUNK
    while True:
        while at < len(buffer) and (buffer[at] in _BLANKS or (in_array and buffer[at] == ",")):
            at += 1
        if in_array and buffer[at : at + 1] == "]":
            return
        if len(buffer) - at > MAX_RECORD:
            bad.end = f"damaged after record {number:,}: the next has more than {MAX_RECORD >> 20} MB"
            return
        if at < len(buffer):
            try:
                value, end = _decoder.raw_decode(buffer, at)
                if end < len(buffer) or ended or isinstance(value, (dict, list)):
                    number += 1
                    at, wanted = end, CHUNK
                    yield value
                    continue
            except json.JSONDecodeError as error:
                # An unterminated string is told at its start; any other error far from the end is no lack of text.
                if ended or not (error.msg.startswith("Unterminated") or error.pos > len(buffer) - 64):
                    bad.end = f"damaged after record {number:,}: {error.msg}"
                    return
            except RecursionError:
                bad.end = f"damaged after record {number:,}: nested too deeply"
                return
        if ended:
            if in_array:
                bad.end = f"damaged after record {number:,}: the array is not closed"
            return
        more = text.read(wanted)
        wanted *= 4
        ended = not more
        buffer, at = buffer[at:] + more, 0
