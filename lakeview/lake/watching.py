"""Keeping an index fresh in the background, within a bounded share of the time."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

from lakeview.catalog import sources
from lakeview.errors import InputError, one_line
from lakeview.guards import checks
from lakeview.pipeline import progress
from lakeview.pipeline.build import IndexReport


class Watch:
    """A thread that looks at a lake's files and brings its index up to them; it ends with the lake, or by `stop()`.

    looks, runs: how often it looked, and how often it indexed. last: the report of the last time. problem: what went
    wrong at the last look, "" where nothing did; the next tries again.
    """

    def __init__(self, lake: Any, seconds: float, load: float, **options: Any) -> None:
        """lake: the `Lake`, which it does not keep alive. options: of its `index`. Raises InputError."""
        if not lake.roots:
            raise InputError("only files are watched: call index() when a table of a session or a database changed")
        self.looks = self.runs = 0
        self.last: IndexReport | None = None
        self.problem = ""
        self._seconds = checks.number("seconds", seconds, above=0, most=threading.TIMEOUT_MAX)
        self._load, self._options = checks.share("load", load), options
        self._seen: Any = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(weakref.ref(lake),), name="lakeview.watch", daemon=True)
        self._thread.start()

    def __repr__(self) -> str:
        state = f"watching, every {self._seconds:g} s at the most" if self.is_running else "stopped"
        return f"Watch({state}; indexed {self.runs:,} times{f'; {self.problem}' if self.problem else ''})"

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive() and not self._stopped.is_set()

    def stop(self) -> None:
        """Look no more. What is being indexed is finished first."""
        self._stopped.set()
        if self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self, lake: Callable[[], Any]) -> None:
        """Look until it is stopped, or the lake is nobody's any more."""
        wait = 0.0
        while not self._stopped.wait(wait):
            if (here := lake()) is None:
                return
            wait = self._look(here)
            del here

    def _look(self, lake: Any) -> float:
        """Look once, and index where something changed; the seconds to wait until the next time."""
        started = time.monotonic()
        try:
            listing = sources.list_tables(lake.roots, skip=(str(lake.store.folder),))
            seen = listing.tables, listing.problems
            if seen != self._seen:
                with progress.silently():
                    self.last = lake.index(**self._options)
                self.runs += 1
                self._seen = seen
            self.problem = ""
        except Exception as error:  # whatever it is, the analyst goes on, and so does the watch
            self.problem = one_line(str(error) or type(error).__name__)
        self.looks += 1
        took = time.monotonic() - started
        return max(self._seconds, took / self._load - took)
