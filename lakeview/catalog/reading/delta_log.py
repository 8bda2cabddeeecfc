"""Delta Lake tables, by their log: by deltalake, which `lakeview[delta]` installs.

The log says which files are the table; these are read as any Parquet file is. Of rows that are deleted without the file
being written anew (deletion vectors) and of columns that are named otherwise in the files (column mapping) the library
tells; a table with features beyond these is refused.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa

from lakeview import values
from lakeview.catalog.model import Part, Problem, ReadError
from lakeview.catalog.reading.live_files import Live, file_below, in_its_words
from lakeview.catalog.reading.parquet_reader import read_parquet
from lakeview.catalog.table_logs import delta_entry

_KNOWN = {
    "deletionVectors",
    "columnMapping",
    "timestampNtz",
    "v2Checkpoint",
    "vacuumProtocolCheck",
    "inCommitTimestamp",
}


def live(folder: Path) -> tuple[str, list[Live]]:
    """The newest entry of the log, as a path from the folder, and the files that count now. Raises ReadError."""
    with in_its_words("a Delta"):
        table = _opened(folder)
        if beyond := sorted(set(table.protocol().reader_features or ()) - _KNOWN):
            raise ReadError(f"is a Delta table with {', '.join(beyond)}, which lakeview does not read: save it anew")
        mapped = bool(_mapping(table))
        kept = _kept(table)
        actions = pa.table(table.get_add_actions(flatten=True)).combine_chunks()
        keys = table.metadata().partition_columns
        texts = {key: values.text(_column(actions, f"partition.{key}")).to_pylist() for key in keys}
        found = []
        for number, place in enumerate(actions["path"].to_pylist()):
            path = file_below(folder, unquote(place))
            real = os.path.realpath(path)
            said = [*(["mapped"] if mapped else []), *([_said(kept[real])] if real in kept else [])]
            found.append(Live(path, tuple((key, texts[key][number]) for key in keys), " ".join(said)))
        return delta_entry(table.version()), found


def read_delta(
    part: Part, report: Callable[[Problem], None], columns: Sequence[str] | None = None, most: int | None = None
) -> Iterator[pa.RecordBatch]:
    """Batches of one file of a table, without the rows that its log says are deleted. Raises ReadError."""
    path, groups = part.file.path, list(part.row_groups) if part.row_groups else None
    if not part.file.inner:
        yield from read_parquet(path, groups, report, columns, most)
        return
    log = Path(part.log)
    with in_its_words("a Delta"):
        table = _opened(log.parent.parent, int(log.stem))
        names = _mapping(table)
        keep = _kept(table).get(os.path.realpath(path))
    if (_said(keep) if keep is not None else "") != part.file.inner.removeprefix("mapped").strip():
        raise ReadError("changed while it was read: index again")
    physical = {logical: name for name, logical in names.items()}
    wanted = None if columns is None else [physical.get(column, column) for column in columns]
    at = 0
    for batch in read_parquet(path, None, report, wanted, most):
        rows = batch.num_rows
        if names:
            batch = batch.rename_columns([names.get(name, name) for name in batch.schema.names])
        if keep is not None:
            batch = batch.filter(pa.array(keep[at : at + rows]))
        at += rows
        yield batch


def _opened(folder: Path, version: int | None = None) -> Any:
    try:
        from deltalake import DeltaTable
    except ImportError:
        raise ReadError("is a Delta table: pip install lakeview[delta] reads it") from None
    return DeltaTable(str(folder), version=version)


def _column(actions: pa.Table, name: str) -> pa.ChunkedArray:
    return (
        actions[name] if name in actions.schema.names else pa.chunked_array([pa.nulls(actions.num_rows, pa.string())])
    )


def _kept(table: Any) -> dict[str, np.ndarray]:
    """Which rows of a file stay (bool, one a row), by its real path; of the files of which some do not."""
    if "deletionVectors" not in (table.protocol().reader_features or ()):
        return {}
    found = pa.table(table.deletion_vectors())
    paths = [os.path.realpath(unquote(path.removeprefix("file://"))) for path in found["filepath"].to_pylist()]
    return {path: np.array(rows, bool) for path, rows in zip(paths, found["selection_vector"].to_pylist(), strict=True)}


def _said(keep: np.ndarray) -> str:
    digest = hashlib.blake2b(np.packbits(keep).tobytes(), digest_size=8).hexdigest()
    return f"{len(keep) - int(keep.sum())} of {len(keep)} deleted {digest}"


def _mapping(table: Any) -> dict[str, str]:
    """What the columns of the files (flat, "a.b") are called in the table, where it maps names; else nothing."""
    mode = table.metadata().configuration.get("delta.columnMapping.mode", "none")
    if mode == "none":
        return {}
    if mode != "name":
        raise ReadError(
            f"is a Delta table whose columns are mapped by {mode}, which lakeview does not read: save it anew"
        )
    return dict(_mapped(table.schema().fields, "", ""))


def _mapped(fields: Sequence[Any], physical: str, logical: str) -> Iterator[tuple[str, str]]:
    for field in fields:
        below = getattr(field.type, "fields", None)
        own = physical + field.metadata.get("delta.columnMapping.physicalName", field.name), logical + field.name
        if below is not None:
            yield from _mapped(below, f"{own[0]}.", f"{own[1]}.")
        elif _holds_struct(field.type):
            raise ReadError("is a Delta table that maps the names of structs in lists, which lakeview does not read")
        else:
            yield own


def _holds_struct(kind: Any) -> bool:
    inner = [getattr(kind, name, None) for name in ("element_type", "key_type", "value_type")]
    return any(each is not None and (hasattr(each, "fields") or _holds_struct(each)) for each in inner)
