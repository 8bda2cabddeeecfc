"""What one Spark task does: read parts of tables and profile their columns.

Runs in Spark's Python workers and, for the local path, in this process. Imports numpy and pyarrow alone.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

import pyarrow as pa

from lakeview.catalog.digests import digests
from lakeview.catalog.sources import Part, Problem, read_part
from lakeview.errors import LakeviewError
from lakeview.store import scanning
from lakeview.store.profiles import ColumnPart
from lakeview.store.scanning import ColumnScan, TableScan
from lakeview.values import Normalize, xxh64

MAX_COLUMNS = 2_000  # of a file that are indexed
_A_BYTE = 3e-8  # seconds that numpy takes to profile one, at least


@dataclass
class PartScan:
    """What a task learned of a part: its number, how reading went, and its columns. digests: of the file's blocks."""

    number: int
    worker: str = ""
    seconds: float = 0.0
    rows: int = 0
    problems: list[Problem] = field(default_factory=list)
    digests: dict[int, str] = field(default_factory=dict)
    columns: list[ColumnPart] = field(default_factory=list)


def record_of(found: PartScan, part: Part) -> dict[str, Any]:
    """What `IndexReport.tasks` says of a part that was scanned."""
    told = {name: getattr(found, name) for name in ("worker", "rows", "seconds")}
    return {"table": part.table, "path": part.file.path, "row_groups": part.row_groups, "part": found.number, **told}


def scan_parts(
    parts: Iterable[tuple[int, Part]],
    normalize: Normalize,
    keep: int | None = None,
    tell: Callable[[int, int], None] = lambda number, size: None,
) -> Iterator[PartScan]:
    """Profile numbered parts, the columns of many small ones at once. A part that cannot be read is a problem in its
    result, never an error.

    keep: distinct values of a column up to which its tokens are kept; None: all. tell: called with a part's number and
    the bytes that its batches hold so far, each time that some were profiled.
    """
    pool = _Pool(normalize)
    for number, part in parts:
        reading = _Reading(number, part, keep)
        held = 0
        for columns, size in reading.batches():
            pool.add(reading, columns, size)
            held += size
            if pool.is_full:
                pool.profile()
                tell(number, held)
        pool.read.append(reading)
        if pool.is_empty:  # all that was read is profiled
            yield from pool.finished()
    pool.profile()
    yield from pool.finished()


class _Reading:
    """A part that is read."""

    def __init__(self, number: int, part: Part, keep: int | None) -> None:
        self.part, self.keep = part, keep
        self.table = TableScan(keep)
        self.has_failed = False
        self.found = PartScan(number, f"{socket.gethostname()}:{os.getpid()}")

    def batches(self) -> Iterator[tuple[list[tuple[ColumnScan, pa.Array]], int]]:
        """Its batches: the columns of each with who gathers them, and its bytes."""
        started = time.perf_counter()
        self.found.digests = digests(self.part.file.path, *self.part.share)
        try:
            for batch in scanning.gathered(read_part(self.part, self.found.problems, most=MAX_COLUMNS)):
                columns = list(self.table.of(batch))
                self.found.seconds += time.perf_counter() - started
                yield columns, batch.nbytes
                if self.has_failed:
                    return
                started = time.perf_counter()
        except Exception as error:  # a damaged file must not end the job, whatever it does to its reader
            self.fail(error)
        self.found.seconds += time.perf_counter() - started

    def fail(self, error: Exception) -> None:
        """Say that the part cannot be read."""
        if not self.has_failed:
            said = str(error) if isinstance(error, LakeviewError) else f"{type(error).__name__}: {error}"
            self.found.problems.append(Problem(self.part.table, "could not be read", said))
        self.has_failed = True

    def finish(self) -> PartScan:
        """What was learned."""
        if not self.has_failed:
            try:
                self.found.rows, self.found.columns = self.table.rows, self.table.parts()
            except Exception as error:
                self.fail(error)
        return self.found


class _Pool:
    """Columns of several parts that wait to be profiled together."""

    def __init__(self, normalize: Normalize) -> None:
        self.read: list[_Reading] = []  # to their ends
        self._normalize = normalize
        self._waiting: list[tuple[_Reading, ColumnScan, pa.Array]] = []
        self._bytes = 0

    def add(self, reading: _Reading, columns: Sequence[tuple[ColumnScan, pa.Array]], size: int) -> None:
        self._waiting += [(reading, scan, array) for scan, array in columns]
        self._bytes += size

    @property
    def is_full(self) -> bool:
        return self._bytes >= scanning.GATHERED or len(self._waiting) >= scanning.GATHERED_COLUMNS

    @property
    def is_empty(self) -> bool:
        return not self._waiting

    def profile(self) -> None:
        """Profile what waits."""
        started = time.perf_counter()
        waiting = [waits for waits in self._waiting if not waits[0].has_failed]
        xxh64.is_compiled(_A_BYTE * self._bytes)  # changes over now where this much repays it
        self._waiting, self._bytes = [], 0
        try:
            self._profile(waiting)
        except Exception:  # of which part, shows when each is by itself
            for reading in dict.fromkeys(map(itemgetter(0), waiting)):
                try:
                    self._profile([waits for waits in waiting if waits[0] is reading])
                except Exception as error:
                    reading.fail(error)
        share = (time.perf_counter() - started) / max(1, len(waiting))
        for reading, *_ in waiting:
            reading.found.seconds += share

    def _profile(self, waiting: Sequence[tuple[_Reading, ColumnScan, pa.Array]]) -> None:
        profiles = scanning.profiles_for([(scan, array) for _, scan, array in waiting], self._normalize)
        for (reading, scan, _), found in zip(waiting, profiles, strict=True):
            try:
                scan.take(*found)
            except Exception as error:
                reading.fail(error)

    def finished(self) -> Iterator[PartScan]:
        """The parts that were read, once nothing of them waits."""
        read, self.read = self.read, []
        for reading in read:
            yield reading.finish()
