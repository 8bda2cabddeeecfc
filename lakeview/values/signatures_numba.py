"""The compiled kernel of `signatures`; importing this module imports numba."""

from __future__ import annotations

import numpy as np

from lakeview.values.mixing import mix
from lakeview.values.signatures_numpy import BASE, KIND_BITS, LEAST, LONGEST, MEANT, NAMES, SPELLED, TELLING
from lakeview.values.xxh64_numba import jit, readonly

_GRAM, _ALNUM, _DIGITS, _LETTERS, _BAG, _DAY, _WORD = (np.uint64(kind) for kind in range(7))
_BASE, _SHIFT, _AWAY = np.uint64(BASE), np.uint64(KIND_BITS), np.uint64(32 + KIND_BITS)
_DIGIT, _LETTER = 1, 2  # what a character is
_SEEN = 1 << 11  # keys that are remembered, so that few repeat
_NONE = np.uint64((1 << 64) - 1)
_MOST_DAYS = 9  # letters of the longest name of a month or weekday


_mix = jit()(mix)


@jit()
def _tell(out: np.ndarray, n: int, seen: np.ndarray, column: np.uint64, value: np.uint64, kind: np.uint64) -> int:
    """Put a hash behind the n there are, unless it is among those seen; how many there are then."""
    key = (column << np.uint64(32)) | ((_mix(value + kind) >> _AWAY) << _SHIFT) | kind
    slot = (key >> _SHIFT) & np.uint64(_SEEN - 1)
    if seen[slot] == key:
        return n
    seen[slot] = key
    out[n] = key
    return n + 1


@jit()
def _read(data: np.ndarray, at: int, end: int, points: np.ndarray, what: np.ndarray) -> int:
    """The characters of data[at:end] and what they are; how many there are."""
    n = 0
    while at < end and n < LONGEST:
        lead = np.uint64(data[at])
        at += 1
        if lead & np.uint64(0xC0) == np.uint64(0x80):
            continue
        more = int(lead >= np.uint64(0xC0)) + int(lead >= np.uint64(0xE0)) + int(lead >= np.uint64(0xF0))
        point = lead & np.uint64(0x7F >> (more + 1 if more else 0))
        for i in range(more):
            byte = np.uint64(data[at + i]) if at + i < len(data) else np.uint64(0)
            point = (point << np.uint64(6)) | (byte & np.uint64(0x3F))
        at += more
        if point == np.uint64(0):
            point = np.uint64(1)
        points[n] = point
        what[n] = 0
        if np.uint64(48) <= point <= np.uint64(57):
            what[n] = _DIGIT
        elif (
            np.uint64(97) <= point <= np.uint64(122)
            or np.uint64(65) <= point <= np.uint64(90)
            or point >= np.uint64(0xAA)
        ):
            what[n] = _LETTER
        n += 1
    return n


@jit()
def _part(points: np.ndarray, start: int, stop: int) -> np.uint64:
    total, power = np.uint64(0), np.uint64(1)
    for i in range(start, stop):
        total += (points[i] + np.uint64(1)) * power
        power *= _BASE
    return total


@jit()
def _fraction(points: np.ndarray, what: np.ndarray, n: int) -> int:
    """How many digits are a fraction."""
    commas, stops, last = 0, 0, -1
    for i in range(1, n - 1):
        if what[i - 1] == _DIGIT and what[i + 1] == _DIGIT:
            if points[i] == np.uint64(44):
                commas += 1
                last = i
            elif points[i] == np.uint64(46):
                stops += 1
                last = i
    if last < 0 or (commas if points[last] == np.uint64(44) else stops) != 1:
        return 0
    behind = 0
    for i in range(last + 1, n):
        behind += int(what[i] == _DIGIT)
    return 0 if behind == 3 else behind


@jit()
def _number(points: np.ndarray, start: int, stop: int) -> int:
    """Where a number begins without leading zeros."""
    while start < stop - 1 and points[start] == np.uint64(48):
        start += 1
    return start


@jit()
def _is_of_a_century(points: np.ndarray, start: int) -> bool:
    """Whether a number begins with 19 or 20, as a year does."""
    first, second = points[start], points[start + 1]
    return (first == np.uint64(49) and second == np.uint64(57)) or (first == np.uint64(50) and second == np.uint64(48))


@jit(nogil=True)
def _kernel(
    data: np.ndarray, offsets: np.ndarray, columns: np.ndarray, names: np.ndarray, meant: np.ndarray
) -> np.ndarray:
    # A value has fewer 3-grams than bytes, words of three, and five forms.
    out = np.empty(len(data) + len(data) // SPELLED + 5 * len(columns), np.uint64)
    seen = np.full(_SEEN, _NONE, np.uint64)
    points, what = np.empty(LONGEST, np.uint64), np.empty(LONGEST, np.uint8)
    digits = np.empty(LONGEST, np.uint64)
    n = 0
    for value in range(len(columns)):
        column = columns[value]
        length = _read(data, offsets[value], offsets[value + 1], points, what)
        # Letters and digits, and the digits and the letters by themselves.
        of_digits = of_letters = 0
        alnum, letters = np.uint64(0), np.uint64(0)
        both, alone = np.uint64(1), np.uint64(1)
        for i in range(length):
            if what[i]:
                alnum += (points[i] + np.uint64(1)) * both
                both *= _BASE
                if what[i] == _DIGIT:
                    digits[of_digits] = points[i]
                    of_digits += 1
                else:
                    letters += (points[i] + np.uint64(1)) * alone
                    alone *= _BASE
                    of_letters += 1
            if i >= 2 and not (what[i] == _DIGIT and what[i - 1] == _DIGIT and what[i - 2] == _DIGIT):
                gram = (points[i - 2] << np.uint64(42)) | (points[i - 1] << np.uint64(21)) | points[i]
                n = _tell(out, n, seen, column, gram, _GRAM)
        if of_digits and of_letters and of_digits + of_letters >= LEAST:
            n = _tell(out, n, seen, column, alnum, _ALNUM)
        if of_letters >= LEAST:
            n = _tell(out, n, seen, column, letters, _LETTERS)
        if of_digits >= LEAST or (of_digits and of_digits == length):
            start, stop = _number(digits, 0, of_digits), of_digits
            least = max(start + 1, stop - _fraction(points, what, length))
            while stop > least and digits[stop - 1] == np.uint64(48):
                stop -= 1
            n = _tell(out, n, seen, column, _part(digits, start, stop), _DIGITS)
        # Words and numbers.
        bag, day, words, numbers, last = np.uint64(0), np.uint64(0), 0, 0, 0
        start = pairs = 0  # pairs: up to where two digits are a word
        while start < length:
            if not what[start]:
                start += 1
                continue
            stop = start + 1
            while stop < length and what[stop] == what[start]:
                stop += 1
            is_number = what[start] == _DIGIT
            if start < pairs:  # a month or a day
                stop = start + 2
            elif is_number and (stop - start == 4 or stop - start == 8) and _is_of_a_century(points, start):
                if stop - start == 8:
                    pairs = stop
                start, stop = start + 2, start + 4
            begin = _number(points, start, stop) if is_number else start
            word, size = _part(points, begin, stop), stop - begin
            if not is_number and size <= _MOST_DAYS:
                place = np.searchsorted(names, word)
                if place < len(names) and names[place] == word:
                    word, size, is_number = meant[place], 0, True
            start = stop
            if word == np.uint64(0):
                continue
            spread = _mix(word)
            bag += spread
            words += 1
            if is_number:
                if numbers < 3:
                    day += spread
                numbers += 1
            last = size
            if size >= (TELLING if is_number else SPELLED):
                n = _tell(out, n, seen, column, word, _WORD)
        if words > 1 or (words and last < LEAST):  # a long one is told as digits or letters
            n = _tell(out, n, seen, column, bag, _BAG)
        if numbers >= 3:
            n = _tell(out, n, seen, column, day, _DAY)
    return out[:n].copy()


def keys_numba(data: np.ndarray, offsets: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """As `signatures_numpy.keys_numpy`."""
    return _kernel(*readonly(data, offsets, columns, NAMES, MEANT))
