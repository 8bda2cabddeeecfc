"""A widget's work in threads, one thing after another: what somebody asked for is never lost to what came after."""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from lakeview.notebook.widgets.stoppable import Stoppable, in_words

WRITE, LOOK, SEARCH = range(3)  # ranks: what somebody asked to be written goes first, then rows, then a search


class Tells(Protocol):
    """What a widget says of its work: what it is at, and what went wrong."""

    busy: str
    error: str


@dataclass(frozen=True, eq=False)
class Task:
    """Something to do in a thread.

    busy: what it is, in words. work: gives what is to be shown, piece by piece; begins anew where it was stopped for
    something more urgent. show: shows a piece, in the thread. kind: a newer task takes the place of one of its kind.
    rank: the least goes first, and stops what has a greater one. after: what follows once all is shown.
    """

    busy: str
    work: Callable[[], Iterable[Any]]
    show: Callable[[Any], None]
    kind: str
    rank: int = 0
    after: Callable[[], None] | None = None


class InTurn:
    """Does tasks in turn and keeps the widget's `busy` and `error`. Nothing of a task that was stopped is shown."""

    def __init__(self, widget: Tells) -> None:
        self.lock = threading.RLock()  # held while something is shown
        self._widget = widget
        self._waiting: list[Task] = []
        self._now: tuple[Task, Stoppable] | None = None

    def ask(self, task: Task) -> None:
        """Do it as soon as it is its turn."""
        with self.lock:
            self._widget.error = ""
            now = self._now[0] if self._now is not None else None
            at = bisect_right(self._waiting, task.rank, key=_rank)
            peers = [each for each in [now, *self._waiting] if each is not None and each.rank == task.rank]
            before = peers[-1] if peers and peers[-1].kind == task.kind else None  # whose place it takes
            if before in self._waiting:
                self._waiting[at - 1] = task
            else:
                self._waiting.insert(at, task)
            stopped = None
            if now is not None and (now is before or now.rank > task.rank):
                stopped, self._now = self._now, None
                if now is not before:
                    self._waiting.insert(bisect_left(self._waiting, now.rank, key=_rank), now)
        if stopped is not None:
            stopped[1].stop()
        self._begin()

    def stop(self, rank: int = 0) -> None:
        """Stop what is at work, and forget what waits; only what has that rank or a greater one."""
        with self.lock:
            self._waiting = [each for each in self._waiting if each.rank < rank]
            if self._now is None or self._now[0].rank < rank:
                return
            (_, work), self._now = self._now, None
            self._widget.busy = ""
        work.stop()
        self._begin()

    def _begin(self) -> None:
        """The next task, where none is at work."""
        with self.lock:
            if self._now is not None or not self._waiting:
                return
            task = self._waiting.pop(0)
            name = f"lakeview: {task.busy}"
            work = Stoppable(name, lambda: self._work(task), lambda _, error: self._ended(task, error))
            self._now = task, work
            self._widget.busy = task.busy
            work.start()

    def _is_at(self, task: Task) -> bool:
        return self._now is not None and self._now[0] is task

    def _work(self, task: Task) -> None:
        for piece in task.work():
            with self.lock:
                if self._is_at(task):
                    task.show(piece)

    def _ended(self, task: Task, error: Exception | None) -> None:
        with self.lock:
            if not self._is_at(task):
                return  # it was stopped
            self._now = None
            if error is not None:
                self._widget.error = in_words(error)
            if not self._waiting:
                self._widget.busy = ""
        self._begin()
        if task.after is not None and error is None:
            task.after()


def _rank(task: Task) -> int:
    return task.rank
