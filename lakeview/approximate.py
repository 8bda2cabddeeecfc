"""Overlaps that only sketches tell: of columns without tokens, of queries without tokens, or where asked for.

Candidates first, by counting: columns whose smallest tokens agree with the query's in some bucket (Lazo with its tables
counted outright, `index.lazo`), or whose registers beat by `MARGIN` standard deviations what disjoint columns show
(BML). Where the query has a sketch alone and a column its tokens, the query's 256 smallest tokens are looked up in the
posting lists. Each candidate is then estimated from all that is kept of both (`estimate.joint`), best first. A small
query asks the membership filters of large columns instead, where these are kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from lakeview.catalog.snapshot import Snapshot
from lakeview.estimate import coupled, joint, members
from lakeview.estimate.all_pairs import register_counts
from lakeview.estimate.coupled import Comparison
from lakeview.estimate.inclusion import chance, solve, weights
from lakeview.estimate.interval import Estimate
from lakeview.query import Query
from lakeview.sketch.minhash import agreements
from lakeview.sketch.minima import EMPTY

FILTER = "membership filter"
METHOD = "sketches"  # all stored sketches were looked at, by no index
MARGIN = 4.0
FILTERED = 50_000  # query tokens up to which a membership filter is asked; many tell as much by their sketch
REFINED = 512  # candidates that are estimated jointly, at a millisecond each; the others keep the quick estimate


@dataclass(frozen=True)
class Estimates:
    """What sketches say of a query and some columns.

    columns    bool[n], which columns were asked about
    of         column → the comparison of the query with it, for those with any sign of an overlap; if asked for, also
               for those without: of value 0, and as high an end as such silence allows
    """

    columns: np.ndarray
    of: dict[int, Comparison] = field(default_factory=dict)
    filtered: set[int] = field(default_factory=set)  # those of them that a membership filter told

    def method(self, column: int) -> str:
        """What served."""
        return FILTER if column in self.filtered else METHOD


def estimates(
    query: Query, snapshot: Snapshot, columns: np.ndarray, silent: bool = False, least: float = 0.0
) -> Estimates:
    """Estimate the query's overlap with the columns bool[n]. silent: also with those that show no sign of one.
    least: a containment; columns whose smallest tokens say that they hold less are passed over."""
    found = Estimates(columns)
    if not columns.any() or not query.distinct:
        return found
    if 0 < len(query.tokens) <= FILTERED:
        columns = columns & ~_ask_filters(found, query, snapshot, silent)
    sketch = query.signature
    size = sketch.size()[0]
    quick: list[tuple[float, int, joint.Sketch]] = []
    stored = np.zeros(len(snapshot), bool)
    for numbers, minima, registers in snapshot.sketches():
        stored[numbers] = True
        rows = np.flatnonzero(columns[numbers])
        if not len(rows):
            continue
        sizes = np.maximum(snapshot.distinct[numbers[rows]].astype(float), 1.0)
        same, occupied = agreements(minima[rows], sketch.minima)
        overlap, _, high = _lazo(same, occupied, size, sizes)
        by_registers = _bml(sketch.registers, registers[rows], size, sizes)
        sign = ((same > 0) | (by_registers > 0)) & (high >= least * size)
        for i in np.flatnonzero(sign).tolist():
            number = int(numbers[rows[i]])
            quick.append((max(overlap[i], by_registers[i]), number, snapshot.sketch_of(number)))
        for i in np.flatnonzero(~sign).tolist() if silent else ():
            number, most = int(numbers[rows[i]]), float(high[i])
            if most >= 1 and len(found.of) < REFINED:
                most = min(joint.compare(sketch, snapshot.sketch_of(number)).overlap.high, most)
            found.of[number] = coupled.from_overlap(Estimate(0.0, 0.0, most), size, float(sizes[i]))
    rest = columns & ~stored & (snapshot.distinct > 0)
    if rest.any():  # these have their tokens, and the query has none
        shared, _ = snapshot.overlaps(np.sort(sketch.minima[sketch.minima != EMPTY]))
        for number in np.flatnonzero(rest & (shared > 0)).tolist():
            quick.append((float(shared[number]), number, snapshot.sketch_of(number)))
    quick.sort(key=lambda candidate: (-candidate[0], candidate[1]))
    for place, (_, number, other) in enumerate(quick):
        found.of[number] = joint.compare(sketch, other) if place < REFINED else _quickly(sketch, other)
    return found


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
            ends = (end * query.distinct for end in (share.value, share.low, share.high))
            found.of[number] = coupled.from_overlap(Estimate(*ends), query.distinct, float(snapshot.distinct[number]))
            found.filtered.add(number)
    return asked


def _lazo(same: np.ndarray, occupied: np.ndarray, size: float, sizes: np.ndarray) -> tuple[np.ndarray, ...]:
    return coupled.overlaps(same, occupied, np.full(len(sizes), size), sizes)


def _bml(query: np.ndarray, registers: np.ndarray, size: float, sizes: np.ndarray) -> np.ndarray:
    """Overlaps by BML, 0 where the registers agree no better than those of disjoint columns may: float64[m]."""
    buckets = len(query)
    count = register_counts(query[None], registers)[0]
    weight = weights(sizes)
    apart = np.clip(chance(np.full(len(sizes), size), weight), 1e-12, 1.0)
    sign = count > buckets * apart + MARGIN * np.sqrt(buckets * apart * (1 - apart))
    overlap = np.zeros(len(sizes))
    if sign.any():
        most = np.full(int(sign.sum()), size)
        overlap[sign] = size - solve(count[sign] / buckets, weight[sign], most)
    return overlap


def _quickly(a: joint.Sketch, b: joint.Sketch) -> Comparison:
    (x, x_error), (y, y_error) = a.size(), b.size()
    same, occupied = agreements(a.minima, b.minima)
    return coupled.lazo(float(same), float(occupied), x, y, x_error, y_error)
