"""Long work of this kernel, as the side panel shows it: what runs, how far it is, and a cancel from any thread.

All long work reports its progress (`pipeline.progress`). What is reported is noted here on its way to the notebook's
own bar, and a cancelled job finds out at its next report, which raises JobCancelled in the job's thread.
"""

from __future__ import annotations

import itertools
import sys
import threading
import time
from collections import deque
from collections.abc import Callable

from lakeview.errors import JobCancelled
from lakeview.notebook.panel import messages
from lakeview.pipeline import progress
from lakeview.pipeline.remaining import Remaining

KEPT = 5  # finished jobs that are still shown
_MIN_GAP = 0.25  # seconds between two notices of progress

_numbers = itertools.count(1)
_jobs: deque[Job] = deque(maxlen=50)
_listeners: list[Callable[[], None]] = []


class Job:
    """A reporter that remembers, and hands on to `inner`."""

    def __init__(self, title: str, inner: progress.Reporter) -> None:
        self.title, self.inner = title, inner
        self.number = next(_numbers)
        self.state = "running"
        self.done = self.total = 0
        self.message = self.how = ""
        self._remaining = Remaining()
        self.left: float | None = None
        self._started = time.monotonic()
        self._ended: float | None = None
        self._told = 0.0
        self._cancelled = threading.Event()

    def update(self, done: int, total: int, message: str, how: str = "") -> None:
        """Note how far the job is; raises JobCancelled where somebody has cancelled it."""
        if self.state != "running":
            return
        if self not in _jobs:
            _jobs.append(self)
        if self._cancelled.is_set():
            raise JobCancelled(f"{self.title}: cancelled; what was there before is still there")
        first = not self._told
        self.done, self.total, self.message, self.how = done, total, message, how
        self.left = self._remaining.after(done, total)
        self.inner.update(done, total, message, how)
        if first or time.monotonic() - self._told > _MIN_GAP:
            self._told = time.monotonic()
            tell()

    def close(self, message: str, how: str = "") -> None:
        """The job is over, well or not: an exception on its way tells which."""
        try:
            error = sys.exception()
            cancelled = self._cancelled.is_set() or isinstance(error, JobCancelled | KeyboardInterrupt)
            state = "done" if error is None else "cancelled" if cancelled else "failed"
            self.end(state, message.removeprefix("stopped: "), how)
            self.inner.close(message, how)
        except KeyboardInterrupt:  # a busy kernel may be told of a cancel twice, and the second comes at any moment
            self.end("cancelled", "interrupted")
            tell()
            raise

    def end(self, state: str, message: str, how: str = "") -> None:
        """Over: done, cancelled or failed."""
        if self.state == "running":
            self.state, self.message, self.how, self._ended = state, message, how, time.monotonic()
            tell()

    def cancel(self) -> None:
        """Ask the job to stop; it does at its next report, a fraction of a second later."""
        if self.state == "running":
            self._cancelled.set()
            self.message, self.how = "stopping", ""
            tell()

    def as_message(self) -> messages.Job:
        seconds = (self._ended or time.monotonic()) - self._started
        return {
            "id": self.number,
            "title": self.title,
            "state": self.state,  # type: ignore[typeddict-item]
            "done": self.done,
            "total": self.total,
            "message": self.message,
            "how": self.how,
            "seconds": round(seconds, 1),
            "left": self.left,
            "ago": round(time.monotonic() - self._ended, 1) if self._ended is not None else None,
        }


def watch(make: Callable[[], progress.Reporter]) -> None:
    """Note all long work of this kernel; `make` makes what shows it in the notebook as well."""

    progress.set_reporter(lambda: Job("Work of a cell", make()))


def listed() -> list[messages.Job]:
    """Running jobs and the last few others, newest first."""
    jobs = list(_jobs)[::-1]
    over = [job for job in jobs if job.state != "running"][:KEPT]
    return [job.as_message() for job in jobs if job.state == "running" or job in over]


def cancel(number: int | None) -> None:
    """Cancel the running job of that number; nothing where it is over."""
    for job in list(_jobs):
        if job.number == number:
            job.cancel()


def listen(listener: Callable[[], None]) -> Callable[[], None]:
    """Call `listener` at every change, from the thread that makes it; returns what ends it."""
    _listeners.append(listener)
    return lambda: _listeners.remove(listener) if listener in _listeners else None


def tell() -> None:
    """Something that the panel shows has changed."""
    for listener in list(_listeners):
        listener()
