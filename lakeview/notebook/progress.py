"""A progress bar in a notebook's output: one HTML display that is updated in place, no widget needed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from lakeview.notebook.output import words
from lakeview.notebook.output.html import Html, el, icon, join, stylesheet
from lakeview.pipeline.progress import sentence
from lakeview.pipeline.remaining import Remaining

_MIN_GAP = 0.25  # seconds between two updates: the front end keeps up, the notebook file stays small


class NotebookProgress:
    """What a long job shows while it runs. Safe to call as often as one likes, from any thread.

    >>> progress = NotebookProgress("Indexing")
    >>> progress.update(118, 204, "24 of 64 files")
    >>> progress.close("Indexed 43 tables")
    """

    def __init__(self, title: str = "Working", clock: Callable[[], float] = time.monotonic) -> None:
        self._title = title
        self._clock = clock
        self._start = clock()
        self._shown_at: float | None = None
        self._remaining = Remaining(clock)
        self._handle: Any = None

    def update(self, done: int, total: int, message: str = "", how: str = "") -> None:
        """`done` of `total`; message: what is done, how far. Drawn at most four times a second. `total` 0: how much
        there is to do is not known yet."""
        now = self._clock()
        left = self._remaining.after(done, total)
        if self._shown_at is not None and now - self._shown_at < _MIN_GAP:
            return
        self._shown_at = now
        self._show(*self._running(done, total, sentence(message, how), now - self._start, left))

    def close(self, message: str = "", how: str = "") -> None:
        """The job is over: the bar gives way to one line. A message that begins with "stopped" tells of a failure."""
        text = sentence(message, how) or f"{self._title}: done in {words.duration(self._clock() - self._start)}"
        failed = text.startswith("stopped")
        mark = el("span", icon("x" if failed else "check"), class_="lv-bad" if failed else "lv-ok")
        self._show(el("p", mark, f" {text}", class_="lv-Done"), text)

    def _running(self, done: int, total: int, message: str, elapsed: float, seconds: float | None) -> tuple[Html, str]:
        part = min(max(done / total, 0.0), 1.0) if total else 0.0
        steps = f"{part:.0%}" if total else "starting"
        left = f"about {words.duration(seconds)} left" if seconds else ""
        spoken = ", ".join(filter(None, [steps, message, left]))
        bar = el(
            "span",
            el("span", class_="lv-fill", style=f"left:0;width:{100 * part:.1f}%"),
            class_="lv-Track",
            role="progressbar",
            aria_label=self._title,
            aria_valuemin="0",
            aria_valuemax="100",
            aria_valuenow=f"{100 * part:.0f}" if total else None,
            aria_valuetext=spoken,
        )
        notes = [words.duration(elapsed), left or None, message or None, "to cancel, interrupt the kernel"]
        body = el(
            "p",
            el("b", self._title),
            bar,
            el("span", steps, class_="lv-Steps"),
            el("span", join(notes, " · "), class_="lv-muted"),
            class_="lv-Progress",
        )
        return body, f"{self._title}: {spoken}, {words.duration(elapsed)}"

    def _show(self, body: Html, text: str) -> None:
        from IPython.display import display, update_display

        bundle = {
            "text/html": str(join([stylesheet(), el("section", body, class_="lv lv-Line")])),
            "text/plain": text,
        }
        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=True)
        else:
            update_display(bundle, raw=True, display_id=self._handle.display_id)
