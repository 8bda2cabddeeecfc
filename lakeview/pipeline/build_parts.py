"""Building an index that outgrows memory: scanned to files, then inverted part by part, by Spark tasks or here.

1. Every part of a table is scanned as always, and its tokens stay in a file in the store's folder. What comes back says
   how many tokens each column has.
2. The columns are cut into ranges of at most `within.postings()` postings, and of each a task makes a whole
   segment: its token order, duplicate groups, posting lists, sets and sketches. Only names and checksums come back.

These are the partitions by set of section 7.1.6 of JOSIE (SIGMOD'19), in place of one order by frequency over all sets,
range-partitioned. That would shuffle every token twice (by token for the lists, by set for the sets) and end in shards
of which a set has pieces everywhere, so that probing one would read them all. A part needs no other part: it is built
without a shuffle, searched by one task, replaced alone. What it costs: a dictionary entry, 12 bytes, in each part that
has a token, and a k-th overlap that has to be carried from part to part (`Snapshot.top_k`).

The arithmetic, for the paper's Open Data: 745,414 sets, 563 million tokens, 1.15 billion postings. Files of the scan:
12 bytes a posting, 14 GB, deleted at the end. 35 parts of 33.5 million postings, 24 bytes each: 28 GB of index. A task
holds its part while it inverts it, some 45 bytes a posting: 1.5 GB, however large the lake. This process holds one row
a column and part, some 300 bytes: 0.3 GB for a million. A set of 22 million values, the largest there, fits a part.
"""

from __future__ import annotations

import json
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lakeview.catalog.model import Problem, Table
from lakeview.catalog.places import spec_of
from lakeview.catalog.reading.findings import of_parts
from lakeview.errors import StoreError
from lakeview.pipeline import part_task, scan, session, told, within, workers
from lakeview.pipeline.kept import Kept, Place
from lakeview.pipeline.progress import Job, Reporter
from lakeview.pipeline.reading import Pieces, Reader, listed
from lakeview.pipeline.task import PartScan, record_of
from lakeview.store import contents, parts
from lakeview.store.store import FinishedSegment, Writer

OUTGROWN = scan.WAVE_BYTES  # of input, from which an index is built so
SPILLED = 128 << 20  # and where all workers are on this machine, so that they see the store's folder
_OBJECTS = 7 << 10  # what the objects of a part's columns weigh, be there ever so few rows, as bytes of input

_BUNDLES = 8  # times `scan.TASKS_PER_CORE` that progress is told at least, where this process reads


@dataclass
class _Spilled:
    """A table as the scan left it: rows, problems, what its files hold (`digests`, by path), and of each column its
    pieces (file, batch, row) and their tokens; and all of these places."""

    rows: int = 0
    met: list[tuple[str, int, Sequence[Problem]]] = field(default_factory=list)  # by part: its file, rows, problems
    digests: dict[str, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))
    pieces: dict[str, list[tuple[str, int, int]]] = field(default_factory=lambda: defaultdict(list))
    sizes: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    places: dict[str, list[Place]] = field(default_factory=lambda: defaultdict(list))  # of its files, by path


def is_due(pieces: Pieces, reader: Reader) -> bool:
    """Whether the pieces are so large that what is read of them is better put in files than held in memory, and, where
    Spark reads, sent through its JVM. Small tables are held as long as there is room: to put a column of theirs in a
    file and take it out again costs half as much as reading it."""
    size = pieces.bytes
    held = size + _OBJECTS * len(pieces.parts)
    if held > OUTGROWN:
        return True
    if size <= SPILLED and held <= within.held_bytes():
        return False
    if reader.engine == "local":
        return True
    reader.session(len(pieces.parts))
    return session.master().startswith("local")


def build(
    writer: Writer,
    pieces: Pieces,
    reader: Reader,
    kept: Kept,
) -> list[FinishedSegment]:
    """Scan the pieces and build segments of all; what was read of each file of a table of several is kept, if all of
    its tokens are. Raises StoreError where a worker does not see the store's folder."""
    tables, normalize, keep, reporter = pieces.tables, reader.store.normalize, reader.keep, reader.reporter
    spark = reader.session(len(pieces.parts))
    folder = writer.store.folder / "segments" / f"{uuid.uuid4().hex[:12]}.tmp"
    folder.mkdir()
    sizes = scan.part_sizes(pieces.parts)
    cores = scan.cores_of(spark) if spark else _BUNDLES
    bundles = [[(i, pieces.parts[i]) for i in members] for members in scan.pack(sizes, cores)]

    def spill(number: int) -> Iterator[pa.RecordBatch]:
        yield from part_task.spill(folder, bundles[number], normalize, keep)

    rows = _run(spark, len(bundles), spill, part_task.SPILLED, reporter, f"indexing {len(tables):,} tables")
    spilled = _by_table(rows, pieces, reader.tasks)
    told_of = [contents.scanned(table, found.digests) for table, found in zip(tables, spilled, strict=True)]
    n = _plan(folder, told_of, spilled)
    built = _run(
        spark,
        n,
        lambda number: part_task.build(folder, number, keep),
        part_task.BUILT,
        reporter,
        "writing the index",
    )
    if keep is None:
        for table, found in zip(told_of, spilled, strict=True):
            kept.take(table, found.places, folder)
    return [FinishedSegment(Path(row["folder"]), json.loads(row["files"])) for row in built]


def _run(
    spark: Any,
    n: int,
    work: Callable[[int], Iterator[pa.RecordBatch]],
    schema: pa.Schema,
    reporter: Reporter,
    said: str,
) -> list[dict[str, Any]]:
    """The rows of n tasks, in order of `part`. Raises what one of them tells as its error."""
    if spark is None:
        found = []
        for number in range(n):
            reporter.update(number, n, said)
            found += [row for batch in work(number) for row in batch.to_pylist()]
    else:
        workers.ready(spark)
        job = Job(spark, lambda: scan.run_tasks(spark, n, work, schema), said)
        found = job.wait(lambda done, total: reporter.update(min(done, n), n, said)).to_pylist()
    for row in found:
        if row["error"]:
            raise StoreError(row["error"])
    return sorted(found, key=lambda row: row["part"])


def _by_table(rows: Sequence[dict[str, Any]], pieces: Pieces, tasks: list[dict[str, Any]]) -> list[_Spilled]:
    spilled = [_Spilled() for _ in pieces.tables]
    for row in rows:
        table = spilled[pieces.owner[row["part"]]]
        table.places[pieces.parts[row["part"]].file.path].append((row["file"], row["batch"], row["row"]))
        if row["name"] is None:
            piece = pieces.parts[row["part"]]
            table.rows += row["rows"]
            table.met.append((piece.file.path, row["rows"], told.problems_of(row["problems"])))
            table.digests[piece.file.path] |= told.digests_of(row["digests"])
            found = PartScan(row["part"], row["worker"], row["seconds"], row["rows"])
            tasks.append(record_of(found, piece))
        else:
            table.pieces[row["name"]].append((row["file"], row["batch"], row["row"]))
            table.sizes[row["name"]] += row["size"]
    return spilled


def _plan(folder: Path, tables: Sequence[Table], spilled: Sequence[_Spilled]) -> int:
    """Write what each segment is to hold, for the tasks that make them; returns how many there are."""
    columns = [(t, ordinal, name) for t, table in enumerate(spilled) for ordinal, name in enumerate(table.pieces)]
    sizes = np.array([spilled[t].sizes[name] for t, _, name in columns], np.int64)
    cut = parts.ranges(sizes, parts.number(int(sizes.sum()), within.postings()))
    specs = [spec_of(table) for table in tables]
    begun: set[int] = set()

    def of(t: int, held: Sequence[tuple[int, str]]) -> dict[str, Any]:
        table = spilled[t]
        said = {"name": tables[t].name, "spec": specs[t], "rows": table.rows}
        problems = [] if t in begun else listed(of_parts(table.met))  # told once
        begun.add(t)
        return {**said, "problems": problems, "columns": [(i, table.pieces[name]) for i, name in held]}

    bare = [of(t, []) for t, table in enumerate(spilled) if not table.pieces]
    for number, part in enumerate(cut):
        plan = [
            of(t, [(i, name) for _, i, name in held])
            for t, held in groupby(columns[part.start : part.stop], key=lambda column: column[0])
        ]
        text = json.dumps([*(bare if number == 0 else ()), *plan])
        (folder / part_task.plan_name(number)).write_text(text, encoding="utf-8")
    return len(cut)
