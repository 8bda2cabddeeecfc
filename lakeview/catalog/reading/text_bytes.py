"""The bytes of a text file as UTF-8: decompressed, decoded, without byte order mark and NULs, never all in memory."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import numpy as np

from lakeview.catalog.model import Problem, ReadError
from lakeview.catalog.reading.compressed import CHUNK, open_raw, refuse_trap, sound

PIECE = 1 << 20  # characters
MAX_LINE = 16 << 20  # characters
# A text with so many valid characters beyond ASCII to each byte that is not valid is UTF-8 with bytes astray; by chance
# few texts of other encodings have half as many.
_VALID_TO_STRAY = 0.5
_UNDEFINED_IN_CP1252 = bytes([0x81, 0x8D, 0x8F, 0x90, 0x9D])
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32", "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16", "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16", "utf-16-be"),
)
# What a file that only pretends to be text begins with.
_FOREIGN = (
    (b"PK\x03\x04", "a zip or Excel file"),
    (b"\xd0\xcf\x11\xe0", "an old Excel file"),
    (b"PAR1", "a Parquet file"),
    (b"%PDF", "a PDF file"),
)


@dataclass(frozen=True)
class TextBytes:
    """How the bytes of a file become text.

    encoding: the Python (and pandas) name: "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252", "latin-1".
    compression: "gzip", "bz2", "xz", "zstd" or None.
    invalid_at: the place of the first byte that is not valid UTF-8 (counted in the decompressed file), or None.
    nul_bytes: NUL characters that are left out.
    size: bytes of the decompressed file.
    stray: bytes of a UTF-8 text that are not valid and are read as cp1252, each by itself.
    """

    encoding: str
    compression: str | None
    invalid_at: int | None
    nul_bytes: int
    size: int
    stray: int = 0


def encoding_problem(text: TextBytes) -> Problem | None:
    """What is to be told of bytes that are not valid UTF-8."""
    if text.invalid_at is None:
        return None
    if text.stray:
        detail = f"{text.stray:,} bytes that are not valid UTF-8 were read as cp1252 (first: byte {text.invalid_at:,})"
        return Problem("", "stray bytes", detail, text.stray)
    detail = f"read as {text.encoding}: not valid UTF-8 at byte {text.invalid_at:,}"
    return Problem("", f"read as {text.encoding}", detail)


def _as_cp1252(error: UnicodeError) -> tuple[str, int]:
    """An error handler of codecs: bytes that are not valid UTF-8, each by itself."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    astray = error.object[error.start : error.end]
    return "".join(_CP1252[byte] for byte in astray), error.end


_CP1252 = [bytes([byte]).decode("latin-1" if byte in _UNDEFINED_IN_CP1252 else "cp1252") for byte in range(256)]
_ASTRAY = "lakeview.cp1252"
codecs.register_error(_ASTRAY, _as_cp1252)


def inspect(path: str) -> TextBytes:
    """Read a file once, in chunks, to learn how to decode it.

    Raises:
        ReadError: damaged compression, damaged UTF-16, or not text at all.
    """
    try:
        raw, compression = open_raw(path)
        with raw, sound(compression):
            return _inspect(
                _chunks(raw) if compression is None else _inflated(raw, Path(path).stat().st_size), compression
            )
    except OSError as error:
        raise ReadError(f"cannot be opened: {error.strerror or error}") from error


def as_utf8(path: str) -> TextBytes:
    """What `inspect` tells of a file of valid UTF-8 without NULs, with or without a byte order mark."""
    with Path(path).open("rb") as file:
        mark = file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8
    return TextBytes("utf-8-sig" if mark else "utf-8", None, None, 0, Path(path).stat().st_size)


def _chunks(raw: BinaryIO) -> Iterator[bytes]:
    while chunk := raw.read(CHUNK):
        yield chunk


def _inflated(raw: BinaryIO, on_disk: int) -> Iterator[bytes]:
    inflated = 0
    for chunk in _chunks(raw):
        inflated += len(chunk)
        refuse_trap(inflated, on_disk)
        yield chunk


def _inspect(chunks: Iterator[bytes], compression: str | None) -> TextBytes:
    first = next(chunks, b"")
    for magic, what in _FOREIGN:
        if first.startswith(magic):
            raise ReadError(f"is {what}, not text; save it as CSV or Parquet")
    encoding, codec, mark = _marked(first)
    decoder = codecs.getincrementaldecoder(codec)("strict")
    size, nuls, undefined = len(first), 0, False
    valid = stray = 0  # characters beyond ASCII, and bytes that are none
    invalid_at: int | None = None
    chunk = first[len(mark) :]
    at = len(mark)  # where `chunk` begins
    while True:
        if codec == "utf-8":
            nuls += chunk.count(0)
            pending = decoder.getstate()
            if not (chunk.isascii() and not pending[0]):
                try:
                    text = decoder.decode(chunk)
                except UnicodeDecodeError as error:  # from here on each such byte is one half of a surrogate pair
                    invalid_at = at - len(pending[0]) + error.start
                    decoder = codecs.getincrementaldecoder(codec)("surrogateescape")
                    decoder.setstate(pending)
                    text = decoder.decode(chunk)
                if invalid_at is not None:
                    stray += len(re.findall("[\udc80-\udcff]", text))
                valid += int(np.count_nonzero(np.frombuffer(text.encode("utf-8", "replace"), np.uint8) >= 0xC0))
            if invalid_at is not None:
                undefined = undefined or any(byte in chunk for byte in _UNDEFINED_IN_CP1252)
        else:
            nuls += _decode_strictly(decoder, chunk, codec).count("\0")
        at += len(chunk)
        following = next(chunks, None)
        if following is None:
            break
        chunk = following
        size += len(chunk)
    if codec != "utf-8":
        _decode_strictly(decoder, b"", codec, final=True)
    elif pending_bytes := len(decoder.getstate()[0]):
        invalid_at = at - pending_bytes if invalid_at is None else invalid_at
        stray += pending_bytes
    if nuls > size // 4:
        raise ReadError("is not text: more than a quarter of its bytes are NUL")
    if invalid_at is not None and not mark and valid < _VALID_TO_STRAY * stray:
        return TextBytes("latin-1" if undefined else "cp1252", compression, invalid_at, nuls, size)
    return TextBytes(encoding, compression, invalid_at, nuls, size, stray)


def _decode_strictly(decoder: codecs.IncrementalDecoder, chunk: bytes, codec: str, final: bool = False) -> str:
    try:
        return decoder.decode(chunk, final)
    except UnicodeDecodeError as error:
        raise ReadError(f"damaged {codec.upper()[:6]}: {error.reason}") from error


def _marked(first: bytes) -> tuple[str, str, bytes]:
    """(encoding, codec without mark, byte order mark) by the mark, or for UTF-16 by where the zero bytes are."""
    for mark, encoding, codec in _MARKS:
        if first.startswith(mark):
            return encoding, codec, mark
    head = first[:4096]
    pairs = len(head) // 2
    if pairs >= 4:
        even, odd = head[0 : 2 * pairs : 2].count(0), head[1 : 2 * pairs : 2].count(0)
        if odd > 0.4 * pairs and even < 0.05 * pairs:
            return "utf-16-le", "utf-16-le", b""
        if even > 0.4 * pairs and odd < 0.05 * pairs:
            return "utf-16-be", "utf-16-be", b""
    return "utf-8", "utf-8", b""


def pieces_of(text: TextIO, first: int = 1) -> Iterator[str]:
    """A text in pieces of whole lines, each of at most MAX_LINE characters; `first` numbers the first line.

    Raises ReadError at a longer one.
    """
    number, held = first, ""
    while more := text.read(PIECE):
        held += more
        if len(held) >= MAX_LINE and not any(end in held[:MAX_LINE] for end in "\r\n"):
            raise ReadError(f"line {number:,} has more than {MAX_LINE >> 20} MB: no table has rows that long")
        # A CR at the end may be half of a line end.
        if cut := 1 + (held.rfind("\n") if "\n" in held else held.rfind("\r", 0, len(held) - 1)):
            yield held[:cut]
            number += line_count(held[:cut])
            held = held[cut:]
    if held:
        yield held


def line_count(text: str) -> int:
    """How many lines a text has, the last one perhaps without an end."""
    ends = text.count("\n") + text.count("\r") - text.count("\r\n")
    return ends + (text[-1:] not in ("", "\r", "\n"))


class Utf8(io.RawIOBase):
    """A readable file over an iterator of byte chunks; `tail` is the last bytes that were read from it."""

    def __init__(self, chunks: Iterator[bytes], source: BinaryIO) -> None:
        self._iterator, self._source = chunks, source
        self._left = memoryview(b"")
        self.tail = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._left:
            chunk = next(self._iterator, None)
            if chunk is None:
                return 0
            self._left = memoryview(chunk)
            if chunk:
                self.tail = chunk
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count

    def close(self) -> None:
        self._source.close()
        super().close()


def open_utf8(path: str, text: TextBytes) -> Utf8:
    """The file's text as a stream of UTF-8, as `inspect` found it."""
    raw, _ = open_raw(path)
    return Utf8(_transcoded(raw, text), raw)


def open_span(path: str, start: int, stop: int) -> Utf8:
    """Some bytes of a file of UTF-8 as a stream."""
    raw, _ = open_raw(path)
    raw.seek(start)
    return Utf8(_chunks_until(raw, stop - start), raw)


def _chunks_until(raw: BinaryIO, left: int) -> Iterator[bytes]:
    while left and (chunk := raw.read(min(CHUNK, left))):
        left -= len(chunk)
        yield chunk


def _transcoded(raw: BinaryIO, text: TextBytes) -> Iterator[bytes]:
    """Chunks of UTF-8; a file that was put together from others may begin with more than one mark."""
    chunks = _chunks(raw) if text.encoding in ("utf-8", "utf-8-sig") and not text.stray else _decoded(raw, text)
    first = True
    for chunk in chunks:
        while first and text.encoding not in ("utf-8", "cp1252", "latin-1") and chunk.startswith(codecs.BOM_UTF8):
            chunk = chunk.removeprefix(codecs.BOM_UTF8)
        first = first and not chunk
        yield chunk.translate(None, b"\0") if text.nul_bytes else chunk


def _decoded(raw: BinaryIO, text: TextBytes) -> Iterator[bytes]:
    encoding = text.encoding.removesuffix("-sig")
    decoder = codecs.getincrementaldecoder(encoding)(_ASTRAY if text.stray else "strict")
    for chunk in _chunks(raw):
        yield decoder.decode(chunk).encode("utf-8")
    yield decoder.decode(b"", final=True).encode("utf-8")
