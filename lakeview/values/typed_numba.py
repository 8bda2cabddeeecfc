"""The compiled kernels of `typed`; importing this module imports numba.

Each value is printed into a few bytes that the next one overwrites, and hashed there.
"""

from __future__ import annotations

import numpy as np

from lakeview.values.xxh64_numba import hash_bytes, jit

PLACES = 9  # after the point, at most
_EXACT = 1e15  # below it, the quotient by a power of ten is the one number of so few digits that reads as that float
_TENS = 10.0 ** np.arange(PLACES + 1)
_LONGEST = 40  # bytes of a number or a time
_ZERO, _MINUS, _POINT, _COLON, _BLANK = ord("0"), ord("-"), ord("."), ord(":"), ord(" ")
_TEN, _NO = np.uint64(10), np.uint64(0)
_BEFORE = 719_468  # days from 0000-03-01 to 1970


@jit(inline="always")
def _print(out: np.ndarray, at: int, number: np.uint64, width: int) -> int:
    """Print a number, with zeros before it up to a width; returns where it ends."""
    digits, rest = 1, number // _TEN
    while rest > _NO:
        rest //= _TEN
        digits += 1
    end = at + max(digits, width)
    for place in range(end - 1, at - 1, -1):
        rest = number // _TEN
        out[place] = np.uint8(number - rest * _TEN) + np.uint8(_ZERO)
        number = rest
    return end


@jit(inline="always")
def _print_two(out: np.ndarray, at: int, number: np.uint32) -> None:
    tens = number // np.uint32(10)
    out[at], out[at + 1] = np.uint32(_ZERO) + tens, np.uint32(_ZERO) + number - np.uint32(10) * tens


@jit(nogil=True)
def whole(numbers: np.ndarray) -> np.ndarray:
    """Tokens of whole numbers: int64[n] to uint64[n]."""
    tokens = np.empty(len(numbers), np.uint64)
    out = np.empty(_LONGEST, np.uint8)
    out[0] = _MINUS
    for i in range(len(numbers)):
        number = numbers[i]
        size = np.uint64(number)
        tokens[i] = hash_bytes(out, 0 if number < 0 else 1, _print(out, 1, _NO - size if number < 0 else size, 1))
    return tokens


@jit(nogil=True)
def fractions(numbers: np.ndarray, tokens: np.ndarray, places: np.ndarray) -> bool:
    """Tokens of finite numbers, and how many digits each has after the point: float64[n] to uint64[n], uint8[n].
    False where one has more digits than can be told here."""
    out = np.empty(_LONGEST, np.uint8)
    out[0] = _MINUS
    for i in range(len(numbers)):
        number = abs(numbers[i])
        after, units = 0, np.rint(number)
        while units < _EXACT and units / _TENS[after] != number and after < PLACES:
            after += 1
            units = np.rint(number * _TENS[after])
        if not units < _EXACT or units / _TENS[after] != number:
            return False
        # as if without its point, which goes between its digits then
        end = _print(out, 1, np.uint64(units), after + 1)
        if after:
            for place in range(end, end - after, -1):
                out[place] = out[place - 1]
            out[end - after] = _POINT
            end += 1
        tokens[i] = hash_bytes(out, 0 if numbers[i] < 0 else 1, end)
        places[i] = after
    return True


@jit(nogil=True)
def times(counts: np.ndarray, second: int, digits: int, tokens: np.ndarray, clocks: np.ndarray) -> None:
    """Tokens of times without a zone, and whether each has a clock, as all but midnights have: int64[n] since 1970 to
    uint64[n], uint8[n]. second: how many are one, of so many digits more. Their years have four digits."""
    out = np.empty(_LONGEST, np.uint8)
    for i in range(len(counts)):
        seconds = counts[i] // second
        fraction = counts[i] - seconds * second
        # without signs from here on, which makes division quick
        since = np.uint64(seconds + _BEFORE * 86_400)
        days = since // np.uint64(86_400)
        clock = np.uint32(since - days * np.uint64(86_400))
        _print_day(out, np.uint32(days))
        end = 10
        clocks[i] = clock > 0 or fraction > 0
        if clocks[i]:
            out[10], out[13], out[16] = _BLANK, _COLON, _COLON
            hour, minute = clock // np.uint32(3600), clock // np.uint32(60)
            _print_two(out, 11, hour)
            _print_two(out, 14, minute - hour * np.uint32(60))
            _print_two(out, 17, clock - minute * np.uint32(60))
            end = 19
            if fraction:
                out[end] = _POINT
                end = _print(out, end + 1, np.uint64(fraction), digits)
                while out[end - 1] == _ZERO:
                    end -= 1
        tokens[i] = hash_bytes(out, 0, end)


@jit(inline="always")
def _print_day(out: np.ndarray, days: np.uint32) -> None:
    """Print a day since 0000-03-01 in ten bytes. Years begin in March here, so that the day that some of them lack is
    their last; five months have 153 days each time."""
    era = days // np.uint32(146_097)  # of 400 years
    of_era = days - era * np.uint32(146_097)
    leaps = of_era // np.uint32(1_460) - of_era // np.uint32(36_524) + of_era // np.uint32(146_096)
    year = (of_era - leaps) // np.uint32(365)
    of_year = of_era - (np.uint32(365) * year + year // np.uint32(4) - year // np.uint32(100))
    fifth = (np.uint32(5) * of_year + np.uint32(2)) // np.uint32(153)
    is_next = fifth >= np.uint32(10)
    year += era * np.uint32(400) + np.uint32(is_next)
    out[4] = out[7] = _MINUS
    century = year // np.uint32(100)
    _print_two(out, 0, century)
    _print_two(out, 2, year - century * np.uint32(100))
    _print_two(out, 5, fifth - np.uint32(9) if is_next else fifth + np.uint32(3))
    _print_two(out, 8, of_year - (np.uint32(153) * fifth + np.uint32(2)) // np.uint32(5) + np.uint32(1))
