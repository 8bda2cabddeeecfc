"""What joins after a step: looked for below an exact answer, a few tables at a time, while somebody reads it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from lakeview.notebook.output.hit_rows import HitRow, hit_row
from lakeview.notebook.output.html import number, plural
from lakeview.notebook.output.words import duration
from lakeview.notebook.widgets.stoppable import Stoppable, in_words
from lakeview.notebook.widgets.traits import Steps
from lakeview.pipeline.remaining import Remaining
from lakeview.search.bridge_hit import BridgeHit

NONE: Steps = {"state": "none", "said": "", "tried": 0, "of": 0}
Tell = Callable[[list[Any], list[HitRow], Steps], None]


@dataclass(frozen=True)
class Sight:
    """What was found so far; what for is looked next, and how many of the tables were tried."""

    found: list[Any]
    looking: str
    tried: int = 0
    of: int = 0


def sights(answer: Any) -> Iterator[Sight]:
    """Of the Hits of one column of a frame: bridges first, as the index alone tells them; then what learned programs
    and similar text join."""
    yield Sight([], "bridges")
    bridges = [BridgeHit(answer, plan) for plan in answer.bridges]
    yield Sight(bridges, "transformations")
    for more in answer.further():
        yield Sight([*bridges, *more], more.looking, more.looked, more.of)


class StepSearch:
    """A search in a thread. `tell` hears of each sight: the hits, their rows, ranked from `first` on, and what to say
    of the search; it can be stopped, and goes on from there."""

    def __init__(self, answer: Any, first: int, tell: Tell) -> None:
        self._sights, self._first, self._tell = sights(answer), first, tell
        self._gate = threading.RLock()
        self._working: Stoppable | None = None
        self._wanted = self._over = False
        self._sight, self._rows = Sight([], "bridges"), list[HitRow]()
        self._remaining, self._seconds = Remaining(), 0.0

    def go_on(self) -> None:
        """Begin, or go on where it was stopped."""
        with self._gate:
            if self._over or self._wanted:
                return
            self._wanted = True
            self._say()
            if self._working is None:
                self._working = Stoppable("lakeview: looking for steps", self._work, self._ended).start()

    def stop(self) -> None:
        """Stop after the table that is being tried; what is found by then is shown."""
        with self._gate:
            if self._wanted:
                self._wanted = False
                self._say()

    def end(self) -> None:
        """It is not wanted any more: nothing is told from now on."""
        with self._gate:
            self._over = True
            if self._working is not None:
                self._working.stop()

    def _work(self) -> bool:
        """Whether all was looked through."""
        began = time.monotonic()
        for sight in self._sights:
            # Drawn out here, as counting what a bridge joins reads tables: who stops it waits for none of that.
            rows = [hit_row(self._first + i, hit) for i, hit in enumerate(sight.found)]
            with self._gate:
                now = time.monotonic()
                self._seconds, began = self._seconds + now - began, now
                self._sight, self._rows = sight, rows
                if self._over:
                    return False
                self._say()
                if not self._wanted:
                    self._working = None
                    return False
        self._seconds += time.monotonic() - began
        return True

    def _ended(self, whole: Any, error: Exception | None) -> None:
        with self._gate:
            if self._over or (error is None and not whole):
                return
            self._over = True
            self._say(error)

    def _say(self, error: Exception | None = None) -> None:
        sight = self._sight
        self._tell(sight.found, self._rows, {"state": self._state(), "said": self._said(error), "tried": sight.tried,
                                 "of": sight.of})  # fmt: skip

    def _state(self) -> Any:
        return "done" if self._over else "looking" if self._wanted else "stopped"

    def _said(self, error: Exception | None) -> str:
        tried, of = self._sight.tried, self._sight.of
        tables = f"{number(tried)} of {plural(of, 'table')}" if tried < of else plural(tried, "table")
        if error is not None:
            return in_words(error)
        if self._over:
            return f"{tables} looked through in {duration(self._seconds)}" if tried else "no table is likely"
        if not self._wanted:
            return f"stopped: {tables} looked through" if of else "stopped"
        left = self._remaining.after(tried, of) if of else None
        said = f"looking for {self._sight.looking}"
        return said + (f": {tables}" if of else " …") + (f", about {left:.0f} s left" if left else "")
