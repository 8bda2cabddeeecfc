"""Tasks of a widget: each in turn, the urgent first, the newest of a kind; nothing that was asked for is lost."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from waiting import settled

from lakeview.errors import InputError
from lakeview.notebook.widgets.in_turn import LOOK, SEARCH, WRITE, InTurn, Task


class Desk:
    """A widget with tasks that wait until they are let go."""

    def __init__(self) -> None:
        self.busy = self.error = ""
        self.turn = InTurn(self)
        self.begun: list[str] = []
        self.shown: list[str] = []
        self._free = threading.Event()

    def ask(self, name: str, kind: str = "", rank: int = 0, **more: Any) -> None:
        def work() -> Any:
            self.begun.append(name)
            while not self._free.is_set():
                time.sleep(0.001)
            yield name

        self.turn.ask(Task(name, more.pop("work", work), self.shown.append, kind or name, rank, **more))

    def at(self, name: str) -> None:
        while self.begun[-1:] != [name]:
            time.sleep(0.001)

    def end(self) -> list[str]:
        self._free.set()
        settled(self)
        return self.shown


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_a_join_outlives_a_preview_that_comes_after_it(desk: Desk) -> None:
    desk.ask("join", rank=WRITE)
    desk.at("join")
    desk.ask("preview", rank=LOOK)
    assert desk.busy == "join"
    assert desk.end() == desk.begun == ["join", "preview"]


def test_what_is_stopped_for_something_urgent_begins_anew(desk: Desk) -> None:
    desk.ask("search", rank=SEARCH)
    desk.at("search")
    desk.ask("preview", rank=LOOK)
    desk.at("preview")
    desk.ask("join", rank=WRITE)
    desk.at("join")
    assert desk.end() == ["join", "preview", "search"]
    assert desk.begun == ["search", "preview", "join", "preview", "search"]


def test_the_newest_of_a_kind_takes_the_place_of_the_last(desk: Desk) -> None:
    for name in ("left", "inner", "join", "outer", "right"):
        desk.ask(name, kind="join" if name == "join" else "how")
    assert desk.end() == ["inner", "join", "right"], "a join is of what was chosen before it"


def test_a_stop_leaves_what_is_more_urgent(desk: Desk) -> None:
    desk.ask("join", rank=WRITE)
    desk.ask("search", rank=SEARCH)
    desk.turn.stop(SEARCH)
    assert desk.busy == "join" and desk.end() == ["join"]


def test_a_stop_of_all_shows_nothing(desk: Desk) -> None:
    desk.ask("join")
    desk.ask("preview")
    desk.turn.stop()
    assert desk.busy == "" and desk.end() == []


def test_an_error_is_told_and_what_waits_goes_on(desk: Desk) -> None:
    def fails() -> Any:
        raise InputError("no such column")

    done: list[str] = []
    desk.ask("first")
    desk.ask("fails", work=fails, after=lambda: done.append("fails"))
    desk.ask("last", after=lambda: done.append("last"))
    assert desk.end() == ["first", "last"]
    assert desk.error == "no such column"
    while not done:
        time.sleep(0.001)
    assert done == ["last"]


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from((WRITE, LOOK, SEARCH))), max_size=12))
def test_every_task_is_done_once_or_followed_by_one_of_its_kind(asked: list[tuple[str, int]]) -> None:
    done: list[int] = []
    widget = SimpleNamespace(busy="", error="")
    turn = InTurn(widget)
    for i, (kind, rank) in enumerate(asked):
        turn.ask(Task(str(i), lambda i=i: [i], done.append, f"{kind}{rank}", rank))
    settled(widget)
    written = [i for i in done if asked[i][1] == WRITE]
    assert len(set(written)) == len(written)
    for i, each in enumerate(asked):
        peers = [k for k in range(i + 1, len(asked)) if asked[k][1] == each[1]]
        assert i in done or (peers and asked[peers[0]] == each)
