"""Dates as a step of the language: a text is read in one format, and its day is printed in another.

Formats are those of strptime, so far as all dialects have them: %Y %y %m %d %b %B %a %A, and %-m and %-d for what is
printed without a leading zero. What is read is lower case and the whole text; months and days may lack their zero
unless the format is compact; a year in two digits is one of 1969 to 2068; weekdays are read past. A format without a
day means the month.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from lakeview.values.months import DAYS, MONTHS

PIVOT = 69  # the first year in two digits that is one of the last century
FEW = 8  # values that a format is tried on first
SOME = 200  # values that it is tried on then
READ = 0.7  # of them, those that it must read
PRINTED = 0.98  # of the values that it reads, those that it must print as they are

_FIELD = re.compile(r"%-?[a-zA-Z]")


def _any_of(names: Sequence[str]) -> str:
    return "(?:" + "|".join(names) + ")"


_SHORT = tuple(name[:3] for name in MONTHS)
_READ = {
    "%Y": "([0-9]{4})",
    "%y": "([0-9]{2})",
    "%m": "(0?[1-9]|1[0-2])",
    "%d": "(0?[1-9]|[12][0-9]|3[01])",
    "%b": f"({_any_of(_SHORT)})",
    "%B": f"({_any_of(MONTHS)})",
    "%a": f"({_any_of([name[:3] for name in DAYS])})",
    "%A": f"({_any_of(DAYS)})",
}
_COMPACT = _READ | {"%m": "(0[1-9]|1[0-2])", "%d": "(0[1-9]|[12][0-9]|3[01])"}


def is_compact(format: str) -> bool:
    """Whether its fields stand one behind the other, so that each has all of its digits."""
    return format in ("%Y%m%d", "%Y%m", "%d%m%Y", "%m%d%Y", "%y%m%d")


@lru_cache(maxsize=512)
def _reader(format: str) -> tuple[re.Pattern[str], tuple[str, ...]]:
    fields = tuple(_FIELD.findall(format))
    known = _COMPACT if is_compact(format) else _READ
    between = _FIELD.split(format)
    pattern = re.escape(between[0]) + "".join(
        known[field] + re.escape(text) for field, text in zip(fields, between[1:], strict=True)
    )
    return re.compile(pattern), fields


def read(text: str, format: str) -> datetime.date | None:
    """The day that a text says in a format, or None."""
    pattern, fields = _reader(format)
    match = pattern.fullmatch(text)
    if match is None:
        return None
    year, month, day = 0, 1, 1
    for field, said in zip(fields, match.groups(), strict=True):
        if field == "%Y":
            year = int(said)
        elif field == "%y":
            year = int(said) + (1900 if int(said) >= PIVOT else 2000)
        elif field == "%m":
            month = int(said)
        elif field == "%d":
            day = int(said)
        elif field in ("%b", "%B"):
            month = _SHORT.index(said[:3]) + 1
    try:
        return datetime.date(year, month, day)
    except ValueError:  # no day of the calendar
        return None


def printed(day: datetime.date, format: str) -> str:
    """A day in a format, in lower case."""
    said = {
        "%Y": f"{day.year:04d}",
        "%y": f"{day.year % 100:02d}",
        "%m": f"{day.month:02d}",
        "%-m": str(day.month),
        "%d": f"{day.day:02d}",
        "%-d": str(day.day),
        "%b": _SHORT[day.month - 1],
        "%B": MONTHS[day.month - 1],
        "%a": DAYS[day.weekday()][:3],
        "%A": DAYS[day.weekday()],
    }
    return _FIELD.sub(lambda field: said[field[0]], format)


def has_day(format: str) -> bool:
    """Whether it says the day, or the month alone."""
    return "%d" in format or "%-d" in format


def _formats() -> Iterator[str]:
    for sep in ("-", "/", "."):
        yield from (f"%Y{sep}%m{sep}%d", f"%d{sep}%m{sep}%Y", f"%m{sep}%d{sep}%Y")
        yield from (f"%d{sep}%m{sep}%y", f"%m{sep}%d{sep}%y", f"%y{sep}%m{sep}%d")
    yield "%Y%m%d"
    for month in ("%b", "%B"):
        for sep in (" ", "-", ". ", "/"):
            yield from (f"%d{sep}{month}{' ' if sep == '. ' else sep}{year}" for year in ("%Y", "%y"))
        yield from (f"{month} %d, %Y", f"{month} %d %Y", f"{month} %d, %y", f"%Y {month} %d", f"%Y-{month}-%d")
        for weekday in ("%A", "%a"):
            for rest in (f"%d {month} %Y", f"{month} %d, %Y", f"%d. {month} %Y"):
                yield from (f"{weekday}, {rest}", f"{weekday} {rest}")
    for weekday in ("%A", "%a"):
        yield from (f"{weekday}, {rest}" for rest in ("%Y-%m-%d", "%m/%d/%Y", "%d.%m.%Y", "%d/%m/%Y"))
    for month in ("%b", "%B"):
        yield from (f"{month} %Y", f"{month}-%Y", f"{month}-%y", f"{month} %y", f"{month}, %Y", f"%Y {month}")
    yield from ("%Y-%m", "%Y/%m", "%Y.%m", "%m/%Y", "%m-%Y", "%m.%Y", "%Y%m")


FORMATS = tuple(_formats())


def formats_of(values: Sequence[str], formats: Sequence[str] = FORMATS) -> list[str]:
    """The formats that read most of some values, those that read more first: more than one where days are all below
    13, or in May. A month alone is no format of what a day is read from."""
    step = max(1, len(values) // SOME)
    some = [value for value in values[::step][:SOME] if any(map(str.isdigit, value))]
    if 2 * len(some) < min(len(values), SOME):
        return []
    few = some[:: max(1, len(some) // FEW)][:FEW]
    shares = {}
    for format in formats:
        if sum(read(value, format) is not None for value in few) >= READ * len(few) - 1:
            share = sum(read(value, format) is not None for value in some) / len(some)
            if share >= READ:
                shares[format] = share
    return sorted(shares, key=lambda format: -shares[format])


def writing_of(values: Sequence[str], format: str) -> str | None:
    """The format that prints some values as they are, of a format that reads them; None where they are uneven."""
    some = [(value, day) for value in values[:: max(1, len(values) // SOME)] if (day := read(value, format))]
    bare = {field: format.replace(field, field.replace("%", "%-")) for field in ("%m", "%d")}
    ways = [format, *bare.values(), bare["%m"].replace("%d", "%-d")] if not is_compact(format) else [format]
    for way in dict.fromkeys(ways):
        if some and sum(printed(day, way) == value for value, day in some) >= PRINTED * len(some):
            return way
    return None


WRITTEN = tuple(
    dict.fromkeys(
        way
        for format in FORMATS
        for way in (format, format.replace("%m", "%-m").replace("%d", "%-d"), format.replace("%d", "%-d"))
        if not is_compact(format) or way == format
    )
)


@lru_cache(maxsize=20_000)
def readings(text: str) -> tuple[str, ...]:
    """The formats that read a text."""
    if not 6 <= len(text) <= 30 or sum(map(str.isdigit, text)) < 3:
        return ()
    return tuple(format for format in FORMATS if read(text, format) is not None)


@lru_cache(maxsize=20_000)
def writings(day: datetime.date, output: str) -> tuple[str, ...]:
    """The formats that print what an output holds, the longest text first."""
    texts = {format: printed(day, format) for format in WRITTEN}
    return tuple(sorted((f for f, text in texts.items() if text in output), key=lambda f: -len(texts[f])))


@lru_cache(maxsize=200_000)
def rewritten(text: str, source: str, to: str) -> str:
    """A date read in one format and printed in another, "" for what is no such date."""
    day = read(text, source)
    return "" if day is None else printed(day, to)
