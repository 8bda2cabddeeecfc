"""Work in a thread that can really be stopped: what it does next is to end, not to go on unseen."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

from lakeview.errors import JobCancelled


class Stoppable:
    """Runs `work()` in a daemon thread, then `then(result, error)` there, unless it was stopped before.

    `stop` raises JobCancelled in the thread, at its next step of Python: between two calls of numpy or Arrow, or at the
    next look at a Spark job, which is cancelled by it (`pipeline.progress.Job.wait`).
    """

    def __init__(self, name: str, work: Callable[[], Any], then: Callable[[Any, Exception | None], None]) -> None:
        self._work, self._then = work, then
        self._gate = threading.Lock()  # held while the thread is told, and while it says that it is past telling
        self._over = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> Stoppable:
        self._thread.start()
        return self

    def stop(self) -> None:
        """Returns at once; nothing where the work is over."""
        with self._gate:
            if not self._over and self._thread.ident is not None:
                self._over = True
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(self._thread.ident), ctypes.py_object(JobCancelled)
                )

    def _run(self) -> None:
        result, failure = None, None
        try:
            try:
                result = self._work()
            except JobCancelled:
                return
            except Exception as error:
                failure = error
            with self._gate:
                stopped, self._over = self._over, True
            if not stopped:
                self._then(result, failure)
        except JobCancelled:  # told when the work had just ended
            return
