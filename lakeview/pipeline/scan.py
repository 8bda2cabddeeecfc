"""Scanning parts of tables: as one Spark job, or in this process.

Parts, not DataFrames, are shipped: reading 3,000 small files through a DataFrame each would cost a second apiece. Tasks
come from `spark.range`, the reading is Arrow's, and only profiles come back. DataFrame API alone, so Connect works too.
"""

from __future__ import annotations

import heapq
import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

import pyarrow as pa

from lakeview.catalog.kinds import is_compressed
from lakeview.catalog.model import TYPED, Part
from lakeview.errors import InputError
from lakeview.pipeline import session, task, told, workers
from lakeview.pipeline.progress import Job
from lakeview.pipeline.task import PartScan
from lakeview.values import Normalize

TASK_BYTES = 64 << 20  # of input to a task, at most, where parts are that small
TASKS_PER_CORE = 8  # at least, where there are as many parts: smooth progress and a quick cancel
WAVE_BYTES = 4 << 30  # of input to a Spark job; its profiles are held in memory at once
_GROWS = 4  # times that the rows of a compressed file are larger than the file, about
PART_BYTES = 64 << 10  # what opening a file and telling its format costs beside its bytes, in bytes

Show = Callable[[int, int], None]


def part_sizes(parts: Sequence[Part]) -> list[int]:
    """What each part is likely to cost, in bytes."""
    parts_of = Counter(p.file.path for p in parts)
    return [p.file.size // parts_of[p.file.path] + PART_BYTES for p in parts]


def pack(sizes: Sequence[int], cores: int) -> list[list[int]]:
    """Spread parts over tasks of about the same size, the largest tasks first. Returns part numbers by task."""
    return spread(sizes, max(-(-sum(sizes) // TASK_BYTES), min(len(sizes), TASKS_PER_CORE * cores)))


def spread(sizes: Sequence[int], wanted: int) -> list[list[int]]:
    """Numbers by task, for at most so many tasks, of about the same size, the largest first."""
    tasks: list[tuple[int, int, list[int]]] = [(0, t, []) for t in range(min(wanted, len(sizes)))]
    for number in sorted(range(len(sizes)), key=lambda i: -sizes[i]):
        load, t, members = heapq.heappop(tasks)
        members.append(number)
        heapq.heappush(tasks, (load + sizes[number], t, members))
    return [members for _, _, members in sorted(tasks, key=lambda task: -task[0])]


def waves(sizes: Sequence[int]) -> Iterator[range]:
    """Runs of parts of at most WAVE_BYTES each, in order."""
    start = load = 0
    for number, size in enumerate(sizes):
        if load + size > WAVE_BYTES and number > start:
            yield range(start, number)
            start, load = number, 0
        load += size
    if start < len(sizes):
        yield range(start, len(sizes))


def scan_here(parts: Sequence[Part], normalize: Normalize, keep: int | None, show: Show) -> Iterator[PartScan]:
    """Scan parts in this process, one after the other. show: called with bytes done and all, as `part_sizes` has
    them."""
    sizes = part_sizes(parts)
    before = list(accumulate(sizes, initial=0))

    def inside(number: int, held: int) -> None:
        grown = _GROWS if is_compressed(parts[number].file.path) or parts[number].kind in TYPED else 1
        show(before[number] + min(held // grown, sizes[number]), before[-1])

    def shown() -> Iterator[tuple[int, Part]]:
        for number, part in enumerate(parts):
            show(before[number], before[-1])
            yield number, part

    return task.scan_parts(shown(), normalize, keep, inside)


def scan_on_spark(
    spark: Any, parts: Sequence[Part], normalize: Normalize, keep: int | None, show: Show
) -> Iterator[PartScan]:
    """Scan parts as Spark jobs, a wave at a time. show: as for `scan_here`."""
    workers.ready(spark)
    sizes = part_sizes(parts)
    total = sum(sizes)
    before = 0
    show(0, total)
    for wave in waves(sizes):
        tasks = [
            [(wave[i], parts[wave[i]]) for i in members] for members in pack([sizes[n] for n in wave], cores_of(spark))
        ]

        # The largest tasks come first, and so do their bytes.
        done_by = list(accumulate((sum(sizes[n] for n, _ in members) for members in tasks), initial=before))

        def in_whole(done: int, all_: int, done_by: list[int] = done_by) -> None:
            show(done_by[min(done, len(done_by) - 1)], total)

        result = Job(spark, partial(_run, spark, tasks, normalize, keep), "indexing").wait(in_whole)
        before = done_by[-1]
        yield from told.decode(told.unpacked(result))


def _run(spark: Any, tasks: list[list[tuple[int, Part]]], normalize: Normalize, keep: int | None) -> pa.Table:
    # Each task gets them all, and makes objects of its own alone.
    pickled = [pickle.dumps(parts) for parts in tasks]

    def scan(number: int) -> Iterator[pa.RecordBatch]:
        return told.packed(told.encode(task.scan_parts(pickle.loads(pickled[number]), normalize, keep)))

    return run_tasks(spark, len(tasks), scan, told.PACKED)


def run_tasks(spark: Any, n: int, work: Callable[[int], Iterator[pa.RecordBatch]], schema: pa.Schema) -> pa.Table:
    """What `work` yields for each of the numbers up to n, a Spark task each; schema: of its batches."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from work(number)

    return spark.range(0, n, 1, n).mapInArrow(run, _spark_schema(schema)).toArrow()


def _spark_schema(schema: pa.Schema) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema)


def scan_frame_on_spark(
    frame: Any, name: str, normalize: Normalize, keep: int | None, show: Show
) -> Iterator[PartScan]:
    """Scan a Spark DataFrame, partition by partition, through the same code."""
    from lakeview.store.scanning import scan_batches

    spark, again = frame.sparkSession, f"make {name} anew in the session that runs"
    with session.in_one_line(spark, again):
        names = list(frame.columns)
    if len(set(names)) < len(names):
        raise InputError(f"the DataFrame {name} has two columns of one name; rename one and index again")
    workers.ready(spark)

    def scan(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows, columns = scan_batches((batch.rename_columns(names) for batch in batches), normalize, keep)
        yield from told.packed(told.encode([PartScan(0, rows=rows, columns=columns)]))

    def run() -> pa.Table:
        # By place: Spark looks for the columns by their names, which may hold dots and backticks.
        numbered = frame.toDF(*(f"c{place}" for place in range(len(names))))
        return numbered.mapInArrow(scan, _spark_schema(told.PACKED)).toArrow()

    found = Job(spark, run, f"indexing {name}", again).wait(show)
    # A frame without rows may have no partition, and no task then tells its columns.
    found = found if len(found) else pa.Table.from_batches(scan([_without_rows(frame)]))
    yield from told.decode(told.unpacked(found))


def _without_rows(frame: Any) -> pa.RecordBatch:
    from pyspark.sql.pandas.types import to_arrow_schema

    return pa.RecordBatch.from_pylist([], schema=to_arrow_schema(frame.schema))


def cores_of(spark: Any) -> int:
    """How many tasks the session runs at a time, as far as it says."""
    try:
        return max(1, spark.sparkContext.defaultParallelism)
    except Exception:  # Connect does not say
        return 8
