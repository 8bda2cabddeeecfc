"""Columns and batches as Spark takes them. Runs in Spark's Python workers too: numpy and pyarrow alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lakeview import values
from lakeview.join.numeric import to_numbers
from lakeview.values import Normalize

KEY, TEXT = "key", "text"
"""The columns beside a side's own, which are numbered c0, c1 …: the canonical key and the key printed as text."""

_WIDER = {
    pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64(), pa.uint64(): pa.decimal128(20),
    pa.float16(): pa.float32(), pa.date64(): pa.date32(), pa.null(): pa.string(), pa.large_string(): pa.string(),
    pa.large_binary(): pa.binary(), pa.string_view(): pa.string(),
}  # fmt: skip

_PLAIN = (
    pa.types.is_signed_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_string, pa.types.is_date,
    pa.types.is_binary, pa.types.is_decimal128,
)  # fmt: skip


def for_spark(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """The column in a type that Spark has: a wider one where there is one, microseconds for nanoseconds, lists, maps
    and bytes as such; else as text."""
    kind = _in_spark(column.type)
    if kind is None:
        return values.text(column)
    return column if kind == column.type else column.cast(kind, safe=False)


def _in_spark(kind: pa.DataType) -> pa.DataType | None:
    """The type that Spark has for an Arrow type, None where there is none."""
    if pa.types.is_dictionary(kind):
        return _in_spark(kind.value_type)
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", kind.tz)
    if pa.types.is_duration(kind):
        return pa.duration("us")
    if pa.types.is_fixed_size_binary(kind):
        return pa.binary()
    if pa.types.is_map(kind):
        key, item = _in_spark(kind.key_type), _in_spark(kind.item_type)
        return None if key is None or item is None else pa.map_(key, item)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        inner = _in_spark(kind.value_type)
        return None if inner is None else pa.list_(inner)
    if pa.types.is_struct(kind):
        fields = [(field.name, _in_spark(field.type)) for field in kind]
        return None if any(inner is None for _, inner in fields) or not fields else pa.struct(fields)
    kind = _WIDER.get(kind, kind)
    return kind if any(holds(kind) for holds in _PLAIN) else None


def to_frame(table: pa.Table, spark: Any) -> Any:
    """A table as a Spark frame. Spark Connect makes none of a table without rows unless its schema is told."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return spark.createDataFrame(table, None if len(table) else from_arrow_schema(table.schema))


def with_key(
    batch: pa.RecordBatch, places: Sequence[int], normalize: Normalize, drop_na: Sequence[bool], with_text: bool
) -> pa.RecordBatch:
    """The batch and, behind its columns, the canonical key of those at `places` and, if asked for, the first of them
    printed as text.

    drop_na: whether "NA" is a null mark in the whole column.
    """
    keys = []
    for place, drops in zip(places, drop_na, strict=True):
        key = values.canonical_part(batch.column(place), normalize)
        keys.append(pc.if_else(pc.equal(pc.ascii_lower(key), "na"), pa.scalar(None, key.type), key) if drops else key)
    arrays = [*batch.columns, composite_key(keys).cast(pa.string())]
    if with_text:
        arrays.append(values.text(batch.column(places[0])).cast(pa.string()))
    return pa.RecordBatch.from_arrays(arrays, names=[*batch.schema.names, KEY, TEXT][: len(arrays)])


def composite_key(texts: Sequence[pa.Array | pa.ChunkedArray]) -> pa.Array:
    """Canonical texts of columns as one key, null where one is; of several each is led by its length, so that no two
    tuples give one key."""
    if len(texts) == 1:
        return texts[0]
    pieces: list[Any] = []
    for text in texts:
        text = text.combine_chunks() if isinstance(text, pa.ChunkedArray) else text
        text = text.cast(pa.large_string())
        pieces += [pc.utf8_length(text).cast(pa.large_string()), text]
    return pc.binary_join_element_wise(*pieces, pa.scalar(":", pa.large_string())).cast(pa.large_string())


def parts_of(key: str, columns: int) -> tuple[str, ...]:
    """The canonical texts of which a key was made."""
    if columns == 1:
        return (key,)
    parts = []
    for _ in range(columns):
        length, _, rest = key.partition(":")
        parts.append(rest[: int(length)])
        key = rest[int(length) + 1 :]
    return tuple(parts)


def typed(batch: pa.RecordBatch, wanted: pa.Schema, numbers: Mapping[str, str], is_text: bool) -> pa.RecordBatch:
    """A batch of a file in the types that its whole table has; columns that the file lacks are null."""
    arrays = []
    for field in wanted:
        if field.name not in batch.schema.names:
            arrays.append(pa.nulls(batch.num_rows, field.type))
            continue
        column = batch.column(field.name)
        if is_text:
            column = pc.if_else(pc.equal(column, ""), pa.scalar(None, column.type), column)
        column = to_numbers(column) if field.name in numbers else for_spark(column)
        arrays.append(column.cast(field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=wanted)
