"""How many pairs of rows reach each threshold: exactly, from a sample of the left texts, and at what cost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lakeview.estimate.similarity.collection import Collection
from lakeview.estimate.similarity.compiled import compiled
from lakeview.estimate.similarity.measures import Bound, bound, similarity, size_range
from lakeview.estimate.similarity.prefix_join import PrefixIndex, blocks_of_pairs, prefix_index, prefix_length
from lakeview.estimate.similarity.texts import Texts

# CPU seconds of one look at an index entry, and of one token sorted into it; measured, and only a guide.
SECONDS_PER_VISIT = 9e-9
SECONDS_PER_TOKEN = 6e-8


def bounds_of(texts: Texts, measure: str, thresholds: Sequence[float]) -> list[Bound]:
    """The thresholds as integers, exact for these texts."""
    return [bound(measure, threshold, texts.largest) for threshold in thresholds]


def count_exactly(texts: Texts, measure: str, thresholds: Sequence[float]) -> np.ndarray:
    """int64[thresholds]: pairs of rows at or above each. Of one column: unordered pairs of two different rows."""
    limits = bounds_of(texts, measure, thresholds)
    floor = limits[int(np.argmin(thresholds))]
    self_join = texts.right is None
    index = prefix_index(texts.other, floor, texts.tokens, self_join)
    tally = Tally(texts, measure, limits)
    totals = np.zeros(len(limits), np.int64)
    for pairs in blocks_of_pairs(texts.left, texts.other, floor, index, self_join):
        weights = texts.left_counts[pairs.left] * texts.right_counts[pairs.right]
        totals += tally.reached(pairs.left, pairs.right, pairs.overlap, weights)
    return totals + (same_text(texts, limits) if self_join else 0)


def same_text(texts: Texts, limits: Sequence[Bound]) -> np.ndarray:
    """int64[limits]: pairs of rows that have one and the same text; of one column unordered ones."""
    sizes = texts.left.sizes_by_row
    if texts.right is None:
        pairs = texts.left_counts * (texts.left_counts - 1) // 2
    else:
        pairs = texts.left_counts * np.append(texts.right_counts, 0)[texts.same]  # the last for no such text
    return np.array([int(pairs[(sizes > 0) & limit.reached(sizes, sizes, sizes)].sum()) for limit in limits], np.int64)


class Tally:
    """Counts pairs by the thresholds that they reach."""

    def __init__(self, texts: Texts, measure: str, limits: Sequence[Bound]) -> None:
        self._left = texts.left.sizes_by_row
        self._right = texts.other.sizes_by_row
        self._measure = measure
        cuts = np.array([limit.cut for limit in limits])
        self.order = np.argsort(cuts)  # places of the thresholds, lowest first
        self._cuts = cuts[self.order]

    def levels(self, left: np.ndarray, right: np.ndarray, overlap: np.ndarray) -> np.ndarray:
        """Of each pair, how many of the thresholds it reaches."""
        values = similarity(self._measure, overlap, self._left[left], self._right[right])
        return np.searchsorted(self._cuts, values, side="right")

    def reached(self, left: np.ndarray, right: np.ndarray, overlap: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """int64[thresholds]: the weight of the pairs at or above each threshold."""
        found = np.zeros(len(self._cuts) + 1, np.int64)
        np.add.at(found, self.levels(left, right, overlap), weights)
        totals = np.empty(len(self._cuts), np.int64)
        totals[self.order] = np.cumsum(found[::-1])[::-1][1:]
        return totals


def predicted_seconds(texts: Texts, limit: Bound, share: float = 1.0) -> float:
    """About how long the pairs of this bound take, for a share of the left texts, once the code is compiled.

    A self-join of a share probes with a sample of the texts and so meets each pair from both ends.
    """
    left, right = texts.left, texts.other
    whole = texts.right is None and share == 1.0
    index = prefix_index(right, limit, texts.tokens, whole)
    return len(right.ranks) * SECONDS_PER_TOKEN + share * SECONDS_PER_VISIT * visits(left, limit, index, whole)


def visits(left: Collection, limit: Bound, index: PrefixIndex, self_join: bool = False) -> float:
    """An upper bound of the index entries that a join looks at; sizes and thresholds rule some of them out."""
    lists = np.diff(index.starts)
    total = _visits(limit.kind, limit.p, limit.q, left.starts, left.ranks, lists)
    return total / 2 if self_join else total


@compiled
def _visits(kind, p, q, starts, ranks, lists):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(starts) - 1):
        r = starts[i + 1] - starts[i]
        if r == 0:
            continue
        smallest = max(size_range(kind, p, q, r, r)[0], np.int64(1))
        for a in range(prefix_length(kind, p, q, r, smallest)):
            total += lists[ranks[starts[i] + a]]
    return total
