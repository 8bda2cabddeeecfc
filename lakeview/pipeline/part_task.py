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
from lakeview.index import merging
from lakeview.pipeline import task, told
from lakeview.store import disk
from lakeview.store.profiles import Column, ColumnPart, merge_parts
from lakeview.store.segment_writer import SegmentWriter
from lakeview.values import Normalize

# A column of a part: where its profile lies, the row of a batch of a file, and how many tokens it has.
SPILLED = pa.schema(
    [
        *(told.RESULT.field(name) for name in told.HEAD),
        *(("file", pa.string()), ("batch", pa.int32()), ("row", pa.int32()), ("size", pa.int64())),
        ("error", pa.string()),
    ]
)
_AHEAD = 16
BUILT = pa.schema([("part", pa.int32()), ("folder", pa.string()), ("files", pa.string()), ("error", pa.string())])


def spill(
    folder: Path, parts: Sequence[tuple[int, Part]], normalize: Normalize, keep: int | None
) -> Iterator[pa.RecordBatch]:
    """Scan numbered parts of tables to an Arrow file in `folder`, many columns to a batch; yields what there is,
    without tokens, or what is wrong.

    Each attempt writes a file of its own, as Spark may run a task twice.
    """
    first = parts[0][0]
    try:
        _check_seen(folder)
    except StoreError as error:
        yield pa.RecordBatch.from_pylist([{"part": first, "error": str(error)}], schema=SPILLED)
        return
    path = folder / f"{first}-{uuid.uuid4().hex[:8]}.arrow"
    scans = task.scan_parts(parts, normalize, keep)
    try:
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, told.RESULT) as out:
            for i, rows in enumerate(told.batched(row for scan in scans for row in told.rows_of(scan))):
                batch = told.encoded(rows)
                out.write_batch(batch)
                n = len(rows)
                sizes = [0 if column is None else len(column.tokens) for _, column in rows]
                where = ([path.name] * n, [i] * n, range(n), sizes, [None] * n)
                arrays = [batch.column(name) for name in told.HEAD]
                arrays += map(pa.array, where, SPILLED.types[len(arrays) :])
                yield pa.RecordBatch.from_arrays(arrays, schema=SPILLED)
    except OSError as error:
        yield pa.RecordBatch.from_pylist([{"part": first, "error": _said(error, folder)}], schema=SPILLED)


def build(folder: Path, number: int, keep: int | None) -> Iterator[pa.RecordBatch]:
    """Make the segment that plan `number` in `folder` describes, beside `folder`; one column is held at a time, and the
    postings while they are inverted. Yields its folder and files, or what is wrong."""
    row: dict[str, Any] = {"part": number}
    try:
        _check_seen(folder)
        plan = json.loads((folder / plan_name(number)).read_text(encoding="utf-8"))
        writer = SegmentWriter(folder.parent / f"{uuid.uuid4().hex[:12]}.tmp")
        spilled = _Spilled(folder)
        for table in plan:
            columns = _columns(writer, spilled, table, keep)
            writer.add_table(table["name"], table["spec"], table["rows"], table["problems"], columns)
        row |= {"folder": str(writer.folder), "files": json.dumps(writer.finish())}
    except LakeviewError as error:
        row["error"] = str(error)
    except OSError as error:
        row["error"] = _said(error, folder)
    except ImportError as error:  # checksums are xxhash's
        row["error"] = f"the Spark worker on {socket.gethostname()} lacks the package {error.name}: install it there"
    yield pa.RecordBatch.from_pylist([row], schema=BUILT)


def _columns(writer: SegmentWriter, spilled: _Spilled, table: Any, keep: int | None) -> Iterator[Column]:
    """The columns of a table of a plan, one at a time, for `writer`."""
    for ordinal, pieces in table["columns"]:
        parts, merged = spilled.read(pieces), None
        if len(parts) > 1:
            slices = merging.merged([(part.tokens, part.counts) for part in parts])
            merged = writer.end_to_end(slices, sum(len(part.tokens) for part in parts), table["rows"])
        yield merge_parts(table["name"], ordinal, parts, table["rows"], keep, merged)


def plan_name(number: int) -> str:
    """The file that says what is in a segment: [{name, spec, rows, problems, columns: [[ordinal, [[file, batch,
    row]]]]}] as JSON."""
    return f"plan-{number}.json"


class _Spilled:
    """Profiles that were spilled to files in a folder. Some of the next are decoded with one that is asked for, as the
    columns of a small table follow each other."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[tuple[str, int, int], ColumnPart | None] = {}

    def read(self, pieces: Sequence[Sequence[Any]]) -> list[ColumnPart]:
        """A column's parts, each where (file, batch, row) says."""
        found = []
        for name, batch, row in pieces:
            if (name, batch, row) not in self._held:
                with pa.memory_map(str(self._folder / name)) as file:
                    wanted = pa.ipc.open_file(file).get_batch(batch).slice(row, _AHEAD if len(pieces) == 1 else 1)
                    rows = enumerate(told.decoded(wanted), row)
                    self._held = {(name, batch, at): column for at, (_, column) in rows}
            column = self._held[name, batch, row]
            assert column is not None  # a plan names columns
            found.append(column)
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
