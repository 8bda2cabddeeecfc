"""Join size from a sample of the texts: some left ones against all right ones, or some of both sides.

The first is ours and the default: the prefix index makes the partners of one left text cheap and exact, so the only
error is that of choosing texts. Hashed sampling (Hadjieleftheriou et al., VLDB 2008) takes a share of both sides, and
so sees a pair with the square of that share alone.
"""

from __future__ import annotations

import numpy as np

from lakeview.estimate.curve import Curve
from lakeview.estimate.similarity.collection import Collection
from lakeview.estimate.similarity.counting import Tally, bounds_of, same_text
from lakeview.estimate.similarity.measures import Bound
from lakeview.estimate.similarity.prefix_join import blocks_of_pairs, prefix_index
from lakeview.estimate.similarity.texts import Texts


def all_pairs(texts: Texts) -> float:
    """The pairs of rows there are: of one column unordered ones, else left rows times right rows."""
    left = float(texts.left_counts.sum())
    return left * (left - 1) / 2 if texts.right is None else left * float(texts.right_counts.sum())


def sample_rows(texts: Texts, measure: str, thresholds: np.ndarray, share: float, seed: int = 1,
                population: int | None = None) -> Curve:  # fmt: skip
    """Probe the index of all right texts with a share of the left ones.

    population: how many left texts there are, where `texts` holds a sample of them already.

    Pairs of one left text come together: the interval counts as many independent finds as their squares suggest.
    """
    limits = bounds_of(texts, measure, list(thresholds))
    here = len(texts.left)
    n, taken = population or here, min(here, max(1, round(share * here)))
    chosen = np.sort(np.random.default_rng(seed).choice(here, taken, replace=False))
    found = _partners(texts, measure, limits, int(np.argmin(thresholds)), chosen)
    ends = 2 if texts.right is None else 1
    scale = n / taken / ends
    pairs = found.sum(axis=0) * scale
    total, squares = found.sum(axis=0), (found**2).sum(axis=0)
    independent = np.divide(total**2, squares, out=np.zeros_like(total), where=squares > 0)
    low, high = _interval(total, independent, scale, taken / n)
    if texts.right is None:
        known = same_text(texts, limits)
        pairs, low, high = pairs + known, low + known, high + known
    return Curve.estimated(thresholds, pairs, low, high, all_pairs(texts) * n / here)


def _partners(texts: Texts, measure: str, limits: list[Bound], lowest: int, chosen: np.ndarray) -> np.ndarray:
    """float64[chosen, thresholds]: the pairs of rows that each chosen left text is in."""
    probes = texts.left.take(chosen)
    other = texts.other
    place = np.full(len(texts.left), -1, np.int64)
    place[probes.rows] = np.arange(len(chosen))
    tally = Tally(texts, measure, limits)
    found = np.zeros((len(chosen), len(limits) + 1))
    floor = limits[lowest]
    for pairs in blocks_of_pairs(probes, other, floor, prefix_index(other, floor, texts.tokens)):
        if texts.right is None:
            pairs = pairs.take(pairs.left != pairs.right)
        weights = texts.left_counts[pairs.left] * texts.right_counts[pairs.right]
        np.add.at(found, (place[pairs.left], tally.levels(pairs.left, pairs.right, pairs.overlap)), weights)
    at_least = np.cumsum(found[:, ::-1], axis=1)[:, ::-1][:, 1:]
    by_threshold = np.empty_like(at_least)
    by_threshold[:, tally.order] = at_least
    return by_threshold


def _interval(total: np.ndarray, independent: np.ndarray, scale: float, share: float) -> tuple[np.ndarray, np.ndarray]:
    """A 95% interval for scale * total, where total is made of so many independent finds.

    The gamma distribution stays honest where only a few pairs were seen, or none. share: how much of all was seen.
    """
    from scipy.special import gammaincinv

    # Of what one find weighs: the usual, or one pair where there is none.
    weight = np.divide(total, independent, out=np.ones_like(total), where=independent > 0)
    low = np.where(independent > 0, gammaincinv(np.maximum(independent, 1e-9), 0.025), 0) * weight
    high = gammaincinv(independent + 1, 0.975) * weight
    unknown = np.sqrt(1 - share)
    return (total - (total - low) * unknown) * scale, (total + (high - total) * unknown) * scale


def hashed_sample(texts: Texts, measure: str, thresholds: np.ndarray, share: float, seed: int = 1) -> Curve:
    """Join a share of the left texts with a share of the right ones and scale up by both rates."""
    limits = bounds_of(texts, measure, list(thresholds))
    random = np.random.default_rng(seed)
    left, right = (_some(side, share, random) for side in (texts.left, texts.other))
    self_join = texts.right is None
    if self_join:
        right = left
    tally = Tally(texts, measure, limits)
    floor = limits[int(np.argmin(thresholds))]
    found, entries = np.zeros(len(limits)), np.zeros(len(limits))
    index = prefix_index(right, floor, texts.tokens, self_join)
    for pairs in blocks_of_pairs(left, right, floor, index, self_join):
        weights = texts.left_counts[pairs.left] * texts.right_counts[pairs.right]
        found += tally.reached(pairs.left, pairs.right, pairs.overlap, weights)
        entries += tally.reached(pairs.left, pairs.right, pairs.overlap, np.ones(len(pairs), np.int64))
    n, taken = len(texts.left), len(left)
    if self_join:
        scale = n * (n - 1) / max(taken * (taken - 1), 1)
    else:
        scale = n / max(taken, 1) * len(texts.other) / max(len(right), 1)
    low, high = _interval(found, entries, scale, 0.0)
    known = same_text(texts, limits) if self_join else 0
    return Curve.estimated(thresholds, found * scale + known, low + known, high + known, all_pairs(texts))


def _some(side: Collection, share: float, random: np.random.Generator) -> Collection:
    taken = min(len(side), max(2, round(share * len(side))))
    return side.take(np.sort(random.choice(len(side), taken, replace=False)))
