"""Reading tables for the index: their parts are scanned, here or by Spark, and put together again."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

import pyarrow as pa

from lakeview.catalog import sources
from lakeview.catalog.model import File, Part, Problem, Table
from lakeview.catalog.reading.findings import of_parts
from lakeview.pipeline import progress, scan, within
from lakeview.pipeline.progress import Reporter
from lakeview.pipeline.task import PartScan, record_of
from lakeview.store.profiles import Column, ColumnPart, merge_parts
from lakeview.store.scanning import GATHERED, ColumnScan, profile
from lakeview.store.store import Store


@dataclass
class Scanned:
    """A table as the scan saw it."""

    rows: int = 0
    met: list[tuple[str, int, Sequence[Problem]]] = field(default_factory=list)  # by part: its file, rows, problems
    digests: dict[str, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))  # of its files, by path
    parts: dict[str, list[ColumnPart]] = field(default_factory=lambda: defaultdict(list))

    @property
    def problems(self) -> list[Problem]:
        return of_parts(self.met)

    def take(self, found: PartScan, path: str) -> None:
        """Take what was read of the next part, which is of a file there."""
        self.rows += found.rows
        self.met.append((path, found.rows, found.problems))
        for column in found.columns:
            self.parts[column.name].append(column)

    def add(self, other: Scanned) -> None:
        """Add what was read of the next files."""
        self.rows += other.rows
        self.met += other.met
        for path, blocks in other.digests.items():
            self.digests[path] |= blocks
        for name, parts in other.parts.items():
            self.parts[name] += parts

    def columns(self, table: str, keep: int | None = None) -> list[Column]:
        """The columns; a sketch in place of more than `keep` tokens."""
        return [merge_parts(table, i, parts, self.rows, keep) for i, parts in enumerate(self.parts.values())]


@dataclass
class Pieces:
    """The parts of some tables, and the number of each one's table."""

    tables: Sequence[Table]
    parts: list[Part] = field(default_factory=list)
    owner: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, tables: Sequence[Table]) -> Pieces:
        """All parts."""
        pieces = cls(tables)
        for number, table in enumerate(tables):
            found = sources.split(table, within.part_bytes())
            pieces.parts += found
            pieces.owner += [number] * len(found)
        return pieces

    @classmethod
    def by_file(cls, fresh: Sequence[tuple[Table, Sequence[File]]]) -> Pieces:
        """The parts of some files of each table, as if every file were a table."""
        pieces = cls([])
        tables: list[Table] = []
        for table, files in fresh:
            for file in files:
                found = sources.split(table, within.part_bytes(), [file])
                pieces.parts += found
                pieces.owner += [len(tables)] * len(found)
                tables.append(replace(table, files=(file,)))
        pieces.tables = tables
        return pieces

    @property
    def bytes(self) -> int:
        """Of the files; those of tables of several count as what opening them costs, too."""
        alone = sum(n == 1 for n in Counter(self.owner).values())
        return sum(scan.part_sizes(self.parts)) - scan.PART_BYTES * alone


@dataclass(frozen=True)
class Reader:
    """Who reads: this process, engine="local", or Spark. tasks: a record of each part that was read is added."""

    store: Store
    spark: Any
    engine: str
    keep: int | None
    reporter: Reporter
    tasks: list[dict[str, Any]] = field(default_factory=list)

    def session(self, parts: int) -> Any:
        """Spark for so many parts; None where this process reads."""
        return None if self.engine == "local" else progress.started(parts, self.reporter, self.spark)

    def read(self, pieces: Pieces) -> Iterator[tuple[Table, Scanned]]:
        """Each table as soon as its last part is in."""

        where = "in this kernel" if self.engine == "local" else "by Spark"
        ends = list(accumulate(scan.part_sizes(pieces.parts)))

        def show(done: int, total: int) -> None:
            files = bisect_right(ends, done)
            self.reporter.update(done, total, f"{files:,} of {len(ends):,} files", where)

        parts, normalize = pieces.parts, self.store.normalize
        if not parts:
            return
        if self.engine == "local":
            rows = scan.scan_here(parts, normalize, self.keep, show)
        else:
            rows = scan.scan_on_spark(self.session(len(parts)), parts, normalize, self.keep, show)
        scanned: dict[int, Scanned] = defaultdict(Scanned)
        left, by_part = Counter(pieces.owner), {found.number: found for found in rows}
        for number, table in enumerate(pieces.owner):
            if number in by_part:
                found = by_part.pop(number)
                path = parts[number].file.path
                scanned[table].take(found, path)
                scanned[table].digests[path] |= found.digests
                self.tasks.append(record_of(found, parts[number]))
            left[table] -= 1
            if not left[table]:
                yield pieces.tables[table], scanned.pop(table)


def listed(problems: Iterable[Problem]) -> list[list[Any]]:
    """Problems as a segment and the manifest keep them."""
    return [[each.table, each.problem, each.detail, each.count] for each in problems]


def scan_frame(name: str, frame: Any, store: Store, reporter: Reporter, keep: int | None = None) -> Scanned:
    """A DataFrame as the scan sees it: pandas in this process, Spark where it is."""
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        return scan_spark_frame(name, frame, store, reporter, keep)
    from lakeview import values
    from lakeview.guards import frames

    scanned = Scanned()
    frame = frames.flat(frame)
    scanned.rows = len(frame)
    columns: list[ColumnScan] = []
    waiting: list[tuple[ColumnScan, pa.Array]] = []
    size = 0
    for label, series in frame.items():
        data = values.as_arrow(series)
        columns.append(ColumnScan(str(label), data.type, keep))
        waiting += [(columns[-1], chunk) for chunk in getattr(data, "chunks", [data])]
        size += data.nbytes
        if size >= GATHERED:
            profile(waiting, store.normalize)
            waiting, size = [], 0
    profile(waiting, store.normalize)
    for column in columns:
        scanned.parts[column.name].append(column.part(len(frame)))
    return scanned


def scan_spark_frame(name: str, frame: Any, store: Store, reporter: Reporter, keep: int | None = None) -> Scanned:
    """A frame of Spark as the scan sees it, where it is."""
    scanned = Scanned()
    for found in scan.scan_frame_on_spark(
        frame, name, store.normalize, keep, lambda done, total: reporter.update(done, total, name)
    ):
        scanned.rows += found.rows
        for column in found.columns:
            scanned.parts[column.name].append(column)
    scanned.parts = {c: scanned.parts[c] for c in frame.columns if c in scanned.parts}
    return scanned
