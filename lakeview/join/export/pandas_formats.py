"""How pandas may read a table out of a format that is neither text nor Parquet; `pandas_read` tries and compares."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path

from lakeview.catalog.reading import duckdb_tables
from lakeview.catalog.reading.sqlite_tables import quoted
from lakeview.join.naming import literal
from lakeview.join.side import Side

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
Types = Iterator[tuple[str, Callable[[str], list[str]]]]


def candidates(side: Side, keys: tuple[Hashable, ...], variable: str, path: str, types: Types) -> Iterator[list[str]]:
    """Lines that put the table into `variable`. path: of its file, as code shows it; types: options for text columns,
    with the lines that follow."""
    shown, inner = literal(path), side.table.files[0].inner
    if side.table.kind == "arrow":
        yield [f"{variable} = pd.read_feather({shown})"]
        yield ["import pyarrow as pa", f"{variable} = pa.ipc.open_stream({shown}).read_pandas()"]
    elif side.table.kind == "orc":
        yield [f"{variable} = pd.read_orc({shown})"]
    elif side.table.kind == "sheet":
        for options, after in types:
            listed = ", ".join(part for part in (shown, f"sheet_name={literal(inner)}", options) if part)
            if "float_precision" not in listed:
                read = f'{variable} = pd.read_excel({listed}, engine="calamine")'
                yield [read, *after(variable)]
                if "dtype=str" in listed:
                    yield [read, *_as_printed(side, keys, variable), *after(variable)]
    elif side.table.kind == "duckdb":
        statement = literal(duckdb_tables.statement(side.table.files[0].path, inner))
        read = f"duckdb.connect({shown}, read_only=True).sql({statement})"
        yield ["import duckdb", f"{variable} = {read}.df()"]
        yield ["import duckdb", f"{variable} = {read}.to_arrow_table().to_pandas()"]
    else:
        numbers = side.lake_table.numbers(keys)
        columns = [(column, quoted(str(column))) for column in side.columns]
        plain = [name if column in numbers else f"CAST({name} AS TEXT) AS {name}" for column, name in columns]
        for selected in ("*", ", ".join(plain)):
            statement = f"SELECT {selected} FROM {quoted(inner)}"
            yield [
                "import sqlite3",
                f"{variable} = pd.read_sql_query({literal(statement)}, sqlite3.connect({shown}))",
            ]


def _as_printed(side: Side, keys: tuple[Hashable, ...], variable: str) -> list[str]:
    """Lines that print what pandas has as text as the lake does: midnights as days, booleans in small letters."""
    frame = side.to_pandas(keys)
    texts = {column: set(frame[column].dropna()) for column in frame if frame[column].dtype == object}
    days = [column for column, held in texts.items() if any(map(_DAY.match, map(str, held)))]
    flags = [column for column, held in texts.items() if held and held <= {"true", "false"}]
    lines = []
    for columns, change in ((days, '.str.removesuffix(" 00:00:00")'), (flags, ".str.lower()")):
        lines += [f"{variable}[{literal(column)}] = {variable}[{literal(column)}]{change}" for column in columns]
    return lines


def logged(side: Side, variable: str, folder: str) -> Iterator[list[str]]:
    """Lines that put a table with a log into `variable`, as it was when it was indexed. folder: as code shows it."""
    if side.table.kind == "iceberg":
        head, log = "from pyiceberg.table import StaticTable", f"{folder}/metadata/{Path(side.table.log).name}"
        ways = [(head, f"StaticTable.from_metadata({literal(log)}).scan().to_pandas()")]
    else:
        head = "from deltalake import DeltaTable"
        table = f"DeltaTable({literal(folder)}, version={int(Path(side.table.log).stem)})"
        ways = [(head, f"{table}.to_pandas()"),
                (f"import pyarrow as pa\n{head}", f"pa.table({table}.scan()).to_pandas()")]  # fmt: skip
    keys = dict.fromkeys(key for file in side.table.files for key, _ in file.keys)
    chosen = f"[{literal([str(column) for column in side.columns])}]"
    texts = [f'{variable}[{literal(key)}] = {variable}[{literal(key)}].map(str, na_action="ignore")' for key in keys]
    for head, read in ways:
        yield [*head.split("\n"), f"{variable} = {read}"]
        yield [*head.split("\n"), f"{variable} = {read}{chosen}"]
        if texts:
            yield [*head.split("\n"), f"{variable} = {read}{chosen}", *texts]
