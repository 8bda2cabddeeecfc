"""How much memory lakeview may take: a quarter of the machine's, or what `lv.options.memory` says."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from lakeview.errors import InputError
from lakeview.guards.checks import said

LEAST = 256 << 20  # bytes: less leaves no room to work in
_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)
_CONTAINERS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")  # what one may take

_limit: int | None = None


def limit() -> int:
    """In bytes."""
    return _limit or max(LEAST, _of_machine() // 4)


def set_limit(size: int | None) -> None:
    """None: a quarter of the machine."""
    global _limit
    _limit = size


def size(what: str, value: Any) -> int | None:
    """A size in bytes, from 256 MB on: a number, or a text such as "4 GB"; None for a quarter of the machine."""
    if value is None:
        return None
    found = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is not None:
        value = float(found[1]) * (1 << _UNITS[found[2].lower()])
    if isinstance(value, bool) or not isinstance(value, int | float) or not LEAST <= value < float("inf"):
        raise InputError(f'{what} is a size such as "4 GB", or a number of bytes, from 256 MB on, not {said(value)}')
    return int(value)


@cache
def _of_machine() -> int:
    import psutil

    found = psutil.virtual_memory().total
    for path in _CONTAINERS:
        try:
            found = min(found, int(Path(path).read_text()))
        except (OSError, ValueError):  # no such file, or "max"
            continue
    return found
