"""The operators that programs are made of (Auto-Join, thesis section 4.4.2).

Physical operators: Split, SelectK, Substring, Constant, Concat. Logical operators put them together so that each
gives one string: Constant, Substr, SplitSubstr, SplitSplitSubstr; here the last three are one class, `Piece`, with
no, one or two splits. Beyond the paper, a piece can be reshaped (punctuation, padding, initials, diacritics, months).

Every piece of a split is trimmed of blanks. Whatever is missing or comes out empty is None: a program that needs
it gives no key for that row, in Python as in the exported code.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

_MONTHS = ("january", "february", "march", "april", "may", "june",
           "july", "august", "september", "october", "november", "december")  # fmt: skip
MONTH_NUMBERS: dict[str, str] = {
    spelling: f"{number:02d}"
    for number, month in enumerate(_MONTHS, start=1)
    for spelling in (month, month[:3], month[:3] + ".", *(("sept", "sept.") if number == 9 else ()))
}
MONTH_NAMES: dict[str, str] = {
    spelling: month
    for number, month in enumerate(_MONTHS, start=1)
    for spelling in (str(number), f"{number:02d}", month[:3], month[:3] + ".")
}
_NOT_ALNUM = re.compile(r"[\W_]+")
_NOT_ALNUM_ENDS = re.compile(r"^[\W_]+|[\W_]+\Z")


@lru_cache(maxsize=10_000)
def without_diacritics(character: str) -> str:
    """A character without its marks: "é" is "e", a mark alone is nothing."""
    kept = "".join(c for c in unicodedata.normalize("NFD", character) if not unicodedata.combining(c))
    return unicodedata.normalize("NFC", kept)


# Each shape has one meaning in all dialects; the code writers hold the translations.
SHAPES: dict[str, Callable[[str], str]] = {
    "": lambda text: text,
    "bare": lambda text: _NOT_ALNUM_ENDS.sub("", text),
    "letters": lambda text: _NOT_ALNUM.sub("", text),
    "plain": lambda text: "".join(map(without_diacritics, text)),
    "initials": lambda text: "".join(word[0] for word in text.split(" ") if word),
    "unpad": lambda text: text.lstrip("0") or "0" if text.isascii() and text.isdigit() else "",
    "pad2": lambda text: text.zfill(2) if text.isascii() and text.isdigit() else "",
    "pad3": lambda text: text.zfill(3) if text.isascii() and text.isdigit() else "",
    "pad4": lambda text: text.zfill(4) if text.isascii() and text.isdigit() else "",
    "pad5": lambda text: text.zfill(5) if text.isascii() and text.isdigit() else "",
    "pad6": lambda text: text.zfill(6) if text.isascii() and text.isdigit() else "",
    "month_number": lambda text: MONTH_NUMBERS.get(text.lower(), ""),
    "month_name": lambda text: MONTH_NAMES.get(text.lower(), ""),
}


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
            text = SHAPES[self.shape](text)
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
    return Piece(data["column"], splits, data.get("shape", ""), data.get("start"), data.get("stop"))
