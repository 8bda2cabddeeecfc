"""What one Spark task does: read parts of tables and profile their columns.

Runs in Spark's Python workers and, for the local path, in this process. Imports numpy and pyarrow alone.
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict

import numpy as np
import pyarrow as pa

from lakeview.catalog.digests import digests
from lakeview.catalog.sources import Part, Problem, read_part
from lakeview.errors import LakeviewError
from lakeview.store.profiles import ColumnPart, Shape, scan_batches
from lakeview.values import Normalize

# One row a column of a part; the first row of a part has no column and says how reading it went, and in `digests` what
# the file holds.
RESULT = pa.schema(
    [
        ("part", pa.int32()),
        ("worker", pa.string()),
        ("seconds", pa.float64()),
        ("rows", pa.int64()),
        ("problems", pa.string()),
        ("digests", pa.string()),
        ("name", pa.string()),
        ("type", pa.string()),
        ("shape", pa.string()),
        ("tokens", pa.binary()),
        ("counts", pa.binary()),
        ("minima", pa.binary()),
        ("valued", pa.int64()),
    ]
)


MAX_COLUMNS = 2_000  # of a file that are indexed


def scan_parts(
    parts: Iterable[tuple[int, Part]], normalize: Normalize, keep: int | None = None
) -> Iterator[pa.RecordBatch]:
    """Profile numbered parts. A part that cannot be read is a problem in its result, never an error.

    keep: distinct values of a column up to which its tokens are kept; None: all.
    """
    for number, part in parts:
        started = time.perf_counter()
        problems: list[Problem] = []
        held = digests(part.file.path, *part.share)
        try:
            rows, columns = scan_batches(read_part(part, problems, most=MAX_COLUMNS), normalize, keep)
        except LakeviewError as error:
            rows, columns = 0, []
            problems.append(Problem(part.table, "could not be read", str(error)))
        except Exception as error:  # a damaged file must not end the job, whatever it does to its reader
            rows, columns = 0, []
            problems.append(Problem(part.table, "could not be read", f"{type(error).__name__}: {error}"))
        yield from encode(number, time.perf_counter() - started, rows, problems, columns, held)


def encode(
    number: int,
    seconds: float,
    rows: int,
    problems: Sequence[Problem],
    columns: Sequence[ColumnPart],
    held: Mapping[int, str] | None = None,
) -> Iterator[pa.RecordBatch]:
    """A part's result as record batches of one column each, so that no batch outgrows Arrow's 2 GB of bytes."""
    head = {
        "part": number,
        "worker": f"{socket.gethostname()}:{os.getpid()}",
        "seconds": seconds,
        "rows": rows,
        "problems": json.dumps([asdict(p) for p in problems]),
        "digests": json.dumps(held or {}),
    }
    yield pa.RecordBatch.from_pylist([head], schema=RESULT)
    for column in columns:
        row = {
            "part": number,
            "rows": column.rows,
            "name": column.name,
            "type": column.type,
            "shape": json.dumps(asdict(column.shape)),
            "tokens": column.tokens.tobytes(),
            "counts": np.minimum(column.counts, np.iinfo(np.uint32).max).astype(np.uint32).tobytes(),
            "minima": None if column.minima is None else column.minima.tobytes(),
            "valued": column.valued,
        }
        yield pa.RecordBatch.from_pylist([row], schema=RESULT)


def decode_digests(row: dict) -> dict[int, str]:
    """The hashes of a file's blocks that a part's first row tells."""
    return {int(block): digest for block, digest in json.loads(row["digests"]).items()}


def decode_column(row: dict) -> ColumnPart:
    """The inverse of `encode` for a row that names a column."""
    shape = json.loads(row["shape"])
    return ColumnPart(
        row["name"],
        row["type"],
        row["rows"],
        np.frombuffer(row["tokens"], np.uint64),
        np.frombuffer(row["counts"], np.uint32).astype(np.int64),
        Shape(**{**shape, "letters": tuple(shape["letters"])}),
        None if row["minima"] is None else np.frombuffer(row["minima"], np.uint64),
        row["valued"],
    )
