"""Iceberg tables, by their newest metadata: by pyiceberg, which `lakeview[iceberg]` installs.

Each data file is read by the library, which knows the deleted rows, the renamed columns and the values that the log has
for all of a file. It sees nothing but local files below the table's folder: a table that was copied with its log is
read where it lies now, and what a stranger's log names elsewhere, or asks to be loaded as code, is refused.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa

from lakeview.catalog.model import Part, Problem, ReadError
from lakeview.catalog.naming import told
from lakeview.catalog.reading.flat_columns import Leaves
from lakeview.catalog.reading.live_files import Live, file_below, in_its_words
from lakeview.catalog.table_logs import newest

MAX_METADATA = 256 << 20  # bytes
_CODE = "py-io-impl"  # a property of tables that names a class for pyiceberg to import


def live(folder: Path) -> tuple[str, list[Live]]:
    """The newest metadata, as a path from the folder, and the files that count now. Raises ReadError."""
    log = newest(folder, "iceberg")
    if not log:
        raise ReadError(
            "is an Iceberg table with several metadata files that may be its newest; open it through Spark's "
            'catalog, lv.open("catalog:database")'
        )
    with in_its_words("an Iceberg"):
        table, tasks = _planned(folder, log)
        said = table.schema().model_dump_json()
        found = []
        for path, task in tasks.items():
            deleted = sorted(file.file_path for file in task.delete_files)
            inner = hashlib.blake2b("\0".join([said, *deleted]).encode(), digest_size=8).hexdigest()
            found.append(Live(Path(path), (), inner))
        return log, found


def read_iceberg(
    part: Part, report: Callable[[Problem], None], columns: Sequence[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """Batches of one data file of a table, as its schema is now. Raises ReadError."""
    folder = Path(part.log).parent.parent
    with in_its_words("an Iceberg"):
        table, tasks = _planned_once(folder, f"metadata/{Path(part.log).name}")
        task = tasks.get(part.file.path)
        if task is None:
            raise ReadError("changed while it was read: index again")
        yield from _read(table, task, report, columns)


def _read(
    table: Any, task: Any, report: Callable[[Problem], None], columns: Sequence[str] | None
) -> Iterator[pa.RecordBatch]:
    from pyiceberg.expressions import AlwaysTrue
    from pyiceberg.io.pyarrow import ArrowScan, schema_to_pyarrow

    schema = table.schema()
    names = [field.name for field in schema.fields]
    if columns is not None and not any("." in name for name in names):
        wanted = {column.split(".")[0] for column in columns}
        schema = schema.select(*([name for name in names if name in wanted] or names[:1]))
    batches = ArrowScan(table.metadata, table.io, schema, AlwaysTrue()).to_record_batches([task])
    leaves = Leaves.of(schema_to_pyarrow(schema, include_field_ids=False), report, columns, None)
    yield from leaves.batches(batches, report)


def _planned(folder: Path, log: str) -> tuple[Any, dict[str, Any]]:
    """The table as a metadata file has it, and the task that reads each of its data files, by path."""
    try:
        from pyiceberg.catalog.noop import NoopCatalog
        from pyiceberg.table import StaticTable
        from pyiceberg.table.metadata import TableMetadataUtil
    except ImportError:
        raise ReadError("is an Iceberg table: pip install lakeview[iceberg] reads it") from None
    metadata = TableMetadataUtil.parse_raw(_text(file_below(folder, log)))
    if _CODE in metadata.properties:
        raise ReadError(f"is an Iceberg table whose log names code to run ({_CODE}), which lakeview refuses")
    io = _local(folder, metadata.location)
    table = StaticTable(("lake", "table"), metadata, str(folder / log), io, NoopCatalog("lake"))
    tasks = {str(io.below(task.file.file_path)): task for task in table.scan().plan_files()}
    return table, tasks


_planned_once = lru_cache(maxsize=4)(_planned)  # a part of each file asks; a metadata file never changes


def _text(path: Path) -> str:
    with gzip.open(path) if ".gz" in path.name else path.open("rb") as file:
        held = file.read(MAX_METADATA + 1)
    if len(held) > MAX_METADATA:
        raise ReadError(f"is an Iceberg table with more than {MAX_METADATA >> 20} MB of metadata")
    return held.decode()


def _local(folder: Path, location: str) -> Any:
    """pyiceberg's door to files: to those below `folder`, which the metadata calls `location`, and to no others."""
    from pyarrow.fs import LocalFileSystem
    from pyiceberg.io.pyarrow import PyArrowFile, PyArrowFileIO

    class Local(PyArrowFileIO):
        def below(self, uri: str) -> Path:
            for named, root in ((uri, location), (_path(uri), _path(location)), (_path(uri), str(folder))):
                if named.startswith(above := f"{root.rstrip('/')}/"):
                    return file_below(folder, named.removeprefix(above))
            raise ReadError(f"is an Iceberg table whose log names a file outside of its folder: {told(uri)}")

        def new_input(self, location: str) -> Any:
            return PyArrowFile(location, str(self.below(location)), LocalFileSystem())

        def new_output(self, location: str) -> Any:
            raise ReadError("is only read")

        delete = new_output

    return Local()


def _path(uri: str) -> str:
    """The path in a uri of any scheme, or the path that it is."""
    parts = urlsplit(uri)
    return unquote(parts.path) if parts.scheme else uri
