"""The tables of a database behind a url, by ADBC: only read, a table at a time; and the keys that it declares."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

import pyarrow as pa

from lakeview.catalog.reading.sqlite_tables import quoted
from lakeview.errors import InputError, LakeviewError, NotFound, shown, without_secrets_of

# By the scheme of its urls: the module with its driver, and the extra that installs it.
DRIVERS = dict.fromkeys(("postgresql", "postgres"), ("adbc_driver_postgresql.dbapi", "postgresql"))
_OWN = ("information_schema", "pg_catalog", "pg_toast")  # schemas of the database itself


class DeclaredKey(NamedTuple):
    """A foreign key that a database declares: tables as the lake names them, columns in order."""

    table: str
    columns: tuple[str, ...]
    references_table: str
    references: tuple[str, ...]


class Database(Mapping[str, pa.Table]):
    """The tables of a database by name, "schema.table"; each is read when it is asked for. Raises InputError where no
    driver takes the url, LakeviewError for what the database says, never with what is secret in the url."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._known: dict[str, tuple[str, list[dict[str, Any]]]] | None = None  # SQL of the name, constraints

    def __str__(self) -> str:
        return shown(self._url)

    def __iter__(self) -> Iterator[str]:
        self._known = None  # what there is now
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __getitem__(self, name: str) -> pa.Table:
        with self._connected() as connection, closing(connection.cursor()) as cursor:
            cursor.execute(f"SELECT * FROM {self._tables[name][0]}")
            found = cursor.fetch_arrow_table()
        return pa.table([_plain(column) for column in found.columns], names=found.column_names)

    @property
    def declared_keys(self) -> list[DeclaredKey]:
        """The foreign keys among the tables."""
        found = []
        for name, (_, constraints) in self._tables.items():
            for constraint in constraints:
                usage = constraint["constraint_column_usage"] or []
                references = {_name(each["fk_db_schema"], each["fk_table"]) for each in usage}
                if constraint["constraint_type"] == "FOREIGN KEY" and len(references) == 1:
                    columns = tuple(constraint["constraint_column_names"])
                    names = tuple(each["fk_column_name"] for each in usage)
                    found.append(DeclaredKey(name, columns, references.pop(), names))
        return found

    @property
    def _tables(self) -> dict[str, tuple[str, list[dict[str, Any]]]]:
        if self._known is None:
            with self._connected() as connection:
                known = connection.adbc_get_objects(depth="all", catalog_filter=connection.adbc_current_catalog)
                catalogs = known.read_all().to_pylist()
            self._known = {
                _name(schema["db_schema_name"], table["table_name"]): (
                    ".".join(quoted(part) for part in (schema["db_schema_name"], table["table_name"]) if part),
                    table["table_constraints"] or [],
                )
                for catalog in catalogs
                for schema in catalog["catalog_db_schemas"] or []
                if schema["db_schema_name"] not in _OWN
                for table in schema["db_schema_tables"] or []
                if "table" in table["table_type"].lower()
            }
        return self._known

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        scheme = self._url.partition(":")[0].lower()
        if scheme not in DRIVERS:
            raise InputError(f"no database is known by {scheme}://; known are {', '.join(sorted(DRIVERS))} and sqlite")
        module, extra = DRIVERS[scheme]
        try:
            driver = importlib.import_module(module)
        except ImportError:
            raise InputError(f"{scheme}:// needs a driver: pip install lakeview[{extra}]") from None
        try:
            with closing(driver.connect(self._url)) as connection:
                yield connection
        except LakeviewError:
            raise
        except Exception as error:  # a driver has errors of its own
            said = next(iter(without_secrets_of(self._url, str(error)).splitlines()), type(error).__name__)
            raise NotFound(f"{self} cannot be read: {said}") from None


def _name(schema: str | None, table: str) -> str:
    return f"{schema}.{table}" if schema else table


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column in a type of Arrow's own: what PostgreSQL counts exactly comes as texts."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return pa.chunked_array([chunk.storage for chunk in column.chunks], kind.storage_type)
    return column
