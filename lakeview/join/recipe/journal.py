"""What was done: of each result that is still held, the join or the SQL that made it.

A result is known by itself, not by a name; with it goes what is remembered of it.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

from lakeview.join.model import Join


@dataclass(frozen=True)
class Sql:
    """Statements of Spark SQL, and what they read by name: frames, or names of tables of the lake."""

    statements: tuple[str, ...]
    reads: dict[str, Any]


_made: dict[int, tuple[weakref.ref[Any], Join | Sql]] = {}


def note(result: Any, by: Join | Sql) -> None:
    """Remember what made a frame, for as long as somebody holds it."""
    key = id(result)
    _made[key] = weakref.ref(result, lambda _: _made.pop(key, None)), by


def made_by(frame: Any) -> Join | Sql | None:
    """What made a frame; None where nothing here did."""
    ref, by = _made.get(id(frame), (None, None))
    return by if ref is not None and ref() is frame else None
