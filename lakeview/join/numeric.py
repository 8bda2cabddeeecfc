"""Text columns that hold numbers, as numbers: every double correctly rounded, everything else missing.

As `pandas.to_numeric(errors="coerce")`, which rounds the 17th digit otherwise than Spark, Arrow and Python do.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

INTEGER = "[+-]?[0-9]+"
NUMBER = r"[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?"

LONGEST = 15
"""Integers of more digits stay text: they are ids, and beside a gap pandas would round them to doubles."""


def to_numbers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """int64 where every number is a whole one, else float64; null where a text is no number."""
    trimmed = pc.ascii_trim_whitespace(column)
    texts = pc.if_else(_matches(trimmed, NUMBER), pc.ascii_ltrim(trimmed, "+"), pa.scalar(None, column.type))
    if pc.all(_matches(texts, INTEGER), min_count=0).as_py():
        return texts.cast(pa.int64())
    return texts.cast(pa.float64())


def is_long(column: pa.ChunkedArray) -> bool:
    """Whether an integer of the column has more digits than a double can be trusted with."""
    longest = pc.max(pc.binary_length(pc.ascii_trim(column, "+- \t"))).as_py()
    return longest is not None and longest > LONGEST


def _matches(column: pa.ChunkedArray, pattern: str) -> pa.ChunkedArray:
    return pc.match_substring_regex(column, rf"^(?:{pattern})\z")
