"""The rule "One value, one token" once more, for one Python value at a time and as plainly as can be: what the Arrow
kernels must agree with. It shares no code with lakeview."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import xxhash

WHITE_SPACE = {chr(c) for c in range(0x110000) if chr(c).isspace()} - set("\x1c\x1d\x1e\x1f")
MARKS = {"", "-", "\\n", "n/a", "na", "nan", "none", "null"}


def printed(value: Any) -> str | None:
    """Step 1."""
    if value is None or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(value) if value in (float("inf"), -float("inf")) else format(Decimal(repr(value)), "f")
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime):
        zone = ""
        if value.tzinfo is not None:
            value, zone = value.astimezone(UTC).replace(tzinfo=None), "Z"
        day, clock = value.date().isoformat(), clock_text(value.time())
        return day if clock == "00:00:00" and not zone else f"{day} {clock}{zone}"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return clock_text(value)
    raise TypeError(type(value))


def clock_text(value: time) -> str:
    fraction = f"{value.microsecond:06}".rstrip("0")
    return value.strftime("%H:%M:%S") + (f".{fraction}" if fraction else "")


def simple_lower(character: str) -> str:
    # the one character whose full lower case is longer than its simple one
    return "i" if character == "İ" else character.lower()


def folded(text: str) -> str:
    """Step 2 without the null marks."""
    text = unicodedata.normalize("NFKC", text)
    text = "".join(c for c in text if c not in "\u200b\u200c\u200d\u2060\ufeff")
    text = "".join(" " if c in WHITE_SPACE else c for c in text)
    text = " ".join(word for word in text.split(" ") if word)
    return "".join(map(simple_lower, text))


def number(text: str) -> str:
    """Step 3."""
    match = re.fullmatch(r"([+-]?)(0|[1-9][0-9]*)(?:\.([0-9]*))?", text)
    if match is None:
        return text
    sign, whole, fraction = match[1], match[2], (match[3] or "").rstrip("0")
    out = whole + ("." + fraction if fraction else "")
    return "-" + out if sign == "-" and out != "0" else out


def moment(text: str) -> str:
    """Step 4."""
    match = re.fullmatch(
        r"([0-9]{4}-[0-9]{2}-[0-9]{2})[ Tt]([0-9]{2}:[0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?"
        r"([Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?",
        text,
    )
    if match is None:
        return text
    day, clock, second, fraction, zone = match.groups()
    fraction = (fraction or "").rstrip("0")
    try:
        time = datetime.strptime(f"{day} {clock}:{second or '00'}", "%Y-%m-%d %H:%M:%S")
        if zone and zone not in "Zz":
            hours, minutes = int(zone[1:3]), int(zone.replace(":", "")[3:] or 0)
            if hours > 17 or minutes > 59:
                return text
            time -= timedelta(hours=hours, minutes=minutes) * (-1 if zone[0] == "-" else 1)
    except (ValueError, OverflowError):
        return text
    out = time.isoformat(" ") + (f".{fraction}" if fraction else "") + ("Z" if zone else "")
    return out.removesuffix(" 00:00:00")


def canonical(values: list[Any], normalize: str = "fold") -> list[str | None]:
    """A whole column, Namibia decided."""
    out: list[str | None] = []
    for value in values:
        text = printed(value)
        if text is not None and normalize == "fold":
            text = folded(text)
        if text is not None and text.lower() in MARKS - {"na"}:
            text = None
        out.append(text if text is None else moment(number(text)))
    others = {text for text in out if text is not None and text.lower() != "na"}
    codes = {text for text in others if re.fullmatch(r"[A-Za-z]{2}", text)}
    if 2 * len(codes) > len(others):
        return out
    return [None if text is not None and text.lower() == "na" else text for text in out]


def tokens(values: list[Any], normalize: str = "fold") -> dict[int, int]:
    """Token -> rows."""
    return Counter(token(text) for text in canonical(values, normalize) if text is not None)


def token(text: str) -> int:
    return xxhash.xxh64_intdigest(text.encode(), 42)
