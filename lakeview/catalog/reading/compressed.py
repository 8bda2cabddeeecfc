"""Compressed files, as streams of what is in them: gzip, bzip2, xz, Zstandard, told by their first bytes."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import pyarrow as pa

from lakeview.catalog.model import ReadError

CHUNK = 1 << 20
# A compressed file that unpacks to more than so many bytes, and so many times its size, is no table but a trap.
MAX_INFLATED = 256 << 20
MAX_RATIO = 100
MAX_XZ_MEMORY = 128 << 20  # bytes; `xz -9` asks for 65 MB
_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}


def open_raw(path: str) -> tuple[BinaryIO, str | None]:
    """The decompressed bytes of a file and its compression ("gzip", "bz2", "xz", "zstd"), told by its first bytes, not
    by its name.

    Raises OSError where it is no file any more: a pipe in its place would be waited for forever.
    """
    file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115 (the caller closes it; pathlib has no opener)
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError("it is no longer a file")
    start = file.peek(6)[:6]
    compression = next((name for magic, name in _MAGIC.items() if start.startswith(magic)), None)
    return (file, None) if compression is None else (_opened(file, compression), compression)


def _opened(file: BinaryIO, compression: str) -> BinaryIO:
    if compression == "gzip":
        unpacked = gzip.GzipFile(fileobj=file)
        unpacked.myfileobj = file  # type: ignore[assignment]  # it closes the file that it opened itself, and no other
        return io.BufferedReader(unpacked, CHUNK)
    if compression == "bz2":
        return io.BufferedReader(_Pieces(file, bz2.BZ2Decompressor), CHUNK)  # type: ignore[arg-type]
    if compression == "xz":
        return io.BufferedReader(_Pieces(file, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, MAX_XZ_MEMORY)), CHUNK)  # type: ignore[arg-type]
    return pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd")


class _Pieces(io.RawIOBase):
    """A readable file over a compressed one, of one or several streams, that closes it; `make` makes a decompressor."""

    def __init__(self, file: BinaryIO, make: Any) -> None:
        self._file, self._make, self._now = file, make, make()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        found = b""
        while not found:
            given = self._now.unused_data if self._now.eof else b""
            if self._now.eof or self._now.needs_input:
                given = given or self._file.read(CHUNK)
                if not given and self._now.eof:
                    return 0
                if not given:
                    raise EOFError("it ends too early")
            if self._now.eof:
                if not given.strip(b"\0"):  # what xz pads a stream with
                    return 0
                self._now = self._make()
            found = self._now.decompress(given, len(buffer))
        buffer[: len(found)] = found
        return len(found)

    def close(self) -> None:
        self._file.close()
        super().close()


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


@contextmanager
def sound(compression: str | None) -> Iterator[None]:
    """What a damaged compressed file raises, as a ReadError."""
    try:
        yield
    except (gzip.BadGzipFile, lzma.LZMAError, EOFError, zlib.error) as error:
        raise ReadError(f"damaged {compression or 'gzip'}: {error}") from error
    except OSError as error:
        if compression is None or error.errno is not None:
            raise
        raise ReadError(f"damaged {compression}: {error}") from error


def refuse_trap(inflated: int, size: int) -> None:
    """Raises ReadError where bytes on disk have become too many; sizes in bytes."""
    if inflated > max(MAX_INFLATED, MAX_RATIO * size):
        raise ReadError(f"unpacks to more than {MAX_RATIO} times its size: if it is a table, unpack it yourself")
