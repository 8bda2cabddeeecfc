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
from typing import Any

from lakeview.errors import JobCancelled
from lakeview.notebook.panel import messages
from lakeview.pipeline import progress

KEPT = 5  # finished jobs that are still shown
_MIN_GAP = 0.25  # seconds between two notices of progress

_numbers = itertools.count(1)
_jobs: deque[Job] = deque(maxlen=50)
_listeners: list[Callable[[], None]] = []
_here = threading.local()  # `title` of the job that this thread is, where the panel began it


class Job:
    """A reporter that remembers, and hands on to `inner`."""

    def __init__(self, title: str, inner: progress.Reporter) -> None:
        self.title, self.inner = title, inner
        self.number = next(_numbers)
        self.state = "running"
        self.done = self.total = 0
        self.message = ""
        self._started = time.monotonic()
        self._ended: float | None = None
        self._told = 0.0
        self._cancelled = threading.Event()

    def update(self, done: int, total: int, message: str) -> None:
        """Note how far the job is; raises JobCancelled where somebody has cancelled it."""
        if self.state != "running":
            return
        if self not in _jobs:
            _jobs.append(self)
        if self._cancelled.is_set():
            raise JobCancelled(f"{self.title}: cancelled; what was there before is still there")
        first = not self._told
        self.done, self.total, self.message = done, total, message
        self.inner.update(done, total, message)
        if first or time.monotonic() - self._told > _MIN_GAP:
            self._told = time.monotonic()
            tell()

    def close(self, message: str) -> None:
        """The job is over, well or not: an exception on its way tells which."""
        error = sys.exception()
        cancelled = self._cancelled.is_set() or isinstance(error, JobCancelled | KeyboardInterrupt)
        self.end("done" if error is None else "cancelled" if cancelled else "failed", message)
        self.inner.close(message)

    def end(self, state: str, message: str) -> None:
        """Over: done, cancelled or failed."""
        if self.state == "running":
            self.state, self.message, self._ended = state, message, time.monotonic()
            tell()

    def cancel(self) -> None:
        """Ask the job to stop; it does at its next report, a fraction of a second later."""
        if self.state == "running":
            self._cancelled.set()
            self.message = "stopping"
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
            "seconds": round(seconds, 1),
        }


def watch(make: Callable[[], progress.Reporter]) -> None:
    """Note all long work of this kernel; `make` makes what shows it in the notebook as well."""

    def reporter() -> Job:
        title = getattr(_here, "title", None)
        return Job(title or "Work of a cell", progress.Silent() if title else make())

    progress.set_reporter(reporter)


def run(title: str, work: Callable[[], Any]) -> None:
    """Run `work` in a thread of its own; its first reporter carries the title, and no cell shows it."""

    def body() -> None:
        _here.title = title
        try:
            work()
        except BaseException as error:
            _fail(title, error)

    threading.Thread(target=body, name=f"lakeview: {title}", daemon=True).start()


def _fail(title: str, error: BaseException) -> None:
    """An error before or after any reporting is shown as a job that failed at once."""
    running = [job for job in _jobs if job.title == title and job.state == "running"]
    if not running and _jobs and _jobs[-1].title == title and _jobs[-1].state in ("cancelled", "failed"):
        job = _jobs[-1]  # its reporter was closed with the error
    else:
        job = running[-1] if running else Job(title, progress.Silent())
        if not running:
            _jobs.append(job)
        job.end("cancelled" if isinstance(error, JobCancelled) else "failed", "")
    job.message = str(error) or type(error).__name__
    tell()


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


def is_running(title: str) -> bool:
    """Whether a job of that title runs."""
    return any(job.title == title and job.state == "running" for job in list(_jobs))


def listen(listener: Callable[[], None]) -> Callable[[], None]:
    """Call `listener` at every change, from the thread that makes it; returns what ends it."""
    _listeners.append(listener)
    return lambda: _listeners.remove(listener) if listener in _listeners else None


def tell() -> None:
    """Something that the panel shows has changed."""
    for listener in list(_listeners):
        listener()
