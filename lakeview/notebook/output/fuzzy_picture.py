"""A fuzzy plan's curve as a picture: what a saved notebook shows of it, beside the words."""

from __future__ import annotations

import math
from typing import Any

from lakeview.errors import InputError
from lakeview.notebook.output.html import Html, el, number

_LEFT, _RIGHT, _TOP, _BASE = 70, 630, 24, 210
# A picture is seen on light and on dark pages alike, and knows no theme.
_LINE, _TEXT = "#1976d2", "#7a7a7a"


def curve_svg(plan: Any) -> Html | None:
    """Pairs against threshold, their band where estimated, and the threshold; None for measures without a curve."""
    try:
        curve = plan.curve
    except InputError:
        return None
    at, pairs, low, high = (curve[name].to_numpy() for name in ("threshold", "pairs", "low", "high"))
    top = max(math.ceil(math.log10(max(int(high.max()), 10))), 1)
    span = at[-1] - at[0]

    def x(threshold: float) -> float:
        return round(_LEFT + (_RIGHT - _LEFT) * (float(threshold) - at[0]) / span, 1)

    def y(count: float) -> float:
        return round(_BASE - (_BASE - _TOP) * math.log10(max(float(count), 1)) / top, 1)

    def points(values: Any) -> str:
        return " ".join(f"{x(t)},{y(n)}" for t, n in zip(at, values, strict=True))

    parts = []
    for ten in range(top + 1):
        parts.append(el("line", x1=_LEFT, x2=_RIGHT, y1=y(10**ten), y2=y(10**ten), stroke=_TEXT, stroke_opacity=0.3))
        parts.append(_text(_LEFT - 6, y(10**ten) + 4, number(10**ten), "end"))
    if not curve.exact.all():
        band = f"{points(high)} {' '.join(reversed(points(low).split()))}"
        parts.append(el("polygon", points=band, fill=_LINE, fill_opacity=0.25))
    parts.append(el("polyline", points=points(pairs), fill="none", stroke=_LINE, stroke_width=2))
    for t in (at[0], at[len(at) // 2], at[-1]):
        parts.append(_text(x(t), _BASE + 18, f"{t:g}", "middle"))
    parts.append(
        _text((_LEFT + _RIGHT) / 2, _BASE + 36, f"similarity threshold ({plan.measure}), pairs of rows", "middle")
    )
    words = "nothing is joined"
    if plan.threshold is not None:
        place = min(max(plan.threshold, at[0]), at[-1])
        parts.append(el("line", x1=x(place), x2=x(place), y1=_TOP - 8, y2=_BASE, stroke=_TEXT, stroke_width=1.5))
        every = plan.cardinality == "N:M"
        kept = "all pairs" if every else f"{number(plan.counts().left_matched)} best matches"
        words = f"{plan.threshold:.2f}: {kept} kept"
        right = x(place) < (_LEFT + _RIGHT) / 2
        parts.append(_text(x(place) + (6 if right else -6), _TOP, words, "start" if right else "end"))
    return el("svg", *parts, xmlns="http://www.w3.org/2000/svg", viewBox="0 0 660 256", width=660, height=256,
              role="img", aria_label=f"Pairs at each threshold; {words}")  # fmt: skip


def _text(x: float, y: float, words: str, anchor: str) -> Html:
    return el("text", words, x=x, y=y, text_anchor=anchor, fill=_TEXT, font_size=12, font_family="sans-serif")
