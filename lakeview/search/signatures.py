"""What is known of every column for a search by transformation: hashes of its values that survive another writing.

Of each value: its letters and digits, its digits (without zeros before a number and behind a fraction), its letters,
its words and numbers in any order (months as numbers, years in two digits, no leading zeros: "2010-05-01",
"May 1, 2010" and "20100501" are one), and the first three numbers alone, which are the day of a time; of all values
together: their words, and their 3-grams but those of digits, which any numbers share. The least hashes of each are
kept, so that every column keeps an equal share, and a query is asked for no more than that share.

Everything is counted on arrays: a lake's columns are read in one go, at its first search.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from lakeview.join.transform.shapes import MONTH_NUMBERS

VALUES = 5_000  # values of a column that are looked at
GRAM, ALNUM, DIGITS, LETTERS, BAG, DAY, WORD = range(7)  # kinds, in the last bits of a hash
KINDS = 7
BITS = np.uint64(3)
FORMS = (ALNUM, DIGITS, LETTERS, BAG, DAY)  # of a whole value
CLASSES = ((GRAM,), FORMS, (WORD,))  # kinds that share one limit
LIMITS = (512, 2_048, 1_024)  # least hashes kept of each class
TELLING = 5  # digits of a number that is a word
LEAST = 4  # characters of a form that says something

_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def signature(texts: Sequence[str]) -> np.ndarray:
    """The least hashes of each class of some distinct values: uint64, sorted, the kind in the last bits."""
    kept = []
    found = hashes(texts)
    for kinds, limit in zip(CLASSES, LIMITS, strict=True):
        kept.append(np.unique(np.concatenate([found[kind] for kind in kinds]))[:limit])
    return np.sort(np.concatenate(kept))


def hashes(texts: Sequence[str]) -> list[np.ndarray]:
    """By kind the hashes of some distinct values: uint64, sorted, distinct; the same in every column."""
    joined = "\0".join(texts[:VALUES]) + "\0\0"
    points = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    ends = np.flatnonzero(points[:-1] == 0)
    digit = (points >= 48) & (points <= 57)
    letter = ((points >= 97) & (points <= 122)) | ((points >= 65) & (points <= 90)) | (points >= 0xAA)
    found, fraction = [_grams(points, digit)], _fraction(points, digit, ends)
    for kind, kept in ((ALNUM, digit | letter), (DIGITS, digit), (LETTERS, letter)):
        found.append(_marked(_filtered(points, kept, ends, fraction if kind == DIGITS else None), kind))
    words, numeric, owner = _words(points, digit, letter, ends)
    spelled = _mix(words[0])
    bag = np.zeros(len(ends), np.uint64)
    np.add.at(bag, owner, spelled)
    found.append(_marked(bag[bag != 0], BAG))
    found.append(_marked(_days(spelled, numeric, owner, len(ends)), DAY))
    # Short numbers are in every column of row numbers.
    found.append(_marked(words[0][words[1] >= np.where(numeric, TELLING, 3)], WORD))
    return found


def _marked(values: np.ndarray, kind: int) -> np.ndarray:
    """Hashes spread, so that the least are a sample, with their kind."""
    return np.unique((_mix(values + np.uint64(kind)) << BITS) | np.uint64(kind))


def _mix(values: np.ndarray) -> np.ndarray:
    mixed = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _grams(points: np.ndarray, digit: np.ndarray) -> np.ndarray:
    a, b, c = points[:-2], points[1:-1], points[2:]
    told = (a != 0) & (b != 0) & (c != 0) & ~(digit[:-2] & digit[1:-1] & digit[2:])
    return _marked(((a << np.uint64(42)) | (b << np.uint64(21)) | c)[told], GRAM)


def _parts(points: np.ndarray, starts: np.ndarray, stops: np.ndarray) -> np.ndarray:
    """A hash of each part [start:stop] of a text: that of the same characters anywhere (Rabin and Karp's)."""
    powers = _powers(_BASE, _size(len(points)))[: len(points)]
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


def _filtered(points: np.ndarray, kept: np.ndarray, ends: np.ndarray, fraction: np.ndarray | None) -> np.ndarray:
    """Hashes of what is kept of each value, where that is long enough or all of it is a number.

    fraction: of digits, how many of each value's are behind a decimal mark; zeros at the ends say nothing then."""
    here = points[kept]
    stops = np.cumsum(kept)[ends]
    starts = np.concatenate(([0], stops[:-1]))
    enough = stops - starts >= LEAST
    if fraction is not None:
        enough |= (stops > starts) & (stops - starts == np.diff(ends, prepend=-1) - 1)
        starts = _unpadded(here, starts, stops)
        stops = np.maximum(_cut(here, starts, stops), stops - fraction)
    return _parts(here, starts[enough], stops[enough])


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
) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray, np.ndarray]:
    """Runs of letters and of digits: (hashes, lengths), whether each is a number, the value that it is of."""
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
    place = np.minimum(np.searchsorted(_MONTHS, parts), len(_MONTHS) - 1)
    named = _MONTHS[place] == parts
    parts = np.where(named, _NUMBERS[place], parts)
    told = ~np.isin(parts, _WEEKDAYS)
    owner = np.searchsorted(ends, starts)
    return (parts[told], (stops - starts)[told]), (numeric | named)[told], owner[told]


def _days(words: np.ndarray, numeric: np.ndarray, owner: np.ndarray, values: int) -> np.ndarray:
    """The first three numbers of each value that has three, in any order."""
    words, owner = words[numeric], owner[numeric]
    first = np.searchsorted(owner, np.arange(values))
    place = np.arange(len(owner)) - first[owner]
    found = np.zeros(values, np.uint64)
    np.add.at(found, owner[place < 3], words[place < 3])
    return found[np.bincount(owner, minlength=values) >= 3]


def _of(text: str) -> int:
    points = np.frombuffer(text.encode("utf-32-le"), np.uint32).astype(np.uint64)
    return int(_parts(points, np.array([0]), np.array([len(points)]))[0])


_SPELLED = sorted((_of(name), _of(str(int(number)))) for name, number in MONTH_NUMBERS.items() if name.isalpha())
_MONTHS = np.array([name for name, _ in _SPELLED], np.uint64)
_NUMBERS = np.array([number for _, number in _SPELLED], np.uint64)
_WEEKDAYS = np.array([_of(name[:length]) for name in _DAYS for length in (3, len(name))], np.uint64)
