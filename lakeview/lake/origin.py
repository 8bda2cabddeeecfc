"""What a lake was opened on: folders and files, DataFrames, a database of a Spark session, or one behind a url."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import weakref
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lakeview.catalog.databases import DRIVERS, Database, DeclaredKey
from lakeview.catalog.naming import told
from lakeview.errors import InputError, LakeChanged, NotFound, StoreError, is_url
from lakeview.guards import checks
from lakeview.join.export.spark_read import quoted
from lakeview.join.side import Side
from lakeview.pipeline import java

_FILE = re.compile(r"(?:sqlite|duckdb):///(?=.)", re.IGNORECASE)  # as SQLAlchemy has it; an absolute path has one more


class Origin:
    """The source of a lake: one of `roots` (absolute paths), `frames` (name → DataFrame), `database` (of Spark) or
    `remote` (behind a url)."""

    def __init__(self, source: Any, spark: Any = None) -> None:
        """Raises InputError on what is no lake, NotFound where a folder or file is not there."""
        self.roots: list[str] = []
        self.database: str | None = None
        self.remote: Database | None = None
        self._frames: Mapping[str, Any] | None = None
        self._spark = spark
        if isinstance(source, Mapping):
            self._frames = {checks.text("the name of a table", name): frame for name, frame in source.items()}
            for name, frame in self._frames.items():
                Side.frame(frame, name)  # says what is wrong with it
        elif isinstance(source, str) and source.startswith("catalog:"):
            self.database = source.removeprefix("catalog:") or "default"
        elif isinstance(source, str) and (file := _FILE.match(source)):
            self.roots = _roots(unquote(source[file.end() :]))
        elif isinstance(source, str) and source.partition(":")[0].lower() in DRIVERS and is_url(source):
            self.remote = Database(source)
        else:
            self.roots = _roots(source)

    def __str__(self) -> str:
        return ", ".join(self.roots) or str(
            self.remote or (f"catalog:{self.database}" if self.database else "DataFrames")
        )

    def frames(self) -> Mapping[str, Any]:
        """The DataFrames of a lake that is not made of files; those of a database under "database.table"."""
        if self._frames is not None:
            return self._frames
        if self.remote is not None:
            return _Fetched(self.remote)
        from lakeview.pipeline import session

        spark = session.get(self._spark)
        with session.in_one_line(spark):
            names = [table.name for table in spark.catalog.listTables(self.database) if not table.isTemporary]
            return {f"{self.database}.{name}": spark.table(f"{quoted(self.database)}.{quoted(name)}") for name in names}

    def declared_keys(self, tables: Container[str]) -> list[DeclaredKey]:
        """The foreign keys that a database behind a url declares among some of its tables."""
        keys = self.remote.declared_keys if self.remote is not None else []
        return [key for key in keys if key.table in tables and key.references_table in tables]

    def side(self, table: str, rows: int, columns: Sequence[str]) -> Side:
        """A frame as one side of a join, with the rows and columns that the index knows of.

        Raises LakeChanged where it is gone, or for a pandas frame that has others now.
        """
        frame = self.frames().get(table)
        if frame is None:
            raise LakeChanged(f"{told(table)} is gone since it was indexed: lake.index()")
        side = Side.catalog(frame, table) if self.database else Side.frame(frame, table)
        if side.kind == "pandas" and (side.rows != rows or list(map(str, side.columns)) != list(columns)):
            raise LakeChanged(f"{told(table)} changed since it was indexed: lake.index()")
        return side

    def store_folder(self) -> Path:
        """Where the index goes unless told otherwise: `.lakeview` in the lake's one folder, else the user's cache."""
        if self._frames is not None:
            try:
                folder = tempfile.TemporaryDirectory(prefix="lakeview-")
            except OSError as error:
                raise StoreError(f"cannot create a folder for the index ({error}); open the lake with store=") from None
            weakref.finalize(self, folder.cleanup)
            return Path(folder.name)
        if len(self.roots) == 1 and Path(self.roots[0]).is_dir():
            inside = Path(self.roots[0]) / ".lakeview"
            if inside.is_dir() or os.access(self.roots[0], os.W_OK):
                return inside
        key = "\0".join(self.roots or [str(self)]).encode(errors="surrogateescape")
        return java.cache_folder() / "stores" / hashlib.sha256(key).hexdigest()[:16]


class _Fetched(Mapping[str, Any]):
    """The tables of a database as pandas frames, each fetched when it is asked for, in the database's own types."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def __iter__(self) -> Iterator[str]:
        return iter(self._database)

    def __len__(self) -> int:
        return len(self._database)

    def __getitem__(self, name: str) -> Any:
        import pandas as pd

        return self._database[name].to_pandas(types_mapper=pd.ArrowDtype)


def _roots(source: Any) -> list[str]:
    single = isinstance(source, str | os.PathLike)
    if not single and (not isinstance(source, Iterable) or isinstance(source, bytes) or hasattr(source, "columns")):
        raise InputError(
            f'a lake is a folder, a list of them, a dict of DataFrames or "catalog:database", not {checks.said(source)}'
        )
    folders = [source] if single else checks.several("a lake of several folders", source)
    roots = [str(checks.folder("a lake", root)) for root in folders]
    if not roots:
        raise InputError("no folder was given to open")
    for root in roots:
        if not os.path.exists(root):  # noqa: PTH110  False also for what no file can be called, where Path raises
            raise NotFound(f"there is no folder or file {root}; give the path of a folder with tables")
    return roots
