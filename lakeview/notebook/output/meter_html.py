"""The bar of the rows that match, which shows how sure it is."""

from __future__ import annotations

from lakeview.notebook.output.html import Html, el, join, sub


def meter(share: float, low: float, high: float, exact: bool, shown: str, note: str, spoken: str) -> Html:
    """A bar for a share of 1: solid to the low end, hatched to the high end, a whisker over the interval."""
    if exact:
        bar = _bar("lv-fill", 0, _percent(share))
    else:
        start, end = _percent(low), _percent(high)
        bar = join([_bar("lv-fill", 0, start), _bar("lv-doubt", start, end), _bar("lv-whisker", start, end)])
    track = el("span", bar, class_="lv-Track")
    return el("span", track, " ", el("b", shown), sub(note), class_="lv-Match", role="img", aria_label=spoken)


def _bar(cls: str, start: float, end: float) -> Html:
    return el("span", class_=cls, style=f"left:{start:.1f}%;width:{max(end - start, 0):.1f}%")


def _percent(value: float) -> float:
    return 100 * min(max(float(value), 0.0), 1.0)
