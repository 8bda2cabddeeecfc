"""What tasks tell of the parts that they scanned, as Arrow batches: many columns to a batch, a column to a row."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import pairwise
from operator import attrgetter

import numpy as np
import pyarrow as pa

from lakeview.catalog.model import Problem
from lakeview.catalog.reading.findings import problem
from lakeview.pipeline.task import PartScan
from lakeview.store.profiles import ColumnPart
from lakeview.store.segment import NUMBERS
from lakeview.store.shapes import LETTERS, Shape
from lakeview.values.buffers import string_data, string_offsets

_BATCH = 8 << 20  # bytes of tokens and counts, but for a larger column: no batch may outgrow Arrow's 2 GB
_ROW = 300  # bytes of a row, beside these
_BINARY = ("tokens", "counts", "signature")
_LETTERS = [f"letters_{i + 1}" for i in range(LETTERS)]

# The first row of a part has no column and says how reading it went, and in `digests` what the file holds.
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
        *((name, pa.float64() if name in ("low", "high") else pa.int64()) for name in NUMBERS),
        *((name, pa.int64()) for name in _LETTERS),
        ("tokens", pa.binary()),
        ("counts", pa.binary()),
        ("minima", pa.binary()),
        ("valued", pa.int64()),
        ("signature", pa.binary()),
    ]
)
HEAD = ("part", "worker", "seconds", "rows", "problems", "digests", "name")  # of a row
PACKED = pa.schema([("batch", pa.binary())])
_NO_COLUMN = ColumnPart("", "", 0, np.zeros(0, np.uint64), np.zeros(0, np.int64), Shape())

Row = tuple[PartScan, ColumnPart | None]


def rows_of(scan: PartScan) -> Iterator[Row]:
    """What is told of a part: how reading it went, then each column."""
    yield scan, None
    for column in scan.columns:
        yield scan, column


def encode(scans: Iterable[PartScan]) -> Iterator[pa.RecordBatch]:
    """Parts as batches of `RESULT`; a part may go on in the next."""
    for rows in batched(row for scan in scans for row in rows_of(scan)):
        yield encoded(rows)


def batched(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Rows, as many to a batch as its bytes allow."""
    held: list[Row] = []
    size = 0
    for row in rows:
        if size >= _BATCH:
            yield held
            held, size = [], 0
        held.append(row)
        column = row[1]
        size += _ROW
        if column is not None:
            size += column.tokens.nbytes + column.counts.nbytes + column.signature.nbytes
    if held:
        yield held


def encoded(rows: Sequence[Row]) -> pa.RecordBatch:
    """Rows as a batch of `RESULT`."""
    none = PartScan(0)
    heads = [none if column else scan for scan, column in rows]
    columns = [column or _NO_COLUMN for _, column in rows]
    shapes = [column.shape for column in columns]
    letters = list(zip(*(shape.letters for shape in shapes), strict=True))
    given: dict[str, Sequence[object]] = {
        "part": [scan.number for scan, _ in rows],
        "worker": [scan.worker for scan in heads],
        "seconds": [scan.seconds for scan in heads],
        "rows": [scan.rows if column is None else column.rows for scan, column in rows],
        "problems": [json.dumps([asdict(p) for p in scan.problems]) if scan.problems else "[]" for scan in heads],
        "digests": [json.dumps(scan.digests) if scan.digests else "{}" for scan in heads],
        "name": [None if column is None else column.name for _, column in rows],
        "type": [column.type for column in columns],
        **{name: list(map(attrgetter(name), shapes)) for name in NUMBERS},
        **dict(zip(_LETTERS, letters, strict=True)),
        "minima": [None if column.minima is None else column.minima.tobytes() for column in columns],
        "valued": [column.valued for column in columns],
    }
    most = np.iinfo(np.uint32).max
    binary = {
        "tokens": _binary([column.tokens for column in columns], np.dtype(np.uint64)),
        "counts": _binary([np.minimum(column.counts, most) for column in columns], np.dtype(np.uint32)),
        "signature": _binary([column.signature for column in columns], np.dtype(np.uint32)),
    }
    arrays = [binary[field.name] if field.name in binary else pa.array(given[field.name], field.type)
              for field in RESULT]  # fmt: skip
    return pa.RecordBatch.from_arrays(arrays, schema=RESULT)


def _binary(arrays: Sequence[np.ndarray], dtype: np.dtype) -> pa.Array:
    """Arrays as the bytes of a row each."""
    data = np.concatenate([array.astype(dtype, copy=False) for array in arrays])
    offsets = np.concatenate([[0], np.cumsum([len(array) for array in arrays])]) * dtype.itemsize
    return pa.BinaryArray.from_buffers(
        pa.binary(), len(arrays), [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(data)]
    )


def packed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Each batch as a single value, which Spark passes on without a look at what is in it."""
    for batch in batches:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as stream:
            stream.write_batch(batch)
        whole = sink.getvalue()
        ends = pa.py_buffer(np.array([0, whole.size], np.int32))
        yield pa.RecordBatch.from_arrays(
            [pa.BinaryArray.from_buffers(pa.binary(), 1, [None, ends, whole])], schema=PACKED
        )


def unpacked(table: pa.Table) -> Iterator[pa.RecordBatch]:
    """The inverse of `packed`."""
    for value in table.column(0):
        yield from pa.ipc.open_stream(value.as_buffer())


def decode(batches: Iterable[pa.RecordBatch]) -> Iterator[PartScan]:
    """The inverse of `encode`."""
    return scans_of(row for batch in batches for row in decoded(batch))


def scans_of(rows: Iterable[Row]) -> Iterator[PartScan]:
    """The inverse of `rows_of`."""
    found: PartScan | None = None
    for head, column in rows:
        if column is not None:
            assert found is not None  # a part's first row comes first
            found.columns.append(column)
            continue
        if found is not None:
            yield found
        found = head
    if found is not None:
        yield found


def decoded(batch: pa.RecordBatch, in_place: bool = False) -> Iterator[Row]:
    """The rows of a batch. in_place: tokens and counts, then uint32, stay where they lie, with a view on them."""
    rows = {name: batch.column(name).to_pylist() for name in RESULT.names if name not in _BINARY}
    tokens = _arrays(batch.column("tokens"), np.dtype(np.uint64), in_place)
    counts = _arrays(batch.column("counts"), np.dtype(np.uint32), in_place)
    if not in_place:
        counts = [array.astype(np.int64) for array in counts]
    signatures = _arrays(batch.column("signature"), np.dtype(np.uint32))
    numbers = [rows[name] for name in NUMBERS]
    letters = [rows[name] for name in _LETTERS]
    for i, name in enumerate(rows["name"]):
        if name is None:
            problems = problems_of(rows["problems"][i])
            digests = digests_of(rows["digests"][i])
            number, worker, seconds, n = (rows[field][i] for field in ("part", "worker", "seconds", "rows"))
            yield PartScan(number, worker, seconds, n, problems, digests), None
            continue
        shape = Shape(**dict(zip(NUMBERS, (column[i] for column in numbers), strict=True)),
                      letters=tuple(column[i] for column in letters))  # fmt: skip
        minima = rows["minima"][i]
        yield (
            PartScan(rows["part"][i]),
            ColumnPart(
                name,
                rows["type"][i],
                rows["rows"][i],
                tokens[i],
                counts[i],
                shape,
                None if minima is None else np.frombuffer(minima, np.uint64),
                rows["valued"][i],
                signatures[i],
            ),
        )


def problems_of(told: str) -> list[Problem]:
    """The problems that a part's first row tells."""
    return [problem(each) for each in json.loads(told)]


def digests_of(told: str) -> dict[int, str]:
    """The hashes of a file's blocks that a part's first row tells."""
    return {int(block): digest for block, digest in json.loads(told).items()}


def _arrays(column: pa.Array, dtype: np.dtype, in_place: bool = False) -> list[np.ndarray]:
    """The arrays that `_binary` put in rows."""
    ends = string_offsets(column).tolist()
    data = string_data(column)[ends[0] : ends[-1]]
    whole = (data if in_place else data.copy()).view(dtype)  # a copy, as the place of a slice may be odd
    first, width = ends[0], dtype.itemsize
    return [whole[(a - first) // width : (b - first) // width] for a, b in pairwise(ends)]
