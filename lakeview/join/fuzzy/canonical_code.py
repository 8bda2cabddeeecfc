"""The canonical text of a key as a plain Python function that carries no more steps than these values need."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

import pandas as pd

from lakeview import values
from lakeview.errors import InputError
from lakeview.join.export.keys import NAMES
from lakeview.join.naming import literal
from lakeview.values import times
from lakeview.values.steps import NULL_MARKS

# step -> the line that does it to `text`
_LINES = {
    "nfkc": 'text = unicodedata.normalize("NFKC", text)',
    "zero_width": f'text = re.sub("{ascii(values.ZERO_WIDTH)[1:-1]}", "", text)',
    "blanks": f'text = re.sub("{ascii(values.BLANKS)[1:-1]}", " ", text).strip(" ")',
    "case": "text = text.lower()",
}
_NUMBER_LINES = (
    'if re.fullmatch(r"[+-]?(0|[1-9][0-9]*)([.][0-9]*)?", text):  # 5, +5 and 5.00 are one number',
    '    text = text.lstrip("+")',
    '    text = text.rstrip("0").rstrip(".") if "." in text else text',
    '    text = "0" if text == "-0" else text',
)
_TIME_LINES = (
    f'if re.fullmatch(r"{times.TIME}", text):  # one form for every time',
    "    from datetime import datetime, timezone",
    "    time = datetime.fromisoformat(text.upper())",
    '    zone = "Z" if time.tzinfo else ""',
    "    time = time.astimezone(timezone.utc).replace(tzinfo=None) if zone else time",
    '    text = str(time).rstrip("0") if time.microsecond else str(time)',
    '    text = f"{text}{zone}".removesuffix(" 00:00:00")',
)


def function(columns: list[pd.Series], normalize: values.Normalize) -> list[str]:
    """The lines of `canonical(value)`, which gives the canonical text of every value of these columns, None for none.

    Raises InputError, with the number of rows it concerns, where plain Python does not give the same text.
    """
    wanted = [values.canonical(values.as_arrow(column), normalize).to_pylist() for column in columns]
    raw = [column.tolist() for column in columns]
    steps = [step for step in values.STEPS_OF[normalize] if step not in ("text", "null_marks")]
    marks = _marks(raw, wanted)
    for step in ("nfkc", "zero_width", "blanks", "times", "numbers", "case"):
        fewer = [other for other in steps if other != step]
        if step in steps and not _wrong(_lines(fewer, marks), raw, wanted):
            steps = fewer
    lines = _lines(steps, marks)
    if wrong := _wrong(lines, raw, wanted):
        lacking = f"{NAMES['case']} or {NAMES['text']}"
        raise InputError(f"plain Python has no {lacking} such as {wrong:,} rows of these keys need")
    return lines


def _marks(raw: list[list[object]], wanted: list[list[str | None]]) -> list[str]:
    """The null marks that occur, in lower case."""
    lost = {str(value).strip().lower() for side, made in zip(raw, wanted, strict=True)
            for value, text in zip(side, made, strict=True) if text is None and not _missing(value)}  # fmt: skip
    return sorted(mark for mark in NULL_MARKS if mark in lost)


def _missing(value: object) -> bool:
    return value is None or value is pd.NA or value != value


def _lines(steps: list[str], marks: list[str]) -> list[str]:
    body = [_LINES[step] for step in ("nfkc", "zero_width", "blanks", "case") if step in steps]
    if "numbers" in steps:
        body += _NUMBER_LINES
    if "times" in steps:
        body += _TIME_LINES
    test = f"text.lower() in {literal(marks)}" if marks and "case" not in steps else f"text in {literal(marks)}"
    return [
        "def canonical(value):",
        '    """The text that is compared, None where there is nothing to compare."""',
        "    if value is None or value != value:",
        "        return None",
        "    text = str(value)",
        *(f"    {line}" for line in body),
        f"    return None if {test} else text" if marks else "    return text or None",
    ]


def _wrong(lines: list[str], raw: list[list[object]], wanted: list[list[str | None]]) -> int:
    """How many values the function gives another text."""
    scope: dict[str, object] = {"re": re, "unicodedata": unicodedata}
    # The lines are those above, never an analyst's: what is exported is what is tried here.
    exec("\n".join(lines), scope)
    canonical: Callable[[object], str | None] = scope["canonical"]  # type: ignore[assignment]
    wrong = 0
    for side, made in zip(raw, wanted, strict=True):
        for value, text in zip(side, made, strict=True):
            try:
                wrong += canonical(None if _missing(value) else value) != text
            except Exception:  # a value that the function breaks at is one more that it cannot do
                wrong += 1
    return wrong
