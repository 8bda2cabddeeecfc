"""What the widget of `lv.explore` shows of a target: a column of hers that the hits' columns are to tell of."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from lakeview.notebook.output import words
from lakeview.notebook.output.html import clip, number
from lakeview.notebook.output.text import cell_text
from lakeview.notebook.widgets.traits import Told
from lakeview.search.telling import Teller, by_target
from lakeview.search.tells import Part, Tells

_LETTERS = 18  # of the ends of a part


class Targeted:
    """The target that is chosen, and what was counted of it so far."""

    def __init__(self, label: Hashable = None) -> None:
        self.label = label
        self._teller = None if label is None else Teller(label)

    def answers(self, found: Iterable[Any], grows: bool = False) -> Iterator[Any]:
        """The answers as they come; with a target the last one alone, in the order of what its hits' columns tell, so
        that rows need not move; grows: the others, too."""
        hits = None
        for hits in found:
            if hits.target is not None and hits.target == self.label:
                yield hits
                return
            hits = hits.by_join or hits
            if grows or self._teller is None:
                yield hits
        if hits is not None and self._teller is not None:
            yield by_target(hits, self._teller)

    def told(self, hit: Any, many: str) -> dict[str, Told]:
        """What the columns that a hit's join brings tell, by their names; nothing where no target is chosen."""
        if self._teller is None:
            return {}
        return {told.column: row(told) for told in self._teller.tells(hit, many)}


def row(told: Tells) -> Told:
    """What a column tells, in words and numbers."""
    shown = _shares if told.is_share else _numbers
    ends = shown(told.span) if told.parts else []
    return {
        "why": told.why,
        "of": clip(told.of, 60),
        "span": f"{ends[0]} to {ends[1]}" if ends else "",
        "share": told.explained,
        "explained": words.percent(told.explained, False) if told.is_telling else "",
        "mean": told.mean,
        "all": shown([told.mean])[0] if told.parts else "",
        "means": [part.mean for part in told.parts],
        "said": shown([part.mean for part in told.parts]),
        "parts": _ends(told.parts),
        "rows": [number(part.rows) for part in told.parts],
    }


def _ends(parts: Sequence[Part]) -> list[str]:
    """The values of each part: `13–39`, `2013-01-01–2013-03-01`, a category, or `others`; of numbers no more digits
    than tell the parts apart."""
    bounds = [(part.low, part.high) for part in parts]
    numbers = [end for both in bounds for end in both if isinstance(end, float) and math.isfinite(end)]
    write = _value
    if len(numbers) == 2 * len(bounds):
        write = next(short for digits in range(2, 18) if _tells_apart(short := partial(_short, digits=digits), bounds))
    return ["others" if low is None else write(low) if low == high else f"{write(low)}–{write(high)}"
            for low, high in bounds]  # fmt: skip


def _tells_apart(write: Callable[[Any], str], bounds: Sequence[tuple[Any, Any]]) -> bool:
    """Whether the lower ends are written differently, or nothing more would help."""
    return len({write(low) for low, _ in bounds}) == len({low for low, _ in bounds})


def _short(value: float, digits: int) -> str:
    """A number with so many digits that count; whole ones in full."""
    size = abs(value)
    if size >= 1e7 or 0 < size < 1e-4:
        return f"{value:.{digits - 1}e}"
    whole = len(str(int(size))) if size >= 1 else 0
    return f"{value:.{max(digits - whole, 0)}f}" if size >= 1 else f"{value:.{digits}g}"


def _value(value: Any) -> str:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d}" if value.time() == datetime.min.time() else f"{value:%Y-%m-%d %H:%M}"
    return clip(cell_text(value), _LETTERS)


def _numbers(values: Iterable[float]) -> list[str]:
    """Numbers with as many decimals as tell them apart: three digits of the largest."""
    found = list(values)
    most = max(map(abs, found), default=0.0)
    if most >= 1e6 or 0 < most < 1e-3:
        return [f"{value:.3g}" for value in found]
    decimals = 0 if most >= 100 else 1 if most >= 10 else 2 if most >= 1 else 3
    return [f"{value:,.{decimals}f}" for value in found]


def _shares(values: Iterable[float]) -> list[str]:
    return [words.percent(value, value >= 1) for value in values]
