"""What of values survives another writing, as hashes: what columns are found by that a program is to join.

Of each value: its letters and digits, where it has both; its digits, without zeros before a number and behind a
fraction; its letters; its words and numbers in any order (months as numbers, years in two digits, no leading zeros:
"2010-05-01", "May 1, 2010" and "20100501" are one), unless it is one word, which its digits or letters tell; and the
first three numbers alone, which are the day of a time. Of all values together: their words, and their 3-grams but those
of digits, which any numbers share. The least hashes of each class are a column's signature, so that every column keeps
an equal share, and a query is asked for no more than that share. A hash has 32 bits, its kind in the last three.

Two kernels give the same hashes, one in numpy and one compiled by numba, which is taken where `xxh64` took its own.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from lakeview.values import xxh64
from lakeview.values.buffers import string_data, string_offsets
from lakeview.values.signatures_numpy import ALNUM, BAG, DAY, DIGITS, GRAM, KIND_BITS, LETTERS, WORD, keys_numpy

RULE_VERSION = 1  # of the rule from values to hashes and to those that are kept
VALUES = 5_000  # values of a column that are looked at
KINDS = 7
FORMS = (ALNUM, DIGITS, LETTERS, BAG, DAY)  # of a whole value
CLASSES = ((GRAM,), FORMS, (WORD,))  # kinds that share one limit
LIMITS = (2_048, 2_048, 1_024)  # least hashes kept of each class
NO_SIGNATURE: np.ndarray = np.zeros(0, np.uint32)

_CLASS_OF = np.full(1 << KIND_BITS, len(CLASSES), np.uint8)
for _place, _kinds in enumerate(CLASSES):
    _CLASS_OF[list(_kinds)] = _place
_A_BYTE = 4e-7  # seconds that numpy takes
_LAST = np.uint64((1 << KIND_BITS) - 1)
_HASH, _COLUMN = np.uint64(0xFFFFFFFF), np.uint64(32)


def signatures(texts: pa.Array, bounds: np.ndarray) -> list[np.ndarray]:
    """The signatures of some columns, of distinct texts without nulls: uint32, ascending and distinct.

    bounds: int64[n + 1], where the texts of each column begin, and where those of the last one end."""
    sizes = np.diff(bounds)
    keys = kept(_keys(texts, np.repeat(np.arange(len(sizes), dtype=np.uint64), sizes)))
    ends = np.searchsorted(keys, np.arange(1, len(sizes), dtype=np.uint64) << _COLUMN)
    return np.split((keys & _HASH).astype(np.uint32), ends)


def hashes(texts: Sequence[str]) -> list[np.ndarray]:
    """By kind all hashes of some texts: uint32, ascending and distinct."""
    raw = [text.encode("utf-8", "surrogatepass") for text in texts[:VALUES]]
    offsets = np.cumsum([0, *map(len, raw)], dtype=np.int64)
    found = np.unique(_compute(np.frombuffer(b"".join(raw), np.uint8), offsets, np.zeros(len(raw), np.uint64)))
    return [found[found & _LAST == kind].astype(np.uint32) for kind in range(KINDS)]


def merged(parts: Sequence[np.ndarray]) -> np.ndarray:
    """The signature of what some signatures are of together."""
    if len(parts) < 2:
        return parts[0] if parts else NO_SIGNATURE
    return kept(np.concatenate(parts).astype(np.uint64)).astype(np.uint32)


def classes_of(hashes: np.ndarray) -> np.ndarray:
    """The place in CLASSES of each hash's kind; len(CLASSES): of none."""
    return _CLASS_OF[hashes & hashes.dtype.type(_LAST)]  # type: ignore[no-any-return]


def kept(keys: np.ndarray) -> np.ndarray:
    """Of columns' hashes, each behind its column's number in one uint64, the least of each class: ascending."""
    keys = np.sort(keys)
    keys = keys[np.concatenate(([True], keys[1:] != keys[:-1]))] if len(keys) else keys
    over = np.zeros(len(keys), bool)
    classes = classes_of(keys)
    for place, limit in enumerate(LIMITS):
        at = np.flatnonzero(classes == place)
        column = keys[at] >> _COLUMN
        over[at[limit:]] = column[limit:] == column[:-limit]  # so many of its own come before it
    return keys[~over]


def _keys(texts: pa.Array, columns: np.ndarray) -> np.ndarray:
    offsets = string_offsets(texts).astype(np.int64)
    return _compute(string_data(texts)[offsets[0] : offsets[-1]], offsets - offsets[0], columns)


def _compute(data: np.ndarray, offsets: np.ndarray, columns: np.ndarray) -> np.ndarray:
    if xxh64.is_compiled(_A_BYTE * len(data)):
        from lakeview.values.signatures_numba import keys_numba

        return keys_numba(data, offsets, columns)
    began = time.perf_counter()
    found = keys_numpy(data, offsets, columns)
    xxh64.spend(time.perf_counter() - began)
    return found
