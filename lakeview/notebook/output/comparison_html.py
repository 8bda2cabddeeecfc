"""A Comparison: how two columns meet, each share with its interval."""

from __future__ import annotations

from typing import Any

from lakeview.notebook.output import words
from lakeview.notebook.output.hit_detail import buttons
from lakeview.notebook.output.html import Html, clip, code, el, icon, join, number, widget
from lakeview.notebook.output.meter_html import meter
from lakeview.notebook.output.saved import saved_table
from lakeview.search.comparing import APART

_SHARES = (  # field, what it is called, of what it is the share; with the names of the two columns
    ("containment", "Containment", "of the values of {a} are in {b}"),
    ("reverse_containment", "Reverse containment", "of the values of {b} are in {a}"),
    ("jaccard", "Jaccard", "of the values of either are in both"),
)


def comparison_html(comparison: Any, save_values: bool = True, result: str | None = None) -> Html:
    """Shared values, the three shares as meters, and a few values that one side alone has. result: its name among
    those on display, where it can be joined."""
    exact = comparison.overlap.exact
    status = el("p", icon("check" if exact else "half"), _state(exact), class_=f"lv-Status{' lv-ok' if exact else ''}")
    rows = []
    for field, name, meaning in _SHARES:
        share, said = getattr(comparison, field), _meaning(comparison, meaning)
        spoken = f"{name} {_spoken(share)} {said}"
        about, note = (
            ("", "exact") if share.exact else ("≈ ", f"95 %: {words.share(share.low)}–{words.share(share.high)}")
        )
        shown = about + words.share(share.value, 3 if field == "jaccard" else 2)
        bar = meter(share.value, share.low, share.high, share.exact, shown, note, spoken)
        rows.append(el("tr", el("th", name, scope="row"), el("td", bar), el("td", said)))
    table = el("table", el("tbody", *rows), class_="lv-Grid lv-Compared")
    facts = [f"{_count(comparison.overlap)} shared values"]
    body = [table, *(_alone_html(*each) for each in _alone(comparison, save_values))]
    if result is not None:
        body.append(el("div", buttons(result, 0), class_="lv-More lv-Joins"))
    return widget(_title(comparison), facts, status, *body, label="Comparison")


def _alone(comparison: Any, save_values: bool) -> list[tuple[str, tuple[str, ...]]]:
    """Of each column that has values which the other lacks, some of these."""
    pairs = zip(_names(comparison), comparison.apart, strict=True)
    return [(name, values) for name, values in pairs if values] if save_values else []


def _alone_html(name: str, values: tuple[str, ...]) -> Html:
    shown = join((code(clip(value, 40)) for value in values[:APART]), ", ")
    return el("p", "Only in ", code(name), ": ", shown, " …" if len(values) > APART else "", class_="lv-More")


def comparison_text(comparison: Any, save_values: bool = True) -> str:
    """The same as text."""
    lines = [f"{_title(comparison)}: {_count(comparison.overlap)} shared values, {_state(comparison.overlap.exact)}"]
    for field, name, meaning in _SHARES:
        lines.append(f"  {name}: {_spoken(getattr(comparison, field))} {_meaning(comparison, meaning)}")
    for name, values in _alone(comparison, save_values):
        more = " …" if len(values) > APART else ""
        lines.append(f"  Only in {name}: {', '.join(clip(value, 40) for value in values[:APART])}{more}")
    return "\n".join(lines)


def comparison_saved(comparison: Any) -> dict[str, Any]:
    """For lakeview's own renderer."""
    columns = [("measure", "text"), ("value", "number"), ("low", "number"), ("high", "number"), ("meaning", "text")]
    rows: list[tuple[Any, ...]] = [("Overlap", *_numbers(comparison.overlap), "shared values")]
    for field, name, meaning in _SHARES:
        rows.append((name, *_numbers(getattr(comparison, field)), _meaning(comparison, meaning)))
    return saved_table(_title(comparison), [_state(comparison.overlap.exact)], columns, rows, len(rows))


def _names(comparison: Any) -> tuple[str, str]:
    a, b = comparison.names
    return clip(a), clip(b)


def _title(comparison: Any) -> str:
    return "{} beside {}".format(*_names(comparison))


def _meaning(comparison: Any, meaning: str) -> str:
    a, b = _names(comparison)
    return meaning.format(a=a, b=b)


def _state(exact: bool) -> str:
    return "exact" if exact else "≈ approximate"


def _count(overlap: Any) -> str:
    if overlap.exact:
        return number(round(overlap.value))
    return f"≈ {number(round(overlap.value))} (95 %: {number(round(overlap.low))}–{number(round(overlap.high))})"


def _spoken(share: Any) -> str:
    if share.exact:
        return words.share(share.value, 3)
    return f"≈ {words.share(share.value, 3)} (95 %: {words.share(share.low, 3)}–{words.share(share.high, 3)})"


def _numbers(estimate: Any) -> tuple[float, float, float]:
    return estimate.value, estimate.low, estimate.high
