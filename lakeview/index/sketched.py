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
from functools import cached_property, partial

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
_SAMPLE, _ROUNDS, _QUERIES = 1024, 3, 8

ARRAYS = ("occupied", "keys", "rows", "partitions")  # of the band tables; the others follow from the sketches


@dataclass(frozen=True)
class Costs:
    """Seconds: of a scan and for each column in it; of a look-up, for each entry it reads, each candidate it leaves."""

    scan: float = 3e-4
    column: float = 8e-6
    look_up: float = 6e-4
    entry: float = 2e-8
    candidate: float = 2e-5

    def array(self) -> np.ndarray:
        """As it is kept with the segment: float64[5]."""
        return np.array(astuple(self))


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
        scan = self.costs.scan + self.costs.column * len(self)
        if every or scan < self.costs.look_up or not size:
            return everything, Choice(SCAN, len(self), len(self), scan, self.costs.look_up)
        entries = self.bands.entries(signature)
        ensemble = LshEnsemble(self.runs, slack=SLACK)
        doubtful = ensemble.possible(self.bands, size, least) if least else 0
        looked = min(entries, len(self)) + doubtful
        look_up = self.costs.look_up + self.costs.entry * entries + self.costs.candidate * looked
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
    bands = Bands(order, sizes[order], Reordered(minima, order), occupied, arrays["keys"], arrays["rows"],
                  arrays["partitions"])  # fmt: skip
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
    queries = rng.choice(n, _QUERIES, replace=False)
    registers = columns.registers(queries)
    asked = list(zip(columns.minima[queries], registers, columns.sizes[queries], strict=True))

    def scanned(count: int) -> float:
        part = Sketched(columns.minima[:count], columns.packed[:count], columns.sizes[:count], columns.bands)
        part.registers(np.arange(count))
        return _timed(lambda: [part.signs(*query, np.arange(count)) for query in asked]) / len(asked)

    some = min(n, _SAMPLE)
    few, many = scanned(some // 4), scanned(some)
    column = max((many - few) / (some - some // 4), 1e-9)
    entries = np.array([columns.bands.entries(signature) for signature, _, _ in asked], float)
    seconds = np.array([_timed(partial(columns.bands.counts, signature)) for signature, _, _ in asked])
    spread = np.ptp(entries)
    entry = max(float(np.polyfit(entries, seconds, 1)[0]) if spread > 1000 else 0.0, Costs.entry)
    whole = _timed(lambda: [LazoIndex(columns.runs).related(query[0], query[2], 1.0) for query in asked]) / len(asked)
    places = np.sort(rng.choice(n, min(FITTED_FROM, n // 4), replace=False))
    fresh = Sketched(columns.minima, columns.packed, columns.sizes, columns.bands)
    looked = _timed(lambda: [fresh.signs(*query, places) for query in asked]) / len(asked)
    return Costs(max(few - column * (some // 4), 1e-6), column, max(whole - entry * entries.mean(), 1e-6) + 1e-4,
                 entry, looked / len(places))  # fmt: skip


def _timed(call: Callable[[], object]) -> float:
    """The shortest of some runs, seconds."""
    found = []
    for _ in range(_ROUNDS):
        started = time.perf_counter()
        call()
        found.append(time.perf_counter() - started)
    return min(found)
