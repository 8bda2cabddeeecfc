"""Waiting for what a widget does in its thread."""

from __future__ import annotations

import time
from typing import Any


def settled(widget: Any) -> Any:
    """The widget, once it is at rest; it may take half a minute."""
    end = time.monotonic() + 30
    while widget.busy:
        assert time.monotonic() < end
        time.sleep(0.01)
    return widget


def stepped(widget: Any) -> Any:
    """The widget, once it has looked for all that joins after a step."""
    end = time.monotonic() + 30
    while widget.busy or widget.steps["state"] != "done":
        assert time.monotonic() < end, (widget.busy, widget.steps)
        time.sleep(0.01)
    return widget
