"""The compiled kernel of `shapes`; importing this module imports numba."""

from __future__ import annotations

import numpy as np

from lakeview.values.xxh64_numba import jit, readonly

# What is counted of a column, in this order, and behind it letter codes by their lengths.
INTEGERS, NUMBERS, EXPONENTS, DATES, TIMESTAMPS, BOOLEANS, LETTERS = range(7)
_EXACT = 15  # digits up to which a number is the quotient of two that a float64 holds, and so rounded once

_ZERO, _NINE, _POINT, _MINUS, _PLUS = ord("0"), ord("9"), ord("."), ord("-"), ord("+")
_TRUE, _FALSE = np.frombuffer(b"true", np.uint8), np.frombuffer(b"false", np.uint8)
_TENS = 10.0 ** np.arange(_EXACT + 1)


@jit(inline="always")
def _digits(data: np.ndarray, at: int, end: int) -> int:
    """Where the digits from `at` on end."""
    while at < end and _ZERO <= data[at] <= _NINE:
        at += 1
    return at


@jit(inline="always")
def _whole(data: np.ndarray, at: int, end: int) -> int:
    """Where the digits of a whole number without leading zeros end; `at` where there is none."""
    stop = _digits(data, at, end)
    return at if stop - at > 1 and data[at] == _ZERO else stop


@jit(inline="always")
def _is(data: np.ndarray, at: int, end: int, word: np.ndarray) -> bool:
    same = end - at == len(word)
    for i in range(len(word) * same):
        same &= data[at + i] == word[i]
    return same


@jit(inline="always")
def _is_exponential(data: np.ndarray, at: int, end: int) -> bool:
    """1e5, +1.25e-07"""
    at += data[at] == _MINUS or data[at] == _PLUS
    stop = _whole(data, at, end)
    if stop == at:
        return False
    if stop < end and data[stop] == _POINT:
        stop = _digits(data, stop + 1, end)
    if stop >= end or data[stop] != ord("e"):
        return False
    stop += 1
    if stop < end and (data[stop] == _MINUS or data[stop] == _PLUS):
        stop += 1
    return stop < end and _digits(data, stop, end) == end


@jit(inline="always")
def _is_day(data: np.ndarray, at: int, end: int) -> bool:
    """2024-01-31, whatever follows"""
    return (
        end - at >= 10
        and _digits(data, at, at + 4) == at + 4
        and data[at + 4] == _MINUS
        and _digits(data, at + 5, at + 7) == at + 7
        and data[at + 7] == _MINUS
        and _digits(data, at + 8, at + 10) == at + 10
    )


@jit(inline="always")
def _is_minute(data: np.ndarray, at: int, end: int) -> bool:
    """What follows a day, a blank or t, then 12:30, whatever follows that"""
    return (
        end - at >= 6
        and (data[at] == ord(" ") or data[at] == ord("t"))
        and _digits(data, at + 1, at + 3) == at + 3
        and data[at + 3] == ord(":")
        and _digits(data, at + 4, at + 6) == at + 6
    )


@jit(inline="always")
def _are_letters(data: np.ndarray, at: int, end: int) -> bool:
    all_are = True
    for i in range(at, end):
        all_are &= ord("a") <= data[i] | 0x20 <= ord("z")
    return all_are


def count(
    data: np.ndarray, offsets: np.ndarray, column: np.ndarray, counts: np.ndarray, low: np.ndarray, high: np.ndarray,
    decimals: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Count how texts are built. The places of numbers that have too many digits to be read here: int64.

    data, offsets: the texts, in bytes; column: the number of each one's column. counts: int64[columns, 6 + lengths of
    letter codes], low, high: float64[columns], decimals: int64[columns], which are brought up to date."""
    long = np.empty(len(column), np.int64)
    return long[: _kernel(*readonly(data, offsets, column), counts, low, high, decimals, long)]


@jit(nogil=True)
def _kernel(
    data: np.ndarray, offsets: np.ndarray, column: np.ndarray, counts: np.ndarray, low: np.ndarray, high: np.ndarray,
    decimals: np.ndarray, long: np.ndarray,
) -> int:  # fmt: skip
    left = 0
    most = counts.shape[1] - LETTERS
    for i in range(len(column)):
        at, end, of = offsets[i], offsets[i + 1], column[i]
        if at == end:
            continue
        begin = at + (data[at] == _MINUS)
        stop = _whole(data, begin, end)
        fraction = 0
        if stop > begin and stop < end and data[stop] == _POINT:
            after = _digits(data, stop + 1, end)
            fraction = after - stop - 1
            stop = after if fraction else stop
        if stop > begin and stop == end:
            counts[of, NUMBERS] += 1
            counts[of, INTEGERS] += fraction == 0
            decimals[of] = max(decimals[of], fraction)
            if end - begin > _EXACT:
                long[left] = i
                left += 1
                continue
            units = 0
            for place in range(begin, end):
                if data[place] != _POINT:
                    units = units * 10 + (data[place] - _ZERO)
            value = units / _TENS[fraction]
            value = -value if begin > at else value
            low[of], high[of] = min(low[of], value), max(high[of], value)
        elif end - at <= most and _are_letters(data, at, end):
            counts[of, LETTERS + end - at - 1] += 1
            counts[of, BOOLEANS] += _is(data, at, end, _TRUE)
        elif _is_day(data, at, end):
            counts[of, DATES] += end - at == 10
            counts[of, TIMESTAMPS] += _is_minute(data, at + 10, end)
        else:
            counts[of, BOOLEANS] += _is(data, at, end, _FALSE)
            counts[of, EXPONENTS] += _is_exponential(data, at, end)
    return left
