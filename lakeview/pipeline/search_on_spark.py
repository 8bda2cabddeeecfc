"""Searching a published index as a Spark job (JOSIE, SIGMOD'19, section 7.1.6).

The sets are partitioned: every task has some segments, each with an inverted index of its own, and finds its own best k
with the kernels that search here; the k-th overlap is carried from one of its segments to the next. What the tasks
found is merged here, ties by (table, column), so the answer is that of the whole index. A task sends k columns, or all
that overlap, and for every value of the query how many of its columns hold it: 4 bytes a value.

What the columns are is read here; what they hold, only by tasks.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from lakeview.errors import InputError, StoreError
from lakeview.index.josie import Best, Plan, Statistics
from lakeview.pipeline import progress, scan, search_task, workers
from lakeview.pipeline.progress import Job
from lakeview.store import published as at_url
from lakeview.store import publishing
from lakeview.store.snapshot import Snapshot
from lakeview.store.store import Manifest, Store
from lakeview.store.urls import shown

_KEPT = 2  # opened indexes: this one and the one before
_open: dict[tuple[str, str, str], SparkSnapshot] = {}


@dataclass
class SparkStatistics(Statistics):
    """What all tasks read; partitions: segments; tasks, workers: how many had a share; slowest: seconds of a task."""

    partitions: int = 0
    tasks: int = 0
    workers: int = 0
    slowest: float = 0.0

    def __repr__(self) -> str:
        return (
            f"{super().__repr__()}\n"
            f"Spark: {self.partitions} partitions in {self.tasks} tasks on {self.workers} workers, "
            f"the slowest {1e3 * self.slowest:.2f} ms"
        )


def published(store: Store, spark: Any) -> SparkSnapshot:
    """The published index of a store, to be searched on Spark; one that only this machine's workers ask is the store.

    Raises InputError where workers could not read it: it was not published, or changed since, here or there.
    """
    spark = progress.started(1, progress.reporter(), spark)
    found = publishing.published(store)
    if found is None:
        if not workers.is_local(spark):
            raise InputError(
                'the index is not published: call lake.publish(url, partitions=n), then search with engine="spark"'
            )
        found = publishing.Published(str(store.folder), store.manifest().version)
    url = found.url
    manifest = at_url.manifest(url, store.normalize)
    if manifest.version != found.version:
        raise InputError(
            f"another index was published at {shown(url)} since: take it over with lake.pull(url), or publish again"
        )
    key = url, store.normalize, manifest.version
    snapshot = _open.get(key) or SparkSnapshot(url, store.normalize, manifest)
    for old in list(_open)[: 1 - _KEPT] if key not in _open else ():
        _open.pop(old, None)
    snapshot.spark, _open[key] = spark, snapshot
    return snapshot


@dataclass(frozen=True)
class Task:
    """What one task asks: segments of the index, and the numbers of their columns, int64."""

    segments: tuple[int, ...]
    columns: np.ndarray


class SparkSnapshot(Snapshot):
    """A published index; what is asked of its posting lists is asked as Spark jobs."""

    spark: Any = None

    def __init__(self, url: str, normalize: str, manifest: Manifest) -> None:
        super().__init__(manifest, at_url.segments(url, manifest.segments))
        self.url, self.normalize = url, normalize
        self._last = threading.local()  # `about`: each thread asks several times of its own query

    def top_k(
        self, query: np.ndarray, k: int, skip: np.ndarray | None = None, plan: Plan = "auto"
    ) -> tuple[np.ndarray, np.ndarray, Statistics]:
        started = time.perf_counter()
        skip = np.zeros(len(self), bool) if skip is None else skip
        best, tasks = Best.of(min(k, len(self))), self.tasks()
        ask = partial(search_task.top_k, query=query, k=k)
        rows = self.ask(tasks, [partial(ask, skip=np.flatnonzero(skip[task.columns])) for task in tasks])
        for columns, overlaps in self._taken(query, tasks, rows):
            best.merge(columns, overlaps, self.rank[columns])
        statistics = self.merged(query)
        statistics.seconds = time.perf_counter() - started
        return *best.found(), statistics

    def overlaps(self, query: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        tasks = self.tasks()
        overlap = np.zeros(len(self), np.int64)
        rows = self.ask(tasks, [partial(search_task.overlaps, query=query)] * len(tasks))
        for columns, overlaps in self._taken(query, tasks, rows):
            overlap[columns] = overlaps
        return overlap, self.frequency(query)

    def merged(self, query: np.ndarray) -> Statistics:
        return self._about(query)[2]

    def frequency(self, query: np.ndarray) -> np.ndarray:
        return self._about(query)[1]

    def weighted(self, query: np.ndarray, weights: np.ndarray, columns: np.ndarray | None = None) -> np.ndarray:
        columns = np.arange(len(self)) if columns is None else columns
        place = np.zeros(len(self), np.int64)  # of a column in its task
        asked: list[tuple[Task, np.ndarray]] = []  # a task, and where its answers go
        for task in self.tasks():
            place[task.columns] = np.arange(len(task.columns))
            here = np.flatnonzero(np.isin(columns, task.columns))
            if len(here):
                asked.append((task, here))
        ask = partial(search_task.weighted, query=query, weights=weights)
        out = np.zeros(len(columns))
        for row in self.ask([task for task, _ in asked], [partial(ask, columns=place[columns[to]]) for _, to in asked]):
            out[asked[row["task"]][1]] = np.frombuffer(row["values"])
        return out

    def _about(self, query: np.ndarray) -> tuple[np.ndarray, np.ndarray, SparkStatistics]:
        """The last query, how many columns hold each of its tokens, and what was read for it."""
        about: tuple[np.ndarray, np.ndarray, SparkStatistics] | None = getattr(self._last, "about", None)
        if about is None or about[0] is not query:
            self.overlaps(query)
            about = self._last.about
        assert about is not None
        return about

    def tasks(self) -> list[Task]:
        """One task a core, so that a task carries the k-th overlap through all its segments."""
        sizes = [int(segment.set_offsets[-1]) for segment in self.segments]
        return [self.task(part) for part in scan.spread(sizes, scan.cores_of(self.spark))]

    def task(self, part: Sequence[int]) -> Task:
        """A task that has some segments, in this order."""
        return Task(tuple(part), np.concatenate([np.arange(self._base[i], self._base[i + 1]) for i in part]))

    def ask(
        self, tasks: Sequence[Task], asked: Sequence[search_task.Question], doing: str = "searching"
    ) -> list[dict[str, Any]]:
        """The tasks' answers, `asked[i]` asked of `tasks[i]`. The query travels within the questions, once a job."""
        if not tasks:
            return []
        workers.ready(self.spark)
        parts = [task.segments for task in tasks]
        where = self.url, self.normalize, self.manifest.version
        spark, n = self.spark, len(tasks)

        def ask(number: int) -> Iterator[pa.RecordBatch]:
            yield search_task.answer(number, *where, parts[number], asked[number])

        def run() -> pa.Table:
            return scan.run_tasks(spark, n, ask, search_task.RESULT)

        with progress.reporting() as reporter:
            found = Job(spark, run, doing).wait(lambda done, total: reporter.update(done, total, doing))
        reporter.close(f"searched {sum(map(len, parts))} partitions")
        rows = found.to_pylist()
        for row in rows:
            if row["error"] is not None:
                raise StoreError(row["error"])
        return rows  # type: ignore[no-any-return]

    def _taken(
        self, query: np.ndarray, tasks: Sequence[Task], rows: Sequence[dict[str, Any]]
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """What each task found, by the numbers of this snapshot; what else they tell of the query is kept."""
        frequency = np.zeros(len(query), np.int64)
        for row in rows:
            frequency += np.frombuffer(row["frequency"], np.uint32)
            columns = tasks[row["task"]].columns[np.frombuffer(row["columns"], np.int64)]
            yield columns, np.frombuffer(row["values"], np.int64)
        total = Statistics.total(Statistics(**json.loads(row["statistics"])) for row in rows)
        self._last.about = (
            query,
            frequency,
            SparkStatistics(
                **{**vars(total), "segments": []},
                partitions=len(self.segments),
                tasks=len(tasks),
                workers=len({row["worker"] for row in rows}),
                slowest=max((row["seconds"] for row in rows), default=0.0),
            ),
        )
