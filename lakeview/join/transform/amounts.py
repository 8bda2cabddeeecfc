"""Numbers as a step of the language: amounts with signs of currencies, units and thousands, read as plain numbers.

`point` reads 1,234.50 and `comma` 1.234,50; thousands may also be set apart by blanks or apostrophes. What is around
the number is read past as long as it has no digits before it; the result is as canonical text has numbers: 1234.5.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

MARKS = {"point": (".", ","), "comma": (",", ".")}  # before the fraction, between thousands
SOME = 200  # values that are looked at
READ = 0.7  # of them, those that must be read

MARKED = 0.3  # of them, those that have a mark of amounts
_AMOUNT = re.compile(r"[0-9][.,'’ ][0-9]|[$€£¥]|^(?:[a-z]{3}|r\$) [0-9]|[0-9] (?:[a-z]{3}|%)$")
_PLAIN = re.compile(r"[+-]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")


def pattern(mark: str) -> str:
    """The regular expression whose first group is the number, thousands still set apart; the same in all dialects."""
    point, between = MARKS[mark]
    return (
        rf"^[^0-9+\-.,]*([+-]?(?:[0-9]{{1,3}}(?:[{between} '’][0-9]{{3}})+|[0-9]+)(?:[{point}][0-9]+)?)"
        r"(?:[^0-9.,'’].*)?$"
    )


@lru_cache(maxsize=4)
def _compiled(mark: str) -> re.Pattern[str]:
    return re.compile(pattern(mark))


@lru_cache(maxsize=200_000)
def number(text: str, mark: str) -> str:
    """The number in a text, "" where there is none."""
    match = _compiled(mark).match(text)
    if match is None or text.endswith("\n"):
        return ""
    point, between = MARKS[mark]
    plain = re.sub(f"[{between} '’+]", "", match[1]).replace(point, ".")
    return re.sub(r"\.0+$|(\.[0-9]*[1-9])0+$", r"\1", plain)


def is_plain(values: Sequence[str]) -> bool:
    """Whether values are numbers as canonical text has them."""
    some = values[:: max(1, len(values) // SOME)]
    return bool(some) and sum(_PLAIN.fullmatch(value) is not None for value in some) >= READ * len(some)


def mark_of(values: Sequence[str]) -> str | None:
    """How some values, which are not plain, write numbers: the mark that reads most of them; None where neither does,
    or where the digits are those of codes, with leading zeros or of one length without any mark."""
    some = values[:: max(1, len(values) // SOME)]
    if not some or is_plain(values) or sum(bool(_AMOUNT.search(value)) for value in some) < MARKED * len(some):
        return None
    counts = {mark: sum(number(value, mark) != "" for value in some) for mark in MARKS}
    # "1,234" is read by both: as many thousands by the one, as thousandths by the other
    thousands = sum(bool(re.search(r"[0-9][,][0-9]{3}(?![0-9])", value)) for value in some)
    best = max(MARKS, key=lambda mark: (counts[mark], (mark == "point") == (thousands > 0)))
    if counts[best] < READ * len(some):
        return None
    read = [number(value, best) for value in some]
    return best if all(len(text) < 2 or text[0] != "0" or text[1] == "." for text in read) else None
