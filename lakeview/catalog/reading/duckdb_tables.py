"""The tables of a DuckDB file: by duckdb, which `lakeview[duckdb]` installs. It is opened for reading alone, and may
reach nothing else: no other file, no extension."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from lakeview.catalog.model import Problem, ReadError
from lakeview.catalog.naming import told
from lakeview.catalog.reading.cells import BATCH_ROWS
from lakeview.catalog.reading.flat_columns import Leaves, first_line
from lakeview.catalog.reading.sqlite_tables import quoted

BESIDE = ".wal"  # the end of the name of what a writer keeps beside its file
_CLOSED = {
    "enable_external_access": "false", "autoinstall_known_extensions": "false", "autoload_known_extensions": "false",
    "allow_community_extensions": "false", "lock_configuration": "true", "memory_limit": "1GB", "threads": "1",
}  # fmt: skip
_MAGIC = b"DUCK"  # behind a checksum of eight bytes
_TABLES = (
    "SELECT schema_name, table_name FROM duckdb_tables() "
    "WHERE NOT internal AND NOT temporary AND database_name = current_database() ORDER BY ALL"
)


def names(path: str) -> list[str]:
    """The tables of the file, sorted; views are none. Those of other schemas than "main" are called "schema.table".

    Raises ReadError where it is no sound DuckDB file, or duckdb is missing.
    """
    with _opened(path) as database:
        return list(_tables(database))


def read_duckdb(
    path: str, table: str, report: Callable[[Problem], None], columns: Sequence[str] | None = None,
    most: int | None = None,
) -> Iterator[pa.RecordBatch]:  # fmt: skip
    """Batches of a table, in the order of its rows. Raises ReadError where it is damaged."""
    with _opened(path) as database:
        statement = _tables(database).get(table)
        if statement is None:
            raise ReadError(f"has no table {told(table)}")
        rows = database.sql(statement)
        name = "to_arrow_reader" if hasattr(rows, "to_arrow_reader") else "fetch_arrow_reader"  # before 2.0
        batches = getattr(rows, name)(BATCH_ROWS)
        yield from Leaves.of(batches.schema, report, columns, most).batches(batches, report)


def statement(path: str, table: str) -> str:
    """The SQL that selects a table of the file, by its name here."""
    with _opened(path) as database:
        return _tables(database)[table]


def is_busy(path: str) -> bool:
    """Whether what a writer has not yet put in its place lies in a file beside it."""
    beside = Path(path + BESIDE)
    return beside.exists() and beside.stat().st_size > 0


def _tables(database: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    for schema, table in database.execute(_TABLES).fetchall():
        name = table if schema == "main" else f"{schema}.{table}"
        found.setdefault(name, f"SELECT * FROM {quoted(schema)}.{quoted(table)}")
    return found


@contextmanager
def _opened(path: str) -> Iterator[Any]:
    try:
        import duckdb
    except ImportError:
        raise ReadError("is a DuckDB file: pip install lakeview[duckdb] reads it") from None
    try:
        with Path(path).open("rb") as file:
            if file.read(12)[8:] != _MAGIC:
                raise ReadError("is not a DuckDB file")
    except OSError as error:
        raise ReadError(f"cannot be opened: {error.strerror or error}") from None
    try:
        with closing(duckdb.connect(path, read_only=True, config=_CLOSED)) as database:
            yield database
    except duckdb.Error as error:
        raise ReadError(f"cannot be read as a DuckDB file: {first_line(error)}") from None
