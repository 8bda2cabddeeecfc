"""The last step of the rule: text that is an ISO 8601 time takes one form, whoever wrote it.

"2024-03-01T10:30", "2024-03-01 10:30:00.000" and a database's 10:30 are one value, and so are "2024-03-01T12:30+02:00"
and "2024-03-01 10:30:00Z". A time without a zone stays without one.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeview.values.buffers import any_bytes, string_data, string_offsets
from lakeview.values.printing import replace_where

TIME = (
    r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])[ Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]"
    r"(?::[0-5][0-9](?:[.,][0-9]+)?)?(?:[Zz]|[+-](?:0[0-9]|1[0-7])(?::?[0-5][0-9])?)?"
)
"""An ISO 8601 time, to be matched whole, as a regular expression; whether its month has that day is another matter."""

MOMENT = "[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}"
_DAY, _CLOCK, _ZONE = "[0-9]{4}-[0-9]{2}-[0-9]{2}", "[0-9]{2}:[0-9]{2}", "[Zz]|[+-][0-9:]+"
OFFSET = rf"{MOMENT}(?:[.,][0-9]+)?[+-][0-9]{{2}}(?::?[0-9]{{2}})?"
"""A time with a zone of its own, after `SPELLED` below."""

SPELLED = (
    (rf"^({_DAY})[ Tt]({_CLOCK})({_ZONE})?", "$1 $2:00$3"),
    (rf"^({_DAY})[ Tt]({_CLOCK}:[0-9]{{2}}(?:[.,][0-9]+)?(?:{_ZONE})?)", "$1 $2"),
)
IN_UTC = (
    (rf"^({MOMENT})[.,]0*({_ZONE})?", "$1$2"),
    (rf"^({MOMENT})[.,]([0-9]*[1-9])0*({_ZONE})?", "$1.$2$3"),
    (rf"^({MOMENT}(?:[.][0-9]+)?)(?:[Zz]|[+-]00(?::?00)?)", "$1Z"),
    (rf"^({_DAY}) 00:00:00", "$1"),
)
"""What `times` does, as regular expressions up to the end of the text, and what they put in its place: first how a time
is spelled, then, once those of other zones have been put in UTC, its fraction, its zone and its midnight."""

WRITTEN = (*SPELLED, *IN_UTC)

_REST = r"^(?::(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]+))?)?(?P<zone>[Zz]|[+-][0-9:]+)?$"
_FIRST, _LAST = (np.datetime64(day, "s").astype(np.int64) for day in ("0001-01-01", "9999-12-31T23:59:59"))


def times(array: pa.Array) -> pa.Array:
    """ISO 8601 times as "YYYY-MM-DD HH:MM:SS[.f]", those with a zone in UTC with a "Z".

    Seconds may be left out; zeros at the end of the fraction go, and so does a midnight without a zone, which leaves
    its date. Days that no month has, and times that UTC puts outside the years 1 to 9999, stay as they are.
    """
    if not any_bytes(array, lambda data: data == 0x3A):
        return array
    return replace_where(array, pc.match_substring_regex(array, rf"^(?:{TIME})\z"), _in_one_form)


def _in_one_form(array: pa.Array) -> pa.Array:
    # "YYYY-MM-DD HH:MM" stands at the same places in all of them, as digits
    places = string_offsets(array)[:-1, None].astype(np.int64) + np.arange(16)
    digits = string_data(array)[places].astype(np.int64) - ord("0")
    year = digits[:, :4] @ (1000, 100, 10, 1)
    month, day, hour, minute = (digits[:, at : at + 2] @ (10, 1) for at in (5, 8, 11, 14))
    rest = pc.extract_regex(pc.utf8_slice_codeunits(array, 16), _REST)
    second = np.array(pc.cast(_given(rest.field("second"), "0"), pa.int64()))
    fraction = pc.ascii_rtrim(_given(rest.field("fraction"), ""), "0")
    zone = _given(rest.field("zone"), "")

    months = (year - 1970) * 12 + month - 1
    days = months.astype("M8[M]").astype("M8[D]").astype(np.int64) + day - 1
    seconds = days * 86_400 + hour * 3600 + minute * 60 + second - _ahead(zone)
    sound = (days.astype("M8[D]").astype("M8[M]").astype(np.int64) == months) & (seconds >= _FIRST) & (seconds <= _LAST)

    printed = np.datetime_as_string(np.where(sound, seconds, 0).astype("M8[s]"))
    text = pc.replace_substring(pa.array(printed.astype(object), pa.string()), "T", " ", max_replacements=1)
    point = pc.if_else(pc.equal(fraction, ""), "", ".")
    mark = pc.if_else(pc.equal(zone, ""), "", "Z")
    whole = pc.binary_join_element_wise(text, point, fraction.cast(pa.string()), mark, "")
    out = replace_where(whole, pc.equal(pc.utf8_slice_codeunits(whole, 10), " 00:00:00"),
                        lambda midnights: pc.utf8_slice_codeunits(midnights, 0, 10))  # fmt: skip
    return pc.if_else(pa.array(sound), out.cast(array.type), array)


def _given(parts: pa.Array, default: str) -> pa.Array:
    """The parts of a match; `default` where there was none, which Arrow tells as empty or as null."""
    parts = pc.fill_null(parts, "")
    return parts if default == "" else pc.if_else(pc.equal(parts, ""), default, parts)


def _ahead(zone: pa.Array) -> np.ndarray:
    """How many seconds a zone is ahead of UTC: of "+05:30", "+0530", "-03", "Z", or of none."""
    signs = np.array(pc.if_else(pc.starts_with(zone, "-"), -1, 1))
    digits = pc.utf8_rpad(pc.replace_substring(pc.utf8_slice_codeunits(zone, 1), ":", ""), 4, "0")
    clock = np.array(pc.cast(digits, pa.int64()))
    return signs * (clock // 100 * 3600 + clock % 100 * 60)
