"""The name by which the analyst's code knows an object."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any


def variable_name(data: Any) -> str | None:
    """The name of the variable that holds this object in the code that called lakeview, if there is one."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__", "").split(".")[0] != "lakeview":
            for names in (frame.f_locals, frame.f_globals):
                found = [n for n, v in names.items() if v is data and not n.startswith("_") and n.isidentifier()]
                if found:
                    return found[0]
        frame = frame.f_back
    return None
