"""What is left of a text when its writing is taken away: two texts with one normal form probably mean the same.

MAC addresses, phones in pairs, plates and months share no three characters in a row with their other spellings.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lakeview.join.transform.shapes import SHAPES
from lakeview.values.months import MONTH_NUMBERS

LEAST = 4  # characters of a form that says something
NUMBER = 9  # last digits of a phone, which are the same with and without the code of its country
_RUN = re.compile(r"[0-9]+|[^\W\d_]+")
_COMPACT = re.compile(r"((?:19|20)[0-9]{2})(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])?")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_WORDS = MONTH_NUMBERS | {"quarter": "q", "week": "w"}


def letters_and_digits(text: str) -> str:
    """The text without punctuation and blanks: "aa:bb:c1" is "aabbc1"."""
    return SHAPES["letters"](text)


def sorted_words(text: str) -> str:
    """Its runs of letters and of digits in order, months as numbers, years in two digits, compact dates in their parts
    and numbers without leading zeros: "jan 2015", "2015-01" and "201501" are "1 15", "1q10" and "q1 2010" are
    "1 10 q"."""
    return " ".join(sorted(_runs(text)))


def sorted_numbers(text: str) -> str:
    """As `sorted_words`, of a text that is mostly digits, its numbers alone: "2020w05" and "2020-05" are "20 5"."""
    numbers = sorted(run for run in _runs(text) if run.isdigit())
    return " ".join(numbers) if len(numbers) > 1 and _is_mostly_digits(text) else ""


def last_digits(text: str) -> str:
    """The last digits of a long number: "+33 6 12 34 56 78" and "06.12.34.56.78" are "612345678"."""
    digits = "".join(filter(str.isdecimal, text))
    return digits[-NUMBER:] if len(digits) >= NUMBER and _is_mostly_digits(text) else ""


def to_the_minute(text: str) -> str:
    """Of a time its day, hour and minute: "2010-01-12 02:30:00z" and "12/1/2010 2:30" are "1 10 12 2 30"."""
    runs = _runs(text) if ":" in text and _is_mostly_digits(text) else []
    numbers = [run for run in runs if run.isdigit()]
    return " ".join([*sorted(numbers[:3]), *numbers[3:5]]) if len(numbers) > 4 else ""


def _runs(text: str) -> list[str]:
    found: list[str] = []
    for run in _RUN.findall(text):
        run = _WORDS.get(run, run)
        compact = _COMPACT.fullmatch(run)
        found += filter(None, compact.groups()) if compact else [run]
    short = (run[2:] if _YEAR.fullmatch(run) else run for run in found)
    return [run.lstrip("0") or "0" if run.isdigit() else run for run in short]


def _is_mostly_digits(text: str) -> bool:
    letters = sum(map(str.isalpha, text))
    return sum(map(str.isdecimal, text)) > letters


FORMS: tuple[Callable[[str], str], ...] = (letters_and_digits, sorted_words, sorted_numbers, last_digits, to_the_minute)
