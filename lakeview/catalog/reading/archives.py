"""The text and JSON files in a zip file, each a table. A member's name is a name, never a path: it is unpacked to a
temporary file of another name."""

from __future__ import annotations

import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lakeview.catalog.kinds import extension, is_hidden, kind_of
from lakeview.catalog.model import ReadError
from lakeview.catalog.naming import told
from lakeview.catalog.reading.compressed import CHUNK, refuse_trap

READ = ("text", "json")  # the kinds of members that are read; others are to be unpacked
_SHOWN = 5  # members that are told by name
MAX_MEMBERS = 1_000  # each is opened by itself, which reads the names of all


def members(path: str) -> tuple[list[str], str]:
    """The members that are tables, in order, and what is to be told of the others, "" for nothing. Raises ReadError."""
    found: list[str] = []
    others: dict[str, str] = {}
    with _opened(path) as packed:
        infos = [info for info in packed.infolist() if not info.is_dir()]
    if len(infos) > MAX_MEMBERS:
        raise ReadError(f"holds {len(infos):,} files, of which {MAX_MEMBERS:,} are read at most: unpack it")
    refuse_trap(sum(info.file_size for info in infos), Path(path).stat().st_size)
    for info in infos:
        name = info.filename
        if any(part == "__MACOSX" or is_hidden(part) for part in name.split("/") if part not in ("", ".", "..")):
            continue
        if why := _refused(info):
            others[name] = why
        elif name in found or name in others:
            others[name] = "is there twice"
        elif info.file_size:
            found.append(name)
    shown = [f"{told(name)} {why}" for name, why in list(others.items())[:_SHOWN]]
    more = [f"and {len(others) - _SHOWN:,} more"] if len(others) > _SHOWN else []
    return [name for name in found if name not in others], "; ".join([*shown, *more])


def _refused(info: zipfile.ZipInfo) -> str:
    """Why a member is not read, "" where it is."""
    if info.flag_bits & 0x1:
        return "is encrypted"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "is a link"
    parts = info.filename.split("/")
    if "\\" in info.filename or "\0" in info.filename or any(part in ("", ".", "..") for part in parts):
        return "has a path that leads elsewhere"
    if kind_of(info.filename) not in READ:
        return "is not text or JSON: unpack it"
    return ""


@contextmanager
def unpacked(path: str, member: str) -> Iterator[str]:
    """The path of a temporary file that holds a member. Raises ReadError where it is damaged or no such is read."""
    with _opened(path) as packed, tempfile.NamedTemporaryFile(suffix=f".{extension(member)}") as file:
        try:
            info = packed.getinfo(member)
            if why := _refused(info):
                raise ReadError(f"its member {told(member)} {why}")
            with packed.open(info) as raw:
                while chunk := raw.read(CHUNK):
                    file.write(chunk)
                    refuse_trap(file.tell(), info.compress_size)
        except (KeyError, EOFError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
            raise ReadError(f"damaged zip: {error}") from None
        file.flush()
        yield file.name


def _opened(path: str) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except (zipfile.BadZipFile, ValueError, NotImplementedError, UnicodeError) as error:
        raise ReadError(f"damaged zip: {error}") from None
    except OSError as error:
        raise ReadError(f"cannot be opened: {error.strerror or error}") from None
