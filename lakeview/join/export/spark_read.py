"""How Spark reads a table of the lake as lakeview does, or why it cannot. Spark is not asked: no JVM starts."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lakeview.catalog.model import Table
from lakeview.join.as_one import is_stacked, members
from lakeview.join.export.pandas_read import folder_of
from lakeview.join.export.spark_bytes import ENCODINGS, CannotRead, Number, check_format, is_multiline, json_lines
from lakeview.join.naming import one_line
from lakeview.join.numeric import INTEGER, NUMBER
from lakeview.join.side import Side

# What Java reads as a double though it is none by the rule: 5d, 5f, NaN, Inf, hexadecimals.
_JAVA_NUMBER = r"(?i)^\s*[+-]?(nan|inf|infinity|0x.*|[0-9.e+-]*[df])\s*$"

_TYPES = {
    "int8": "TINYINT", "int16": "SMALLINT", "int32": "INT", "int64": "BIGINT", "uint8": "SMALLINT", "uint16": "INT",
    "uint32": "BIGINT", "uint64": "DECIMAL(20,0)", "float": "FLOAT", "double": "DOUBLE", "bool": "BOOLEAN",
    "string": "STRING", "large_string": "STRING", "date32[day]": "DATE", "timestamp[us]": "TIMESTAMP_NTZ",
    "timestamp[ms]": "TIMESTAMP_NTZ",
}  # fmt: skip


@dataclass(frozen=True)
class Source:
    """What Spark's reader needs. `columns`: pairs of name and type; None where the file says it itself. `leaves`: where
    the file has structs, the columns that the lake has instead: pairs of an expression and a name."""

    format: str
    path: str
    columns: tuple[tuple[str, str], ...] | None
    options: dict[str, str | bool]
    leaves: tuple[tuple[str, str], ...] = ()


def identifier(name: str) -> str:
    """A column or table in SQL and in DDL, in backticks where it needs them."""
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) and name.upper() not in _WORDS:
        return name
    return quoted(name)


def quoted(column: Hashable) -> str:
    return f"`{str(column).replace('`', '``')}`"


_WORDS = {
    "ALL", "ANTI", "AS", "BY", "CASE", "CROSS", "DISTINCT", "ELSE", "END", "EXCEPT", "FALSE", "FROM", "FULL", "GROUP",
    "HAVING", "IN", "INNER", "INTERSECT", "INTERVAL", "INTO", "IS", "JOIN", "LATERAL", "LEFT", "LIKE", "MINUS",
    "NATURAL", "NOT", "NULL", "ON", "OR", "ORDER", "RIGHT", "SELECT", "SEMI", "SET", "SOME", "TABLE", "THEN", "TRUE",
    "UNION", "USING", "VALUES", "WHEN", "WHERE", "WITH",
}  # fmt: skip


def source(side: Side, keys: tuple[Hashable, ...], structs: bool = False) -> Source:
    """How Spark reads a table of the lake; raises CannotRead with the reason where it cannot.

    structs: whether the caller takes `leaves` apart."""
    side.require_unchanged()
    distinguishable(side)
    if is_stacked(side.table):
        raise CannotRead(f"{side.name} is several tables in one")
    if side.table.kind not in ("parquet", "json", "text"):
        raise CannotRead(f"Spark does not read {side.name} as the lake does")
    if side.table.kind == "parquet":
        found = _parquet(side)
        if found.leaves and not structs:
            raise CannotRead(f"{side.name} has structs, which the lake has as columns of their own")
        return found
    columns = tuple(_types(side, keys).items())
    if side.table.kind == "json":
        return _json(side, columns)
    return _csv(side, columns)


def sources(side: Side, keys: tuple[Hashable, ...]) -> list[tuple[str, Source]]:
    """How Spark reads the tables that are one side of a join (`join.as_one`), each with its name, in the types that
    all of them have in common. Raises CannotRead where one cannot be read so."""
    side.require_unchanged()
    distinguishable(side)
    types = _types(side, keys) if side.table.kind in ("json", "text") else {}
    found = []
    for name, one in members(side):
        read = source(one, keys)
        columns = read.columns and tuple((column, types.get(column, kind)) for column, kind in read.columns)
        found.append((name, replace(read, columns=columns)))
    return found


def distinguishable(side: Side) -> None:
    """Raises CannotRead where two columns differ in case alone."""
    seen: dict[str, str] = {}
    for column in map(str, side.columns):
        if column.lower() in seen:
            both = f"{seen[column.lower()]!r} and {column!r}"
            raise CannotRead(f"Spark cannot tell the columns {both} of {side.name} apart")
        seen[column.lower()] = column


def _path(table: Table) -> str:
    one = len(table.files) == 1 and not table.files[0].keys
    if any(value is None or "%" in file.path for file in table.files for _, value in file.keys):
        raise CannotRead(f"{table.name} has partitions without a plain value")
    path = str(Path(table.files[0].path if one else folder_of(table)).resolve()).replace("\\", "\\\\")
    if ":" in Path(path).name:
        raise CannotRead(f"Spark cannot open {one_line(table.name)!r}: there is a colon in its name")
    # Spark takes a path for a pattern.
    return re.sub(r"([*?\[\]{}])", r"\\\1", path)


def _types(side: Side, keys: tuple[Hashable, ...]) -> dict[str, str]:
    """By column, STRING or what Spark makes of every number as the lake does: BIGINT where all are whole, else DOUBLE.

    Looks at a large table in one reading, a batch at a time.
    """
    numbers = side.lake_table.numbers(keys)
    found = dict.fromkeys(map(str, side.columns), "STRING") | dict.fromkeys(numbers, "BIGINT")
    odd: set[str] = set()
    for batch in side.lake_table.batches(list(numbers)) if numbers else ():
        for column in set(numbers).intersection(batch.schema.names):
            texts = batch.column(column).unique().drop_null()
            if _count(texts, rf"^{INTEGER}\z") + _count(texts, r"^[^0-9]*\z") < len(texts):
                found[column] = "DOUBLE"
            plain = _count(texts, rf"^(?:{NUMBER})\z")
            if plain < _count(pc.ascii_trim_whitespace(texts), rf"^(?:{NUMBER})\z") or _count(texts, _JAVA_NUMBER):
                odd.add(column)
    for column in found:
        if column in odd and found[column] == "DOUBLE":
            raise CannotRead(f"Spark reads numbers in the column {column!r} of {side.name} differently")
    return found


def _count(texts: pa.Array, pattern: str) -> int:
    return pc.sum(pc.match_substring_regex(texts, pattern)).as_py() or 0


def _csv(side: Side, columns: tuple[tuple[str, str], ...]) -> Source:
    from lakeview.catalog.sources import text_format

    table = side.table
    options: dict[str, str | bool] = {}
    multiline = False
    forms = []
    for file in table.files:
        form = text_format(file.path)
        if form is None:
            raise CannotRead(f"{side.name} is empty")
        check_format(form, side.name)
        multiline |= is_multiline(file.path, form, side.name) or form.encoding.startswith("utf-16")
        forms.append(form)
    form = forms[0]
    if any((f.header, f.delimiter, f.encoding) != (form.header, form.delimiter, form.encoding) for f in forms):
        raise CannotRead(f"the files of {side.name} differ in their layout")
    if len(table.files) > 1 and any(f.header and f.names != form.names for f in forms):
        raise CannotRead(f"the files of {side.name} differ in their columns")
    if form.header:
        options["header"] = True
    if form.delimiter != ",":
        options["sep"] = form.delimiter
    if encoding := ENCODINGS[form.encoding]:
        options["encoding"] = encoding
    options["escape"] = form.quote  # doubled, as everywhere but in Spark
    if multiline:
        options["multiLine"] = True
    return Source("csv", _path(table), columns, options)


def _json(side: Side, columns: tuple[tuple[str, str], ...]) -> Source:
    numbers, known = {name for name, kind in columns if kind != "STRING"}, {name for name, _ in columns}
    for file in side.table.files:
        for record in json_lines(file.path, side.name):
            for name, value in record.items():
                if not isinstance(value, str | bool | None) or (isinstance(value, Number) and "e" in value.lower()):
                    raise CannotRead(f"{side.name} holds nested values or numbers with exponents")
                if value == "" or (name in numbers and isinstance(value, str) and not isinstance(value, Number)):
                    raise CannotRead(f"{side.name} holds empty text or text among numbers")
            if not known.issuperset(record):
                raise CannotRead(f"{side.name} is one JSON document, which Spark takes for a record")
    return Source("json", _path(side.table), columns, {})


def _parquet(side: Side) -> Source:
    table = side.table
    schema = pq.read_schema(table.files[0].path)
    columns = []
    for column in schema:
        kind = _ddl(column.type)
        if kind is None:
            raise CannotRead(f"the column {column.name!r} of {table.name} is {column.type}: Spark reads it differently")
        columns.append((column.name, kind))
    keys = tuple(dict.fromkeys(name for file in table.files for name, _ in file.keys))
    if len(set(schema.names)) < len(schema.names):
        raise CannotRead(f"{table.name} names a column twice")
    if len(table.files) > 1 and any(not pq.read_schema(file.path).equals(schema) for file in table.files):
        raise CannotRead(f"the files of {table.name} differ in their columns")
    # Spark would take the partition "01" for the number 1: the schema is only told where there are such.
    told = (*columns, *((name, "STRING") for name in keys)) if keys else None
    leaves: tuple[tuple[str, str], ...] = ()
    if any(pa.types.is_struct(column.type) for column in schema):
        paths = [path for column in schema for path in _leaves(identifier(column.name), column.type)]
        leaves = tuple(zip([*paths, *map(identifier, keys)], map(str, side.columns), strict=True))
    return Source("parquet", _path(table), told, {}, leaves)


def _leaves(path: str, kind: pa.DataType) -> list[str]:
    """What a column becomes in the lake, as expressions: a struct its leaves, any other itself."""
    if not pa.types.is_struct(kind):
        return [path]
    return [leaf for field in kind for leaf in _leaves(f"{path}.{identifier(field.name)}", field.type)]


def _ddl(kind: pa.DataType) -> str | None:
    """The type in Spark of a column of a Parquet file, None where Spark has none or reads another value."""
    text = str(kind)
    if pa.types.is_dictionary(kind):
        return _ddl(kind.value_type)
    if decimal := re.fullmatch(r"decimal(?:32|64|128)\((\d+), (\d+)\)", text):
        return f"DECIMAL({decimal[1]},{decimal[2]})"
    if re.fullmatch(r"timestamp\[(us|ms), tz=.*\]", text):
        return "TIMESTAMP"
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return "BINARY"
    if pa.types.is_map(kind):
        inner = [_ddl(kind.key_type), _ddl(kind.item_type)]
        return None if None in inner else f"MAP<{inner[0]}, {inner[1]}>"
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        of = _ddl(kind.value_type)
        return None if of is None else f"ARRAY<{of}>"
    if pa.types.is_struct(kind):
        inner = [_ddl(field.type) for field in kind]
        fields = (f"{identifier(field.name)}: {of}" for field, of in zip(kind, inner, strict=True))
        return None if None in inner else f"STRUCT<{', '.join(fields)}>"
    return _TYPES.get(text)
