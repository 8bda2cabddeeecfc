"""Delta and Iceberg tables as their writers make them, and the parts of a log that no writer at hand makes."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest


def delta(folder: Path, rows: dict[str, list], **options: Any) -> None:
    """Write rows to a Delta table."""
    pytest.importorskip("deltalake").write_deltalake(str(folder), pa.table(rows), **options)


def actions(folder: Path) -> list[dict]:
    """The actions of a Delta table's newest commit."""
    newest = max((folder / "_delta_log").glob("*.json"))
    return [json.loads(line) for line in newest.read_text().splitlines()]


def commit(folder: Path, *made: dict) -> None:
    """Add a commit to a Delta table's log."""
    number = len(list((folder / "_delta_log").glob("*.json")))
    text = "\n".join(map(json.dumps, made))
    (folder / "_delta_log" / f"{number:020}.json").write_text(text)


def protocol(*features: str) -> dict:
    return {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7,
                         "readerFeatures": features, "writerFeatures": features}}  # fmt: skip


def delete_rows(folder: Path, add: dict, rows: list[int]) -> None:
    """Delete rows of a file of a Delta table by a deletion vector in the log."""
    removed = {"path": add["path"], "dataChange": True, "deletionTimestamp": 1,
               "partitionValues": add["partitionValues"], "size": add["size"]}  # fmt: skip
    commit(folder, protocol("deletionVectors"), {"remove": removed}, {"add": {**add, "deletionVector": _vector(rows)}})


def _vector(rows: list[int]) -> dict:
    bitmaps = pytest.importorskip("pyroaring")
    raw = struct.pack("<iqi", 1681511377, 1, 0) + bitmaps.BitMap(rows).serialize()
    padded = raw + b"\0" * (-len(raw) % 4)
    text = "".join(_z85(int.from_bytes(padded[at : at + 4], "big")) for at in range(0, len(padded), 4))
    return {"storageType": "i", "pathOrInlineDv": text, "sizeInBytes": len(raw), "cardinality": len(rows)}


def _z85(number: int) -> str:
    letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
    return "".join(letters[number // 85**place % 85] for place in range(4, -1, -1))


def iceberg(folder: Path, rows: dict[str, list], **options: Any) -> Any:
    """A new Iceberg table `n.t` of a catalog whose warehouse is the folder (so it lies in n/t), with rows in it."""
    pytest.importorskip("sqlalchemy")
    memory = pytest.importorskip("pyiceberg.catalog.memory")
    catalog = memory.InMemoryCatalog("test", warehouse=f"file://{folder}")
    catalog.create_namespace("n")
    table = catalog.create_table("n.t", schema=pa.table(rows).schema, **options)
    table.append(pa.table(rows))
    return table
