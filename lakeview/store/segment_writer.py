"""Writing a segment: column by column, then what is built from all of them; `segment` says what its files hold."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lakeview.catalog.blocks import checksums
from lakeview.index import josie_cost, postings, sketched
from lakeview.index.merging import Run, end_to_end
from lakeview.store import signed
from lakeview.store.npy_file import NpyFile
from lakeview.store.profiles import KEEP, Column, sketch_of
from lakeview.store.segment import FILTER, NUMBERS, SIGNATURES
from lakeview.store.shapes import LETTERS

_TOKENS = "set_tokens.npy"  # of all columns, sorted within each; only while a segment is written
_SIGNATURES = "signatures.npy"  # of all columns; only while a segment is written
_IN_ROOMS = {"tokens": "postings_tokens", "groups": "postings_groups", "ids": "set_ids"}
_LAID_FROM = 1 << 18  # tokens of a column that are not held in memory
_AT_ONCE = 1 << 23  # hashes that are sorted at once: 200 MB


class SegmentWriter:
    """Fills a segment's folder, column by column, holding one column's tokens at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self._tables: list[dict[str, Any]] = []
        self._columns: list[dict[str, Any]] = []
        self._tokens = NpyFile(folder / _TOKENS, np.uint64)
        self._counts = NpyFile(folder / "set_counts.npy", np.uint32)
        self._offsets = [0]
        self._signatures = NpyFile(folder / _SIGNATURES, np.uint32)
        self._signature_offsets = [0]
        self._sketched: list[int] = []
        self._filters: list[int] = []
        self._filter = {name: NpyFile(folder / f"filter_{name}.npy", dtype) for name, dtype in FILTER.items()}
        self._minima = NpyFile(folder / "sketch_minima.npy", np.uint64)
        self._registers = NpyFile(folder / "sketch_registers.npy", np.uint8)

    @property
    def is_empty(self) -> bool:
        """Whether no table was added."""
        return not self._tables

    def add_table(
        self, name: str, spec: Any, rows: int, problems: Sequence[Sequence[Any]], columns: Iterable[Column]
    ) -> None:
        """Add a table and its columns; `spec` is plain JSON that changes when the table's files do."""
        number = len(self._tables)
        self._tables.append(
            {"name": name, "spec": json.dumps(spec), "rows": rows, "problems": json.dumps([list(p) for p in problems])}
        )
        for column in columns:
            self._columns.append(described(number, column))
            self._tokens.append(column.tokens)
            self._counts.append(column.counts)
            self._offsets.append(self._offsets[-1] + len(column.tokens))
            self._signatures.append(column.signature)
            self._signature_offsets.append(self._signatures.length)
            sketch = sketch_of(column.tokens) if len(column.tokens) > KEEP else column.sketch
            if sketch is not None:
                self._sketched.append(len(self._columns) - 1)
                minima, registers = sketch.pack()
                self._minima.append(minima)
                self._registers.append(registers)
            if column.filter is not None:
                starts = (self._filter[name].length for name in FILTER)
                self._filters += [len(self._columns) - 1, *starts, column.filter.bits]
                for name in FILTER:
                    self._filter[name].append(getattr(column.filter, name))

    def end_to_end(self, runs: Iterable[Run], most: int, rows: int) -> Run:
        """As `merging.end_to_end`, of the next column, whose table has so many rows. Many tokens go to their files
        at once, where `add_table` takes them as they lie: no more than a run of them is in memory."""
        if most < _LAID_FROM or rows > np.iinfo(np.uint32).max:  # more than a count holds there
            return end_to_end(runs, most)
        start = stop = self._offsets[-1]
        for tokens, counts in runs:
            self._tokens.put(stop, tokens)
            self._counts.put(stop, counts)
            stop += len(tokens)
        return self._tokens.part(start, stop), self._counts.part(start, stop)

    def _write_bands(self) -> None:
        minima, registers = (
            np.load(self.folder / f"sketch_{name}.npy", mmap_mode="r") for name in ("minima", "registers")
        )
        n = len(self._sketched)
        if not n:
            return
        sizes = np.maximum([self._columns[c]["distinct"] for c in self._sketched], 1).astype(float)
        columns = sketched.of(minima.reshape(n, -1), registers.reshape(n, -1), sizes)
        for name in sketched.ARRAYS:
            np.save(self.folder / f"bands_{name}.npy", getattr(columns.bands, name).ravel())
        np.save(self.folder / "bands_costs.npy", sketched.fit(columns).array())

    def _write_signatures(self) -> None:
        self._signatures.close()
        signatures, offsets = np.load(self.folder / _SIGNATURES, mmap_mode="r"), np.array(self._signature_offsets)
        out = [NpyFile(self.folder / f"signature_{name}.npy", np.uint32) for name in SIGNATURES]
        for bounds in pairwise(np.linspace(0, 1 << 32, 2 + len(signatures) // _AT_ONCE, dtype=np.int64).tolist()):
            for appender, array in zip(out, signed.inverted(signatures, offsets, *bounds), strict=True):
                appender.append(array)
        for appender in out:
            appender.close()
        (self.folder / _SIGNATURES).unlink()

    def _room(self, name: str, most: int, dtype: Any) -> NpyFile:
        return NpyFile(self.folder / f"{_IN_ROOMS[name]}.npy", dtype)

    def finish(self) -> dict[str, list[Any]]:
        """Write what is left, make it durable, and return each file's [bytes, checksums of its blocks]."""
        self._tokens.close()
        self._counts.close()
        self._minima.close()
        self._registers.close()
        for appender in self._filter.values():
            appender.close()
        np.save(self.folder / "filters.npy", np.array(self._filters, np.int64))
        np.save(self.folder / "sketch_columns.npy", np.array(self._sketched, np.int64))
        self._write_bands()
        self._write_signatures()
        offsets = np.array(self._offsets, np.int64)
        np.save(self.folder / "set_offsets.npy", offsets)
        inverted, _ = postings.build(offsets, np.load(self.folder / _TOKENS, mmap_mode="r"), self._room)
        (self.folder / _TOKENS).unlink()
        for name in (name for name in postings.ARRAYS if name not in _IN_ROOMS):
            np.save(self.folder / f"postings_{name}.npy", getattr(inverted, name))
        np.save(self.folder / "costs.npy", josie_cost.fit(inverted).array())
        for name, rows, schema in (("tables", self._tables, TABLES), ("columns", self._columns, COLUMNS)):
            # without Arrow's own schema, which a reader of others' files (`bounded_parquet`) must not trust
            pq.write_table(pa.Table.from_pylist(rows, schema), self.folder / f"{name}.parquet", store_schema=False)
        files = {}
        for path in sorted(self.folder.iterdir()):
            with path.open("rb") as file:
                os.fsync(file.fileno())
            files[path.name] = [path.stat().st_size, checksums(path)]
        return files


TABLES = pa.schema([("name", pa.string()), ("spec", pa.string()), ("rows", pa.int64()), ("problems", pa.string())])
COLUMNS = pa.schema(
    [("table", pa.int32()), ("name", pa.string()), ("ordinal", pa.int32()), ("type", pa.string())]
    + [(name, pa.int64()) for name in ("rows", "nulls", "distinct")]
    + [("distinct_error", pa.float64())]
    + [(name, pa.float64() if name in ("low", "high") else pa.int64()) for name in NUMBERS]
    + [(f"letters_{i + 1}", pa.int64()) for i in range(LETTERS)]
)


def described(table: int, column: Column) -> dict[str, Any]:
    """A row of `COLUMNS`: a column of the table of that number."""
    return {
        "table": table,
        **{name: getattr(column, name) for name in ("name", "ordinal", "type", "rows", "nulls", "distinct")},
        "distinct_error": column.distinct_error,
        **{name: getattr(column.shape, name) for name in NUMBERS},
        **{f"letters_{i + 1}": n for i, n in enumerate(column.shape.letters)},
    }
