"""A whole column to canonical text and tokens, with the one decision that needs the whole column: Namibia."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import product
from string import ascii_letters
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeview.errors import InputError
from lakeview.values.arrow import as_arrow, text
from lakeview.values.buffers import lengths
from lakeview.values.printing import concat, take_text
from lakeview.values.steps import FOLDING
from lakeview.values.times import times
from lakeview.values.xxh64 import hash_strings
from lakeview.values.xxh64_numpy import hash_numpy

RULE_VERSION = 3
"""Of the rule from value to token; another one's tokens are not comparable."""

Normalize = Literal["fold", "exact"]

STEPS: dict[str, Callable[[pa.Array], pa.Array]] = {"text": text, **FOLDING, "times": times}
"""All steps, in the order of the rule."""

STEPS_OF: dict[str, tuple[str, ...]] = {
    "fold": tuple(STEPS),
    "exact": ("text", "null_marks", "numbers", "times"),
}
"""The steps that make up each way to normalize."""

_NA = ("NA", "Na", "nA", "na")
_LARGE = 1 << 27  # bytes of chunks that are made one


def _tokens_of_codes(codes: Iterable[str]) -> np.ndarray:
    # not by way of pa.array, whose first call imports pandas
    letters = np.frombuffer("".join(codes).encode(), np.uint8)
    starts = np.arange(0, len(letters), 2)
    return np.sort(hash_numpy(letters, starts, starts + 2))


NA_TOKENS: np.ndarray = _tokens_of_codes(_NA)
"""Tokens of the canonical text of NA: "na" under fold, any case under exact. uint64, sorted."""


def canonical_part(array: Any, normalize: Normalize = "fold", steps: Iterable[str] | None = None) -> pa.Array:
    """Canonical text of a part of a column, as long as the part; null where a value has no token.

    "NA" is left as its text: whether it is a value shows only in the whole column, see `na_is_value`.
    `steps` are names of `STEPS`, applied in the rule's order instead of those of `normalize`.
    """
    chosen = _chosen(normalize, steps)
    column = as_arrow(array)
    if isinstance(column, pa.ChunkedArray):
        if not _is_plain(column):
            return concat([canonical_part(chunk, normalize, steps) for chunk in column.chunks])
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type) and len(column.dictionary) <= len(column):
        return take_text(canonical_part(column.dictionary, normalize, steps), column.indices)
    out = STEPS["text"](column)
    if is_settled(column.type):
        return out
    for name in chosen:
        out = out if name == "text" else STEPS[name](out)
    return out


def canonical(array: Any, normalize: Normalize = "fold", steps: Iterable[str] | None = None) -> pa.Array:
    """Canonical text of a whole column, as long as the column; null where a value has no token.

    The rule is DESIGN.md's "One value, one token". `normalize="exact"` keeps case, blanks and Unicode as they are.
    `steps` are names of `STEPS`, applied in the rule's order instead of those of `normalize`.
    """
    chosen = _chosen(normalize, steps)
    column = as_arrow(array)
    out = canonical_part(column, normalize, chosen)
    if "null_marks" not in chosen or is_settled(column.type):
        return out
    undecided = pc.is_in(out, pa.array(_NA, out.type)) if (lengths(out) == len(_NA[0])).any() else None
    if undecided is None or not pc.any(undecided).as_py() or na_is_value(counted(hash_strings(out))[0]):
        return out
    return pc.if_else(undecided, pa.scalar(None, out.type), out)


def distinct_tokens(array: Any, normalize: Normalize = "fold") -> tuple[np.ndarray, np.ndarray]:
    """The distinct tokens of a whole column, sorted (uint64), and how many rows each has (int64)."""
    return counted(hash_strings(canonical(array, normalize)))


def counted(tokens: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct tokens, sorted (uint64), and how many there are of each (int64). Sorts `tokens` itself, which is much
    faster than np.unique."""
    tokens.sort()
    is_first = np.ones(len(tokens), np.bool_)
    np.not_equal(tokens[1:], tokens[:-1], out=is_first[1:])
    first = np.flatnonzero(is_first)
    return tokens[first], np.diff(first, append=len(tokens)).astype(np.int64, copy=False)


def na_is_value(tokens: np.ndarray) -> bool:
    """Whether NA is a value, Namibia, in a column with these distinct tokens (uint64, sorted).

    It is where more than half of the other distinct tokens are two-letter codes; NA's own tokens don't count.
    """
    others = len(tokens) - _count_in(NA_TOKENS, tokens)
    few, many = sorted((two_letter_tokens(), tokens), key=len)
    codes = _count_in(few, many) - _count_in(NA_TOKENS, tokens)
    return 2 * codes > others


@cache
def two_letter_tokens() -> np.ndarray:
    """Tokens of all two-letter codes, aa to zz in any case: 2,704 uint64, sorted."""
    return _tokens_of_codes("".join(pair) for pair in product(ascii_letters, repeat=2))


def _count_in(wanted: np.ndarray, tokens: np.ndarray) -> int:
    if len(tokens) == 0:
        return 0
    place = np.minimum(np.searchsorted(tokens, wanted), len(tokens) - 1)
    return int(np.count_nonzero(tokens[place] == wanted))


def is_settled(kind: pa.DataType) -> bool:
    """Whether values of this type are canonical as they print, so that no later step can change them."""
    return (
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_date(kind)
        or pa.types.is_time(kind)
        or (pa.types.is_timestamp(kind) and kind.tz is None)
    )


def is_na(tokens: np.ndarray) -> np.ndarray:
    """Which tokens are NA's: bool[n]. Far faster than np.isin for so few."""
    found = tokens == NA_TOKENS[0]
    for token in NA_TOKENS[1:]:
        found |= tokens == token
    return found


def places_of_na(tokens: np.ndarray) -> np.ndarray:
    """Where NA's tokens lie among sorted distinct ones: int64, ascending."""
    if not len(tokens):
        return np.zeros(0, np.int64)
    at = np.minimum(tokens.searchsorted(NA_TOKENS), len(tokens) - 1)
    return at[tokens[at] == NA_TOKENS]


def _is_plain(column: pa.ChunkedArray) -> bool:
    """Whether chunks may be taken as one: text and what is settled, and not too large for 32-bit offsets."""
    kind = column.type
    return (pa.types.is_string(kind) or is_settled(kind)) and column.nbytes < _LARGE


def _chosen(normalize: str, steps: Iterable[str] | None) -> tuple[str, ...]:
    if normalize not in STEPS_OF:
        raise InputError(f'normalize is "fold" or "exact", not {normalize!r}')
    wanted = set(STEPS_OF[normalize] if steps is None else steps)
    if wanted - set(STEPS):
        raise InputError(f"no such step: {sorted(wanted - set(STEPS))}; there are {list(STEPS)}")
    return tuple(name for name in STEPS if name in wanted)
