"""Questions about all pairs of some columns of a snapshot, each answered by a pass over its posting lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from lakeview.evidence import standins
from lakeview.evidence.chance import rarity
from lakeview.index import inclusions, known_numbers
from lakeview.index.inclusions import Pairs, Part, Wanted
from lakeview.index.known_numbers import Lists
from lakeview.store.snapshot import Snapshot


class AllPairs:
    """Columns of a snapshot by their numbers, int64[n], which `Wanted` and what is found have in this order."""

    def __init__(self, snapshot: Snapshot, numbers: np.ndarray) -> None:
        self.snapshot, self.numbers = snapshot, np.asarray(numbers, np.int64)
        self.places = np.full(len(snapshot), -1)
        self.places[self.numbers] = np.arange(len(self.numbers))

    @classmethod
    def of_part(cls, snapshot: Snapshot, places: np.ndarray) -> AllPairs:
        """A part of an index, where the places of its columns are those in the whole."""
        part = cls(snapshot, np.zeros(0, np.int64))
        part.places = places
        return part

    @cached_property
    def parts(self) -> list[Part]:
        """The segments, each an inverted index of its own."""
        bounds = pairwise(self.snapshot.bases)
        return [
            Part.of(segment.inverted(), self.places[start:stop])
            for segment, (start, stop) in zip(self.snapshot.segments, bounds, strict=True)
        ]

    def inclusions(self, wanted: Wanted, needed: np.ndarray) -> Iterator[Pairs]:
        """See `inclusions.all_pairs`."""
        return inclusions.all_pairs(self.parts, wanted, needed)

    def bits(self, most: float) -> np.ndarray:
        """What the values of each column tell by their rarity in the lake, at most `most` bits each: float64[n]."""
        alive = int(self.snapshot.alive.sum())
        sums = np.concatenate([np.zeros(0), *(bits_of(part, self.parts, alive, most) for part in self.parts)])
        return self._of_sketches(sums[self.numbers], most)

    def _of_sketches(self, found: np.ndarray, most: float) -> np.ndarray:
        """The same, and as much as may be of columns whose values are not known."""
        return np.where(self.snapshot.sketched[self.numbers], most * self.snapshot.distinct[self.numbers], found)

    def known(self, columns: np.ndarray) -> Lists:
        """The places in `standins.line` of the numbers that columns hold, ascending; columns: their numbers,
        ascending."""
        line = standins.line()
        lengths, found = [np.zeros(1, np.int64)], [np.zeros(0, np.int64)]
        for part, (start, stop) in zip(self.parts, pairwise(self.snapshot.bases), strict=True):
            here = columns[(columns >= start) & (columns < stop)] - start
            offsets, numbers = known_numbers.known(part, here, *line)
            lengths.append(np.diff(offsets))
            found.append(numbers)
        return np.cumsum(np.concatenate(lengths)), np.concatenate(found)

    def holding(self, queries: Lists, asked_of: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """How many tokens of query `asked_of[p]`, ascending, the column of number `columns[p]` holds: int64[pairs]."""
        found = np.zeros(len(columns), np.int64)
        for part, (start, stop) in zip(self.parts, pairwise(self.snapshot.bases), strict=True):
            here = np.flatnonzero((columns >= start) & (columns < stop))
            found[here] = known_numbers.holding(part, queries, asked_of[here], columns[here] - start)
        return found

    def repeats(self, columns: np.ndarray) -> np.ndarray:
        """How many rows the commonest value of columns has, 0 where their values are not known: int64[m]."""
        counts = (self.snapshot.counts_of(int(number)) for number in columns)
        return np.array([int(each.max(initial=0)) for each in counts], np.int64)


def bits_of(part: Part, parts: Sequence[Part], alive: int, most: float) -> np.ndarray:
    """What the values of each column of a part tell by their rarity in all of them, at most `most` bits each:
    float64[n]. alive: columns of the lake."""
    each = rarity(inclusions.frequencies(part, parts), alive)
    return inclusions.summed(part, np.minimum(each, most))
