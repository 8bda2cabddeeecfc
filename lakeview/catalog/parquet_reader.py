"""Parquet files as Arrow batches of flat columns."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from lakeview.catalog.model import Problem, ReadError
from lakeview.catalog.naming import unique_names

BATCH_ROWS = 64 << 10


def open_parquet(path: str) -> pq.ParquetFile:
    """Raises ReadError where the file is damaged or cannot be opened."""
    try:
        return pq.ParquetFile(path, pre_buffer=False)
    except OSError as error:
        raise ReadError(f"cannot be opened: {error.strerror or error}") from error
    except (pa.ArrowException, ValueError) as error:
        raise ReadError(f"damaged Parquet: {_first_line(error)}") from error


def row_group_bytes(path: str) -> list[int]:
    """Uncompressed bytes of each row group."""
    with open_parquet(path) as file:
        return [file.metadata.row_group(group).total_byte_size for group in range(file.metadata.num_row_groups)]


def read_parquet(path: str, row_groups: Sequence[int] | None, report: Callable[..., None],
                 columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:  # fmt: skip
    """Batches of the file: structs flat as "a.b", lists and maps as JSON text, binary as UTF-8 text."""
    with open_parquet(path) as file:
        flat = _flatten(
            pa.RecordBatch.from_arrays(
                [pa.nulls(0, field.type) for field in file.schema_arrow], schema=file.schema_arrow
            )
        )
        names = unique_names([name for name, _ in flat])
        wanted = [place for place, name in enumerate(names) if columns is None or name in columns]
        top = None
        if columns is not None and len(set(file.schema_arrow.names)) == len(file.schema_arrow.names):
            top = sorted({flat[place][0] for place in wanted})
        try:
            for batch in file.iter_batches(BATCH_ROWS, row_groups=row_groups, columns=top):
                cells = dict(zip([name for name, _ in flat], names, strict=True))
                arrays = {cells[name]: array for name, array in _flatten(batch)} if top is not None else dict(
                    zip(names, (array for _, array in _flatten(batch)), strict=True))  # fmt: skip
                chosen = [names[place] for place in wanted]
                yield pa.RecordBatch.from_arrays([_plain(arrays[name], name, report) for name in chosen], names=chosen)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise ReadError(f"damaged Parquet: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _flatten(batch: pa.RecordBatch) -> list[tuple[str, pa.Array]]:
    columns = list(zip(batch.schema.names, batch.columns, strict=True))
    while any(pa.types.is_struct(array.type) for _, array in columns):
        columns = [item for name, array in columns for item in _fields(name, array)]
    return columns


def _fields(name: str, array: pa.Array) -> list[tuple[str, pa.Array]]:
    if not pa.types.is_struct(array.type):
        return [(name, array)]
    return [(f"{name}.{field.name}", child) for field, child in zip(array.type, array.flatten(), strict=True)]


def _plain(array: pa.Array, name: str, report: Callable[..., None]) -> pa.Array:
    kind = array.type
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
        kind = array.type
    if pa.types.is_dictionary(kind):
        return _plain(array.dictionary_decode(), name, report)
    if pa.types.is_nested(kind):
        values = array.to_pylist(maps_as_pydicts="lossy")
        return pa.array([None if v is None else _json(v) for v in values], pa.string())
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        values, spoilt = [], 0
        for value in array.to_pylist():
            try:
                values.append(None if value is None else value.decode("utf-8"))
            except UnicodeDecodeError:
                values.append(None)
                spoilt += 1
        if spoilt:
            detail = f"{spoilt:,} binary values of {name!r} are not UTF-8 text and were left out"
            report(Problem("", "binary values", detail, spoilt))
        return pa.array(values, pa.string())
    return array


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
