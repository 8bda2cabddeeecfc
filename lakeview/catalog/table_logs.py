"""Folders whose files are a table only by its log: Delta Lake, Iceberg, Hudi, Paimon.

The log says which files count and which of their rows were deleted. Read as plain Parquet, such a folder gives rows
that the table no longer has. Delta and Iceberg are read by their logs (`delta_log`, `iceberg_log`), the others refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

ADVICE = (
    "a log says which of its files and rows count, and lakeview does not read that: save it as plain Parquet, "
    'or open it through Spark\'s catalog, lv.open("catalog:database")'
)
PIECE = "a log says which of its files and rows count: open the folder of the whole table"

# "v3.metadata.json", "00003-<uuid>.metadata.json"; a "sales.metadata.json" describes some other thing.
_ICEBERG = re.compile(r"v?(\d+).*?(\.gz)?\.metadata\.json(\.gz)?")
_DELTA = re.compile(r"(\d{20})\.(json|checkpoint\..*parquet)")


def log_format(folder: Path, holds: Callable[[str], bool] | None = None) -> str | None:
    """The format whose log lies in a folder, as its users call it; None: there is none.

    holds: whether the folder has an entry of a name, where that is known already.
    """
    holds = holds or (lambda name: os.path.lexists(folder / name))
    if holds("_delta_log"):
        return "Delta"
    if holds(".hoodie"):
        return "Hudi"
    if holds("metadata"):
        names = _names(folder / "metadata")
        proof = holds("data") or any(name.endswith(".avro") or name == "version-hint.text" for name in names)
        if proof and any(map(_ICEBERG.fullmatch, names)):
            return "Iceberg"
    if holds("snapshot") and holds("schema") and "schema-0" in _names(folder / "schema"):
        return "Paimon"
    return None


def format_above(path: Path) -> str | None:
    """The format of the nearest table that a file or folder is a piece of, by the folders above where it really is."""
    real = Path(os.path.realpath(path))
    return next((found for folder in real.parents if (found := log_format(folder))), None)


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 (names, not paths)
    except OSError:
        return []


def newest(folder: Path, kind: str) -> str:
    """The path from the folder, with "/", of the newest entry of its log; "" where that is not to be told: no entry, or
    two metadata files of Iceberg that both claim to be the newest, of which only a catalog knows the one."""
    if kind == "delta":
        versions = [int(found[1]) for name in _names(folder / "_delta_log") if (found := _DELTA.fullmatch(name))]
        return delta_entry(max(versions)) if versions else ""
    numbered = [(int(found[1]), name) for name in _names(folder / "metadata") if (found := _ICEBERG.fullmatch(name))]
    last = max((number for number, _ in numbered), default=-1)
    names = [name for number, name in numbered if number == last]
    return f"metadata/{names[0]}" if len(names) == 1 else ""


def delta_entry(version: int) -> str:
    """The path of a version's commit from a Delta table's folder."""
    return f"_delta_log/{version:020}.json"
