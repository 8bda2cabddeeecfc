"""Both sides of a fuzzy join as texts that have met: joined once, at a floor, whatever the threshold becomes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from lakeview.errors import InputError
from lakeview.estimate.similarity.counting import predicted_seconds
from lakeview.estimate.similarity.measures import bound
from lakeview.estimate.similarity.texts import Distinct, Texts, identical, token_sets
from lakeview.join.fuzzy.advisor import Configuration, figures_of
from lakeview.join.fuzzy.edit import EDITS, edit_matches
from lakeview.join.fuzzy.figures import agree
from lakeview.join.fuzzy.matches import BestTwo, best_two

# What it may cost to know the pairs under the threshold, so that what lies just below it shows.
_SECONDS = 1.0
_STEPS_BELOW = 4
_LEAST = 0.01  # what is less alike is no runner-up


@dataclass(frozen=True)
class Matched:
    """Both key columns as distinct texts, and the best two right texts of each left one, above the floor."""

    left: Distinct
    right: Distinct
    configuration: Configuration
    best: BestTwo

    @classmethod
    def of(cls, left: Distinct, right: Distinct, how: Configuration) -> Matched:
        return cls(left, right, how, match(left, right, how))

    @cached_property
    def tokens(self) -> Texts:
        return token_sets(self.left, self.right, self.configuration.tokeniser)

    @cached_property
    def same(self) -> np.ndarray:
        """Of each left text, whether its best match is the very same text."""
        return (self.best.right >= 0) & (identical(self.left, self.right) == self.best.right)

    @property
    def cut(self) -> float:
        """The smallest float that counts as at or above the threshold."""
        how = self.configuration
        if how.measure in EDITS:
            return how.threshold * (1 - 1e-15)
        return bound(how.measure, how.threshold, self.tokens.largest).cut

    @property
    def ahead(self) -> np.ndarray:
        """Of each left text, whether its best match leads by enough, and no number contradicts it; the same text needs
        no lead."""
        # 0.8 - 0.5 is a little less than 0.3.
        return ((self.best.lead >= self.configuration.lead - 1e-9) & self._agrees) | self.same

    @cached_property
    def _agrees(self) -> np.ndarray:
        if not self.configuration.numbers:
            return np.ones(len(self.left.text), bool)
        return agree(*figures_of(self.left, self.right), np.arange(len(self.left.text)), self.best.right)

    @property
    def reached(self) -> np.ndarray:
        """Of each left text, whether threshold and lead let it join."""
        return (self.best.right >= 0) & (self.best.similarity >= self.cut) & self.ahead

    def at(self, threshold: float, lead: float) -> Matched:
        """The same at another threshold; joined again only where that is under the floor."""
        how = replace(self.configuration, threshold=float(threshold), lead=lead)
        if how.measure not in EDITS:
            bound(how.measure, threshold, self.tokens.largest)  # refuses what is out of range
        if threshold < how.floor:
            return Matched.of(self.left, self.right, replace(how, floor=float(threshold)))
        return replace(self, configuration=how)


def match(left: Distinct, right: Distinct, how: Configuration) -> BestTwo:
    """The best two right texts of each left one, above the configuration's floor."""
    if how.measure in EDITS:
        best = edit_matches(left.text, right.text, how.measure, how.floor)
    else:
        texts = token_sets(left, right, how.tokeniser)
        assert texts.right is not None
        floors = [(how.measure, how.floor)]
        best = best_two(texts.left, texts.right, len(left.text), texts.tokens, texts.largest, floors)[0]
    best.prefer(np.where(best.right >= 0, identical(left, right), -1))
    return best


def with_floor(left: Distinct, right: Distinct, how: Configuration, scale: float = 1.0) -> Configuration:
    """The configuration with as low a floor as costs little, and low enough to tell every lead that is asked for.

    scale: how many left texts there are to each of these.
    """
    if how.measure in EDITS:
        if not 0 < how.threshold <= 1:
            raise InputError(f"a threshold must be above 0 and at most 1, not {how.threshold}")
        return replace(how, floor=max(how.threshold - how.lead, _LEAST)) if how.lead else how
    tokens = token_sets(left, right, how.tokeniser)
    bound(how.measure, how.threshold, tokens.largest)  # refuses what is out of range
    step, least = (1.0, 1.0) if how.measure == "overlap" else (0.05, _LEAST)
    lowest = max(how.threshold - _STEPS_BELOW * step, step)
    highest = max(how.threshold - how.lead, least)  # a runner-up under it is far enough behind
    for floor in np.arange(lowest, highest - step / 2, step).round(4).tolist():
        if scale * predicted_seconds(tokens, bound(how.measure, floor, tokens.largest)) <= _SECONDS:
            return replace(how, floor=floor)
    return replace(how, floor=highest)
