"""Parquet files as Arrow batches of flat columns (`flat_columns`)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from lakeview.catalog.kinds import is_compressed
from lakeview.catalog.model import Problem, ReadError
from lakeview.catalog.reading.compressed import open_raw, refuse_trap, sound
from lakeview.catalog.reading.flat_columns import Leaves, first_line

BATCH_ROWS = 1 << 18
BATCH_BYTES = 64 << 20
# A file that says of itself that it holds more cells than this, and so many to a byte, is no table but a trap.
MAX_CELLS = 1 << 28
MAX_CELLS_TO_A_BYTE = 1000


def open_parquet(path: str) -> pq.ParquetFile:
    """Raises ReadError where the file is damaged or cannot be opened."""
    try:
        source = _unpacked(path) if is_compressed(path) else path
        return pq.ParquetFile(source, pre_buffer=False)
    except (pa.ArrowException, ValueError) as error:
        raise ReadError(f"damaged Parquet: {first_line(error)}") from error
    except OSError as error:
        raise ReadError(f"cannot be opened: {error.strerror or first_line(error)}") from error


def _unpacked(path: str) -> BinaryIO:
    """The file in a temporary one: Parquet is read from its end, which a compressed stream cannot do."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 (Arrow holds it until it is read)
    on_disk = Path(path).stat().st_size
    raw, compression = open_raw(path)
    with raw, sound(compression):
        while chunk := raw.read(1 << 20):
            file.write(chunk)
            refuse_trap(file.tell(), on_disk)
    file.seek(0)
    return file


def row_group_bytes(path: str) -> list[int]:
    """Uncompressed bytes of each row group."""
    with open_parquet(path) as file:
        return [file.metadata.row_group(group).total_byte_size for group in range(file.metadata.num_row_groups)]


def row_count(path: str) -> int:
    """Rows, as the footer tells them."""
    with open_parquet(path) as file:
        return int(file.metadata.num_rows)


def read_parquet(path: str, row_groups: list[int] | None, report: Callable[[Problem], None],
                 columns: Sequence[str] | None = None,
                 most: int | None = None) -> Iterator[pa.RecordBatch]:  # fmt: skip
    """Batches of all columns, or of those in `columns` (flat names); at least one, even without rows.

    Args:
        most: where all are asked for, so many are given, the first ones; the rest is reported.

    Raises:
        ReadError: damaged, also where the damage shows only on the way.
    """
    with open_parquet(path) as file:
        _refuse_claims(file.metadata, Path(path).stat().st_size)
        try:
            yield from _batches(file, row_groups, report, columns, most, threads=not is_compressed(path))
        except (pa.ArrowException, OSError, ValueError) as error:
            raise ReadError(f"damaged Parquet: {first_line(error)}") from error


def _refuse_claims(metadata: pq.FileMetaData, on_disk: int) -> None:
    """Raises ReadError where a file would become far more than it is."""
    groups = [metadata.row_group(group) for group in range(metadata.num_row_groups)]
    refuse_trap(sum(group.total_byte_size for group in groups), on_disk)
    cells = sum(group.num_rows for group in groups) * metadata.num_columns
    if cells > max(MAX_CELLS, MAX_CELLS_TO_A_BYTE * on_disk):
        raise ReadError(f"claims {cells:,} cells in {on_disk:,} bytes, which no table has")


def _batch_rows(metadata: pq.FileMetaData) -> int:
    """Rows to a batch: fewer where they are large, as images are."""
    groups = [metadata.row_group(group) for group in range(metadata.num_row_groups)]
    largest = max((group.total_byte_size // max(1, group.num_rows) for group in groups), default=0)
    return max(16, min(BATCH_ROWS, BATCH_BYTES // max(1, largest)))


def _batches(file: pq.ParquetFile, row_groups: list[int] | None, report: Callable[[Problem], None],
             columns: Sequence[str] | None, most: int | None, threads: bool) -> Iterator[pa.RecordBatch]:  # fmt: skip
    leaves = Leaves.of(file.schema_arrow, report, columns, most)
    top = leaves.called if leaves.by_name else None  # Arrow reads by name: where names repeat, all must be read
    # Where Python reads for Arrow, it does in this thread: one of Arrow's that still held a Python object as the
    # interpreter ends would abort the process.
    batches = file.iter_batches(_batch_rows(file.metadata), row_groups=row_groups, columns=top, use_threads=threads)
    yield from leaves.batches(batches, report)
