"""The large columns of one segment, found by their sketches: by an index, or by looking at all of them.

Three ways give the candidates of a query, columns whose overlap is then estimated from all that is kept of them:

scan      every signature is compared
Lazo      columns that agree with the query in some bucket (`index.lazo`); one with Jaccard similarity J does with
          probability 1 - (1 - J)^256
ensemble  for a containment threshold: what `index.ensemble` finds, of columns at the threshold 99 in 100, and what it
          calls possible

Which one serves follows from what each costs, measured when the segment is written: a scan costs so much a column, a
look-up so much for each entry that it reads and each candidate that it leaves.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, replace
from functools import cached_property

import numpy as np

from lakeview.estimate.all_pairs import register_counts
from lakeview.estimate.inclusion import chance, solve, weights
from lakeview.estimate.interval import wilson
from lakeview.index.bands import Bands, Reordered, build
from lakeview.index.ensemble import LshEnsemble
from lakeview.index.lazo import LazoIndex
from lakeview.index.runs import Runs
from lakeview.sketch.hyperloglog import unpack_registers
from lakeview.sketch.minhash import agreements

SCAN, LAZO, ENSEMBLE = "sketches: scan", "sketches: Lazo", "sketches: LSH Ensemble"
MARGIN = 4.0  # standard deviations by which registers must beat those of disjoint columns to be a sign
SLACK = 2.326  # of the ensemble's test: 1 in 100 at the threshold fails it
DOUBT = 2.576  # of the bound from agreements: 1 in 200 holds more
FITTED_FROM = 64  # columns; fewer are scanned, at the usual costs
_SAMPLE, _APART, _ROUNDS, _QUERIES = 1024, 64, 3, 8

ARRAYS = ("occupied", "keys", "lists", "rows", "partitions")  # of the band tables; the others follow from the sketches


@dataclass(frozen=True)
class Costs:
    """Seconds. scan: of any; column: of a signature in it; registers: of a column's, where they are compared.
    lazo, ensemble: of any look-up; entry: for each agreement that it reads; candidate, unpacked: as column and
    registers, of those that it leaves. entries: agreements a candidate."""

    scan: float = 5e-5
    column: float = 8e-7
    registers: float = 3e-6
    lazo: float = 3e-4
    ensemble: float = 5e-4
    entry: float = 5e-9
    candidate: float = 1e-6
    unpacked: float = 3e-5
    entries: float = 2.0

    def array(self) -> np.ndarray:
        """As it is kept with the segment: float64[9]."""
        return np.array(astuple(self))

    def of_scan(self, columns: int, threshold: bool) -> float:
        """Of a first look at all columns. With a threshold, only the registers of what may reach it are compared,
        whatever way led there."""
        return self.scan + columns * (self.column + (0.0 if threshold else self.registers))

    def of_look_up(self, columns: int, entries: int, doubtful: int, threshold: bool) -> float:
        """Of a first look at what an index leaves."""
        candidates = min(entries / self.entries, columns) + doubtful
        each = self.candidate + (0.0 if threshold else self.unpacked)
        return self.scan + (self.ensemble if threshold else self.lazo) + self.entry * entries + candidates * each


@dataclass(frozen=True)
class Signs:
    """What agreements and registers say at first sight of columns, float64[n] each.

    by_tokens, high: overlap by Lazo, and what it hardly exceeds; by_registers: by BML, 0 where that shows nothing.
    """

    by_tokens: np.ndarray
    high: np.ndarray
    by_registers: np.ndarray

    @property
    def seen(self) -> np.ndarray:
        """Columns with any sign of an overlap."""
        return (self.by_tokens > 0) | (self.by_registers > 0)


@dataclass(frozen=True)
class Choice:
    """Which way served a segment and why: seconds that a scan and a look-up are expected to cost."""

    method: str
    columns: int
    candidates: int
    scan: float
    look_up: float

    def __str__(self) -> str:
        costs = f"{1e3 * self.scan:.1f} ms expected of a scan, {1e3 * self.look_up:.1f} ms of the index"
        return f"{self.method}, {self.candidates:,} of {self.columns:,} columns looked at ({costs})"


class Sketched:
    """The sketches of n columns: minima uint64[n, k], packed registers uint8[n, 3072], sizes float64[n] (distinct
    tokens), and their band tables, whose ids are places here."""

    def __init__(
        self, minima: np.ndarray, packed: np.ndarray, sizes: np.ndarray, bands: Bands, costs: Costs | None = None
    ) -> None:
        self.minima, self.packed, self.sizes, self.bands = minima, packed, sizes, bands
        self.costs = costs or Costs()
        self.runs = Runs()
        self.runs.runs = [(bands, np.ones(len(bands), bool))]

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def all_registers(self) -> np.ndarray:
        """uint8[n, 2^m], unpacked at the first scan."""
        return unpack_registers(self.packed)

    def registers(self, places: np.ndarray) -> np.ndarray:
        """Those of some columns: uint8[c, 2^m]."""
        if "all_registers" in self.__dict__ or 4 * len(places) > len(self):
            return self.all_registers[places]  # type: ignore[no-any-return]
        return unpack_registers(self.packed[places])

    def candidates(
        self, signature: np.ndarray, size: float, least: float, every: bool = False
    ) -> tuple[np.ndarray, Choice]:
        """Places, ascending, of the columns to look at for a query, and how they were found.

        signature: uint64[k], undensified; size: distinct tokens of the query; least: containment that is asked for, 0
        for any; every: whether columns without a sign of an overlap are asked for whatever `least`.
        """
        everything = np.arange(len(self))
        scan = self.costs.of_scan(len(self), least > 0)
        at_least = self.costs.of_look_up(len(self), 0, 0, least > 0)
        if every or scan < at_least or not size:
            return everything, Choice(SCAN, len(self), len(self), scan, at_least)
        ensemble = LshEnsemble(self.runs, slack=SLACK)
        doubtful = ensemble.possible(self.bands, size, least) if least else 0
        look_up = self.costs.of_look_up(len(self), self.bands.entries(signature), doubtful, least > 0)
        if scan <= look_up:
            return everything, Choice(SCAN, len(self), len(self), scan, look_up)
        if least:
            found = ensemble.query(signature, size, least)
            places, method = np.union1d(found.ids, found.possible), ENSEMBLE
        else:
            places, method = np.sort(LazoIndex(self.runs).related(signature, size).ids), LAZO
        return places, Choice(method, len(self), len(places), scan, look_up)

    def signs(
        self, signature: np.ndarray, registers: np.ndarray, size: float, places: np.ndarray, least: float = 0.0
    ) -> tuple[np.ndarray, Signs]:
        """What sketches say at first sight of some columns; those that hold less than `least` of the query's `size`
        tokens are passed over. Returns the places that are left."""
        minima, sizes = (self.minima, self.sizes) if len(places) == len(self) else self._of(places)
        same, occupied = agreements(minima, signature)
        by_tokens, high = (_overlap(part, size, sizes) for part in _similarity(same, occupied))
        keep = high >= least * size
        places, sizes, by_tokens, high = places[keep], sizes[keep], by_tokens[keep], high[keep]
        return places, Signs(by_tokens, high, by_registers(registers, self.registers(places), size, sizes))

    def _of(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.minima[places], self.sizes[places]


def of(minima: np.ndarray, packed: np.ndarray, sizes: np.ndarray) -> Sketched:
    """With band tables made from them, partitioned by these sizes; costs are the usual ones."""
    bands = build(np.arange(len(sizes)), minima, sizes)
    return Sketched(minima, packed, sizes, replace(bands, signatures=Reordered(minima, bands.ids)))


def opened(
    minima: np.ndarray, packed: np.ndarray, sizes: np.ndarray, arrays: Mapping[str, np.ndarray], costs: Costs
) -> Sketched:
    """With the band tables whose flat `ARRAYS` were kept: their order follows from the sizes."""
    order = np.argsort(sizes, kind="stable")
    occupied = arrays["occupied"].reshape(len(sizes), -1)
    bands = Bands(order, sizes[order], Reordered(minima, order), occupied, arrays["keys"], arrays["lists"],
                  arrays["rows"], arrays["partitions"])  # fmt: skip
    return Sketched(minima, packed, sizes, bands, costs)


def by_registers(query: np.ndarray, registers: np.ndarray, size: float, sizes: np.ndarray) -> np.ndarray:
    """Overlaps by BML, 0 where the registers agree no better than those of disjoint columns may: float64[n]."""
    overlap = np.zeros(len(sizes))
    if not len(sizes):
        return overlap
    buckets = len(query)
    count = register_counts(query[None], registers)[0]
    weight = weights(sizes)
    apart = np.clip(chance(np.full(len(sizes), size), weight), 1e-12, 1.0)
    sign = count > buckets * apart + MARGIN * np.sqrt(buckets * apart * (1 - apart))
    if sign.any():
        most = np.full(int(sign.sum()), size)
        overlap[sign] = np.minimum(size - solve(count[sign] / buckets, weight[sign], most), sizes[sign])
    return overlap


def _similarity(same: np.ndarray, occupied: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Jaccard similarities, and what they hardly exceed."""
    occupied = np.maximum(occupied, 1)
    return same / occupied, wilson(same, occupied, DOUBT)[1]


def _overlap(jaccard: np.ndarray, size: float, sizes: np.ndarray) -> np.ndarray:
    return np.minimum(jaccard * (size + sizes) / (1 + jaccard), np.minimum(size, sizes))  # type: ignore[no-any-return]


def fit(columns: Sketched, seed: int = 0) -> Costs:
    """Measure scans and look-ups of sampled columns. The usual costs where the columns are few."""
    n = len(columns)
    if n < FITTED_FROM:
        return Costs()
    rng = np.random.default_rng(seed)
    queries = np.sort(rng.choice(n, _QUERIES, replace=False))
    asked = list(zip(columns.minima[queries], columns.registers(queries), columns.sizes[queries], strict=True))

    def first_look(places: np.ndarray, least: float) -> float:
        """At columns that lie beside each other or apart: seconds a query."""
        some = slice(0, len(places)) if places[-1] < len(places) else places
        part = Sketched(columns.minima[some], columns.packed[some], columns.sizes[some], columns.bands)
        part.registers(np.arange(len(places)))
        return _timed(lambda: [part.signs(*query, np.arange(len(places)), least) for query in asked]) / _QUERIES

    few, many = np.arange(min(n, _SAMPLE) // 4), np.arange(min(n, _SAMPLE))
    at_few, at_many, whole = first_look(few, 2.0), first_look(many, 2.0), first_look(many, 0.0)
    column = max((at_many - at_few) / (len(many) - len(few)), 1e-8)
    apart = np.sort(rng.choice(n, min(_APART, n), replace=False))
    gathered = _timed(lambda: [columns.minima[apart] == signature for signature, _, _ in asked]) / _QUERIES
    unpacked = _timed(lambda: unpack_registers(columns.packed[apart]))
    index = LazoIndex(columns.runs)
    found = [index.related(signature, size) for signature, _, size in asked]
    lazo = _timed(lambda: [index.related(signature, size) for signature, _, size in asked]) / _QUERIES
    search = LshEnsemble(columns.runs, slack=SLACK).query
    ensemble = _timed(lambda: [search(signature, size, 0.7) for signature, _, size in asked]) / _QUERIES
    entries = sum(int(some.same.sum()) for some in found)
    return Costs(
        scan=max(at_few - column * len(few), 1e-6),
        column=column,
        registers=max(whole - at_many, 1e-6) / len(many),
        lazo=lazo,
        ensemble=ensemble,
        candidate=gathered / len(apart),
        unpacked=unpacked / len(apart) + max(whole - at_many, 1e-6) / len(many),
        entries=entries / max(sum(map(len, found)), 1),
    )


def _timed(call: Callable[[], object]) -> float:
    """The median of some runs, seconds of this thread."""
    found = []
    for _ in range(_ROUNDS):
        started = time.thread_time()
        call()
        found.append(time.thread_time() - started)
    return sorted(found)[_ROUNDS // 2]
