"""The family that a hit stands for, opened: its other members, each with the call that joins it."""

from __future__ import annotations

from typing import Any

from lakeview.notebook.output import words
from lakeview.notebook.output.html import Html, clip, code, el, join, name_html, number, plural

MEMBERS = 20  # that are listed


def family_html(i: int, hit: Any) -> Html | None:
    """A list that opens without a script; None where the hit at position `i` stands for itself alone."""
    if not hit.alike:
        return None
    shown = hit.alike[:MEMBERS]
    rows = [
        el("tr",
           el("th", name_html(one.table, one.column), scope="row"),
           el("td", f"{'' if words.is_exact(one) else '≈ '}{words.share(one.containment)}", class_="lv-num"),
           el("td", plural(one.rows, "row"), class_="lv-num"),
           el("td", code(f"hits[{i}].alike[{n}].join()")))
        for n, one in enumerate(shown)
    ]  # fmt: skip
    rest = len(hit.alike) - len(shown)
    more = el("p", f"… {number(rest)} more: ", code(f"hits[{i}].alike"), class_="lv-sub") if rest else None
    label = f"Alike: pieces of one table, or copies of {clip(hit.table)}"
    summary = el("summary", f"{words.alike(hit)}: pieces of one table, or copies of it")
    return join([el("details", summary, el("table", el("tbody", *rows), class_="lv-Mini", aria_label=label), more)])
