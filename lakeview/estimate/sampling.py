"""Join size from a sample of the texts: some left ones against all right ones, or some of both sides.

The first is ours and the default: the prefix index makes the partners of one left text cheap and exact, so the only
error is that of choosing texts. Where texts repeat, few of them make most pairs of rows, so nothing that weighs much is
left to chance: pairs of equal texts are counted, texts of very many rows meet all of the other side, and the others
are drawn with a chance in proportion to their rows (Hansen and Hurwitz 1943), each find divided by that chance.

Hashed sampling (Hadjieleftheriou et al., VLDB 2008) takes a share of both sides, and so sees a pair with the square of
that share alone.
"""

from __future__ import annotations

import numpy as np

from lakeview.estimate.curve import Curve
from lakeview.estimate.similarity.collection import Collection
from lakeview.estimate.similarity.counting import Tally, bounds_of, same_text
from lakeview.estimate.similarity.measures import Bound
from lakeview.estimate.similarity.prefix_join import blocks_of_pairs, prefix_index
from lakeview.estimate.similarity.texts import Texts

_LEAST = 1_000  # texts that a sample has at least: fewer would save no time to speak of


def all_pairs(texts: Texts) -> float:
    """The pairs of rows there are: of one column unordered ones, else left rows times right rows."""
    left = float(texts.left_counts.sum())
    return left * (left - 1) / 2 if texts.right is None else left * float(texts.right_counts.sum())


def sample_rows(texts: Texts, measure: str, thresholds: np.ndarray, share: float, seed: int = 1,
                population: int | None = None) -> Curve:  # fmt: skip
    """Probe the index of all right texts with a share of the left ones.

    population: how many left texts there are, where `texts` holds a random sample of them already.

    Pairs of one left text come together: the interval counts as many independent finds as their squares suggest.
    """
    limits = bounds_of(texts, measure, list(thresholds))
    here = len(texts.left)
    drawn_before = here / population if population else 1.0
    chance = inclusion(texts.left_counts, max(share * here, _LEAST))
    heavy = chance >= 1  # of the other side: met by all of this one
    if texts.right is not None:
        heavy = inclusion(texts.right_counts, max(share * len(texts.right), _LEAST)) >= 1
    if drawn_before < 1:
        heavy = np.zeros_like(heavy)  # all of this side is not here
    chosen = drawn(chance, np.random.default_rng(seed))
    found = _partners(texts, measure, limits, int(np.argmin(thresholds)), chosen, heavy, drawn_before < 1)
    chance = chance[chosen] * drawn_before
    known = np.zeros(len(limits))
    if drawn_before == 1:
        known = same_text(texts, limits) + _with_heavy(texts, measure, limits, int(np.argmin(thresholds)), heavy)
    known = known + found[chance >= 1].sum(axis=0)
    some = chance < 1
    each = texts.left_counts[chosen[some]] / chance[some] / (2 if texts.right is None else 1)
    unseen = float(each.max(initial=0) * texts.right_counts[~heavy].max(initial=1))
    weights, missed = found[some] / chance[some, None], 1 - chance[some]
    heaviest = np.maximum(weights.max(axis=0, initial=0), unseen) * np.sqrt(missed.mean()) if some.any() else 0.0
    pairs = weights.sum(axis=0)
    low, high = _interval(pairs, missed @ weights**2, heaviest)
    return Curve.estimated(thresholds, pairs + known, low + known, high + known, all_pairs(texts) / drawn_before)


def inclusion(rows: np.ndarray, taken: float) -> np.ndarray:
    """The chance of each text to be in a sample of so many: in proportion to its rows, but at most 1."""
    chance = np.ones(len(rows))
    certain = np.full(len(rows), taken >= len(rows))
    while not certain.all():
        rest = max(taken - certain.sum(), 1.0)
        chance = np.where(certain, 1.0, rows * (rest / max(rows[~certain].sum(), 1)))
        if not (more := (chance >= 1) & ~certain).any():
            break
        certain |= more
    return np.minimum(chance, 1.0)


def drawn(chance: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Places, ascending, of a sample in which each has its chance: every so many along a random order of them."""
    order = random.permutation(np.flatnonzero(chance < 1))
    ends = np.cumsum(chance[order])
    steps = np.arange(random.random(), ends[-1] if len(ends) else 0.0)
    return np.union1d(np.flatnonzero(chance >= 1), order[np.searchsorted(ends, steps, side="right")])


def _partners(
    texts: Texts, measure: str, limits: list[Bound], lowest: int, chosen: np.ndarray, heavy: np.ndarray, equal: bool
) -> np.ndarray:
    """float64[chosen, thresholds]: the pairs of rows that each chosen left text is in, those with heavy right texts
    left out, and those of equal texts unless `equal`.

    A pair of one column is met from both ends: half of it each time, or all of it from the one end that is heavy."""
    probes, other = texts.left.take(np.flatnonzero(np.isin(texts.left.rows, chosen))), texts.other
    place = np.full(len(texts.left), -1, np.int64)
    place[chosen] = np.arange(len(chosen))
    tally = Tally(texts, measure, limits)
    found = np.zeros((len(chosen), len(limits) + 1))
    for pairs in blocks_of_pairs(probes, other, limits[lowest], prefix_index(other, limits[lowest], texts.tokens)):
        if not equal or texts.right is None:
            pairs = pairs.take(texts.same[pairs.left] != pairs.right)
        part = ~heavy[pairs.right]
        if texts.right is None:
            part = np.where(heavy[pairs.left] == heavy[pairs.right], 0.5, heavy[pairs.left])
        weights = part * texts.left_counts[pairs.left] * texts.right_counts[pairs.right]
        np.add.at(found, (place[pairs.left], tally.levels(pairs.left, pairs.right, pairs.overlap)), weights)
    return _at_least(found, tally)


def _at_least(found: np.ndarray, tally: Tally) -> np.ndarray:
    """From what reached just so many of the thresholds to what reached each: float64[n, thresholds]."""
    at_least = np.cumsum(found[:, ::-1], axis=1)[:, ::-1][:, 1:]
    by_threshold = np.empty_like(at_least)
    by_threshold[:, tally.order] = at_least
    return by_threshold


def _with_heavy(texts: Texts, measure: str, limits: list[Bound], lowest: int, heavy: np.ndarray) -> np.ndarray:
    """float64[thresholds]: the pairs of all left texts with heavy right ones, equal texts left out."""
    found = np.zeros(len(limits))
    if texts.right is None or not heavy.any():
        return found
    right, tally = texts.right.take(np.flatnonzero(heavy[texts.right.rows])), Tally(texts, measure, limits)
    for pairs in blocks_of_pairs(texts.left, right, limits[lowest], prefix_index(right, limits[lowest], texts.tokens)):
        pairs = pairs.take(texts.same[pairs.left] != pairs.right)
        weights = texts.left_counts[pairs.left] * texts.right_counts[pairs.right]
        found += tally.reached(pairs.left, pairs.right, pairs.overlap, weights)
    return found


def _interval(total: np.ndarray, squares: np.ndarray, heaviest: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    """A 95% interval for the expected total of independent rare finds of unlike weight (Fay and Feuer 1997): a gamma
    distribution, which stays honest where only a few were found, or none.

    squares: of the weights, summed. heaviest: what one that was missed may weigh.
    """
    from scipy.special import gammaincinv

    spread = np.divide(squares, total, out=np.ones_like(total), where=squares > 0)
    low = np.where(squares > 0, spread * gammaincinv(np.maximum(total / spread, 1e-9), 0.025), total)
    more = np.maximum(heaviest, 1e-9)
    spread = (squares + more**2) / (total + more)
    return np.minimum(low, total), np.maximum(spread * gammaincinv((total + more) / spread, 0.975), total)


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
    ends = np.zeros((len(texts.left) + (0 if self_join else len(texts.other)), len(limits) + 1))
    index = prefix_index(right, floor, texts.tokens, self_join)
    for pairs in blocks_of_pairs(left, right, floor, index, self_join):
        pairs = pairs.take(texts.same[pairs.left] != pairs.right)
        levels = tally.levels(pairs.left, pairs.right, pairs.overlap)
        weights = texts.left_counts[pairs.left] * texts.right_counts[pairs.right]
        for end in (pairs.left, pairs.right + (0 if self_join else len(texts.left))):
            np.add.at(ends, (end, levels), weights)
    n, taken = len(texts.left), len(left)
    if self_join:
        scale = n * (n - 1) / max(taken * (taken - 1), 1)
    else:
        scale = n / max(taken, 1) * len(texts.other) / max(len(right), 1)
    ends = _at_least(ends, tally) * scale
    known, pairs = same_text(texts, limits), ends.sum(axis=0) / 2
    low, high = _interval(pairs, (ends**2).sum(axis=0), np.maximum(ends.max(axis=0, initial=0), scale))
    return Curve.estimated(thresholds, pairs + known, low + known, high + known, all_pairs(texts))


def _some(side: Collection, share: float, random: np.random.Generator) -> Collection:
    taken = min(len(side), max(2, round(share * len(side))))
    return side.take(np.sort(random.choice(len(side), taken, replace=False)))
