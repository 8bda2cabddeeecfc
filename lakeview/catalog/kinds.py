"""What a name says: which format a file has, whether it is hidden, what tables inside of a file are called."""

from __future__ import annotations

import os
import re
from pathlib import Path

from lakeview.catalog.model import Kind

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("csv", "tsv", "tab", "txt", "dat", "psv"), "text"),
    **dict.fromkeys(("jsonl", "ndjson", "json"), "json"),
    **dict.fromkeys(("parquet", "parq", "pq"), "parquet"),
    **dict.fromkeys(("feather", "arrow", "ipc"), "arrow"),
    "orc": "orc",
    **dict.fromkeys(("xlsx", "xlsm", "xlsb", "xls", "ods"), "sheet"),
    **dict.fromkeys(("duckdb", "ddb"), "duckdb"),
    "zip": "zip",
    **dict.fromkeys(("sqlite", "sqlite3", "db", "db3"), "sqlite"),
}
COMPRESSIONS = {"gz": "gzip", "bz2": "bz2", "xz": "xz", "zst": "zstd"}  # by the last extension of a name
# Hive and Spark escape what is neither letter nor digit in a key, so "<img src=x>" is a folder like any other.
KEY = re.compile(r"([\w.%-]+)=(.*)", re.DOTALL)


def is_compressed(path: str) -> bool:
    """Whether a name says that the file is compressed, in its last extension."""
    return Path(path).suffix.lower().removeprefix(".") in COMPRESSIONS


def extension(path: str) -> str:
    """The extension that tells a file's format, in lower case: "csv" for `x.CSV` and `x.csv.gz`."""
    parts = os.path.basename(path).lower().lstrip(".").split(".")  # noqa: PTH119 (of many files)
    if len(parts) > 2 and parts[-1] in COMPRESSIONS:
        parts.pop()
    return parts[-1] if len(parts) > 1 else ""


def kind_of(path: str) -> Kind | None:
    """What reads the file, told by its extension alone; None: nothing does."""
    return _KINDS.get(extension(path))


def inner_name(file: str, inner: str, of: int) -> str:
    """The name of a table in a file of several: "book.xlsx/Sheet1"; of one alone, the file's."""
    return file if of == 1 else f"{file}/{inner}"


def is_hidden(name: str) -> bool:
    """Hidden and marker files: `.x` and `_x`, but not the partition folder `_x=1`."""
    return name.startswith(".") or (name.startswith("_") and not KEY.fullmatch(name))
