"""About how long work will still take: from how fast it went so far, rounded, and never more than was said before."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

_LEAST = 1.0  # seconds of work before anything is said
_SURE = 5.0  # seconds after which a small share of the work says something, too
_SHARE = 0.2  # of the work, that says something before


class Remaining:
    """Asked at each report of a piece of work; `total` is another one where another stage of it begins.

    >>> ticks = iter([0.0, 10.0])
    >>> remaining = Remaining(lambda: next(ticks))
    >>> remaining.after(0, 100), remaining.after(50, 100)
    (None, 10.0)
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._stage: tuple[int, float, int] | None = None  # total, when it began, what was done then
        self._said: float | None = None

    def after(self, done: int, total: int) -> float | None:
        """Seconds that are left where `done` of `total` is done; None while there is nothing to tell it by."""
        now = self._clock()
        if self._stage is None or self._stage[0] != total:
            self._stage, self._said = (total, now, done), None
        _, began, before = self._stage
        took, moved = now - began, done - before
        if not 0 < done < total or moved <= 0 or took < _LEAST:
            return self._said
        if took < _SURE and done < _SHARE * total:
            return self._said
        left = rounded(took * (total - done) / moved)
        self._said = left if self._said is None else min(left, self._said)
        return self._said


def rounded(seconds: float) -> float:
    """To a second below ten, to five below a minute and a half, to half a minute below ten minutes, else to minutes."""
    step = 1 if seconds < 10 else 5 if seconds < 90 else 30 if seconds < 600 else 60
    return float(max(1, math.ceil(seconds / step - 1e-9)) * step)
