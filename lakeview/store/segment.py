"""One immutable segment of the index: some tables, their columns, token sets, posting lists and sketches.

tables.parquet     name, spec (JSON of where the table was read from), rows, problems (JSON)
columns.parquet    table (number), name, ordinal, type, rows, nulls, distinct, its standard error (0: counted) and the
                   fields of `Shape`
set_offsets.npy    int64[n + 1]   column i has the tokens set_offsets[i]:set_offsets[i + 1]
set_ids.npy        uint32[p]      places of these in `postings_tokens`, ascending within a column, as the tokens are
set_counts.npy     uint32[p]      rows of each token in its column
postings_*.npy     the posting lists, and the sets as these read them (`index.postings.Postings`)
costs.npy          float64[4]     what reading lists and sets costs here (`index.josie_cost.Costs`)
sketch_columns.npy    int64[m]        columns of more than `KEEP` distinct values, ascending; each has a sketch, and its
                                      tokens too unless the lake keeps sketches alone
sketch_minima.npy     uint64[m * 256]
sketch_registers.npy  uint8[m * 3072]  4,096 registers of six bits
signature_*.npy       uint32         the columns' signatures, inverted (`signed.Signed`): hashes, lengths, columns
bands_*.npy           the band tables of the sketches (`index.bands`): occupied, keys, lists, rows, partitions
bands_costs.npy       float64[9]     what scans and look-ups of them cost here (`index.sketched.Costs`)
filters.npy           int64[f * 5]     column, ascending, the starts of its filter in the next three, and its bits
filter_low.npy, filter_buckets.npy, filter_ends.npy    the membership filters (`sketch.membership`) end to end
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lakeview.estimate.joint import Sketch
from lakeview.index import josie, postings, sketched
from lakeview.index.josie_cost import Costs
from lakeview.index.postings import Match, Places, Postings
from lakeview.index.sketched import Sketched
from lakeview.sketch.hyperloglog import unpack_registers
from lakeview.sketch.membership import Membership
from lakeview.store.held import Held
from lakeview.store.profiles import KEEP, Column, sketch_of
from lakeview.store.shapes import LETTERS, Shape
from lakeview.store.signed import Signed

FILTER: dict[str, type[np.generic]] = {"low": np.uint8, "buckets": np.uint8, "ends": np.uint32}
SIGNATURES = ("hashes", "lengths", "columns")
ARRAYS: dict[str, type[np.generic]] = {
    "set_offsets": np.int64,
    "set_ids": np.uint32,
    "set_counts": np.uint32,
    "postings_tokens": np.uint64,
    "postings_directory": np.int64,
    "postings_groups": np.uint32,
    "postings_offsets": np.int64,
    "postings_columns": np.uint32,
    "postings_rests": np.uint32,
    "postings_set_offsets": np.int64,
    "postings_set_groups": np.uint32,
    "costs": np.float64,
    "sketch_columns": np.int64,
    "sketch_minima": np.uint64,
    "sketch_registers": np.uint8,
    **{f"signature_{name}": np.uint32 for name in SIGNATURES},
    "filters": np.int64,
    **{f"filter_{name}": dtype for name, dtype in FILTER.items()},
}
BAND_ARRAYS: dict[str, type[np.generic]] = {  # where there is a sketch
    "bands_occupied": np.uint64,
    "bands_keys": np.uint64,
    "bands_lists": np.int64,
    "bands_rows": np.uint32,
    "bands_partitions": np.int64,
    "bands_costs": np.float64,
}
DTYPES = {**ARRAYS, **BAND_ARRAYS}
FILES = frozenset({"tables.parquet", "columns.parquet", *(f"{name}.npy" for name in ARRAYS)})
BANDS = frozenset(f"{name}.npy" for name in BAND_ARRAYS)
NUMBERS = ("values", "integers", "numbers", "exponents", "dates", "timestamps", "booleans", "low", "high", "decimals")


class Segment:
    """A segment as a reader sees it.

    dead: numbers of the tables that a later segment replaces. files: what is held of its folder, by name; other files
    are opened when they are first used.
    """

    def __init__(self, folder: Path, dead: Collection[int] = (), files: Mapping[str, Held] | None = None) -> None:
        self.folder, self.dead = folder, frozenset(dead)
        self.files = dict(files or {})
        self.tables: dict[str, list[Any]] = self._parquet("tables").to_pydict()
        self.columns = self._parquet("columns")

    def __len__(self) -> int:
        return self.columns.num_rows

    @cached_property
    def alive(self) -> np.ndarray:
        """Which columns still count: bool[n]."""
        return ~np.isin(self.columns["table"].to_numpy(), list(self.dead))

    def file(self, name: str) -> Held:
        """One of the segment's files."""
        if name not in self.files:
            self.files[name] = Held(self.folder / name)
        return self.files[name]

    def _parquet(self, name: str) -> pa.Table:
        # ParquetFile, as read_table would import pandas; in this thread alone, as one of Arrow's that still held a
        # buffer of Python's as the interpreter ends would abort the process
        file = self.file(f"{name}.parquet")
        file.prove()
        return pq.ParquetFile(pa.BufferReader(file.buffer), pre_buffer=False).read(use_threads=False)

    def array(self, name: str) -> np.ndarray:
        """One of the segment's arrays, read-only."""
        return self.file(f"{name}.npy").array(DTYPES[name])

    def part(self, name: str, start: int, stop: int) -> np.ndarray:
        """Some elements of an array, of which no more was checked than these."""
        return self.file(f"{name}.npy").array(DTYPES[name], start, stop)

    def holds(self, name: str) -> bool:
        """Whether the segment was written with such an array."""
        return f"{name}.npy" in self.files or (self.folder / f"{name}.npy").exists()

    def prove(self) -> None:
        """Raise StoreError where a byte of its files is not what it should be."""
        for held in self.files.values():
            held.prove()

    def check(self) -> None:
        """Raise StoreError where a file was cut short in place since it was opened. To be asked before a search touches
        what is mapped, as the system ends a process that reads beyond a file's end."""
        for held in list(self.files.values()):
            if held.mapped:
                held.check()

    @cached_property
    def set_offsets(self) -> np.ndarray:
        return self.array("set_offsets")

    @cached_property
    def size(self) -> int:
        """Tokens of all columns."""
        return int(self.set_offsets[-1])

    @cached_property
    def sketched(self) -> np.ndarray:
        """Columns of which only a sketch is kept: bool[n]."""
        return (np.diff(self.set_offsets) == 0) & (self.columns["distinct"].to_numpy() > 0)

    @cached_property
    def holds_long_sets(self) -> bool:
        """Whether there are tokens of a living column that a lake of sketches would not keep."""
        return bool((self.alive & (np.diff(self.set_offsets) > KEEP)).any())

    @cached_property
    def sketch_columns(self) -> np.ndarray:
        return self.array("sketch_columns")

    @cached_property
    def sketch_minima(self) -> np.ndarray:
        """uint64[m, 256], a row for each of `sketch_columns`."""
        return self.array("sketch_minima").reshape(len(self.sketch_columns), -1)

    @cached_property
    def sketch_registers(self) -> np.ndarray:
        """uint8[m, 4096], a row for each of `sketch_columns`."""
        return unpack_registers(self.array("sketch_registers").reshape(len(self.sketch_columns), -1))

    @cached_property
    def sketches(self) -> Sketched:
        """The sketches as they are searched, a place for each of `sketch_columns`. Where the segment was written
        without band tables, they are made now."""
        sizes = np.maximum(self.columns["distinct"].to_numpy()[self.sketch_columns], 1).astype(float)
        packed = self.array("sketch_registers").reshape(len(sizes), -1)
        if not self.holds("bands_keys"):
            return sketched.of(self.sketch_minima, packed, sizes)
        arrays = {name: self.array(f"bands_{name}") for name in sketched.ARRAYS}
        return sketched.opened(
            self.sketch_minima, packed, sizes, arrays, sketched.Costs(*self.array("bands_costs").tolist())
        )

    def sketch_of(self, column: int) -> Sketch:
        """A column's sketch, made from its tokens where it has none."""
        self.check()
        at = int(np.searchsorted(self.sketch_columns, column))
        if at == len(self.sketch_columns) or self.sketch_columns[at] != column:
            return sketch_of(np.asarray(self.tokens_of(column)[0]))
        counted = self.columns["distinct_error"][column].as_py() == 0
        distinct = float(self.columns["distinct"][column].as_py()) if counted else None
        return Sketch(self.sketch_minima[at], self.sketch_registers[at], distinct)

    @cached_property
    def filters(self) -> np.ndarray:
        """Where each membership filter lies: int64[f + 1, 5], the last row for the ends."""
        ends = [len(self), *(len(self.array(f"filter_{name}")) for name in FILTER), 0]
        return np.vstack([self.array("filters").reshape(-1, 5), ends])

    def filter_of(self, column: int) -> Membership | None:
        """A column's membership filter, where it has one."""
        at = int(np.searchsorted(self.filters[:-1, 0], column))
        if at == len(self.filters) - 1 or self.filters[at, 0] != column:
            return None
        start, stop = self.filters[at], self.filters[at + 1]
        low, buckets, ends = (self.array(f"filter_{name}")[start[i] : stop[i]] for i, name in enumerate(FILTER, 1))
        return Membership(low, buckets, ends, int(start[4]))

    @cached_property
    def postings(self) -> Postings:
        return Postings(*(self.array(f"postings_{name}") for name in postings.ARRAYS))

    def inverted(self) -> Postings:
        """The whole inverted index."""
        self.check()
        return self.postings

    @cached_property
    def costs(self) -> Costs:
        """What reading the posting lists and sets costs."""
        return Costs(*self.array("costs").tolist())

    def search(
        self, match: Match, best: josie.Best, plan: josie.Plan, skip: np.ndarray, rank: np.ndarray, base: int
    ) -> josie.Statistics:
        """Put the columns of most overlap among the best so far (`josie.search`)."""
        return josie.search(self.postings, match, best, plan, self.costs, skip, rank, base)

    def merged(self, match: Match) -> josie.Statistics:
        """What `postings.overlaps` reads."""
        return josie.merged(self.postings, match, self.costs)

    def tokens_of(self, column: int) -> tuple[np.ndarray, np.ndarray]:
        """Tokens (uint64, sorted) of a column and the rows of each (uint32)."""
        tokens, counts = self.places_of(column)
        return tokens[:], counts

    def places_of(self, column: int) -> tuple[Places, np.ndarray]:
        """As `tokens_of`, of tokens that are not looked up yet."""
        self.check()
        span = int(self.set_offsets[column]), int(self.set_offsets[column + 1])
        return Places(self.postings.tokens, self.part("set_ids", *span)), self.part("set_counts", *span)

    def counts_of(self, column: int) -> np.ndarray:
        """The rows of each token of a column: uint32."""
        self.check()
        return self.part("set_counts", int(self.set_offsets[column]), int(self.set_offsets[column + 1]))

    @cached_property
    def signed(self) -> Signed:
        """The columns' signatures, inverted."""
        return Signed(len(self), *(self.array(f"signature_{name}") for name in SIGNATURES))

    def column(self, number: int) -> Column:
        """A column in full, for copying it to another segment."""
        return self.described(number, *self.tokens_of(number))

    def described(self, number: int, tokens: Any, counts: np.ndarray) -> Column:
        """All else that is known of a column, beside what is given as its tokens."""
        row = self.columns.slice(number, 1).to_pylist()[0]
        shape = Shape(**{k: row[k] for k in NUMBERS}, letters=tuple(row[f"letters_{i + 1}"] for i in range(LETTERS)))
        table = self.tables["name"][row["table"]]
        sketch = self.sketch_of(number) if self.sketched[number] else None
        return Column(
            table,
            row["name"],
            row["ordinal"],
            row["type"],
            row["rows"],
            row["nulls"],
            shape,
            tokens,
            counts,
            sketch,
            self.filter_of(number),
            self.signed.of(number),
        )
