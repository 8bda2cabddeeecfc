"""How many of the joined pairs to expect to be false at each threshold and lead, judged without a label.

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

Pairs that an analyst judged correct it: they multiply the odds of a false match by one factor, whose logarithm before
anything is judged is what it was on public data (the expectation is rather too cautious), give or take its error there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from lakeview.estimate.similarity.texts import Texts
from lakeview.join.fuzzy.figures import Figures, agree
from lakeview.join.fuzzy.matches import BestTwo, best_two

STEPS = 50  # thresholds and leads are tried in steps of 1/50
LEADS = 31  # leads of 0 to 0.6
_DOUBT = 0.25  # false matches added to those expected, so that a handful of matches proves nothing
# How far the expectation was off on public data with known truth: false matches were up to twice as many, or a third.
_TOO_FEW, _TOO_MANY = 2.0, 3.0
USUAL = -0.3  # the logarithm of the factor by which the odds of false matches were other than expected
_SPREAD = 0.5  # standard deviation of the logarithm of that
_NEAR = 3  # steps on either side that tell how often a match of some similarity is false


@dataclass(frozen=True)
class Evidence:
    """What is expected of the best matches under one tokeniser and measure, partners under `floor` left out.

    joined, wrong: float64[STEPS + 1, LEADS], texts joined at a threshold and lead, identical ones left out, and the
        false ones among them. scale: texts of the left side to each that was looked at. identical: of those looked at.
    numbers: whether texts whose numbers contradict each other do not join.
    shift, spread: the logarithm of the factor on the odds of a false match, from judged pairs, and its deviation.
    """

    tokeniser: str
    measure: str
    floor: float
    joined: np.ndarray
    wrong: np.ndarray
    identical: int
    scale: float
    numbers: bool = False
    shift: float = USUAL
    spread: float = _SPREAD

    @cached_property
    def precision(self) -> np.ndarray:
        """[threshold, lead]: the expected share of right ones among the joined, 0 where nothing is joined."""
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(self.joined > 0, self.wrong / self.joined, 1.0)
        return 1 - np.where(self.joined > 0, shifted(share, self.shift), 1.0)

    def at(self, threshold: float, lead: float) -> tuple[int, int]:
        """Where a threshold and lead stand in the tables."""
        return int(cells(np.array([threshold]), STEPS + 1)[0]), int(cells(np.array([lead]), LEADS)[0])

    def interval(self, at: tuple[int, int]) -> tuple[float, float]:
        """95% for the precision there: chance, and the expectation's own error beside it."""
        from scipy.special import gammaincinv

        joined = float(self.joined[at])
        if joined <= 0:
            return 0.0, 1.0
        wrong, known = (1 - float(self.precision[at])) * joined, self.spread / _SPREAD
        most = gammaincinv(wrong + 1, 0.975) * _TOO_FEW**known
        least = gammaincinv(wrong, 0.025) / _TOO_MANY**known if wrong > 0 else 0.0
        return float(np.clip(1 - most / joined, 0, 1)), float(np.clip(1 - least / joined, 0, 1))

    @cached_property
    def _false_near(self) -> np.ndarray:
        """[similarity]: the share of false ones among matches about as similar, never rising."""
        window = np.ones(2 * _NEAR + 1)
        wrong, joined = (np.convolve(-np.diff(table[:, 0], append=0.0), window, "same")
                         for table in (self.wrong, self.joined))  # fmt: skip
        return np.minimum.accumulate(np.clip((wrong + 0.25) / (joined + 0.5), 0.02, 0.98))

    def judged(self, similarities: np.ndarray, right: np.ndarray) -> Evidence:
        """The evidence once best matches of these similarities were found right or not (bool): the most likely factor.

        One step of logistic regression with nothing but an intercept, and a normal prior on it.
        """
        if not len(right):
            return replace(self, shift=USUAL, spread=_SPREAD)
        false = self._false_near[cells(similarities, STEPS + 1)]
        shift = USUAL
        for _ in range(50):  # Newton's method on a concave function of one number
            chance = shifted(false, shift)
            slope = ((~right) - chance).sum() - (shift - USUAL) / _SPREAD**2
            shift += slope / ((chance * (1 - chance)).sum() + 1 / _SPREAD**2)
        chance = shifted(false, shift)
        return replace(self, shift=float(shift), spread=float(((chance * (1 - chance)).sum() + _SPREAD**-2) ** -0.5))


def shifted(share: np.ndarray, shift: float) -> np.ndarray:
    """Shares whose odds are multiplied by exp(shift)."""
    if not shift:
        return np.minimum(share, 1.0)
    share = np.clip(share, 0.0, 0.98)  # no expectation is beyond correction
    odds = share / (1 - share) * np.exp(shift)
    return odds / (1 + odds)


def look(
    texts: Texts, some_left: np.ndarray, some_right: np.ndarray, floors: Sequence[tuple[str, float]],
    figures: tuple[Figures, Figures] | None = None,
) -> Iterator[tuple[BestTwo, BestTwo, np.ndarray, np.ndarray, np.ndarray]]:  # fmt: skip
    """Per (measure, floor): the best two of the sampled left texts, and of the sampled right ones as probes, and which
    left texts are less like their match than another right text is. The first floor lets pass what the others do.
    figures: the numbers of the left and the right texts, where texts whose numbers contradict each other do not join;
    the last two say of which texts and probes the match may join."""
    right = texts.right
    assert right is not None
    real = best_two(texts.left.take(_places(texts.left.rows, some_left)), right, len(texts.left_counts), texts.tokens,
                    texts.largest, floors)  # fmt: skip
    partners = np.concatenate([best.right[some_left] for best in real])
    probes = np.union1d(some_right, partners[partners >= 0])
    false = best_two(right.take(_places(right.rows, probes)), right, len(texts.right_counts), texts.tokens,
                     texts.largest, floors, same=True)  # fmt: skip
    for of_left, of_right in zip(real, false, strict=True):
        found = of_left.take(some_left)
        nearest = np.append(of_right.similarity, 0.0)[found.right]  # the last for no match
        tried = of_right.take(some_right)
        may = [np.ones(len(some_left), bool), np.ones(len(some_right), bool)]
        if figures is not None:
            left, right_ones = figures
            may = [
                agree(left, right_ones, some_left, found.right),
                agree(right_ones, right_ones, some_right, tried.right),
            ]
        yield found, tried, found.similarity < nearest, may[0], may[1]


def _places(rows: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    return np.flatnonzero(np.isin(rows, wanted))


def weigh(
    tokeniser: str, measure: str, floor: float, real: BestTwo, false: BestTwo, outdone: np.ndarray,
    may: np.ndarray, false_may: np.ndarray, same: np.ndarray, scale: float, numbers: bool = False,
) -> Evidence:  # fmt: skip
    """The evidence of what `look` found; `same` tells which left texts are also on the right."""
    n, probes = len(real.right), len(false.right)
    joined = _at_least(real, np.where(same | (real.right < 0) | ~may, 0.0, 1.0))
    true_below = _true_below(real.similarity, false.similarity)
    found = np.zeros((STEPS + 1, LEADS))
    steps = np.arange(STEPS + 1)
    counted = np.zeros((STEPS + 1, LEADS))
    hit = (false.right >= 0) & false_may
    np.add.at(counted, (cells(false.similarity[hit], STEPS + 1), cells(false.lead[hit], LEADS)), 1)
    leading = np.cumsum(counted[:, ::-1], axis=1)[:, ::-1]
    for lead in range(LEADS):
        chance = true_below[np.maximum(steps - lead, 0)]
        found[:, lead] = np.cumsum((leading[:, lead] * chance)[::-1])[::-1]
    wrong = np.maximum(
        found * (n / max(probes, 1)) + _DOUBT, _at_least(real, np.where(outdone & may & ~same, 1.0, 0.0))
    )
    return Evidence(tokeniser, measure, floor, joined, wrong, int(same.sum()), scale, numbers)


def cells(values: np.ndarray, count: int) -> np.ndarray:
    """The step that each value lies in."""
    return np.clip((values * STEPS + 1e-9).astype(np.int64), 0, count - 1)


def _at_least(best: BestTwo, weight: np.ndarray) -> np.ndarray:
    """[threshold, lead]: the weight of the texts whose best match has at least both."""
    counts = np.zeros((STEPS + 1, LEADS))
    np.add.at(counts, (cells(best.similarity, STEPS + 1), cells(best.lead, LEADS)), weight)
    return np.cumsum(np.cumsum(counts[::-1, ::-1], axis=0), axis=1)[::-1, ::-1]


def _true_below(best: np.ndarray, false: np.ndarray) -> np.ndarray:
    """[similarity]: P(S <= x), from H(x) / G(x), at the upper ends of the cells; rising, and rather too high."""
    h, g = (np.cumsum(np.bincount(cells(x, STEPS + 1), minlength=STEPS + 1)) for x in (best, false))
    ratio = (h + 1) / max(len(best), 1) / ((g + 1) / max(len(false), 1))
    return np.maximum.accumulate(np.clip(ratio, 0, 1))
