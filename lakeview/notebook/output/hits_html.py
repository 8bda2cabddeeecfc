"""`Hits` as one self-contained, accessible piece of HTML: a table that also reads well where styles are stripped."""

from __future__ import annotations

from typing import Any

from lakeview.notebook.output import hit_cells as cells
from lakeview.notebook.output import words
from lakeview.notebook.output.family_html import family_html
from lakeview.notebook.output.hit_detail import hit_detail
from lakeview.notebook.output.hit_rows import hit_row, ranked
from lakeview.notebook.output.html import Html, clip, code, el, icon, join, number, plural, widget
from lakeview.notebook.output.nothing_html import nothing_html

_DETAILS = 20  # hits with examples; they cost a look at the values
_COLUMNS = (  # class, heading
    ("lv-x", "Open"),
    ("lv-kind", "Kind"),
    ("lv-name", "name"),
    ("lv-why", "why"),
    ("lv-match", "match"),
    ("lv-rows lv-num", "rows"),
    ("lv-adds", "adds"),
)


def hits_html(hits: Any, save_values: bool = True, name: str | None = None) -> Html:
    """The answer to one search: a table of hits, or why there are none and what to try.

    `save_values=False` leaves out every value of the lake and of the query. name: the result's among those on display
    (`shown`), for the buttons that lakeview's extension brings to life.
    """
    title = join(["Joins for ", code(hits.query.name)])
    label, exact = words.status(hits)
    state = el("p", icon("check" if exact else "half"), label, class_="lv-Status lv-ok" if exact else "lv-Status")
    body = []
    if not len(hits) or hits.closest:  # closest is named where nothing does well
        body.append(nothing_html(hits, save_values))
    if len(hits) and hits.closest:
        summary = el("summary", f"Show the {plural(len(hits), 'weak hit')}")
        body.append(el("details", summary, _table(hits, save_values, name), class_="lv-Fold"))
    elif len(hits):
        body.append(_table(hits, save_values, name))
    if len(hits) and not hits.closest:  # else it is among the reasons
        body += [el("p", icon("warn", "warning: "), " ", said, class_="lv-More") for said in words.left_out(hits)]
    if possible := words.possible(hits):
        note = ". Their sketches tell containment no closer than these intervals."
        body.append(el("p", possible, note, class_="lv-More"))
    return widget(title, words.query_facts(hits), state, *body, label=f"Joins for {clip(hits.query.name)}")


def _table(hits: Any, save_values: bool, name: str | None) -> Html:
    above, lines, rest = ranked(hits)
    head = el("tr", *(cells.head(*column) for column in _COLUMNS), role="row")
    groups = [_hit(i, hit, hits, save_values, name, opened=n == 0, full=n < _DETAILS)
              for n, (i, hit) in enumerate(above)]  # fmt: skip
    label = f"Ranked joins for {clip(hits.query.name)}"
    table = el("table", el("thead", head, role="rowgroup"), *groups, class_="lv-Grid lv-Hits", role="table",
               aria_label=label)  # fmt: skip
    more = el("p", f"… {number(rest)} more: ", code("hits.to_pandas()"), class_="lv-More") if rest else None
    none = el("p", "No likely join: all that meets here may meet by chance.", class_="lv-More")
    full = _DETAILS - len(above)
    below = []
    for line in lines:
        rows = [_hit(i, hit, hits, save_values, name, full=n < full) for n, (i, hit) in enumerate(line.hits)]
        body = el("table", *rows, class_="lv-Grid lv-Hits", role="table", aria_label=line.title)
        left = sum(1 + len(hit.alike) for _, hit in line.hits)
        summary = el("summary", el("b", line.title), " ", el("small", line.note))
        below.append(el("details", summary, body if left else None, class_="lv-Below"))
        full -= len(line.hits)
    return join([table if above else none, more, *below, _keys()])


def _hit(
    i: int, hit: Any, hits: Any, save_values: bool, result: str | None, opened: bool = False, full: bool = True
) -> Html:
    """A hit is a row group: the row, and a row of details that opens without a script."""
    told = hit_row(i, hit, save_values)
    row = map(cells.cell, _COLUMNS, (None, *cells.all_of(told)))
    detail = el(
        "details",
        el("summary", el("span", f"Details of {told['full']}")),
        hit_detail(i, hit, hits.query, save_values, full, result),
        open=opened,
    )
    details = join([detail, family_html(i, hit)])
    return el(
        "tbody",
        el("tr", *row, role="row", class_="lv-HitRow"),
        el("tr", el("td", details, colspan=len(_COLUMNS), role="cell"), class_="lv-DetailRow", role="row"),
        class_="lv-Hit lv-accident" if told["below"] else "lv-Hit",
        role="rowgroup",
    )


def _keys() -> Html:
    lines = (
        (code("hits = _"), " keeps this answer"),
        (code("hits[0].join()"), " plans a join, nothing runs yet"),
        (code(".preview()"), " shows rows"),
        (code(".to_pandas()"), " runs it"),
        (code(".code()"), " is plain code for it"),
    )
    return el("p", join((el("span", *line) for line in lines), " · "), class_="lv-Keys")
