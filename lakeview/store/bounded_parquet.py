"""Reading a Parquet file that somebody else wrote: the columns that it should have, in memory bounded by its size.

A page may claim any size and a dictionary may be repeated without end: 100 KB can become terabytes. So the codec is one
that cannot expand much, rows are counted before they are read, and text stays a dictionary until its length is known.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

_CODECS = {"UNCOMPRESSED", "SNAPPY"}  # Snappy's copies expand by 21 at most
_EXPANDED = 25  # bytes of text to a byte of the file,
_REPEATED = 1 << 10  # and of a row that repeats another's


def read(buffer: pa.Buffer, schema: pa.Schema, most_rows: int) -> pa.Table:
    """The table of such a schema, without nulls. Raises ValueError where the file holds no such table, or more rows."""
    texts = [field.name for field in schema if field.type == pa.string()]
    try:
        # all of it in this thread: see Segment._parquet
        file = pq.ParquetFile(pa.BufferReader(buffer), read_dictionary=texts, pre_buffer=False)
        _check(file.metadata, most_rows)
        if not _plain(file.schema_arrow).equals(schema):
            raise ValueError("other columns")
        table = file.read(use_threads=False)
        if table.num_rows != file.metadata.num_rows:
            raise ValueError("other rows than it says")
        table.validate(full=True)
        most = _EXPANDED * buffer.size + _REPEATED * table.num_rows
        if sum(_length(chunk) for name in texts for chunk in table[name].chunks) > most:
            raise ValueError("too much text")
        table = table.cast(schema).combine_chunks()
        table.validate(full=True)
    except Exception as error:  # Arrow's own, and those of Python that a name, a number or a text there may raise
        raise ValueError((str(error).splitlines() or [type(error).__name__])[0][:200]) from None
    if any(table[name].null_count for name in schema.names):
        raise ValueError("values are missing")
    return table


def _check(metadata: pq.FileMetaData, most_rows: int) -> None:
    # a schema of Arrow's own in the file could name types that run code of other packages
    if metadata.metadata:
        raise ValueError("it says more than its columns")
    if metadata.num_rows > most_rows:
        raise ValueError(f"{metadata.num_rows:,} rows")
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    if sum(group.num_rows for group in groups) != metadata.num_rows:
        raise ValueError("its parts have other rows")
    if any(group.column(i).compression not in _CODECS for group in groups for i in range(group.num_columns)):
        raise ValueError("another compression")


def _plain(schema: pa.Schema) -> pa.Schema:
    """The schema with text in place of its dictionaries."""
    return pa.schema(
        field.with_type(pa.string()) if field.type == pa.dictionary(pa.int32(), pa.string()) else field
        for field in schema
    )


def _length(chunk: pa.DictionaryArray | pa.StringArray) -> int:
    """Bytes of a chunk's text, decoded."""
    if not pa.types.is_dictionary(chunk.type):
        return int(chunk.nbytes)
    lengths = pc.binary_length(chunk.dictionary).cast(pa.int64())
    return int(pc.sum(lengths.take(chunk.indices)).as_py() or 0)
