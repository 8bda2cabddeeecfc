"""What the catalog speaks of: files, tables, parts of tables, and problems: picklable, text and numbers only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from lakeview.errors import LakeviewError

Kind = Literal["text", "json", "parquet", "arrow", "orc", "sheet", "sqlite", "duckdb", "zip", "delta", "iceberg"]
KINDS: tuple[Kind, ...] = get_args(Kind)
LOGGED = frozenset({"delta", "iceberg"})  # folders whose log says which files and rows count
TYPED = LOGGED | {
    "parquet",
    "arrow",
    "orc",
    "duckdb",
}  # whose columns have types of their own; the others' cells are text
SEVERAL = frozenset({"sheet", "sqlite", "duckdb", "zip"})  # whose files hold tables by names of their own


class ReadError(LakeviewError):
    """A file that cannot be read at all. The message says why, without naming the file."""


@dataclass(frozen=True)
class File:
    """One file on disk.

    path: where it is read here. keys: the Hive partition values of its path, as text (None: the default partition).
    root, place: the name of the lake's root that it was found under, and its path from there, with "/" (`places`).
    content: a hash of its bytes (`contents`), "" where none was made.
    inner: the sheet, table or member of a file that may hold several; in a table with a log, what that says of the
    file's rows and columns (another text where it says something else); "" of all others.
    """

    path: str
    size: int
    mtime_ns: int
    keys: tuple[tuple[str, str | None], ...] = ()
    root: str = ""
    place: str = ""
    content: str = ""
    inner: str = ""


@dataclass(frozen=True)
class Table:
    """A table of the lake: one file, or the files of one partitioned folder, in order of their paths.

    folder: the place of that folder, "" for the root itself; None: the table is a file, or several that are joined as
    one (`join.as_one`).
    log: the place of the newest entry of the folder's log (`LOGGED`), "" where it has none.
    """

    name: str
    kind: Kind
    files: tuple[File, ...]
    folder: str | None = None
    log: str = ""

    @property
    def log_path(self) -> str:
        """Where the log's newest entry lies here, "" where there is no log."""
        first = self.files[0]
        return first.path[: len(first.path) - len(first.place)] + self.log if self.log else ""


@dataclass(frozen=True)
class Problem:
    """Something that was read past, left out or changed: `count` says how many rows, bytes or files it concerns."""

    table: str
    problem: str
    detail: str
    count: int = 1


@dataclass
class Listing:
    """The tables of a lake, sorted by name, and what was found beside them."""

    tables: list[Table] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True)
class Part:
    """One task's share of a table: a file, some row groups of a Parquet file, or some rows of a text file.

    `span`: where the rows of a text file begin and end that is read in several parts, in bytes. `first` is the path of
    the table's first file: parts of one table agree on its header, so a part looks there. `keys` names all partition
    keys of the table, in order. `share` is its number among so many parts of the file. `log` is the path of the newest
    entry of the table's log.
    """

    table: str
    kind: Kind
    file: File
    row_groups: tuple[int, ...] | None = None
    span: tuple[int, int] | None = None
    first: str | None = None
    keys: tuple[str, ...] = ()
    share: tuple[int, int] = (0, 1)
    log: str = ""
