"""Cuts into dates: their digits are cut between year, month and day, and in the middle of a year, but nowhere else.

The last three digits of birthdays meet counts of anything: nobody means them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lakeview.join.transform.operators import Piece

BETWEEN = {4: (2,), 6: (2, 4), 8: (2, 4, 6)}  # digits in a row: the places where they may be cut
SOME = 50  # dates that are looked at


def cuts_fields(piece: Piece, dates: Sequence[str]) -> bool:
    """Whether a piece of most of some dates begins or ends within their year, month or day."""
    if piece.start is None and piece.stop is None:
        return False
    whole = replace(piece, start=None, stop=None)
    texts = [text for date in dates[:: max(1, len(dates) // SOME)] if (text := whole.value(date))]
    return 2 * sum(_is_cut(text, piece.start, piece.stop) for text in texts) > len(texts)


def _is_cut(text: str, *ends: int | None) -> bool:
    places = {end if end >= 0 else len(text) + end for end in ends if end is not None}
    return any(_cuts_number(text, place) for place in places if 0 < place < len(text))


def _cuts_number(text: str, place: int) -> bool:
    """Whether digits before and behind a place belong together."""
    before, behind = text[:place], text[place:]
    start = len(before) - len(before.rstrip("0123456789"))
    rest = len(behind) - len(behind.lstrip("0123456789"))
    return bool(start and rest) and start not in BETWEEN.get(start + rest, ())
