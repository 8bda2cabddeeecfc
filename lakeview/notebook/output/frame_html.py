"""A pandas frame as a bounded table: previews, lists of tables, problems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lakeview.notebook.output.html import Html, clip, code, el, join, plural
from lakeview.notebook.output.text import cell_text

MAX_COLUMNS = 24
_CELL = 80  # characters: a preview is for reading along a row


def frame_html(frame: Any, rows: int, label: str, names: Sequence[str] = (), grouped: bool = False) -> Html:
    """The first `rows` rows and 24 columns; a wide table scrolls.

    names: columns that hold names, set in the code font. grouped: numbers are counts, their thousands are separated.
    """
    shown = frame.iloc[:rows, :MAX_COLUMNS]
    kinds = ["lv-num" if dtype.kind in "iuf" else None for dtype in shown.dtypes]
    fonts = [code if str(name) in names else str for name in shown.columns]
    head = (el("th", name, scope="col", class_=cls) for name, cls in zip(shown.columns, kinds, strict=True))
    body = (
        el("tr", *(el("td", font(clip(cell_text(value, grouped), _CELL)), class_=cls)
                   for value, cls, font in zip(row, kinds, fonts, strict=True)))
        for row in shown.itertuples(index=False, name=None)
    )  # fmt: skip
    table = el("table", el("thead", el("tr", *head)), el("tbody", *body), class_="lv-Grid lv-Frame", aria_label=label)
    rest = [plural(len(frame) - len(shown), "row") if len(frame) > len(shown) else None,
            plural(frame.shape[1] - shown.shape[1], "column") if frame.shape[1] > shown.shape[1] else None]  # fmt: skip
    more = " and ".join(filter(None, rest))
    # It scrolls sideways, as code does; the keyboard can reach it.
    scrolling = el("div", table, class_="lv-Scroll", tabindex="0", role="region", aria_label=label)
    return join([scrolling, el("p", f"… {more} more", class_="lv-More") if more else None])
