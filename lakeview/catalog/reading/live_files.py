"""The files that count in a table with a log: where they lie, and never anywhere but below the table's folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lakeview.catalog.model import ReadError
from lakeview.catalog.naming import told
from lakeview.catalog.reading.flat_columns import first_line


@dataclass(frozen=True)
class Live:
    """path: of a data file. keys: its partition values, as text. inner: as `File.inner`."""

    path: Path
    keys: tuple[tuple[str, str | None], ...] = ()
    inner: str = ""


def file_below(folder: Path, place: str) -> Path:
    """The file at a place that a log names. Raises ReadError where that is none, or leads out of the folder: a log may
    come from a stranger."""
    path = folder / place
    try:
        real = os.path.realpath(path, strict=True)
        is_file = stat.S_ISREG(os.stat(real).st_mode)  # noqa: PTH116
    except (OSError, ValueError):
        raise ReadError(f"its log names a file that is not there: {told(place)}") from None
    parts = place.replace(os.sep, "/").split("/")
    below = os.path.commonpath([real, root := os.path.realpath(folder)]) == root
    if not is_file or not below or any(part in ("", ".", "..") for part in parts):
        raise ReadError(f"its log names {told(place)}, which is not a file in its folder")
    return path


@contextmanager
def in_its_words(format_: str) -> Iterator[None]:
    """What a library says of a log that it cannot read, as a ReadError; deltalake's Rust may panic, too."""
    try:
        yield
    except (ReadError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        raise ReadError(f"is {format_} table that cannot be read: {first_line(Exception(*error.args))}") from None
