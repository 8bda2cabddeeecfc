"""`Hits` as one self-contained, accessible piece of HTML: a table that also reads well where styles are stripped."""

from __future__ import annotations

from typing import Any

from lakeview.notebook.output import words
from lakeview.notebook.output.family_html import family_html
from lakeview.notebook.output.hit_detail import hit_detail
from lakeview.notebook.output.html import (
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
from lakeview.notebook.output.meter_html import meter
from lakeview.notebook.output.nothing_html import nothing_html

_DETAILS = 20  # hits with examples; they cost a look at the values
_COLUMNS = (  # heading, class
    ("#", "lv-rank"),
    ("Kind", "lv-kind"),
    ("Table.column", "lv-name"),
    ("Containment", "lv-cont"),
    ("Overlap", "lv-over lv-num"),
    ("Jaccard", "lv-jacc lv-num"),
    ("Rows after left join", "lv-rows lv-num"),
    ("Key", "lv-key"),
    ("Why it ranks here", "lv-why"),
)
_KINDS = {"equi": "=", "composite": "&", "transform": "ƒ", "fuzzy": "≈"}


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
    ranked, below, rest = words.shown(hits)
    head = el(
        "tr", *(el("th", text, class_=cls, scope="col", role="columnheader") for text, cls in _COLUMNS), role="row"
    )
    groups = [
        _hit(i, hit, hits, save_values, name, opened=n == 0, full=n < _DETAILS) for n, (i, hit) in enumerate(ranked)
    ]
    full = _DETAILS - len(ranked)
    for group in below:
        groups.append(_group(group.title, group.note))
        groups += [_hit(i, hit, hits, save_values, name, full=n < full) for n, (i, hit) in enumerate(group.hits)]
        full -= len(group.hits)
    table = el(
        "table",
        el("thead", head, role="rowgroup"),
        *groups,
        class_="lv-Grid lv-Hits",
        role="table",
        aria_label=f"Ranked joins for {clip(hits.query.name)}",
    )
    more = el("p", f"… {number(rest)} more: ", code("hits.to_pandas()"), class_="lv-More") if rest else None
    none = el("p", "No likely join: all that meets here may meet by chance.", class_="lv-More") if not ranked else None
    return join([none, table, more, _keys()])


def _hit(
    i: int, hit: Any, hits: Any, save_values: bool, result: str | None, opened: bool = False, full: bool = True
) -> Html:
    """A hit is a row group: the row, and a row of details that opens without a script."""
    name = f"{clip(hit.table)}.{clip(hit.column)}"
    accidental = hit.accidental
    effect = words.effect(hit)
    rows: Html | str = effect.rows
    if effect.warn:
        rows = el("span", icon("warn", "warning: fan-out"), " ", el("b", effect.rows), class_="lv-warn")
    about = "" if words.is_exact(hit) else "≈ "
    role = words.role(hit)
    key = icon("key", "key") if role == "key" else role or el("span", "–", title="not a key")
    kind = getattr(hit, "kind", "equi")  # in a class: Lab drops data-* attributes where it trusts nothing
    badge = el(
        "span",
        el("b", _KINDS[kind], aria_hidden="true"),
        " ",
        el("span", kind, class_="lv-Badge-t"),
        class_=f"lv-Badge lv-is-{'none' if accidental else kind}",
    )
    cells = (
        el("span", "–" if accidental else i + 1),
        badge,
        join(
            [
                name_html(hit.table, hit.column),
                sub(" · ".join(filter(None, [plural(hit.rows, "row"), words.alike(hit)]))),
            ]
        ),
        _meter(hit),
        f"{about}{number(hit.overlap)} of {number(hits.query.distinct)}",
        about + words.share(hit.jaccard, 3),
        join([rows, sub(effect.note, "lv-sub lv-warn" if effect.warn else "lv-sub") if effect.note else None]),
        key,
        prose(words.reason(hit, save_values)),
    )
    row = el("tr", *map(_cell, _COLUMNS, cells), role="row")
    detail = el(
        "details",
        el("summary", el("span", f"Details of {name}")),
        hit_detail(i, hit, hits.query, save_values, full, result),
        open=opened,
    )
    details = join([detail, family_html(i, hit)])
    return el(
        "tbody",
        row,
        el("tr", el("td", details, colspan=len(_COLUMNS), role="cell"), class_="lv-DetailRow", role="row"),
        class_="lv-Hit lv-accident" if accidental else "lv-Hit",
        role="rowgroup",
    )


def _cell(column: tuple[str, str], content: object) -> Html:
    if column[0] == "Table.column":
        return el("th", content, class_=column[1], scope="row", role="rowheader")
    return el("td", content, class_=column[1], role="cell")


def _meter(hit: Any) -> Html:
    estimate = (hit.containment, hit.containment_low, hit.containment_high)
    return meter(*estimate, words.is_exact(hit), words.containment_sentence(hit))


def _group(title: str, note: str) -> Html:
    cell = el("th", title, " ", el("small", note), colspan=len(_COLUMNS), scope="rowgroup", role="rowheader")
    return el("tbody", el("tr", cell, class_="lv-Group", role="row"), role="rowgroup")


def _keys() -> Html:
    lines = (
        (code("hits = _"), " keeps this answer"),
        (code("hits[0].join()"), " plans a join, nothing runs yet"),
        (code(".preview()"), " shows rows"),
        (code(".to_pandas()"), " runs it"),
        (code(".code()"), " is plain code for it"),
    )
    return el("p", join((el("span", *line) for line in lines), " · "), class_="lv-Keys")
