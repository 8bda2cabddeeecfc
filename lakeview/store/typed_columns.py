"""Profiles of typed columns, straight from their values: no text is made but of those that a signature is of."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from lakeview import values
from lakeview.sketch.minima import BITS
from lakeview.store.profiles import NO_COUNTS, NO_TOKENS, Profile, has_signature
from lakeview.store.shapes import Shape
from lakeview.values.signatures import NO_SIGNATURE, signatures
from lakeview.values.typed import typed_tokens


def profile_of(array: pa.Array, unsigned: int, is_outgrown: bool) -> Profile | None:
    """The profile of a typed array; None where its values have to be printed (`typed_tokens`).

    unsigned: of how many values the signature is to be. is_outgrown: of a column that is sketched, the least token of
    each bucket is enough; all rows count as theirs.
    """
    found = typed_tokens(array)
    if found is None:
        return None
    given, tokens, kinds = found
    if not len(tokens):
        return NO_TOKENS, NO_COUNTS, Shape(), NO_SIGNATURE
    distinct, counts = values.counted(tokens.copy())
    shape = _shape(given, tokens, kinds, len(distinct))
    if is_outgrown and not unsigned:
        return *_least(distinct, len(tokens)), shape, NO_SIGNATURE
    signature = NO_SIGNATURE
    if unsigned and has_signature(shape.type, len(distinct), len(tokens)):
        some = given.filter(pa.array(tokens <= distinct[:unsigned][-1]))
        texts = values.canonical_part(some.unique())
        signature = signatures(texts, np.array([0, len(texts)]))[0]
    return distinct, counts, shape, signature


def _least(distinct: np.ndarray, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """The least token of each bucket, of some that are sorted and distinct: all that a sketch keeps of them. All rows
    count as the first one's."""
    bucket = distinct >> np.uint64(64 - BITS)
    least = distinct[np.concatenate(([True], bucket[1:] != bucket[:-1]))]
    counts = np.zeros(len(least), np.int64)
    counts[0] = rows
    return least, counts


def _shape(array: pa.Array, tokens: np.ndarray, kinds: np.ndarray, distinct: int) -> Shape:
    """As `shapes.shape_of` tells it from texts."""
    first = _distinct(tokens, kinds == 0, distinct)
    if pa.types.is_temporal(array.type):
        return Shape(distinct, dates=first, timestamps=distinct - first)
    numbers = array.to_numpy()
    low, high = float(numbers.min()), float(numbers.max())
    return Shape(distinct, first, distinct, low=low + 0.0, high=high + 0.0, decimals=int(kinds.max()))


def _distinct(tokens: np.ndarray, which: np.ndarray, distinct: int) -> int:
    """How many of the distinct tokens are of some values."""
    n = np.count_nonzero(which)
    return distinct if n == len(which) else len(np.unique(tokens[which])) if n else 0
