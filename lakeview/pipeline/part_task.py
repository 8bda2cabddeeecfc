"""What Spark tasks do where a lake outgrows memory: some scan parts of tables to files, others make segments of these.

The files lie in the store's folder, which all workers see. Runs in Spark's Python workers and, for the local path, in
this process; imports numpy and pyarrow alone.
"""

from __future__ import annotations

import json
import socket
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from lakeview.catalog.model import Part
from lakeview.errors import LakeviewError, StoreError
from lakeview.pipeline import task
from lakeview.store import disk
from lakeview.store.profiles import ColumnPart, merge_parts
from lakeview.store.segment_writer import SegmentWriter
from lakeview.values import Normalize

# A column of a part: where its profile lies, the batch of a file, and how many tokens it has.
SPILLED = pa.schema(
    [*list(task.RESULT)[:7], ("file", pa.string()), ("batch", pa.int32()), ("size", pa.int64()), ("error", pa.string())]
)
BUILT = pa.schema([("part", pa.int32()), ("folder", pa.string()), ("files", pa.string()), ("error", pa.string())])


def spill(folder: Path, number: int, part: Part, normalize: Normalize, keep: int | None) -> Iterator[pa.RecordBatch]:
    """Scan a part of a table to an Arrow file in `folder`, a batch a column; yields what there is, without tokens, or
    what is wrong.

    Each attempt writes a file of its own, as Spark may run a task twice.
    """
    try:
        _check_seen(folder)
    except StoreError as error:
        yield pa.RecordBatch.from_pylist([{"part": number, "error": str(error)}], schema=SPILLED)
        return
    path = folder / f"{number}-{uuid.uuid4().hex[:8]}.arrow"
    rows: list[dict[str, Any]] = []
    try:
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, task.RESULT) as out:
            for i, batch in enumerate(task.scan_parts([(number, part)], normalize, keep)):
                out.write_batch(batch)
                row = {name: batch.column(name)[0].as_py() for name in SPILLED.names if name in task.RESULT.names}
                size = len(batch.column("tokens")[0].as_buffer() or b"") // 8 if i else 0
                rows.append({**row, "file": path.name, "batch": i, "size": size})
    except OSError as error:
        rows = [{"part": number, "error": _said(error, folder)}]
    yield pa.RecordBatch.from_pylist(rows, schema=SPILLED)


def build(folder: Path, number: int, keep: int | None) -> Iterator[pa.RecordBatch]:
    """Make the segment that plan `number` in `folder` describes, beside `folder`; one column is held at a time, and the
    postings while they are inverted. Yields its folder and files, or what is wrong."""
    row: dict[str, Any] = {"part": number}
    try:
        _check_seen(folder)
        plan = json.loads((folder / plan_name(number)).read_text(encoding="utf-8"))
        writer = SegmentWriter(folder.parent / f"{uuid.uuid4().hex[:12]}.tmp")
        for table in plan:
            columns = (
                merge_parts(table["name"], ordinal, _read(folder, pieces), table["rows"], keep)
                for ordinal, pieces in table["columns"]
            )
            writer.add_table(table["name"], table["spec"], table["rows"], table["problems"], columns)
        row |= {"folder": str(writer.folder), "files": json.dumps(writer.finish())}
    except LakeviewError as error:
        row["error"] = str(error)
    except OSError as error:
        row["error"] = _said(error, folder)
    except ImportError as error:  # checksums are xxhash's
        row["error"] = f"the Spark worker on {socket.gethostname()} lacks the package {error.name}: install it there"
    yield pa.RecordBatch.from_pylist([row], schema=BUILT)


def plan_name(number: int) -> str:
    """The file that says what is in a segment: [{name, spec, rows, problems, columns: [[ordinal, [[file, batch]]]]}]
    as JSON."""
    return f"plan-{number}.json"


def _read(folder: Path, pieces: Sequence[tuple[str, int]]) -> list[ColumnPart]:
    found = []
    for name, batch in pieces:
        with pa.memory_map(str(folder / name)) as file:
            found.append(task.decode_column(pa.ipc.open_file(file).get_batch(batch).to_pylist()[0]))
    return found


def _said(error: OSError, folder: Path) -> str:
    """What the disk says, for the store whose segment `folder` lies in. Raises the error where it is of something
    else."""
    store = folder.parent.parent
    if not disk.is_about(error, store):
        raise error
    return str(disk.cannot_write(store, error))


def _check_seen(folder: Path) -> None:
    if not folder.is_dir():
        raise StoreError(
            f"the Spark worker on {socket.gethostname()} does not see {folder.parent}; open the lake with store= a "
            "folder that all workers share, as they share the lake's"
        )
