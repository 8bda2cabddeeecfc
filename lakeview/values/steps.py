"""Steps 2 and 3 of the rule: from printed text to canonical text, one function a step (`times` has the last one).

Every step takes and returns a string array of the same length. Each first asks the raw bytes whether any value can
need it, which makes plain ASCII columns cheap.
"""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

from lakeview.values.buffers import any_bytes, is_ascii, lengths
from lakeview.values.printing import replace_where

NULL_MARKS = ("", "-", "\\n", "n/a", "na", "nan", "none", "null")
"""What gives no token, in lower case; "na" is a value in a column of two-letter codes."""

ZERO_WIDTH = "[\u200b-\u200d\u2060\ufeff]"
"""Zero-width characters, as a regular expression."""

BLANKS = "[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+"
"""Runs of Unicode's White_Space, as a regular expression."""

NUMBER = r"[+-]?(0|[1-9][0-9]*)(\.[0-9]*)?"
"""A plain number, to be matched whole, as a regular expression."""

_ODD_BLANK = BLANKS.replace("\t-\r ", "").rstrip("+")
_LONGEST_MARK = max(map(len, NULL_MARKS))

# Letters that NFKC leaves as they are whatever stands beside them: most of Latin and Cyrillic, kana, hanzi, hangul.
# To see that a value has no others is four times as fast as to normalize it.
_SETTLED = (
    "^[\0-\x7f\xc0-\u0131\u0134-\u013e\u0141-\u0148\u014a-\u017e\u0400-\u045f"
    "\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]*\\z"
)


def nfkc(array: pa.Array) -> pa.Array:
    """Unicode compatibility composition: full-width letters, ligatures, decomposed accents."""
    if is_ascii(array):
        return array
    return replace_where(
        array,
        pc.invert(pc.match_substring_regex(array, _SETTLED)),
        lambda chosen: pc.utf8_normalize(chosen, form="NFKC"),
    )


def zero_width(array: pa.Array) -> pa.Array:
    """Characters that nobody sees, dropped."""
    if not any_bytes(array, lambda data: (data == 0xE2) | (data == 0xEF)):  # how all of them begin in UTF-8
        return array
    return _replace_matching(array, ZERO_WIDTH, "")


def blanks(array: pa.Array) -> pa.Array:
    """Runs of white space folded to one blank, none at the ends."""
    if any_bytes(array, lambda data: (data >= 0x09) & (data <= 0x0D)):
        array = _replace_matching(array, "[\t-\r]", " ")
    # how the others begin in UTF-8
    if any_bytes(array, lambda data: (data == 0xC2) | ((data >= 0xE1) & (data <= 0xE3))):
        array = _replace_matching(array, _ODD_BLANK, " ")
    if any_bytes(array, lambda data: (data[1:] == 0x20) & (data[:-1] == 0x20)):
        array = _replace_matching(array, "  +", " ")
    return pc.ascii_trim(array, " ") if any_bytes(array, lambda data: data == 0x20) else array


def case(array: pa.Array) -> pa.Array:
    """Lower case, by Arrow's simple mapping: one for one, ΟΔΟΣ is οδοσ."""
    # not ascii_lower, however fast: it is wrong where the first offset is not 0, as in casts of slices (pyarrow 26)
    needed = any_bytes(array, lambda data: ((data >= 0x41) & (data <= 0x5A)) | (data >= 0x80))
    return pc.utf8_lower(array) if needed else array


def null_marks(array: pa.Array) -> pa.Array:
    """Null where the text says that there is no value, in any case; "NA" stays, undecided."""
    short = lengths(array) <= _LONGEST_MARK
    if not short.any():
        return array
    marks = pa.array([mark for mark in NULL_MARKS if mark != "na"], array.type)
    return replace_where(
        array,
        short,
        lambda chosen: pc.if_else(pc.is_in(pc.utf8_lower(chosen), marks), pa.scalar(None, array.type), chosen),
    )


def numbers(array: pa.Array) -> pa.Array:
    """Plain numbers without "+", trailing zeros of the fraction and a bare point; "-0" is "0"."""
    if any_bytes(array, lambda data: (data == 0x2E) | (data == 0x2B)):
        array = replace_where(array, pc.or_(pc.match_substring(array, "."), pc.starts_with(array, "+")), _if_number)
    if any_bytes(array, lambda data: data == 0x2D):
        array = replace_where(array, pc.equal(array, "-0"), lambda chosen: pc.ascii_ltrim(chosen, "-"))
    return array


FOLDING: dict[str, Callable[[pa.Array], pa.Array]] = {
    "nfkc": nfkc,
    "zero_width": zero_width,
    "blanks": blanks,
    "case": case,
    "null_marks": null_marks,
    "numbers": numbers,
}
"""The steps from text to text, in the order of the rule."""


def _if_number(array: pa.Array) -> pa.Array:
    return replace_where(array, pc.match_substring_regex(array, f"^(?:{NUMBER})\\z"), _plain_number)


def _plain_number(array: pa.Array) -> pa.Array:
    array = pc.ascii_ltrim(array, "+")
    return replace_where(
        array, pc.match_substring(array, "."), lambda chosen: pc.ascii_rtrim(pc.ascii_rtrim(chosen, "0"), ".")
    )


def _replace_matching(array: pa.Array, pattern: str, replacement: str) -> pa.Array:
    # looking first is several times as fast as replacing nothing
    return replace_where(
        array,
        pc.match_substring_regex(array, pattern),
        lambda chosen: pc.replace_substring_regex(chosen, pattern, replacement),
    )
