"""Join size by LSH-SS (Lee, Ng, Shim, VLDB 2011): pairs of one LSH bucket are sampled apart from all other pairs.

Few pairs share a bucket and many of those are similar, so a threshold that next to no random pair reaches is still
seen in the sample.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lakeview.estimate.curve import Curve
from lakeview.estimate.sampling import all_pairs
from lakeview.estimate.signatures import signatures
from lakeview.estimate.similarity.counting import Tally, bounds_of, same_text
from lakeview.estimate.similarity.measures import Bound
from lakeview.estimate.similarity.prefix_join import overlaps
from lakeview.estimate.similarity.texts import Texts


def stratified_lsh(
    texts: Texts, measure: str, thresholds: np.ndarray, bands: int = 4, samples: int | None = None, seed: int = 1
) -> Curve:
    """LSH-SS: pairs of one LSH bucket (stratum H, few and similar) are sampled apart from all others (stratum L).

    bands: hash functions that make a bucket. samples: pairs drawn from each stratum, by default as many as texts.
    In L sampling stops after log2(n) true pairs; where it never sees as many, the count seen is not scaled up, which
    keeps a lucky draw from exploding. Rows weigh by how often their text occurs.
    """
    from scipy.special import gammaincinv

    limits = bounds_of(texts, measure, list(thresholds))
    self_join = texts.right is None
    left, right = texts.left, texts.other
    random = np.random.default_rng(seed)
    n = max(len(left), len(right))
    samples = samples or n
    keys = signatures([left] if self_join else [left, right], texts.tokens, bands, seed)
    left_bucket, right_bucket = _buckets(keys[0], keys[-1])
    pairs_in, draw_in = _within_buckets(left_bucket, right_bucket, self_join, random)
    whole = len(left) * (len(left) - 1) / 2 if self_join else float(len(left)) * len(right)
    judge = _Judge(texts, measure, limits)

    found = judge.reached(*draw_in(samples)) if pairs_in else np.zeros((0, len(limits)))
    high_stratum = found.mean(axis=0) * pairs_in if len(found) else np.zeros(len(limits))

    a, b = random.integers(0, len(left), samples), random.integers(0, len(right), samples)
    apart = left_bucket[a] != right_bucket[b]
    seen = judge.reached(a[apart], b[apart])
    rest = whole - pairs_in
    enough = max(1.0, np.log2(max(n, 2)))
    hits = np.cumsum(seen > 0, axis=0)
    low_stratum, most, least = (np.zeros(len(limits)) for _ in range(3))
    for t in range(len(limits)):
        reached = np.flatnonzero(hits[:, t] >= enough)
        stop = int(reached[0]) + 1 if len(reached) else len(seen)
        hit = int(hits[stop - 1, t]) if stop else 0
        usual = seen[:stop, t].sum() / hit if hit else 1.0
        most[t] = gammaincinv(hit + 1, 0.975) * usual / max(stop, 1) * rest
        least[t] = gammaincinv(hit, 0.025) * usual / max(stop, 1) * rest if hit else 0.0
        low_stratum[t] = seen[:stop, t].sum() * (rest / stop if len(reached) else 1.0)
    known = same_text(texts, limits)
    pairs = high_stratum + low_stratum + known
    error = 1.96 * found.std(axis=0) / np.sqrt(max(len(found), 1)) * pairs_in if len(found) else 0
    low = high_stratum - error + np.minimum(least, low_stratum) + known
    high = high_stratum + error + np.maximum(most, low_stratum) + known
    return Curve.estimated(thresholds, pairs, low, high, all_pairs(texts))


def _buckets(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number the rows of both signatures so that equal rows have equal numbers."""
    stacked = np.concatenate([left, right])
    key = np.zeros(len(stacked), np.uint64)
    for column in stacked.T:
        key = (key ^ column.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    _, number = np.unique(key, return_inverse=True)
    return number[: len(left)], number[len(left) :]


def _within_buckets(
    left: np.ndarray, right: np.ndarray, self_join: bool, random: np.random.Generator
) -> tuple[int, Callable[[int], tuple[np.ndarray, np.ndarray]]]:
    """(how many pairs share a bucket, a function that draws so many of them at random with replacement)."""
    buckets = int(max(left.max(initial=0), right.max(initial=0))) + 1
    in_left, in_right = np.bincount(left, minlength=buckets), np.bincount(right, minlength=buckets)
    pairs = in_left * (in_left - 1) // 2 if self_join else in_left * in_right
    ends = np.cumsum(pairs)
    order_left, order_right = np.argsort(left, kind="stable"), np.argsort(right, kind="stable")
    starts_left, starts_right = np.cumsum(in_left) - in_left, np.cumsum(in_right) - in_right

    def draw(samples: int) -> tuple[np.ndarray, np.ndarray]:
        bucket = np.searchsorted(ends, random.integers(0, ends[-1], samples), side="right")
        a = random.integers(0, in_left[bucket])
        if self_join:  # any other member
            b = (a + random.integers(1, in_right[bucket])) % in_right[bucket]
        else:
            b = random.integers(0, in_right[bucket])
        return order_left[starts_left[bucket] + a], order_right[starts_right[bucket] + b]

    return int(ends[-1]) if len(ends) else 0, draw


class _Judge:
    """The exact similarity of drawn pairs, given by places in the collections."""

    def __init__(self, texts: Texts, measure: str, limits: list[Bound]) -> None:
        self._texts, self._tally, self._thresholds = texts, Tally(texts, measure, limits), len(limits)

    def reached(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """float64[pairs, thresholds]: the rows' weight where a pair reaches a threshold, else 0."""
        left, right = self._texts.left, self._texts.other
        row_a, row_b = left.rows[a], right.rows[b]
        levels = self._tally.levels(row_a, row_b, overlaps(left, right, a, b))
        weights = self._texts.left_counts[row_a] * self._texts.right_counts[row_b]
        weights = np.where(self._texts.same[row_a] == row_b, 0, weights)  # equal texts are counted
        found = np.zeros((len(a), self._thresholds))
        found[:, self._tally.order] = (levels[:, None] > np.arange(self._thresholds)) * weights[:, None]
        return found
