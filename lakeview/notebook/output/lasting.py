"""What a widget leaves in the notebook's file: its kernel and its state are gone by then, what it showed stays.

A widget is shown as two outputs: itself, and beneath it html, text and the saved table of what it shows, as any result
has them. The second is hidden while the first one lives, and is replaced when the widget shows something else: an
update of the first would draw the widget anew, under the hands of who works with it.
"""

from __future__ import annotations

import threading
import time
import uuid
from datetime import datetime
from typing import Any

from lakeview.notebook.output.html import Html, el, icon
from lakeview.notebook.output.saved import MIME

WAIT = 1.5  # seconds that a cell waits for a first answer: who runs it without a screen has no other moment
REST = 0.4  # seconds for which nothing has changed before the outputs do

Bundle = dict[str, Any]


class Lasting:
    """A widget's part that lasts, in front of its other base class. `look` is its name as a class in the page."""

    look: str
    _display: str = ""  # the second output's id; empty: not shown yet
    _timer: threading.Timer | None = None
    _left: Bundle | None = None  # what stands there
    _told: Bundle | None = None  # the same without when that was
    _at = ""

    def lasting(self) -> Bundle:
        """What the widget shows now, as a mime bundle; may take as long as the display of such a result."""
        raise NotImplementedError

    def is_settled(self) -> bool:
        """Whether what it shows is what it will show until somebody asks for more."""
        return True

    def changed(self, *_: Any) -> None:
        """It shows something else: what lasts follows when it rests, in a thread."""
        if not self._display:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(REST, self._follow)
        self._timer.daemon = True
        self._timer.start()

    def _follow(self) -> None:
        from IPython.display import update_display

        if not self.is_settled():
            return  # it changes once more
        try:
            bundle = self._bundle()
        except Exception:  # nobody asked for it: what stands there stays
            return
        if bundle != self._left:
            self._left = bundle
            update_display(bundle, raw=True, display_id=self._display)

    def _bundle(self) -> Bundle:
        bundle = self.lasting()
        at = f"{datetime.now():%H:%M}" if self._left is None or bundle != self._told else self._at
        self._told, self._at = bundle, at
        note = el(
            "p", icon("info"), f" Saved result of {at}. Run again to work with it.", role="note", class_="lv-Note"
        )
        hidden = el("div", el("section", note, class_="lv"), Html(bundle["text/html"]),
                    class_=f"lv-Lasting {self.look}")  # fmt: skip
        kept = {**bundle, "text/html": str(hidden)}
        if MIME in kept:
            kept[MIME] = {**kept[MIME], "at": at}
        return kept

    def _repr_mimebundle_(self, **options: Any) -> tuple[Bundle, Bundle]:
        """All in one: the widget, and what lasts."""
        data, metadata = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        return {**data, **self.lasting()}, metadata

    def _ipython_display_(self, **options: Any) -> None:
        from IPython.display import display

        data, metadata = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        display(
            {**data, "text/plain": "A widget, which needs its kernel; what it showed:"}, metadata=metadata, raw=True
        )
        end = time.monotonic() + WAIT
        while not self.is_settled() and time.monotonic() < end:
            time.sleep(0.01)
        was_settled = self.is_settled()
        self._display = self._display or uuid.uuid4().hex
        self._left = self._bundle()
        display(self._left, raw=True, display_id=self._display)
        if not was_settled:
            self.changed()


def look() -> str:
    """A class that no other widget's output has."""
    return f"lv-w-{uuid.uuid4().hex[:12]}"
