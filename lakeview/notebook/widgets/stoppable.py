"""Work in a thread that can really be stopped: what it does next is to end, not to go on unseen."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

from lakeview.errors import JobCancelled, LakeviewError

AGAIN = 2.0  # seconds until it is told once more: time enough to end in an orderly way


def in_words(error: Exception) -> str:
    """What a widget says of an error: a traceback would go where nobody looks."""
    return str(error) if isinstance(error, LakeviewError) else f"{type(error).__name__}: {error}"


class Stoppable:
    """Runs `work()` in a daemon thread, then `then(result, error)` there, unless it was stopped before.

    `stop` raises JobCancelled in the thread, at its next step of Python: between two calls of numpy or Arrow, or at the
    next look at a Spark job, which is cancelled by it (`pipeline.progress.Job.wait`). Where that lands in a finalizer,
    Python drops it; so it is raised again until the work has ended.
    """

    def __init__(self, name: str, work: Callable[[], Any], then: Callable[[Any, Exception | None], None]) -> None:
        self._work, self._then = work, then
        self._gate = threading.Lock()  # held while the thread is told, and while it says that it is past telling
        self._over = self._ended = False
        self._heard = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> Stoppable:
        self._thread.start()
        return self

    def stop(self) -> None:
        """Returns at once; nothing where the work is over."""
        with self._gate:
            if self._over or self._thread.ident is None:
                return
            self._over = True
        if self._raise():
            threading.Thread(target=self._insist, name=f"{self._thread.name}: stopping", daemon=True).start()

    def _raise(self) -> bool:
        """Tell the thread; whether there was somebody to tell."""
        with self._gate:
            if not self._ended:
                ident = ctypes.c_ulong(self._thread.ident or 0)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, ctypes.py_object(JobCancelled))
            return not self._ended

    def _insist(self) -> None:
        while not self._heard.wait(AGAIN) and self._raise():
            pass

    def _run(self) -> None:
        try:
            result, failure = None, None
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
        finally:
            self._end()

    def _end(self) -> None:
        """From now on nobody is told; who was told just before has ended all the same."""
        while not self._heard.is_set():
            try:
                with self._gate:
                    self._ended = True
                self._heard.set()
            except JobCancelled:
                continue
