"""Questions about all pairs of columns of a published index, as Spark jobs.

The sets are partitioned (JOSIE, SIGMOD'19, section 7.1.6), and a pair may span two parts: each part's columns are
looked for in each part's lists. A pair is counted whole where its second column lies, so nothing has to be summed, and
tasks send back what holds, no partial overlaps. A task has one part's lists and the columns of some parts, or of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from lakeview.index.inclusions import Pairs, Wanted
from lakeview.index.known_numbers import Lists
from lakeview.pipeline import pairs_task, scan
from lakeview.pipeline.search_on_spark import SparkSnapshot, Task
from lakeview.store.all_pairs import AllPairs


class PairsOnSpark(AllPairs):
    """As `AllPairs`, by jobs; columns go by their numbers in the published index."""

    def __init__(self, snapshot: SparkSnapshot, numbers: np.ndarray) -> None:
        super().__init__(snapshot, numbers)
        self._asked = snapshot

    def inclusions(self, wanted: Wanted, needed: np.ndarray) -> Iterator[Pairs]:
        n = len(self.snapshot.segments)
        groups = scan.spread(
            [segment.size for segment in self.snapshot.segments], max(1, scan.cores_of(self._asked.spark) // max(n, 1))
        )
        tasks, asked = [], []
        for held in range(n):
            for others in groups:
                task = self._asked.task((held, *others))
                ask = partial(pairs_task.inclusions, others=len(others), wanted=wanted, needed=needed)
                tasks.append(task)
                asked.append(partial(ask, places=self.places[task.columns]))
        for row in self._asked.ask(tasks, asked, "looking for keys"):
            source, target = np.frombuffer(row["columns"], np.int32).reshape(2, -1)
            yield source, target, np.frombuffer(row["values"], np.int64)

    def bits(self, most: float) -> np.ndarray:
        n, alive = len(self.snapshot.segments), int(self.snapshot.alive.sum())
        tasks = [self._asked.task((own, *(other for other in range(n) if other != own))) for own in range(n)]
        found = np.zeros(len(self.snapshot))
        for row in self._asked.ask(tasks, [partial(pairs_task.bits, alive=alive, most=most)] * n, "looking for keys"):
            mine = np.frombuffer(row["values"])
            found[tasks[row["task"]].columns[: len(mine)]] = mine
        return self._of_sketches(found[self.numbers], most)

    def known(self, columns: np.ndarray) -> Lists:
        rows = self._by_column(columns, lambda here, local: partial(pairs_task.known, columns=local))
        lengths = np.zeros(len(columns), np.int64)
        found, owners = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for here, row in rows:
            lengths[here] = np.frombuffer(row["columns"], np.int64)
            found.append(np.frombuffer(row["values"], np.int64))
            owners.append(np.repeat(here, lengths[here]))
        order = np.argsort(np.concatenate(owners), kind="stable")
        return np.cumsum(np.append(0, lengths)), np.concatenate(found)[order]

    def holding(self, queries: Lists, asked_of: np.ndarray, columns: np.ndarray) -> np.ndarray:
        def ask(here: np.ndarray, local: np.ndarray) -> Any:
            return partial(pairs_task.holding, queries=queries, asked_of=asked_of[here], columns=local)

        return self._numbered(columns, ask)

    def repeats(self, columns: np.ndarray) -> np.ndarray:
        return self._numbered(columns, lambda here, local: partial(pairs_task.repeats, columns=local))

    def _numbered(self, columns: np.ndarray, ask: Callable[[np.ndarray, np.ndarray], Any]) -> np.ndarray:
        found = np.zeros(len(columns), np.int64)
        for here, row in self._by_column(columns, ask):
            found[here] = np.frombuffer(row["values"], np.int64)
        return found

    def _by_column(
        self, columns: np.ndarray, ask: Callable[[np.ndarray, np.ndarray], Any]
    ) -> Sequence[tuple[np.ndarray, dict[str, Any]]]:
        """The answers of the tasks that have some of the columns, each with the places of its own among them, ascending
        by their numbers in the task; ask: makes the question, of these places and numbers."""
        tasks: list[Task] = []
        places, asked = [], []
        of = np.zeros(len(self.snapshot), np.int64)  # of a column its number in its task
        for task in self._asked.tasks():
            of[task.columns] = np.arange(len(task.columns))
            here = np.flatnonzero(np.isin(columns, task.columns))
            here = here[np.argsort(of[columns[here]], kind="stable")]
            if len(here):
                tasks.append(task)
                places.append(here)
                asked.append(ask(here, of[columns[here]]))
        return [(places[row["task"]], row) for row in self._asked.ask(tasks, asked, "looking for keys")]
