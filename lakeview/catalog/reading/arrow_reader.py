"""Arrow's own files (Feather, IPC files and streams) and ORC as Arrow batches of flat columns (`flat_columns`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from lakeview.catalog.model import Problem, ReadError
from lakeview.catalog.reading.compressed import refuse_trap
from lakeview.catalog.reading.flat_columns import Leaves, first_line


def read_arrow(path: str, report: Callable[[Problem], None], columns: Sequence[str] | None = None,
               most: int | None = None) -> Iterator[pa.RecordBatch]:  # fmt: skip
    """Batches of a Feather or Arrow IPC file or stream. Raises ReadError where it is damaged."""
    on_disk = Path(path).stat().st_size
    try:
        with pa.OSFile(path) as file:
            if file.read(4) == b"FEA1":
                raise ReadError("is Feather of version 1; save it anew with pyarrow or pandas")
            file.seek(0)
            if file.read(6) == b"ARROW1":
                leaves = Leaves.of(pa.ipc.open_file(file).schema, report, columns, most)
                opened = pa.ipc.open_file(file, options=pa.ipc.IpcReadOptions(included_fields=leaves.top))
                batches = (opened.get_batch(number) for number in range(opened.num_record_batches))
            else:
                file.seek(0)
                batches = pa.ipc.open_stream(file)
                leaves = Leaves.of(batches.schema, report, columns, most)
            yield from leaves.batches(_sound(batches, on_disk), report)
    except (pa.ArrowException, ValueError, OSError) as error:
        raise ReadError(f"damaged Arrow file: {first_line(error)}") from error


def read_orc(path: str, report: Callable[[Problem], None], columns: Sequence[str] | None = None,
             most: int | None = None) -> Iterator[pa.RecordBatch]:  # fmt: skip
    """Batches of an ORC file, a stripe each. Raises ReadError where it is damaged."""
    from pyarrow import orc

    on_disk = Path(path).stat().st_size
    try:
        file = orc.ORCFile(path)
        leaves = Leaves.of(file.schema, report, columns, most)
        # ORC takes long for very many columns. It reads by name, in which a dot leads into a struct.
        top = leaves.called if leaves.by_name and not any("." in name for name in file.schema.names) else None
        stripes = (file.read_stripe(number, columns=top) for number in range(file.nstripes))
        yield from leaves.batches(_sound(stripes, on_disk), report)
    except (pa.ArrowException, ValueError, OSError) as error:
        raise ReadError(f"damaged ORC: {first_line(error)}") from error


def _sound(batches: Iterator[pa.RecordBatch], on_disk: int) -> Iterator[pa.RecordBatch]:
    """Batches that hold what they say: their bytes come from a stranger."""
    read = 0
    for batch in batches:
        batch.validate(full=True)
        read += batch.nbytes
        refuse_trap(read, on_disk)
        yield batch
