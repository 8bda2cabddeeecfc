"""The hashes of `signatures` in numpy: each step runs over the characters or the words of all values."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from lakeview.values.mixing import mix
from lakeview.values.months import DAYS, MONTH_NUMBERS

GRAM, ALNUM, DIGITS, LETTERS, BAG, DAY, WORD = range(7)  # kinds, in the last bits of a hash
KIND_BITS = 3
TELLING = 5  # digits of a number that is a word
SPELLED = 3  # letters of a word
LEAST = 4  # characters of a form that says something
LONGEST = 256  # characters of a value that are looked at

BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(BASE, -1, 1 << 64)


def keys_numpy(data: np.ndarray, offsets: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The hashes of some values, each behind the number of its column: uint64, in no order, some of them repeated.

    data: the values in UTF-8, one behind the other, uint8; offsets: where they begin and end, int64[n + 1]; columns:
    uint64[n]."""
    points, ends = _points(data, offsets)
    digit = (points >= 48) & (points <= 57)
    letter = ((points >= 97) & (points <= 122)) | ((points >= 65) & (points <= 90)) | (points >= 0xAA)
    words, lengths, numeric, owner = _words(points, digit, letter, ends)
    spelled = mix(words)
    bag = np.zeros(len(ends), np.uint64)
    np.add.at(bag, owner, spelled)
    told = (np.bincount(owner, minlength=len(ends)) == 1)[owner] & (lengths >= LEAST)  # as digits or letters
    bag[owner[told]] = 0
    day, dated = _days(spelled, numeric, owner, len(ends))
    # Short numbers are in every column of row numbers.
    telling = lengths >= np.where(numeric, TELLING, SPELLED)
    found = [
        (GRAM, *_grams(points, digit, ends)),
        (ALNUM, *_filtered(points, digit | letter, ends, mixed=(digit, letter))),
        (DIGITS, *_filtered(points, digit, ends, fraction=_fraction(points, digit, ends))),
        (LETTERS, *_filtered(points, letter, ends)),
        (BAG, bag[bag != 0], np.flatnonzero(bag)),
        (DAY, day, dated),
        (WORD, words[telling], owner[telling]),
    ]
    return np.concatenate([_marked(values, kind, columns[of]) for kind, values, of in found])


def _marked(values: np.ndarray, kind: int, columns: np.ndarray) -> np.ndarray:
    """Hashes spread, so that the least are a sample, with their kind and behind their column."""
    spread = mix(values + np.uint64(kind)) >> np.uint64(32 + KIND_BITS)
    return (columns << np.uint64(32)) | (spread << np.uint64(KIND_BITS)) | np.uint64(kind)


def _points(data: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The code points of the values, a 0 behind each, and where these are: uint64, int64. A 0 within a value is 1."""
    begins = np.flatnonzero((data & 0xC0) != 0x80)
    owner = np.searchsorted(offsets, begins, "right") - 1
    first = np.searchsorted(begins, offsets)
    short = np.arange(len(begins)) - first[owner] < LONGEST
    begins, owner = begins[short], owner[short]
    padded = np.concatenate((data, np.zeros(3, np.uint8))).astype(np.uint32)
    lead, *rest = (padded[begins + i] for i in range(4))
    second, third, fourth = (byte & 0x3F for byte in rest)
    point = np.where(lead < 0x80, np.maximum(lead, 1), (lead & 0x1F) << 6 | second)
    point = np.where(lead < 0xE0, point, (lead & 0x0F) << 12 | second << 6 | third)
    point = np.where(lead < 0xF0, point, (lead & 0x07) << 18 | second << 12 | third << 6 | fourth)
    points = np.zeros(len(begins) + len(offsets) - 1, np.uint64)
    points[np.arange(len(begins)) + owner] = point
    n = len(offsets) - 1
    return points, np.cumsum(np.bincount(owner, minlength=n)) + np.arange(n)


def _grams(points: np.ndarray, digit: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    a, b, c = points[:-2], points[1:-1], points[2:]
    told = np.flatnonzero((a != 0) & (b != 0) & (c != 0) & ~(digit[:-2] & digit[1:-1] & digit[2:]))
    return ((a << np.uint64(42)) | (b << np.uint64(21)) | c)[told], np.searchsorted(ends, told)


def _parts(points: np.ndarray, starts: np.ndarray, stops: np.ndarray) -> np.ndarray:
    """A hash of each part [start:stop] of a text: that of the same characters anywhere (Rabin and Karp's)."""
    powers = _powers(BASE, _size(len(points)))[: len(points)]
    back = _powers(_INVERSE, _size(len(points)))
    sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum((points + np.uint64(1)) * powers, dtype=np.uint64)))
    return (sums[stops] - sums[starts]) * back[starts]


def _size(length: int) -> int:
    """The next power of two, so that few tables of powers are made."""
    return 1 << max(10, length.bit_length())


@lru_cache(maxsize=8)
def _powers(base: int, size: int) -> np.ndarray:
    """Powers of a number modulo 2**64: uint64[size]."""
    powers = np.full(size, base, np.uint64)
    powers[0] = 1
    return np.multiply.accumulate(powers)


def _filtered(
    points: np.ndarray,
    kept: np.ndarray,
    ends: np.ndarray,
    fraction: np.ndarray | None = None,
    mixed: tuple[np.ndarray, np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Hashes of what is kept of each value, where that is long enough or all of it is a number, and the values.

    fraction: of digits, how many of each value's are behind a decimal mark; zeros at the ends say nothing then. mixed:
    two of which a value must have both."""
    here = points[kept]
    stops = np.cumsum(kept)[ends]
    starts = np.concatenate(([0], stops[:-1]))
    enough = stops - starts >= LEAST
    if fraction is not None:
        enough |= (stops > starts) & (stops - starts == np.diff(ends, prepend=-1) - 1)
        starts = _unpadded(here, starts, stops)
        stops = np.maximum(_cut(here, starts, stops), stops - fraction)
    for which in mixed or ():
        enough &= np.diff(np.cumsum(which)[ends], prepend=0) > 0
    return _parts(here, starts[enough], stops[enough]), np.flatnonzero(enough)


def _fraction(points: np.ndarray, digit: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """How many digits of each value are a fraction: those behind its last point or comma, unless they are three or
    there is another such mark, as between thousands and in addresses."""
    mark = np.zeros(len(points), bool)
    mark[1:-1] = ((points[1:-1] == 44) | (points[1:-1] == 46)) & digit[:-2] & digit[2:]
    at = np.flatnonzero(mark)
    begins = np.searchsorted(at, np.concatenate(([0], ends[:-1])))
    stops = np.searchsorted(at, ends)
    last = at[np.maximum(stops - 1, 0)] if len(at) else np.zeros(len(ends), np.int64)
    alike = np.zeros(len(ends), np.int64)
    for character in (44, 46):
        before = np.concatenate(([0], np.cumsum(points[at] == character)))
        alike = np.where(points[last] == character, before[stops] - before[begins], alike)
    counted = np.cumsum(digit)
    behind = counted[ends] - counted[last]
    return np.where((stops > begins) & (alike == 1) & (behind != 3), behind, 0)


def _unpadded(points: np.ndarray, starts: np.ndarray, stops: np.ndarray) -> np.ndarray:
    """Where numbers begin without leading zeros; the last zero of nothing else is kept."""
    other = np.append(np.flatnonzero(points != 48), len(points))
    return np.minimum(other[np.searchsorted(other, starts)], np.maximum(stops - 1, starts))


def _cut(points: np.ndarray, starts: np.ndarray, stops: np.ndarray) -> np.ndarray:
    """Where numbers end without trailing zeros: 1,200.50 and 1200.5 have the same digits then."""
    other = np.concatenate(([-1], np.flatnonzero(points != 48)))
    return np.maximum(other[np.searchsorted(other, stops) - 1] + 1, np.minimum(starts + 1, stops))


def _words(
    points: np.ndarray, digit: np.ndarray, letter: np.ndarray, ends: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Runs of letters and of digits: hashes, lengths (0: a month), whether each is a number, the value it is of."""
    kind = digit.astype(np.int8) + 2 * letter.astype(np.int8)
    edges = np.flatnonzero(np.diff(kind, prepend=0, append=0))
    starts = edges[kind[np.minimum(edges, len(kind) - 1)] > 0]
    stops = np.append(edges, len(kind))[np.searchsorted(edges, starts) + 1]
    numeric = digit[starts]
    century = (points[starts] == 49) & (points[np.minimum(starts + 1, len(points) - 1)] == 57)
    century |= (points[starts] == 50) & (points[np.minimum(starts + 1, len(points) - 1)] == 48)
    century &= numeric
    whole = century & (stops - starts == 8)  # of "20100501" the year, the month and the day
    month, day = starts[whole] + 4, starts[whole] + 6
    stops = np.where(whole, starts + 4, stops)
    century &= stops - starts == 4
    starts = np.where(century, starts + 2, starts)
    starts = np.concatenate((starts, month, day))
    stops = np.concatenate((stops, month + 2, day + 2))
    numeric = np.concatenate((numeric, np.ones(2 * len(month), bool)))
    order = np.argsort(starts, kind="stable")
    starts, stops, numeric = starts[order], stops[order], numeric[order]
    starts = np.where(numeric, _unpadded(points, starts, stops), starts)
    parts = _parts(points, starts, stops)
    place = np.minimum(np.searchsorted(NAMES, parts), len(NAMES) - 1)
    named = NAMES[place] == parts
    parts = np.where(named, MEANT[place], parts)
    told = parts != 0
    lengths = np.where(named, 0, stops - starts)
    return parts[told], lengths[told], (numeric | named)[told], np.searchsorted(ends, starts[told])


def _days(words: np.ndarray, numeric: np.ndarray, owner: np.ndarray, values: int) -> tuple[np.ndarray, np.ndarray]:
    """The first three numbers of each value that has three, in any order, and the values."""
    words, owner = words[numeric], owner[numeric]
    first = np.searchsorted(owner, np.arange(values))
    place = np.arange(len(owner)) - first[owner]
    found = np.zeros(values, np.uint64)
    np.add.at(found, owner[place < 3], words[place < 3])
    dated = np.flatnonzero(np.bincount(owner, minlength=values) >= 3)
    return found[dated], dated


def _of(text: str) -> int:
    points = np.frombuffer(text.encode("utf-32-le"), np.uint32).astype(np.uint64)
    return int(_parts(points, np.array([0]), np.array([len(points)]))[0])


# The names of months, each as the number that it means, and those of weekdays, which mean nothing.
_MEANINGS = {_of(name): _of(str(int(number))) for name, number in MONTH_NUMBERS.items() if name.isalpha()}
_MEANINGS |= {_of(name[:length]): 0 for name in DAYS for length in (3, len(name))}
NAMES = np.array(sorted(_MEANINGS), np.uint64)
MEANT = np.array([_MEANINGS[name] for name in sorted(_MEANINGS)], np.uint64)
