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
