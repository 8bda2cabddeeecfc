"""Is a text file without a promising extension a table at all? README.txt is not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from lakeview.catalog.model import ReadError
from lakeview.catalog.reading.header import is_number

_WORD = re.compile(r"[^\W\d_]{2,}[.,;:!?)]*")
_ALIGNED = "has columns held apart by blanks, which lakeview does not read; save it as CSV"
_GAP = re.compile(r"\S {2,}\S")


def refuse_prose(lines: Sequence[str], delimited: bool) -> None:
    """Raises ReadError where the lines are sentences, or columns that blanks hold apart.

    Args:
        delimited: whether a delimiter splits nearly all lines alike: then only sentences with as many commas each
            are left to suspect.
    """
    words = [line.split() for line in lines if line.strip()]
    running = [line for line in words if len(line) >= 4 and sum(map(_is_word, line)) >= 0.7 * len(line)]
    ends = sum(line[-1][-1] in ".!?:;," for line in words)
    if len(running) > 0.5 * len(words) and (not delimited or ends > 0.5 * len(words)):
        raise ReadError("is running text, not a table")
    if delimited:
        return
    gaps = sum(bool(_GAP.search(line.strip())) for line in lines if line.strip())
    numbers = sum(len(line) > 1 and sum(map(is_number, line)) >= 0.5 * len(line) for line in words)
    if max(gaps, numbers) > 0.5 * len(words):
        raise ReadError(_ALIGNED)
    if sum(map(len, words)) > 3 * len(words):
        raise ReadError("is running text, not a table: no delimiter splits its lines evenly")


def refuse_aligned(lines: Sequence[str]) -> None:
    """Raises ReadError where runs of blanks hold columns apart, each beginning or ending at its place in every line."""
    filled = [line.rstrip() for line in lines if line.strip()]
    if len(filled) < 3 or sum(bool(_GAP.search(line)) for line in filled) < 0.9 * len(filled):
        return
    starts = Counter(place.end() for line in filled for place in re.finditer(r"(?<=\S) {2,}(?=\S)", line))
    ends = Counter(place.end() for line in filled for place in re.finditer(r"\S(?= {2,}\S|$)", line))
    if max([*starts.values(), *ends.values()]) >= 0.9 * len(filled):
        raise ReadError(_ALIGNED)


def _is_word(text: str) -> bool:
    return bool(_WORD.fullmatch(text.strip("\"'(*`")))
