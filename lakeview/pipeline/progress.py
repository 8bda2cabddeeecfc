"""Long work on Spark: progress while it runs, and a cancel that stops it.

One `Job` interface, two adapters: a classic session is followed by its status tracker and cancelled by job group; a
Spark Connect session by its progress handler and cancelled by tag.
"""

from __future__ import annotations

import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, Protocol

from lakeview.errors import JobCancelled
from lakeview.pipeline import failures, session
from lakeview.pipeline.remaining import Remaining

POLL = 0.2  # seconds between looks at a running job
START = 20.0  # seconds until Spark stands, on a machine of today


class Reporter(Protocol):
    """Where progress is shown: what is done, how far, and in `how` what else there is to say of that.

    `update` may raise JobCancelled: the work stops, and what was there before stays."""

    def update(self, done: int, total: int, message: str, how: str = "") -> None: ...

    def close(self, message: str, how: str = "") -> None: ...


class Silent:
    """Shows nothing."""

    def update(self, done: int, total: int, message: str, how: str = "") -> None:
        pass

    def close(self, message: str, how: str = "") -> None:
        pass


class TerminalProgress:
    """One line on stderr, written over as work goes on."""

    def __init__(self) -> None:
        self._remaining = Remaining()
        self._shown = 0.0

    def update(self, done: int, total: int, message: str, how: str = "") -> None:
        now = time.monotonic()
        if now - self._shown < 0.1 and done < total:
            return
        self._shown = now
        width = 24
        filled = width * done // total if total else 0
        bar = "#" * filled + "." * (width - filled)
        seconds = self._remaining.after(done, total)
        left = f", about {seconds:.0f} s left" if seconds else ""
        sys.stderr.write(f"\r\033[K[{bar}] {sentence(message, how)}{left}")
        sys.stderr.flush()

    def close(self, message: str, how: str = "") -> None:
        sys.stderr.write(f"\r\033[K{sentence(message, how)}\n")
        sys.stderr.flush()


def sentence(message: str, how: str) -> str:
    """What a reporter was told, in one line."""
    return f"{message}, {how}" if how else message


def default_reporter() -> Reporter:
    """A line in a terminal, nothing elsewhere. The notebook puts its own in place (`set_reporter`)."""
    return TerminalProgress() if sys.stderr.isatty() else Silent()


_make_reporter: Callable[[], Reporter] = default_reporter


def set_reporter(make: Callable[[], Reporter]) -> None:
    """Show the progress of all jobs from here on through what `make()` returns."""
    global _make_reporter
    _make_reporter = make


_silent: ContextVar[bool] = ContextVar("silent", default=False)


@contextmanager
def silently() -> Iterator[None]:
    """Show nothing of the work of this thread meanwhile."""
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)


def reporter() -> Reporter:
    """A new reporter for one piece of long work."""
    return Silent() if _silent.get() else _make_reporter()


@contextmanager
def reporting() -> Iterator[Reporter]:
    """A new reporter, told where the work is stopped by an error; where it ends well, close it with what there is to
    say."""
    made = reporter()
    try:
        yield made
    except BaseException as error:
        made.close(f"stopped: {error or type(error).__name__}")
        raise


def started(steps: int, reporter: Reporter, given: Any = None) -> Any:
    """The session `given`, or where there is none or it was stopped, the one that runs, started if none does; meanwhile
    the work can be cancelled, and the start goes on for the next."""
    if given is not None and session.alive(given):
        return given
    starting = session.start_in_background()
    while not starting.done():
        reporter.update(0, 0, "starting Spark", f"about {START:.0f} s")
        futures.wait([starting], timeout=POLL)
    return starting.result()


class Job:
    """A piece of work in a thread of its own, cancellable from any thread.

    work: called without arguments in the job's thread, with its Spark jobs tagged as this job's. again: what to do
    where the session has stopped. Spark's errors are raised as `failures.told`.
    """

    def __init__(self, spark: Any, work: Callable[[], Any], description: str, again: str = failures.AGAIN) -> None:
        self.description, self._again = description, again
        self.cancelled = False
        self._tracker = _ConnectTracker(spark) if is_connect(spark) else _ClassicTracker(spark, description)
        self._spark, self._work = spark, work
        self._result: Any = None
        self._error: BaseException | None = None
        self._seen = 0, 0
        self._thread = threading.Thread(target=self._run, name=f"lakeview: {description}", daemon=True)

    def _run(self) -> None:
        try:
            with self._tracker:
                self._result = self._work()
        except BaseException as error:  # handed to whoever waits
            self._error = error

    def _watch(self) -> None:
        """Ask how far it is, in a thread that no interrupt of the kernel hits in the middle of a word with the JVM."""
        while self._thread.is_alive():
            self._seen = self._tracker.tasks()
            self._thread.join(POLL)

    def cancel(self) -> None:
        """Stop the job's tasks. Returns at once; `wait` then raises JobCancelled."""
        self.cancelled = True
        self._tracker.cancel()

    def wait(self, show: Callable[[int, int], None] = lambda done, total: None) -> Any:
        """Run to the end, calling show(tasks done, tasks in all).

        An interrupt of the kernel cancels the job, and so does a `show` that raises JobCancelled, which is how another
        thread stops it.
        """
        self._thread.start()
        threading.Thread(target=self._watch, name=f"lakeview: {self.description}, watched", daemon=True).start()
        try:
            while self._thread.is_alive():
                self._thread.join(POLL)
                show(*self._seen)
                if self.cancelled:
                    raise JobCancelled
        except (KeyboardInterrupt, JobCancelled):
            for _ in range(10):  # work that had no job running at that moment starts its next one
                self.cancel()
                self._thread.join(1)
                if not self._thread.is_alive():
                    break
        if self.cancelled:
            raise JobCancelled(f"{self.description}: cancelled; nothing was changed") from None
        if self._error is not None:
            raise failures.told(self._error, session.alive(self._spark), self._again) from None
        return self._result


def is_connect(spark: Any) -> bool:
    """Whether a session is a Spark Connect client."""
    return ".connect." in type(spark).__module__


class _ClassicTracker:
    """Progress and cancel of one job group."""

    def __init__(self, spark: Any, description: str) -> None:
        self.context, self.description = spark.sparkContext, description
        self.group = f"lakeview-{uuid.uuid4().hex[:8]}"

    def __enter__(self) -> None:
        # The group belongs to the calling thread, so it is set in the job's own.
        self.context.setJobGroup(self.group, self.description, interruptOnCancel=True)

    def __exit__(self, *exception: object) -> None:
        pass

    def tasks(self) -> tuple[int, int]:
        done = total = 0
        try:
            tracker = self.context.statusTracker()
            for job in tracker.getJobIdsForGroup(self.group):
                for stage in info.stageIds if (info := tracker.getJobInfo(job)) else ():
                    if status := tracker.getStageInfo(stage):
                        done, total = done + status.numCompletedTasks, total + status.numTasks
        except Exception:  # Spark may be dying: the work itself will say so
            return 0, 0
        return done, total

    def cancel(self) -> None:
        self.context.cancelJobGroup(self.group)


class _ConnectTracker:
    """Progress and cancel of the operations of one tag."""

    def __init__(self, spark: Any) -> None:
        self.spark = spark
        self.tag = f"lakeview-{uuid.uuid4().hex[:8]}"
        self._operations: dict[str, tuple[int, int]] = {}
        self._thread = 0

    def __enter__(self) -> None:
        # The tag belongs to the calling thread, so it is set in the job's own; a handler hears of all threads' work.
        self._thread = threading.get_ident()
        self.spark.addTag(self.tag)
        self.spark.registerProgressHandler(self._progress)

    def __exit__(self, *exception: object) -> None:
        self.spark.removeProgressHandler(self._progress)
        self.spark.removeTag(self.tag)

    def _progress(self, stages: Any, inflight_tasks: int, operation_id: str | None, done: bool) -> None:
        if stages and operation_id and threading.get_ident() == self._thread:
            self._operations[operation_id] = (
                sum(s.num_completed_tasks for s in stages),
                sum(s.num_tasks for s in stages),
            )

    def tasks(self) -> tuple[int, int]:
        known = list(self._operations.values())
        return sum(done for done, _ in known), sum(total for _, total in known)

    def cancel(self) -> None:
        # A server that does not answer is asked for minutes.
        threading.Thread(target=self._interrupt, name="lakeview: cancel", daemon=True).start()

    def _interrupt(self) -> None:
        with suppress(Exception):  # where the server is gone there is nothing left to stop
            self.spark.interruptTag(self.tag)
