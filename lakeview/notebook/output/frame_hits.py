"""What a whole frame joins with, as html, plain text and a saved table: by which of its columns, how likely, why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lakeview.notebook.output import words
from lakeview.notebook.output.html import (
    MAX_ROWS,
    Html,
    clip,
    code,
    el,
    icon,
    join,
    name_html,
    number,
    plural,
    prose,
    sub,
    widget,
)
from lakeview.notebook.output.saved import saved_table
from lakeview.notebook.output.text import table_text

_COLUMNS = ("#", "Your column", "Table.column", "Score", "Values", "Rows after left join", "Why it ranks here")
_NUMBERS = (0, 3, 4, 5)


def frame_hits_html(hits: Any, save_values: bool = True) -> Html:
    """A table, a row a join; the accidental ones are counted alone."""
    shown = _shown(hits)
    head = (el("th", text, scope="col", class_="lv-num" if i in _NUMBERS else None) for i, text in enumerate(_COLUMNS))
    table = el(
        "table",
        el("thead", el("tr", *head)),
        el("tbody", *(_row(i, hit, save_values) for i, hit in shown)),
        class_="lv-Grid lv-Frame",
        aria_label=f"Joins for {clip(hits.query.name)}",
    )
    notes = [el("p", said, class_="lv-More") for said in _notes(hits, len(shown))]
    keys = el("p", code("hits = _"), " keeps this answer · ", code("hits[0].join()"), " plans a join", class_="lv-Keys")
    body = [el("div", table, class_="lv-Scroll", tabindex="0", role="region", aria_label="Joins")] if shown else []
    state = el("p", icon("check"), "best first", class_="lv-Status lv-ok")
    title = join(["Joins for ", code(hits.query.name)])
    return widget(title, _facts(hits), state, *body, *notes, keys, label=f"Joins for {clip(hits.query.name)}")


def frame_hits_text(hits: Any, save_values: bool = True) -> str:
    """A line a join."""
    shown = _shown(hits)
    lines = [list(map(str, _cells(i, hit, save_values))) for i, hit in shown]
    for line, (_, hit) in zip(lines, shown, strict=True):
        line[2] = f"{line[2]} ({words.alike(hit)})" if hit.alike else line[2]
        line[-1] = clip(line[-1].replace("`", ""), 120)
    table = table_text(_COLUMNS, lines, _NUMBERS) if shown else []
    return "\n".join(
        [f"Joins for {clip(hits.query.name)}: {', '.join(_facts(hits))}", *table, *_notes(hits, len(shown))]
    )


def frame_hits_saved(hits: Any, save_values: bool = True) -> dict[str, Any]:
    """The same for lakeview's own renderer."""
    columns = [(label, "number" if i in (0, 3) else "text") for i, label in enumerate(_COLUMNS)]
    rows = [[*_cells(i, hit, save_values), len(hit.alike)] for i, hit in _shown(hits)]
    facts = [*_facts(hits), *_notes(hits, len(rows))]
    return saved_table(f"Joins for {clip(hits.query.name)}", facts, [*columns, ("Alike", "number")], rows, len(hits))


def _shown(hits: Any) -> list[tuple[int, Any]]:
    return [(i, hit) for i, hit in enumerate(hits) if not hit.accidental][:MAX_ROWS]


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


def _cells(i: int, hit: Any, save_values: bool) -> list[Any]:
    effect = words.effect(hit)
    about = "" if words.is_exact(hit) else "≈ "
    values = f"{about}{number(hit.overlap)} of {number(hit.asked_distinct)}"
    rows = f"{'! ' if effect.warn else ''}{effect.rows}"
    name = f"{clip(hit.table)}.{clip(hit.column)}"
    return [i, clip(hit.asked), name, words.share(hit.score), values, rows, words.reason(hit, save_values)]


def _row(i: int, hit: Any, save_values: bool) -> Html:
    place, asked, _, score, values, rows, why = _cells(i, hit, save_values)
    name = name_html(hit.table, hit.column)
    name = join([name, sub(words.alike(hit))]) if hit.alike else name
    cells = (place, code(asked), name, score, values, rows, prose(why))
    return el("tr", *(el("td", cell, class_="lv-num" if n in _NUMBERS else None) for n, cell in enumerate(cells)))
