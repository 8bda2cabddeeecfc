"""What a piece of text can be reshaped to: each shape is a name and has one meaning in all dialects.

"bare", "letters", "plain", "initials", "sorted", "unpad", "month_number" and "month_name" stand for themselves. Others
say more: "pad8" writes a number in 8 digits; "digits" takes the digits of a text, "digits0" without leading zeros and
"digits8" in 8 of them; "number point" and "number comma" read an amount (`amounts`); "date %d.%m.%Y > %Y-%m-%d" reads a
date and prints it (`dates`). The code writers hold the translations.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from lakeview.join.transform import amounts, dates
from lakeview.values.months import MONTH_NAMES, MONTH_NUMBERS

WIDEST = 20  # digits that a number is padded to at most
_NOT_ALNUM = re.compile(r"[\W_]+")
_NOT_ALNUM_ENDS = re.compile(r"^[\W_]+|[\W_]+\Z")
_NOT_DIGIT = re.compile(r"[^0-9]+")


@lru_cache(maxsize=10_000)
def without_diacritics(character: str) -> str:
    """A character without its marks: "é" is "e", a mark alone is nothing."""
    kept = "".join(c for c in unicodedata.normalize("NFD", character) if not unicodedata.combining(c))
    return unicodedata.normalize("NFC", kept)


SHAPES: dict[str, Callable[[str], str]] = {
    "": lambda text: text,
    "bare": lambda text: _NOT_ALNUM_ENDS.sub("", text),
    "letters": lambda text: _NOT_ALNUM.sub("", text),
    "plain": lambda text: "".join(map(without_diacritics, text)),
    "initials": lambda text: "".join(word[0] for word in text.split(" ") if word),
    "sorted": lambda text: " ".join(sorted(_NOT_ALNUM.sub(" ", text).split())),
    "unpad": lambda text: text.lstrip("0") or "0" if text.isascii() and text.isdigit() else "",
    "month_number": lambda text: MONTH_NUMBERS.get(text.lower(), ""),
    "month_name": lambda text: MONTH_NAMES.get(text.lower(), ""),
}


@lru_cache(maxsize=1_000)
def shape(name: str) -> Callable[[str], str]:
    """The function of a shape. Raises KeyError where there is no such one."""
    if name in SHAPES:
        return SHAPES[name]
    if width := width_of(name, "pad"):
        return lambda text: text.zfill(width) if text.isascii() and text.isdigit() else ""
    if name in ("digits", "digits0") or width_of(name, "digits"):
        least = width_of(name, "digits")
        return lambda text: _digits(text, name == "digits", least)
    if mark := mark_of(name):
        return lambda text: amounts.number(text, mark)
    if formats := formats_of(name):
        source, to = formats
        return lambda text: dates.rewritten(text, source, to)
    raise KeyError(f"no shape {name!r}")


def _digits(text: str, as_they_are: bool, width: int) -> str:
    digits = _NOT_DIGIT.sub("", text)
    if not digits or as_they_are:
        return digits
    return (digits.lstrip("0") or "0").zfill(width)


def width_of(name: str, kind: str) -> int:
    """The 8 of "pad8" or "digits8", 0 where a shape is not of that kind."""
    number = name.removeprefix(kind)
    fits = number != name and number.isdecimal() and number.isascii() and number[0] != "0"
    return int(number) if fits and int(number) <= WIDEST else 0


def mark_of(name: str) -> str | None:
    """How the numbers are written that a shape reads, None where it reads none."""
    mark = name.removeprefix("number ")
    return mark if mark != name and mark in amounts.MARKS else None


def date_shape(source: str, to: str) -> str:
    """The shape that reads a date in one format and prints it in another."""
    return f"date {source} > {to}"


def formats_of(name: str) -> tuple[str, str] | None:
    """The format that a shape reads and the one that it prints, None where it reads no dates."""
    if not name.startswith("date "):
        return None
    source, _, to = name.removeprefix("date ").partition(" > ")
    return (source, to) if source and to else None
