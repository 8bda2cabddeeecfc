"""What a whole frame joins with, as html, plain text and a saved table: by which of its columns, how likely, why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lakeview.notebook.output import hit_cells as cells
from lakeview.notebook.output import words
from lakeview.notebook.output.hit_rows import hit_row
from lakeview.notebook.output.html import MAX_ROWS, Html, clip, code, el, icon, join, number, plural, widget
from lakeview.notebook.output.saved import saved_table
from lakeview.notebook.output.text import table_text

_COLUMNS = ("Your column", "Column in the lake", "How sure", "Why", "Your rows matched", "Rows after")
_NUMBERS = (4, 5)
_HEADS = (  # class, heading
    ("lv-kind", "Kind"),
    ("lv-yours", "yours"),
    ("lv-name", "name"),
    ("lv-why", "why"),
    ("lv-match", "match"),
    ("lv-rows lv-num", "rows"),
)


def frame_hits_html(hits: Any, save_values: bool = True) -> Html:
    """A table, a row a join; the accidental ones are counted alone."""
    shown = _shown(hits)
    head = el("tr", *(cells.head(*column) for column in _HEADS), role="row")
    rows = (_row(hit, save_values) for hit in shown)
    table = el("table", el("thead", head, role="rowgroup"), *rows, class_="lv-Grid lv-Hits lv-Joins", role="table",
               aria_label=f"Joins for {clip(hits.query.name)}")  # fmt: skip
    body = [table] if shown else []
    notes = [el("p", said, class_="lv-More") for said in _notes(hits, len(shown))]
    keys = el("p", code("hits = _"), " keeps this answer · ", code("hits[0].join()"), " plans a join", class_="lv-Keys")
    state = el("p", icon("check"), "best first", class_="lv-Status lv-ok")
    title = join(["Joins for ", code(hits.query.name)])
    return widget(title, _facts(hits), state, *body, *notes, keys, label=f"Joins for {clip(hits.query.name)}")


def frame_hits_text(hits: Any, save_values: bool = True) -> str:
    """A line a join."""
    shown = _shown(hits)
    lines = [_cells(hit, save_values) for hit in shown]
    for line, hit in zip(lines, shown, strict=True):
        line[1] = f"{line[1]} ({words.alike(hit)})" if hit.alike else line[1]
    table = table_text(_COLUMNS, lines, _NUMBERS) if shown else []
    return "\n".join(
        [f"Joins for {clip(hits.query.name)}: {', '.join(_facts(hits))}", *table, *_notes(hits, len(shown))]
    )


def frame_hits_saved(hits: Any, save_values: bool = True) -> dict[str, Any]:
    """The same for lakeview's own renderer."""
    columns = [(label, "text") for label in _COLUMNS]
    rows = [[*_cells(hit, save_values), len(hit.alike)] for hit in _shown(hits)]
    facts = [*_facts(hits), *_notes(hits, len(rows))]
    return saved_table(f"Joins for {clip(hits.query.name)}", facts, [*columns, ("Alike", "number")], rows, len(hits))


def _shown(hits: Any) -> list[Any]:
    return [hit for hit in hits if not hit.accidental][:MAX_ROWS]


def _facts(hits: Any) -> list[str]:
    lake = f"lake of {plural(hits.tables, 'table')}"
    return [plural(hits.query.rows, "row"), lake, f"answered in {words.duration(hits.seconds)}"]


def _notes(hits: Any, shown: int) -> Iterator[str]:
    accidents = sum(hit.accidental for hit in hits)
    if not shown:
        yield "Nothing in this lake joins with it."
    if accidents:
        yield f"{plural(accidents, 'more join')} may be by chance: hits.to_pandas()"
    if (rest := len(hits) - accidents - shown) > 0:
        yield f"… {number(rest)} more: hits.to_pandas()"
    yield from apart(hits)


def apart(hits: Any) -> Iterator[str]:
    """The tables that are the frame itself, and those that were not looked at."""
    if hits.copies:
        tables = ", ".join(map(clip, hits.copies[:3])) + (" …" if len(hits.copies) > 3 else "")
        yield f"The lake has this frame itself: {tables}"
    yield from words.left_out(hits)


def _cells(hit: Any, save_values: bool) -> list[str]:
    told = hit_row(0, hit, save_values)
    why = [told["line"], *(f"+ {said}" for said in told["pro"][:1]), *(f"− {said}" for said in told["con"][:1])]
    rows = f"{'! ' if told['warn'] else ''}{told['rows_text']}"
    return [clip(hit.asked), told["full"], told["confidence"], clip("  ".join(why), 120), told["percent"], rows]


def _row(hit: Any, save_values: bool) -> Html:
    """As in the grid of one column, with the column that asked in front."""
    kind, *others = cells.all_of(hit_row(0, hit, save_values))
    row = map(cells.cell, _HEADS, (kind, code(hit.asked), *others[:-1]))
    return el("tbody", el("tr", *row, role="row", class_="lv-HitRow"), role="rowgroup", class_="lv-Hit")
