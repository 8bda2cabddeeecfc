"""Rows of Python values, as workbooks and SQLite have them, as Arrow batches of strings: each value as it prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa

from lakeview import values

BATCH_ROWS = 50_000


def string_batches(
    names: Sequence[str], rows: Iterable[Sequence[Any]], columns: Sequence[str] | None
) -> Iterator[pa.RecordBatch]:
    """Batches of the columns wanted, at least one; every row has as many cells as there are names."""
    chosen = [place for place, name in enumerate(names) if columns is None or name in columns]
    waiting, given = iter(rows), False
    while (batch := list(islice(waiting, BATCH_ROWS))) or not given:
        given = True
        arrays = [_strings([row[place] for row in batch]) for place in chosen]
        # The last column is there for the number of rows alone, which a batch without columns would not know.
        counted = pa.RecordBatch.from_arrays([*arrays, pa.nulls(len(batch))], names=[*(names[p] for p in chosen), ""])
        yield counted.select(range(len(chosen)))


def _strings(cells: list[Any]) -> pa.Array:
    return values.text(cells).cast(pa.large_string())
