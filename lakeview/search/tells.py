"""What one joined column tells of a target, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Part:
    """Rows whose values lie from `low` to `high`, or that have the category `low`; None for all other categories.

    mean: of the target in these rows; of a category of the target the share that has it.
    """

    low: Any
    high: Any
    rows: int
    mean: float


@dataclass(frozen=True)
class Tells:
    """What a column tells of a target, once joined (`estimate.association`).

    column      as the join's result calls it
    why         why it tells nothing, in words; "" where it tells something
    explained   the share of the target's variance that its parts account for, beyond chance
    chance      how often any column of its table would tell as much by chance
    of          the target, or of categories the one that the parts differ in the most: "delay", "status = late"
    is_share    whether the means are shares of rows
    mean        of all rows
    parts       in order, of categories those of the most rows first
    """

    column: str
    why: str
    explained: float = 0.0
    chance: float = 1.0
    of: str = ""
    is_share: bool = False
    mean: float = 0.0
    parts: tuple[Part, ...] = ()

    @property
    def is_telling(self) -> bool:
        return not self.why

    @property
    def span(self) -> tuple[float, float]:
        """The least and the greatest mean of a part, the one first that is met first."""
        means = [part.mean for part in self.parts]
        ends = sorted((means.index(min(means)), means.index(max(means))))
        return means[ends[0]], means[ends[1]]

    def __str__(self) -> str:
        if not self.is_telling:
            return f"{self.column}: {self.why}"
        first, last = self.span
        return f"{self.column}: {self.of} {first:.3g} to {last:.3g}, {self.explained:.1%} explained"
