"""Of many pairs of columns, the share of the first's values that the second would hold by chance: as
`search.scoring.chances` has it for one column and many others, number by number the same.

Of numbers a column's stand-ins (`evidence.standins`) are looked up among the others'. Both lie in one line of all
numbers that are told from their tokens, where keys are long runs: 1 to 5,000 is one.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from lakeview import values
from lakeview.estimate.similarity.compiled import compiled
from lakeview.evidence import chance, standins
from lakeview.evidence.standins import CENTS, DAYS, INTEGERS, STANDINS, STARTS
from lakeview.index import known_numbers
from lakeview.index.inclusion_kernels import sort_together
from lakeview.index.known_numbers import Lists
from lakeview.store.snapshot import Snapshot

FIRSTS, KNOWN = (INTEGERS[0], CENTS[0], DAYS[0]), len(INTEGERS)  # compiled code knows no ranges
ENDS = (*STARTS[1:], STARTS[2] + len(DAYS))


class Numbers(Protocol):
    """What is asked of the values of columns."""

    def known(self, columns: np.ndarray) -> Lists:
        """The places in `standins.line` of the numbers that columns hold, ascending."""

    def holding(self, queries: Lists, asked_of: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """How many tokens of query `asked_of[p]`, ascending, the column `columns[p]` holds: int64[pairs]."""


def chances(snapshot: Snapshot, numbers: Numbers, sources: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """float64[pairs]; sources and targets are numbers of columns of the snapshot."""
    if not len(sources):
        return np.zeros(0)
    asked, of_asked = np.unique(sources, return_inverse=True)
    others, of_others = np.unique(targets, return_inverse=True)
    sizes = np.maximum(snapshot.array("values"), 1)
    alike, beyond, total, share = _standins(snapshot, asked, numbers.known(asked))
    runs = known_numbers.runs(*numbers.known(others))
    held = known_numbers.held(alike, runs, of_asked, of_others)
    far = np.flatnonzero(np.diff(beyond[0])[of_asked] > 0)
    far = far[np.argsort(of_asked[far], kind="stable")]
    held[far] += numbers.holding(beyond, of_asked[far], targets[far])
    found = np.zeros(len(sources))
    some = total[of_asked] > 0
    found[some] = held[some] / total[of_asked[some]]
    scale = snapshot.distinct / sizes  # shapes are counted by batches
    unseen = np.flatnonzero(some & snapshot.sketched[targets])
    at = targets[unseen]
    whole = snapshot.array("integers")[at] * scale[at]
    found[unseen] = chance.evenly(whole, snapshot.array("low")[at], snapshot.array("high")[at])
    found *= share[of_asked]
    for length, domain in zip(snapshot.letters, chance.LETTER_DOMAINS, strict=True):
        mine = length[sources] / sizes[sources]
        found += mine * np.minimum(length[targets] * scale[targets] / domain, 1.0)
    return found


def _standins(snapshot: Snapshot, asked: np.ndarray, known: Lists) -> tuple[Lists, Lists, np.ndarray, np.ndarray]:
    """The stand-ins of columns: those with a place in the line, and the tokens of others; how many there are, and the
    share of the column's values that they stand for (`standins.standins`)."""
    offsets, places = known
    low, high = (snapshot.array(name)[asked] for name in ("low", "high"))
    sizes = np.maximum(snapshot.array("values")[asked], 1)
    integers = snapshot.array("integers")[asked] * snapshot.distinct[asked] / sizes
    held = np.where(snapshot.sketched[asked], 0, snapshot.distinct[asked])
    column = np.repeat(np.arange(len(asked)), np.diff(offsets))
    small = np.bincount(column[places < STARTS[1]], minlength=len(asked))
    large = np.where((high > INTEGERS[-1]) & (high < 2**62), np.maximum(integers - small, 0), 0).astype(np.int64)
    stood = np.diff(offsets) + large
    count = np.maximum(STANDINS * large // np.maximum(stood, 1), 1)
    tokens: list[np.ndarray] = []
    lengths, last = np.zeros(len(asked), np.int64), np.zeros(len(asked), bool)
    for c in np.flatnonzero(large).tolist():
        numbers = standins.spread(np.array([max(low[c], INTEGERS[-1]), high[c]]), int(count[c]))
        last[c] = numbers[0] == INTEGERS[-1]
        tokens.append(values.hash_strings(standins.written(numbers[numbers > INTEGERS[-1]])))
        lengths[c] = len(tokens[-1])
    alike = spread(offsets, places, stood, last)
    beyond = np.cumsum([0, *lengths]), np.concatenate(tokens) if tokens else np.zeros(0, np.uint64)
    total = np.diff(alike[0]) + lengths
    return alike, beyond, total, np.minimum(stood / np.maximum(held, 1), 1.0)


@compiled
def spread(offsets, places, stood, last):  # type: ignore[no-untyped-def]
    """`standins.spread` of the places of many columns, kind by kind; last: with the last of the integers."""
    starts = np.zeros(len(offsets), np.int64)
    found = np.empty(len(offsets) * (STANDINS + 4), np.int64)
    n = 0
    for c in range(len(offsets) - 1):
        begun = n
        at = offsets[c]
        for kind in range(3):
            start, end = STARTS[kind], at
            while end < offsets[c + 1] and places[end] < ENDS[kind]:
                end += 1
            held = places[at:end] - start + FIRSTS[kind]
            at = end
            if len(held) == 0:
                continue
            count = max(1, STANDINS * len(held) // stood[c])
            unit = 1
            if kind == 1 and not np.any(held % 10 != 0):
                unit = 10
            elif kind != 1 and len(held) > 1:
                unit = common(held)
            for number in evenly(held, count, unit):
                if kind == 1 and number % 100 == 0:  # 5.00 is spelled 5
                    found[n] = number // 100 - FIRSTS[0]
                else:
                    found[n] = number - FIRSTS[kind] + start
                n += 1
        if last[c]:
            found[n] = KNOWN - 1
            n += 1
        sort_together(found[begun:n], found[begun:n])
        n = begun + distinct(found[begun:n])
        starts[c + 1] = n
    return starts, found[:n]


@compiled
def common(held):  # type: ignore[no-untyped-def]
    """`standins.unit` of numbers and of days."""
    found = 0
    for value in held:
        rest = abs(value)
        while rest:
            found, rest = rest, found % rest
        if found == 1:
            break
    return max(found, 1)


@compiled
def evenly(held, count, unit):  # type: ignore[no-untyped-def]
    """`standins.spread`, to the last bit as numpy's linspace and interp have it."""
    found = np.empty(count, np.int64)
    last = len(held) - 1
    step = last / (count - 1) if count > 1 else 0.0
    for r in range(count):
        rank = r * step if count > 1 else last / 2
        if r == count - 1 and count > 1:
            rank = float(last)
        below = min(int(rank), last)
        value = float(held[below])
        if rank > below and below < last:
            value = float(held[below + 1] - held[below]) * (rank - below) + value
        found[r] = int(np.rint(value / unit))
    return found[: distinct(found)] * unit


@compiled
def distinct(values):  # type: ignore[no-untyped-def]
    """Bring the different ones of ascending values to the front; returns how many there are."""
    n = 0
    for value in values:
        if n == 0 or values[n - 1] != value:
            values[n] = value
            n += 1
    return n
