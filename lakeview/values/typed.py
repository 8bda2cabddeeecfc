"""Tokens of typed values without their text: what would be printed is hashed as it is made, in compiled code alone."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeview.values import xxh64

_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
_FIRST, _LAST = (int(np.datetime64(day, "s").astype(np.int64)) for day in ("0001-01-01", "9999-12-31T23:59:59"))


def typed_tokens(array: pa.Array) -> tuple[pa.Array, np.ndarray, np.ndarray] | None:
    """The tokens of whole numbers, floats, dates and zoneless times, as `hash_strings` gives them of their text: one of
    each value that has one, in order, uint64, behind these values; and of each number its digits after the point, of
    each time whether it is more than a date, uint8.

    None where they have to be printed: other types, numbers of many digits, years without four, nothing compiled.
    """
    kind = array.type
    is_time = pa.types.is_date32(kind) or (pa.types.is_timestamp(kind) and kind.tz is None)
    if not (is_time or pa.types.is_integer(kind) or pa.types.is_float64(kind)) or not xxh64.is_compiled():
        return None
    given = _valued(array)
    found = (_times if is_time else _fractions if pa.types.is_floating(kind) else _whole)(given)
    return found and (given, *found)


def _valued(array: pa.Array) -> pa.Array:
    """The values that have a token: no nulls, and nothing that is no number."""
    if array.null_count:
        array = array.drop_null()
    if pa.types.is_floating(array.type):
        missing = pc.is_nan(array)
        if pc.any(missing).as_py():
            array = array.filter(pc.invert(missing))
    return array


def _whole(array: pa.Array) -> tuple[np.ndarray, np.ndarray] | None:
    from lakeview.values import typed_numba
    from lakeview.values.xxh64_numba import readonly

    numbers = array.to_numpy()
    if numbers.dtype == np.uint64 and len(numbers) and numbers.max() > np.iinfo(np.int64).max:
        return None
    [numbers] = readonly(numbers.astype(np.int64, copy=False))
    return typed_numba.whole(numbers), np.zeros(len(numbers), np.uint8)


def _fractions(array: pa.Array) -> tuple[np.ndarray, np.ndarray] | None:
    from lakeview.values import typed_numba
    from lakeview.values.xxh64_numba import readonly

    tokens, places = np.empty(len(array), np.uint64), np.empty(len(array), np.uint8)
    [numbers] = readonly(array.to_numpy())
    return (tokens, places) if typed_numba.fractions(numbers, tokens, places) else None


def _times(array: pa.Array) -> tuple[np.ndarray, np.ndarray] | None:
    from lakeview.values import typed_numba
    from lakeview.values.xxh64_numba import readonly

    if pa.types.is_date32(array.type):
        counts, unit = array.view(pa.int32()).to_numpy().astype(np.int64) * 86_400, "s"
    else:
        counts, unit = array.view(pa.int64()).to_numpy(), array.type.unit
    second = 10 ** _DIGITS[unit]
    if len(counts) and not _FIRST <= counts.min() // second <= counts.max() // second <= _LAST:
        return None
    tokens, clocks = np.empty(len(array), np.uint64), np.empty(len(array), np.uint8)
    [counts] = readonly(counts)
    typed_numba.times(counts, second, _DIGITS[unit], tokens, clocks)
    return tokens, clocks
