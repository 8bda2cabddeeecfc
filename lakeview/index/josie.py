"""Exact top-k search by overlap (JOSIE, SIGMOD'19): two plans that give the same sets, and a planner.

merge  MergeList-D: read every list of the query
probe  ProbeSet-D: read lists up to the prefix filter's end, and every set that the position filter lets through
auto   MergeList-D where the sets to read at least cost more than all lists, else ProbeSet-D, which turns to merging the
       lists that are left as soon as that costs less than probing on

One unit judges them: the seconds that reading takes on the index itself (`josie_cost`), a set compared and a list's
counters raised included. By these, JOSIE-D was never more than 1 % below the better of the other two in a class of
queries, and its choosing among candidates takes longer than what it spares; so it lies with the benchmarks
(tests/benchmarks/josie_d.py), whose plans pass themselves in.

Ties go by a rank that the caller gives. Without numba every plan merges.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from lakeview.index.dictionary import kernels
from lakeview.index.josie_cost import Costs
from lakeview.index.postings import Match, Postings

Plan = Literal["auto", "merge", "probe"] | Callable[..., int]
KEPT = 1_000  # sets to find above which all lists are merged; the best are kept in order as they come


@dataclass
class Statistics:
    """What a search read and what that cost.

    lists, sets: how many were read; bytes: of both; expected: seconds that the cost model gives for these reads;
    merging: for reading all lists; seconds: what the search took, looking up the query's tokens included; plan: what
    was done; why: the reason, in words; of_lists: lists that the query has.
    """

    lists: int = 0
    sets: int = 0
    bytes: int = 0
    expected: float = 0.0
    merging: float = 0.0
    seconds: float = 0.0
    plan: str = "merge"
    why: str = ""
    of_lists: int = 0
    tokens: int = 0
    segments: list[Statistics] = field(default_factory=list, repr=False)

    def __repr__(self) -> str:
        return (
            f"plan: {self.plan}, {self.why}\n"
            f"read: {self.lists:,} of {self.of_lists:,} posting lists for {self.tokens:,} known values, "
            f"{self.sets:,} sets, {self.bytes:,} bytes\n"
            f"cost: {1e3 * self.expected:.2f} ms expected of the reads ({1e3 * self.merging:.2f} ms for all lists), "
            f"{1e3 * self.seconds:.2f} ms in all"
        )

    @classmethod
    def total(cls, parts: Iterable[Statistics]) -> Statistics:
        """Those of several segments together."""
        parts = list(parts)
        summed = {
            name: sum(getattr(part, name) for part in parts)
            for name in ("lists", "sets", "bytes", "expected", "merging", "seconds", "of_lists")
        }
        main = max(parts, key=lambda part: part.of_lists, default=cls(why="the index is empty"))
        plans = dict.fromkeys(part.plan for part in parts if part.of_lists) or {main.plan: None}
        tokens = max((part.tokens for part in parts), default=0)
        return cls(**summed, plan=" and ".join(plans), why=main.why, tokens=tokens, segments=parts)


@dataclass
class Best:
    """The k best sets so far, best first: overlap, rank and number of each, int64[k], and how many there are."""

    overlaps: np.ndarray
    ranks: np.ndarray
    numbers: np.ndarray
    n: int = 0

    @classmethod
    def of(cls, k: int) -> Best:
        return cls(np.zeros(k, np.int64), np.zeros(k, np.int64), np.zeros(k, np.int64))

    def found(self) -> tuple[np.ndarray, np.ndarray]:
        """Numbers and overlaps of those there are."""
        return self.numbers[: self.n], self.overlaps[: self.n]

    def merge(self, numbers: np.ndarray, overlaps: np.ndarray, ranks: np.ndarray) -> None:
        """Take in more sets."""
        parts = zip((*self.found()[::-1], self.ranks[: self.n]), (overlaps, numbers, ranks), strict=True)
        overlaps, numbers, ranks = (np.concatenate(part) for part in parts)
        order = np.lexsort((ranks, -overlaps))[: len(self.overlaps)]
        self.n = len(order)
        for mine, new in ((self.overlaps, overlaps), (self.ranks, ranks), (self.numbers, numbers)):
            mine[: self.n] = new[order]


def top_k(
    postings: Postings,
    query: np.ndarray,
    k: int,
    plan: Plan = "auto",
    costs: Costs | None = None,
    skip: np.ndarray | None = None,
    rank: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, Statistics]:
    """The k sets that share most tokens with the query, at least one: their numbers, overlaps int64, and statistics.

    query: uint64, sorted and distinct; skip: bool[n], sets to leave out; rank: int64[n], distinct, breaks ties, smaller
    first (default: the number).
    """
    started = time.perf_counter()
    n_sets = len(postings.set_offsets) - 1
    best = Best.of(min(k, n_sets))
    skip = np.zeros(n_sets, bool) if skip is None else skip
    rank = np.arange(n_sets) if rank is None else rank
    match = postings.match(query)
    statistics = search(postings, match, best, plan, costs or Costs(), skip, rank)
    statistics.seconds = time.perf_counter() - started
    return *best.found(), statistics


def search(
    postings: Postings,
    match: Match,
    best: Best,
    plan: Plan,
    costs: Costs,
    skip: np.ndarray,
    rank: np.ndarray,
    base: int = 0,
) -> Statistics:
    """Put the sets of one segment among the best so far; `base` is added to their numbers."""
    started = time.perf_counter()
    frequency = postings.offsets[match.groups + 1] - postings.offsets[match.groups]
    spent = np.concatenate(([0.0], np.cumsum(costs.lists(frequency))))
    cumulated = np.concatenate(([0], np.cumsum(match.weights)))
    k, tokens = len(best.overlaps), int(cumulated[-1])
    compiled = kernels(max(tokens, int(frequency.sum()) >> 6 if plan == "auto" else 1 << 30))
    statistics = Statistics(merging=float(spent[-1]), of_lists=len(frequency), tokens=tokens)
    counts = np.zeros(5, np.int64)
    held = best.overlaps, best.ranks, best.numbers, best.n
    lists = postings.offsets, postings.columns
    sets = postings.rests, postings.set_offsets, postings.set_groups
    if k == 0 or not tokens:
        statistics.why = "the index knows no value of the query"
    elif plan == "merge" or not compiled or k > KEPT or (plan == "auto" and spent[-1] <= spent[1] + k * costs.s0):
        if compiled and k <= KEPT:
            best.n = compiled.merge_top(*lists, match.groups, match.weights, skip, rank, base, *held)
        else:
            overlap = postings.overlaps(match)
            overlap[skip] = 0
            numbers = np.flatnonzero(overlap)
            best.merge(numbers + base, overlap[numbers], rank[numbers])
        counts[0], counts[4] = len(frequency), frequency.sum()
        statistics.why = (
            "as asked for" if plan == "merge"
            else f"more than {KEPT:,} columns are asked for" if k > KEPT
            else "no set can be read for what all lists cost" if compiled
            else "so few values that nothing else can pay"
        )  # fmt: skip
    elif callable(plan):
        best.n = plan(*lists, *sets, match.groups, match.weights, cumulated, costs, skip, rank, base, *held, counts)
        statistics.plan, statistics.why = plan.__name__, "as asked for"
    else:
        best.n, turned = compiled.probe_top(
            *lists, *sets, match.groups, match.weights, cumulated, spent, costs.s0, costs.s1, plan == "auto",
            skip, rank, base, *held, counts,
        )  # fmt: skip
        statistics.plan, statistics.why = _said(plan, turned, counts, len(frequency))
    statistics.lists, statistics.sets = int(counts[0]), int(counts[2])
    statistics.bytes = int(8 * counts[1] + 4 * counts[3] + 4 * counts[4])
    numbers = 2 * counts[1] + counts[4]  # of lists; positions are as many again
    statistics.expected = float(costs.l0 * counts[0] + costs.l1 * numbers + costs.s0 * counts[2] + costs.s1 * counts[3])
    statistics.seconds = time.perf_counter() - started
    return statistics


def merged(postings: Postings, match: Match, costs: Costs) -> Statistics:
    """What `Postings.overlaps` reads."""
    frequency = postings.offsets[match.groups + 1] - postings.offsets[match.groups]
    cost = float(costs.lists(frequency).sum())
    n, tokens = len(frequency), int(match.weights.sum())
    return Statistics(n, 0, 4 * int(frequency.sum()), cost, cost, of_lists=n, tokens=tokens)


def _said(plan: str, turned: int, counts: np.ndarray, of_lists: int) -> tuple[str, str]:
    if plan == "probe":
        return plan, "as asked for"
    if turned == of_lists:
        return "probe", "reading the sets that can be among the best costs less than all lists"
    return "merge", f"after {counts[2]:,} sets of {turned + 1:,} of {of_lists:,} lists, that costs less than probing on"
