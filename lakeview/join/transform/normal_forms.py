"""What is left of a text when its writing is taken away: two texts with one normal form probably mean the same.

MAC addresses, phones in pairs, plates and months share no three characters in a row with their other spellings.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lakeview.join.transform.operators import MONTH_NUMBERS, SHAPES

LEAST = 4  # characters of a form that says something
_RUN = re.compile(r"[0-9]+|[^\W\d_]+")


def letters_and_digits(text: str) -> str:
    """The text without punctuation and blanks: "aa:bb:c1" is "aabbc1"."""
    return SHAPES["letters"](text)


def sorted_words(text: str) -> str:
    """Its runs of letters and of digits in order, months as numbers and numbers without leading zeros: "jan 2015" and
    "2015-01" are "1 2015", "2010q1" and "q1 2010" are "1 2010 q"."""
    runs = (MONTH_NUMBERS.get(run, run) for run in _RUN.findall(text))
    return " ".join(sorted(run.lstrip("0") or "0" if run.isdigit() else run for run in runs))


FORMS: tuple[Callable[[str], str], ...] = (letters_and_digits, sorted_words)
