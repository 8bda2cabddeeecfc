"""Overlaps that only sketches tell: of columns without tokens, of queries without tokens, or where asked for.

Candidates first: of the columns that have a sketch, those that a scan or an index finds (`index.sketched`) and whose
smallest tokens agree with the query's in some bucket (Lazo), or whose registers beat what disjoint columns show (BML).
Where the query has a sketch alone and a column its tokens, the query's 256 smallest tokens are a sample of it, which is
looked up in the posting lists. The best candidates are then estimated from all that is kept of both (`estimate.many`).
A small query asks the membership filters of large columns instead, where these are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from lakeview.estimate import coupled, many, members
from lakeview.estimate.coupled import Comparison
from lakeview.estimate.interval import Estimate, Z, wilson
from lakeview.estimate.joint import Sketch
from lakeview.index.josie import Statistics
from lakeview.index.sketched import Choice, Sketched
from lakeview.search.query import Query
from lakeview.sketch.hyperloglog import registers
from lakeview.sketch.minhash import one_permutation
from lakeview.sketch.minima import EMPTY, bucket_minima
from lakeview.store.snapshot import Snapshot

FILTER = "membership filter"
SAMPLE = "sketches: posting lists"  # of the query's smallest tokens
FILTERED = 50_000  # query tokens up to which a membership filter is asked; many tell as much by their sketch
REFINED = 512  # stored sketches that are estimated jointly, at 0.1 ms each; the others keep the quick estimate
SKETCHED = 32  # columns whose sketch is made for it, at half a millisecond each


@dataclass
class Estimates:
    """What sketches say of a query and some columns.

    columns    bool[n], which columns were asked about
    numbers    int64[m], those with any sign of an overlap; if asked for, also those without that may have one: of value
               0, and as high an end as such silence allows
    overlap    float64[m, 3], of each: value, low and high end at 95 %, but for the errors of the cardinalities
    methods    what served, of each
    choices    how each segment's sketches were searched, and what was expected of that
    """

    columns: np.ndarray
    numbers: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    overlap: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    methods: list[str] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    size: tuple[float, float] = (0.0, 0.0)  # of the query: distinct tokens, their standard error
    sizes: np.ndarray = field(default_factory=lambda: np.zeros((0, 2)))  # of all columns of the snapshot
    same: set[int] = field(default_factory=set)  # columns of the query's very sketch: one size serves both

    def add(self, numbers: np.ndarray, overlap: tuple[np.ndarray, ...], method: str) -> None:
        """Value, low and high of some columns."""
        self.numbers = np.concatenate([self.numbers, numbers])
        self.overlap = np.concatenate([self.overlap, np.stack(overlap, axis=-1).reshape(-1, 3)])
        self.methods += [method] * len(numbers)

    @cached_property
    def _place(self) -> np.ndarray:
        """Of each column its place in `numbers`, -1 where it has none."""
        place = np.full(len(self.columns), -1)
        place[self.numbers] = np.arange(len(self.numbers))
        return place

    def method(self, column: int) -> str:
        """What served."""
        return self.methods[self._place[column]]

    @cached_property
    def of(self) -> Mapping[int, Comparison]:
        """Column → the comparison of the query with it, made when it is asked for."""
        return _Comparisons(self)

    def _comparison(self, column: int) -> Comparison:
        place = self._place[column]
        if place < 0:
            raise KeyError(column)
        (x, x_error), (y, y_error) = self.size, self.sizes[column]
        # A filter tells how many of the query's tokens are there, whatever the column's size.
        share = (0.0, 0.0, 1.0, 1.0) if self.methods[place] == FILTER else (1.0, 1.0, 1.0, 1.0)
        overlap = Estimate(*self.overlap[place].tolist())
        return coupled.from_overlap(overlap, x, float(y), x_error, float(y_error), share, column in self.same)

    def reaching(self, containment: float) -> np.ndarray:
        """The numbers of the columns whose interval may reach it."""
        noise = np.hypot(self.size[1] / max(self.size[0], 1), self.sizes[self.numbers, 1] / self.sizes[self.numbers, 0])
        most = self.overlap[:, 2] + Z * noise * self.overlap[:, 2]
        return self.numbers[most >= containment * self.size[0] * (1 - 1e-9)]


class _Comparisons(Mapping[int, Comparison]):
    def __init__(self, estimates: Estimates) -> None:
        self._estimates = estimates

    def __getitem__(self, column: int) -> Comparison:
        return self._estimates._comparison(column)

    def get(self, column: int, default: Any = None) -> Any:
        """As of any mapping; most columns that are asked for are not here, and say so without an error."""
        return self[column] if self._estimates._place[column] >= 0 else default

    def __iter__(self) -> Iterator[int]:
        return iter(self._estimates.numbers.tolist())

    def __len__(self) -> int:
        return len(self._estimates.numbers)


@dataclass(repr=False)
class Explained(Statistics):
    """How the exact overlaps were found, and how the sketches were searched."""

    sketches: list[Choice] = field(default_factory=list)

    def __repr__(self) -> str:
        return "\n".join([super().__repr__(), *map(str, self.sketches)])


def explained(statistics: Statistics, guessed: Estimates) -> Statistics:
    """The same statistics, and what served of the sketches, if any did."""
    return Explained(**vars(statistics), sketches=guessed.choices) if guessed.choices else statistics


def estimates(
    query: Query, snapshot: Snapshot, columns: np.ndarray, silent: bool = False, least: float = 0.0
) -> Estimates:
    """Estimate the query's overlap with the columns bool[n]. silent: also with those that show no sign of one.
    least: a containment; columns whose smallest tokens say that they hold less are passed over."""
    found = Estimates(columns)
    if not columns.any() or not query.distinct:
        return found
    sizes = np.maximum(snapshot.distinct, 1).astype(float)
    found.sizes = np.stack([sizes, snapshot.array("distinct_error")], axis=1)
    found.size = query.signature.size() if query.sketch is not None else (float(query.distinct), 0.0)
    if 0 < len(query.tokens) <= FILTERED:
        columns = columns & ~_ask_filters(found, query, snapshot, silent)
    if columns.any():
        _ask_sketches(found, query.signature, snapshot, columns, silent, least)
    rest = columns & ~snapshot.large & (snapshot.distinct > 0)
    if rest.any():  # these have their tokens, and the query has none
        _ask_postings(found, query.signature, snapshot, rest, least)
    return found


def _ask_sketches(
    found: Estimates, sketch: Sketch, snapshot: Snapshot, columns: np.ndarray, silent: bool, least: float
) -> None:
    """Estimate by the stored sketches."""
    size, error = found.size
    # What is estimated may fall short of what is asked by its error.
    slack = Z * max(error / size, float((found.sizes[columns, 1] / found.sizes[columns, 0]).max()))
    needed = least * max(1 - slack, 0.0)
    left = REFINED
    for numbers, stored in snapshot.searchable():
        if not columns[numbers].any():
            continue
        places, choice = stored.candidates(sketch.minima, size, needed, every=silent and not least)
        found.choices.append(choice)
        places = places[columns[numbers[places]]]
        places, signs = stored.signs(sketch.minima, sketch.registers, size, places, needed)
        quick = np.maximum(signs.by_tokens, signs.by_registers)
        order = np.lexsort((numbers[places], -np.where(signs.seen, quick, -1.0)))
        order = order[signs.seen[order]] if not silent else order
        others = order[left:]
        best = order[:left][_may_hold(needed * size, sketch, size, stored, places[order[:left]])]
        left -= len(best)
        minima, of_best, sizes = stored.minima[places[best]], stored.registers(places[best]), stored.sizes[places[best]]
        same = (minima == sketch.minima).all(axis=1) & (of_best == sketch.registers).all(axis=1)
        found.same.update(alike := numbers[places[best[same]]].tolist())
        found.sizes[alike] = found.size
        value, low, high = many.overlaps(sketch, size, minima, of_best, np.where(same, size, sizes))
        value, low, high = _heard(signs.seen[best], value, low, np.minimum(high, np.maximum(signs.high[best], value)))
        found.add(numbers[places[best]], (value, low, high), choice.method)
        seen = signs.seen[others]
        rough = _heard(seen, quick[others], np.zeros(len(others)), np.maximum(signs.high[others], quick[others]))
        found.add(numbers[places[others]], rough, choice.method)


def _may_hold(needed: float, sketch: Sketch, size: float, stored: Sketched, places: np.ndarray) -> np.ndarray:
    """Whether so many common tokens are in question, of each column: bool[n]."""
    if not needed:
        return np.ones(len(places), bool)
    of_places = stored.minima[places], stored.registers(places), stored.sizes[places]
    return many.may_hold(needed, sketch, size, *of_places)


def _heard(seen: np.ndarray, value: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, ...]:
    """The same where there is a sign of an overlap, else nothing but the high end."""
    return np.where(seen, value, 0.0), np.where(seen, low, 0.0), high


def _ask_postings(found: Estimates, sketch: Sketch, snapshot: Snapshot, columns: np.ndarray, least: float) -> None:
    """Estimate by how many of the query's smallest tokens, a sample of it, each column holds."""
    size, error = found.size
    sample = np.sort(sketch.minima[sketch.minima != EMPTY])
    shared = snapshot.held(sample)
    numbers = np.flatnonzero(columns & (shared > 0))
    low, high = (end * size for end in wilson(shared[numbers], len(sample)))
    sizes = found.sizes[numbers, 0]
    reach = np.minimum(high, sizes) >= least * size * (1 - Z * error / size)
    numbers, low, high, sizes = numbers[reach], low[reach], high[reach], sizes[reach]
    value = np.minimum(shared[numbers] / len(sample) * size, sizes)
    order = np.lexsort((numbers, -value))
    best, others = order[:SKETCHED], order[SKETCHED:]
    if len(best):
        minima = np.stack([bucket_minima(np.asarray(snapshot.tokens_of(n)[0])) for n in numbers[best].tolist()])
        refined = many.overlaps(
            sketch, size, one_permutation(minima, len(sketch.minima)), registers(minima), sizes[best]
        )
        found.add(numbers[best], refined, SAMPLE)
    rough = (value[others], np.minimum(low, value)[others], np.minimum(high, sizes)[others])
    found.add(numbers[others], rough, SAMPLE)


def _ask_filters(found: Estimates, query: Query, snapshot: Snapshot, silent: bool) -> np.ndarray:
    """Estimate by membership filters where there are; returns those columns, bool[n]."""
    asked = np.zeros(len(snapshot), bool)
    for number in np.flatnonzero(found.columns & snapshot.sketched).tolist():
        kept = snapshot.filter_of(number)
        if kept is None:
            continue
        asked[number] = True
        share = members.containment(int(kept.contains(query.tokens).sum()), query.distinct, kept.false_positives)
        if share.low == 0.0:  # what passed may well be chance
            share = Estimate(0.0, 0.0, share.high)
        if share.value > 0 or silent:
            ends = (np.array([end * query.distinct]) for end in (share.value, share.low, share.high))
            found.add(np.array([number]), tuple(ends), FILTER)
    return asked
