"""The operators that programs are made of (Auto-Join, thesis section 4.4.2).

Physical operators: Split, SelectK, Substring, Constant, Concat. Logical operators put them together so that each
gives one string: Constant, Substr, SplitSubstr, SplitSplitSubstr; here the last three are one class, `Piece`, with
no, one or two splits. Beyond the paper, a piece can be reshaped (`shapes`: punctuation, padding, initials, diacritics,
months, dates, amounts).

Every piece of a split is trimmed of blanks. Whatever is missing or comes out empty is None: a program that needs
it gives no key for that row, in Python as in the exported code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from lakeview.join.transform.shapes import shape


@dataclass(frozen=True)
class Split:
    """SelectK(Split(text, sep), index): `part` takes one piece, negative from the end; `before` drops the last
    -index pieces and `after` the first index ones, and both need the separator to be there."""

    sep: str
    index: int
    take: Literal["part", "before", "after"] = "part"

    def __call__(self, text: str) -> str | None:
        parts = text.split(self.sep)
        if self.take == "part":
            if not -len(parts) <= self.index < len(parts):
                return None
            return parts[self.index].strip(" ") or None
        if len(parts) <= abs(self.index):
            return None
        if self.take == "before":
            return text.rsplit(self.sep, -self.index)[0].strip(" ") or None
        return text.split(self.sep, self.index)[-1].strip(" ") or None


@dataclass(frozen=True)
class Constant:
    """A fixed text."""

    text: str

    @property
    def cost(self) -> float:
        return 1.0

    def __call__(self, row: Sequence[str | None]) -> str | None:
        return self.text


@dataclass(frozen=True)
class Piece:
    """Substr, SplitSubstr or SplitSplitSubstr of one column: splits, then a shape, then the slice [start:stop]
    as Python counts it (negative from the end; a slice past the end is cut there)."""

    column: int
    splits: tuple[Split, ...] = ()
    shape: str = ""
    start: int | None = None
    stop: int | None = None

    @cached_property
    def cost(self) -> float:
        """Complexity: one for the operator, and less than one for what it needs, so that simple ones win ties."""
        cuts = (self.start is not None) + (self.stop is not None)
        deep = sum(abs(s.index) if s.index >= 0 else abs(s.index) - 1 for s in self.splits)
        ranges = sum(s.take != "part" for s in self.splits)
        size = sum(abs(end) for end in (self.start, self.stop) if end is not None)
        both = self.start is not None and self.stop is not None
        return (1 + 0.1 * len(self.splits) + 0.1 * cuts + 0.1 * bool(self.shape) + 0.01 * deep + 0.02 * ranges
                + 0.002 * size + 0.05 * both)  # fmt: skip

    def value(self, text: str | None) -> str | None:
        """What this piece makes of its column's text."""
        if text is None:
            return None
        for split in self.splits:
            text = split(text)
            if text is None:
                return None
        if self.shape:
            text = shape(self.shape)(text)
        if self.start is not None or self.stop is not None:
            text = text[self.start : self.stop]
        return text or None

    def __call__(self, row: Sequence[str | None]) -> str | None:
        return self.value(row[self.column])


Operator = Constant | Piece


def to_json(operator: Operator) -> dict[str, Any]:
    if isinstance(operator, Constant):
        return {"constant": operator.text}
    found: dict[str, Any] = {"column": operator.column}
    if operator.splits:
        found["splits"] = [{"sep": s.sep, "index": s.index, "take": s.take} for s in operator.splits]
    if operator.shape:
        found["shape"] = operator.shape
    if operator.start is not None:
        found["start"] = operator.start
    if operator.stop is not None:
        found["stop"] = operator.stop
    return found


def from_json(data: dict[str, Any]) -> Operator:
    if "constant" in data:
        return Constant(data["constant"])
    splits = tuple(Split(s["sep"], s["index"], s["take"]) for s in data.get("splits", ()))
    shape(data.get("shape", ""))  # raises KeyError where there is none of that name
    return Piece(data["column"], splits, data.get("shape", ""), data.get("start"), data.get("stop"))
