"""What was done: of each result that is still held, the join or the SQL that made it.

A result is known by itself, not by a name; with it goes what is remembered of it.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

from lakeview.guards.frames import is_pandas
from lakeview.join.model import Join
from lakeview.join.recipe.kept import Kept


@dataclass(frozen=True)
class Sql:
    """Statements of Spark SQL, and what they read by name: frames, or names of tables of the lake."""

    statements: tuple[str, ...]
    reads: dict[str, Any]


Made = Join | Kept | Sql
_made: dict[int, tuple[weakref.ref[Any], Made, Any]] = {}


def note(result: Any, by: Made) -> None:
    """Remember what made a frame, for as long as somebody holds it."""
    key = id(result)
    _made[key] = weakref.ref(result, lambda _: _made.pop(key, None)), by, _looks(result)


def made_by(frame: Any) -> Made | None:
    """What made a frame; None where nothing here did, or where rows or columns came or went since."""
    ref, by, looks = _made.get(id(frame), (None, None, None))
    return by if ref is not None and ref() is frame and looks == _looks(frame) else None


def has_changed(frame: Any) -> bool:
    """Whether a frame was made here, and rows or columns came or went since."""
    ref, _, looks = _made.get(id(frame), (None, None, None))
    return ref is not None and ref() is frame and looks != _looks(frame)


def _looks(frame: Any) -> Any:
    """The shape of a frame of pandas, which can be changed where it stands; Spark's cannot."""
    return (len(frame), list(frame.columns)) if is_pandas(frame) else None
