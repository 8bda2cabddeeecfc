"""Which tokeniser, measure, threshold and lead reach a precision, judged without a label.

The evidence is in the reference side itself. Take one of its texts away from it and look for its partner all the same:
whatever is found is wrong, so the similarity and the lead over the runner-up of such a probe show how false matches
look here. A left text whose counterpart is missing, or unlike it, meets just such a match.

A left text joins wrongly where a false match F beats the true one S. The best match is the larger of both, so with H
the distribution of the best similarities and G that of the probes, P(S <= x) = H(x) / G(x), taken as independent. The
false ones among the joined at threshold t and lead m are then

    n * mean over probes with similarity x >= t and lead >= m of P(S <= x - m)

since the true match must stay m behind to be neither the best nor the runner-up that forbids the join. A left text
without any counterpart has S = 0 and is counted among them. Where more of the joined are less like their match than
another right text is, those are taken for the false ones: the left side then lies outside what the probes know.

This is target-decoy search (Elias and Gygi 2007) with competition, on the probes of constrained fuzzy join (Zhu et al.,
Auto-Join, VLDB 2017) and of AutoFJ (SIGMOD 2021).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lakeview.estimate.similarity.counting import predicted_seconds
from lakeview.estimate.similarity.measures import bound
from lakeview.estimate.similarity.texts import Distinct, Texts, identical, token_sets
from lakeview.join.fuzzy.matches import BestTwo, best_two

TOKENISERS = ("words", "both", "3-grams")
_STEPS = 50  # thresholds and leads are tried in steps of 1/50
_LEADS = 31  # leads of 0 to 0.6
_PROBES = 5000  # texts looked at on each side
_FLOORS = (0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)  # Jaccard; the lowest whose whole join is predicted to be affordable
_SECONDS = 30.0
_DOUBT = 0.5  # false matches added to those expected, so that a handful of matches proves nothing
# How far the expectation was off on public data with known truth: false matches were up to twice as many, or a third.
_TOO_FEW, _TOO_MANY = 2.0, 3.0


@dataclass(frozen=True)
class Configuration:
    """How texts are compared and which best matches are joined: similarity >= threshold, and lead >= lead.

    floor: partners under it count as none, also as runner-up.
    """

    tokeniser: str
    measure: str
    floor: float
    threshold: float
    lead: float = 0.0


@dataclass(frozen=True)
class Advice:
    """A configuration with the precision to expect of the pairs that are not identical, and the interval of that.

    expected: the left texts that will be joined rightly. identical: how many are joined because they are the same.
    reached: whether the target is.
    """

    configuration: Configuration
    target: float
    precision: float
    low: float
    high: float
    matches: int
    identical: int
    reached: bool

    def __str__(self) -> str:
        how = self.configuration
        ahead = f" that lead their runner-up by {how.lead:.2f}" if how.lead else ""
        known = f" beside {self.identical:,} identical values" if self.identical else ""
        judged = f"precision ≈ {self.precision:.2f} ({self.low:.2f}–{self.high:.2f})"
        if self.reached and not self.matches:
            return f"only identical values are joined: nothing else reaches precision {self.target:.2f}"
        if self.reached:
            return (
                f"{how.tokeniser}, {how.measure} ≥ {how.threshold:.2f}{ahead}: "
                f"{self.matches:,} matches{known}, {judged} for a target of {self.target:.2f}"
            )
        if not self.matches:
            return f"no value is like any on the right, so nothing reaches precision {self.target:.2f} or was joined"
        return (
            f"no threshold reaches precision {self.target:.2f}; the best is {judged} at {how.tokeniser}, "
            f"{how.measure} ≥ {how.threshold:.2f}{ahead}, for {self.matches:,} matches. Nothing was joined"
        )


def advise(left: Distinct, right: Distinct, target: float, seed: int = 1) -> Advice:
    """The configuration that is expected to join most texts rightly among those of the target's precision."""
    random = np.random.default_rng(seed)
    some_left, some_right = (_some(len(side.text), random) for side in (left, right))
    scale = len(left.text) / max(len(some_left), 1)
    # What is identical needs no evidence, and would drown that of the rest.
    same = identical(left, right)[some_left] >= 0
    tried: list[Advice] = []
    for tokeniser in TOKENISERS:
        texts = token_sets(left, right, tokeniser)
        assert texts.right is not None
        for (measure, floor), real, false, outdone in _look(texts, some_left, some_right):
            tried.append(_judge(tokeniser, measure, floor, real, false, outdone, same, target, scale))
    good = [advice for advice in tried if advice.reached]
    if good:
        return max(good, key=lambda advice: (advice.matches * advice.precision, advice.precision))
    if same.any():  # the same text is the same key
        known = round(same.sum() * scale)
        return Advice(Configuration("3-grams", "jaccard", 1.0, 1.0), target, 1.0, 1.0, 1.0, 0, known, True)
    return max(tried, key=lambda advice: (advice.precision, advice.matches))


def _some(n: int, random: np.random.Generator) -> np.ndarray:
    return np.arange(n) if n <= _PROBES else np.sort(random.choice(n, _PROBES, replace=False))


def cosine_floor(jaccard: float) -> float:
    """The cosine that no pair of at least this Jaccard similarity is under (it is its Dice at the least)."""
    return 2 * jaccard / (1 + jaccard)


def _look(
    texts: Texts, some_left: np.ndarray, some_right: np.ndarray
) -> Iterator[tuple[tuple[str, float], BestTwo, BestTwo, np.ndarray]]:
    """Per measure and floor: the best two of the sampled left texts, and of the sampled right ones as probes, and which
    left texts are less like their match than another right text is."""
    right = texts.right
    assert right is not None
    floor = next((f for f in _FLOORS if predicted_seconds(texts, bound("jaccard", f, texts.largest)) <= _SECONDS),
                 _FLOORS[-1])  # fmt: skip
    # Cosine lets pass all that Jaccard does, so one join serves both.
    floors = [("cosine", cosine_floor(floor)), ("jaccard", floor)]
    real = best_two(texts.left.take(_places(texts.left.rows, some_left)), right, len(texts.left), texts.tokens,
                    texts.largest, floors)  # fmt: skip
    partners = np.concatenate([best.right[some_left] for best in real])
    probes = np.union1d(some_right, partners[partners >= 0])
    false = best_two(right.take(_places(right.rows, probes)), right, len(right), texts.tokens, texts.largest, floors,
                     same=True)  # fmt: skip
    for configured, of_left, of_right in zip(floors, real, false, strict=True):
        found = of_left.take(some_left)
        nearest = np.append(of_right.similarity, 0.0)[found.right]  # the last for no match
        yield configured, found, of_right.take(some_right), found.similarity < nearest


def _places(rows: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    return np.flatnonzero(np.isin(rows, wanted))


def _cells(values: np.ndarray, cells: int) -> np.ndarray:
    return np.clip((values * _STEPS + 1e-9).astype(np.int64), 0, cells - 1)


def _judge(
    tokeniser: str, measure: str, floor: float, real: BestTwo, false: BestTwo, outdone: np.ndarray,
    same: np.ndarray, target: float, scale: float,
) -> Advice:  # fmt: skip
    """The threshold and lead that join most texts rightly at the target; the most precise ones where none does."""
    n, probes = len(real.right), len(false.right)
    joined = _at_least(real, np.where(same | (real.right < 0), 0.0, 1.0))
    true_below = _true_below(real.similarity, false.similarity)
    found = np.zeros((_STEPS + 1, _LEADS))
    steps = np.arange(_STEPS + 1)
    counted = np.zeros((_STEPS + 1, _LEADS))
    hit = false.right >= 0
    np.add.at(counted, (_cells(false.similarity[hit], _STEPS + 1), _cells(false.lead[hit], _LEADS)), 1)
    leading = np.cumsum(counted[:, ::-1], axis=1)[:, ::-1]
    for lead in range(_LEADS):
        chance = true_below[np.maximum(steps - lead, 0)]
        found[:, lead] = np.cumsum((leading[:, lead] * chance)[::-1])[::-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        wrong = np.maximum(found * (n / max(probes, 1)) + _DOUBT, _at_least(real, np.where(outdone & ~same, 1.0, 0.0)))
        precision = np.where(joined > 0, np.maximum(1 - wrong / joined, 0.0), 0.0)
    right = joined * np.where(precision >= target, precision, 0.0)
    reached = bool(right.max(initial=0) > 0)
    at = np.unravel_index((right if reached else precision * (joined > 0)).argmax(), right.shape)
    low, high = _interval(float(wrong[at]), float(joined[at]))
    configuration = Configuration(tokeniser, measure, floor, max(float(at[0]) / _STEPS, floor), float(at[1]) / _STEPS)
    matches, known = round(joined[at] * scale), round(same.sum() * scale)
    return Advice(configuration, target, float(precision[at]), low, high, matches, known, reached)


def _at_least(best: BestTwo, weight: np.ndarray) -> np.ndarray:
    """[threshold, lead]: the weight of the texts whose best match has at least both."""
    counts = np.zeros((_STEPS + 1, _LEADS))
    np.add.at(counts, (_cells(best.similarity, _STEPS + 1), _cells(best.lead, _LEADS)), weight)
    return np.cumsum(np.cumsum(counts[::-1, ::-1], axis=0), axis=1)[::-1, ::-1]


def _true_below(best: np.ndarray, false: np.ndarray) -> np.ndarray:
    """[similarity]: P(S <= x), from H(x) / G(x), at the upper ends of the cells; rising, and rather too high."""
    h, g = (np.cumsum(np.bincount(_cells(x, _STEPS + 1), minlength=_STEPS + 1)) for x in (best, false))
    ratio = (h + 1) / max(len(best), 1) / ((g + 1) / max(len(false), 1))
    return np.maximum.accumulate(np.clip(ratio, 0, 1))


def _interval(wrong: float, joined: float) -> tuple[float, float]:
    """95% for the precision, where so many wrong ones are expected: chance, and the model's own error beside it."""
    from scipy.special import gammaincinv

    if joined <= 0:
        return 0.0, 1.0
    most, least = gammaincinv(wrong + 1, 0.975) * _TOO_FEW, gammaincinv(wrong, 0.025) / _TOO_MANY
    return float(np.clip(1 - most / joined, 0, 1)), float(np.clip(1 - least / joined, 0, 1))
