"""Which tokeniser, measure, threshold and lead reach a precision: the choice among what `evidence.py` expects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from lakeview.estimate.similarity.counting import predicted_seconds
from lakeview.estimate.similarity.measures import bound
from lakeview.estimate.similarity.texts import Distinct, Texts, identical, token_sets
from lakeview.join.fuzzy.evidence import STEPS, Evidence, look, weigh
from lakeview.join.fuzzy.figures import Figures

TOKENISERS = ("words", "both", "3-grams")
_PROBES = 5000  # texts looked at on each side
_FLOORS = (0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)  # Jaccard; the lowest whose whole join is predicted to be affordable
_SECONDS = 30.0


@dataclass(frozen=True)
class Configuration:
    """How texts are compared and which best matches are joined: similarity >= threshold, and lead >= lead.

    floor: partners under it count as none, also as runner-up. numbers: whether texts whose numbers contradict each
    other do not join (`figures`).
    """

    tokeniser: str
    measure: str
    floor: float
    threshold: float
    lead: float = 0.0
    numbers: bool = False


@dataclass(frozen=True)
class Advice:
    """A configuration with the precision to expect of the pairs that are not identical, and the interval of that.

    matches: the left texts that will be joined. identical: how many more are joined because they are the same.
    reached: whether the target is. evidence: what it was chosen by.
    """

    configuration: Configuration
    target: float
    precision: float
    low: float
    high: float
    matches: int
    identical: int
    reached: bool
    evidence: Evidence | None = field(default=None, repr=False, compare=False)

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
    tried = [choose(evidence, target) for tokeniser in TOKENISERS
             for evidence in gather(left, right, tokeniser, seed=seed)]  # fmt: skip
    good = [advice for advice in tried if advice.reached]
    if good:
        return max(good, key=lambda advice: (advice.matches * advice.precision, advice.precision))
    best = max(tried, key=lambda advice: (advice.precision, advice.matches))
    if best.identical:  # the same text is the same key
        same = Configuration("3-grams", "jaccard", 1.0, 1.0)
        found = replace(tried[-1], configuration=same, precision=1.0, low=1.0, high=1.0, matches=0, reached=True)
        return replace(found, evidence=None)
    return best


def gather(
    left: Distinct, right: Distinct, tokeniser: str, measures: Sequence[tuple[str, float]] | None = None,
    numbers: bool = True, seed: int = 1,
) -> list[Evidence]:  # fmt: skip
    """The evidence under one tokeniser, of each (measure, floor); by default of cosine and Jaccard at a floor that is
    affordable. numbers: whether texts whose numbers contradict each other do not join."""
    random = np.random.default_rng(seed)
    some_left, some_right = (_some(len(side.text), random) for side in (left, right))
    scale = len(left.text) / max(len(some_left), 1)
    # What is identical needs no evidence, and would drown that of the rest.
    same = identical(left, right)[some_left] >= 0
    texts = token_sets(left, right, tokeniser)
    floors = _affordable(texts) if measures is None else measures
    looked = look(texts, some_left, some_right, floors, figures_of(left, right) if numbers else None)
    return [weigh(tokeniser, measure, floor, *found, same, scale, numbers)
            for (measure, floor), found in zip(floors, looked, strict=True)]  # fmt: skip


def choose(evidence: Evidence, target: float) -> Advice:
    """The threshold and lead that join most texts rightly at the target; the most precise ones where none does."""
    joined, precision = evidence.joined, evidence.precision
    right = joined * np.where(precision >= target, precision, 0.0)
    reached = bool(right.max(initial=0) > 0)
    place = np.unravel_index((right if reached else precision * (joined > 0)).argmax(), right.shape)
    at = int(place[0]), int(place[1])
    threshold, lead = max(at[0] / STEPS, evidence.floor), at[1] / STEPS
    low, high = evidence.interval(at)
    how = Configuration(evidence.tokeniser, evidence.measure, evidence.floor, threshold, lead, evidence.numbers)
    matches, known = round(joined[at] * evidence.scale), round(evidence.identical * evidence.scale)
    return Advice(how, target, float(precision[at]), low, high, matches, known, reached, evidence)


def figures_of(left: Distinct, right: Distinct) -> tuple[Figures, Figures]:
    """The numbers in the texts of both sides."""
    return Figures.of(left.text), Figures.of(right.text)


def _some(n: int, random: np.random.Generator) -> np.ndarray:
    return np.arange(n) if n <= _PROBES else np.sort(random.choice(n, _PROBES, replace=False))


def cosine_floor(jaccard: float) -> float:
    """The cosine that no pair of at least this Jaccard similarity is under (it is its Dice at the least)."""
    return 2 * jaccard / (1 + jaccard)


def _affordable(texts: Texts) -> list[tuple[str, float]]:
    floor = next((f for f in _FLOORS if predicted_seconds(texts, bound("jaccard", f, texts.largest)) <= _SECONDS),
                 _FLOORS[-1])  # fmt: skip
    # Cosine lets pass all that Jaccard does, so one join serves both.
    return [("cosine", cosine_floor(floor)), ("jaccard", floor)]
