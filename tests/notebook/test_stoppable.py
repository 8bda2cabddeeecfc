"""Work in a thread that is stopped, wherever it is."""

from __future__ import annotations

import gc
import threading
import time
from typing import Any

import pytest

from lakeview.errors import JobCancelled
from lakeview.notebook.widgets import stoppable
from lakeview.notebook.widgets.stoppable import Stoppable


def over(work: Stoppable) -> None:
    work._thread.join(10)
    assert not work._thread.is_alive() and work._heard.is_set()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_stop_that_a_finalizer_swallows_is_said_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stoppable, "AGAIN", 0.05)
    inside, said = threading.Event(), []

    class Held:
        def __del__(self) -> None:
            inside.set()
            end = time.monotonic() + 0.3  # here the stop arrives, and is dropped
            while time.monotonic() < end:
                pass

    def work() -> None:
        held = Held()
        del held
        gc.collect()
        while True:
            time.sleep(0.001)

    made = Stoppable("test", work, lambda *answer: said.append(answer)).start()
    assert inside.wait(10)
    made.stop()
    over(made)
    assert said == []


def test_it_may_end_in_an_orderly_way(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    began = threading.Event()

    def work() -> None:
        try:
            began.set()
            while True:
                time.sleep(0.001)
        except JobCancelled:
            time.sleep(0.3)
            done.append("cleaned")
            raise

    made = Stoppable("test", work, lambda *answer: done.append("told")).start()
    assert began.wait(10)
    made.stop()
    made.stop()
    over(made)
    assert done == ["cleaned"]


def test_what_ends_meanwhile_is_told_once_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stoppable, "AGAIN", 0.001)
    raised: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", raised.append)
    for i in range(300):
        said: list[Any] = []
        made = Stoppable("test", lambda i=i: sum(range(i * 20)), lambda *answer, said=said: said.append(answer)).start()
        made.stop()
        over(made)
        assert len(said) <= 1
    assert raised == []
