"""The tables of a SQLite file. It is opened for reading alone, and nothing is ever written beside it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa

from lakeview.catalog.model import Problem, ReadError
from lakeview.catalog.naming import unique_names
from lakeview.catalog.reading.cells import BATCH_ROWS, string_batches

BESIDE = ("-wal", "-journal")  # ends of the names of files that a writer keeps beside its own
STEPS_A_BYTE = 10  # of SQLite's machine, to a byte of the file: a row takes three and one for each of its columns
FEWEST_STEPS = 10_000_000
_STEPS = 10_000
_MAGIC = b"SQLite format 3\0"
_TABLES = (  # virtual tables, which lie on no page, are code, too
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
    "ORDER BY name"
)


def names(path: str) -> list[str]:
    """The tables of the file, sorted; views are none. Raises ReadError where it is no sound SQLite file."""
    with closing(_opened(path)) as database:
        return [name for (name,) in _asked(database, _TABLES)]


def read_sqlite(
    path: str, table: str, report: Callable[[Problem], None], columns: Sequence[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """Batches of a table's columns as strings, in the order of its rows. Raises ReadError where it is damaged."""
    spoilt = [0]

    def text(content: bytes) -> str | None:
        try:
            return content.decode()
        except UnicodeDecodeError:
            spoilt[0] += 1
            return None

    with closing(_opened(path)) as database:
        database.text_factory = text
        cursor = _asked(database, f"SELECT * FROM {quoted(table)}")
        called = unique_names([column[0] if isinstance(column[0], str) else "" for column in cursor.description])
        yield from string_batches(called, _rows(cursor), columns)
    if count := spoilt[0]:
        report(Problem("", "binary values", f"{count:,} texts are not valid UTF-8: nothing joins by them", count))
    if is_busy(path):
        report(Problem("", "being written", "another program has it open: index again when that is done"))


def _rows(cursor: sqlite3.Cursor) -> Iterator[tuple]:
    try:
        while rows := cursor.fetchmany(BATCH_ROWS):
            yield from rows
    except sqlite3.Error as error:
        raise ReadError(f"damaged SQLite file: {error}") from None


def _asked(database: sqlite3.Connection, statement: str) -> sqlite3.Cursor:
    try:
        return database.execute(statement)
    except sqlite3.Error as error:
        raise ReadError(f"damaged SQLite file: {error}") from None


def _opened(path: str) -> sqlite3.Connection:
    try:
        with Path(path).open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise ReadError("is not a SQLite file")
    except OSError as error:
        raise ReadError(f"cannot be opened: {error.strerror or error}") from None
    try:  # where nobody writes, no lock is asked for
        database = sqlite3.connect(f"file:{quote(path)}?mode=ro{'' if is_busy(path) else '&immutable=1'}", uri=True)
        return _bounded(database, Path(path).stat().st_size)
    except (sqlite3.Error, OSError) as error:
        raise ReadError(f"cannot be opened: {error}") from None


def _bounded(database: sqlite3.Connection, size: int) -> sqlite3.Connection:
    """The database, whose schema is code by a stranger: no value is larger, and no reading longer, than its bytes need.

    A table may have columns that expressions make, and what calls itself one may be a view without end."""
    database.execute("PRAGMA trusted_schema=OFF")
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(1 << 20, 2 * size))  # bytes
    left = iter(range((FEWEST_STEPS + STEPS_A_BYTE * size) // _STEPS))
    database.set_progress_handler(lambda: next(left, None) is None, _STEPS)
    return database


def is_busy(path: str) -> bool:
    """Whether what a writer has not yet put in its place lies in files beside it."""
    return any(Path(path + end).exists() and Path(path + end).stat().st_size for end in BESIDE)


def quoted(name: str) -> str:
    """A name in SQL."""
    return '"' + name.replace('"', '""') + '"'
