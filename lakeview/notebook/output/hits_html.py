"""`Hits` as one self-contained, accessible piece of HTML: a table that also reads well where styles are stripped."""

from __future__ import annotations

from typing import Any

from lakeview.notebook.output import words
from lakeview.notebook.output.family_html import family_html
from lakeview.notebook.output.hit_detail import hit_detail
from lakeview.notebook.output.hit_rows import CONFIDENCE, HEADS, KINDS, HitRow, hit_row, ranked
from lakeview.notebook.output.html import Html, clip, code, el, icon, join, number, plural, sub, widget
from lakeview.notebook.output.meter_html import meter
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
    head = el("tr", *(_head(*column) for column in _COLUMNS), role="row")
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


def _head(cls: str, key: str) -> Html:
    """A heading with its sentence; those of pictures are read out alone."""
    text, sentence = HEADS.get(key, (key, ""))
    inside = el("span", text, title=sentence) if sentence else el("span", text, class_="lv-sr")
    return el("th", inside, class_=cls, scope="col", role="columnheader")


def _hit(
    i: int, hit: Any, hits: Any, save_values: bool, result: str | None, opened: bool = False, full: bool = True
) -> Html:
    """A hit is a row group: the row, and a row of details that opens without a script."""
    told = hit_row(i, hit, save_values)
    cells = map(_cell, _COLUMNS, (None, _sign(told), _name(told), _why(told), _match(told), _rows(told), _adds(told)))
    detail = el(
        "details",
        el("summary", el("span", f"Details of {told['full']}")),
        hit_detail(i, hit, hits.query, save_values, full, result),
        open=opened,
    )
    details = join([detail, family_html(i, hit)])
    return el(
        "tbody",
        el("tr", *cells, role="row", class_="lv-HitRow"),
        el("tr", el("td", details, colspan=len(_COLUMNS), role="cell"), class_="lv-DetailRow", role="row"),
        class_="lv-Hit lv-accident" if told["below"] else "lv-Hit",
        role="rowgroup",
    )


def _cell(column: tuple[str, str], content: object) -> Html:
    if column[1] == "name":
        return el("th", content, class_=column[0], scope="row", role="rowheader")
    return el("td", content, class_=column[0], role="cell")


def _sign(told: HitRow) -> Html:
    """In a class: Lab drops data-* attributes where it trusts nothing."""
    sign, word, meaning = KINDS[told["kind"]]
    look = "none" if told["below"] else told["kind"]
    return el("span", el("b", sign, aria_hidden="true"), el("span", word, class_="lv-sr"),
              class_=f"lv-Kind lv-is-{look}", title=f"{word}: {meaning}")  # fmt: skip


def _name(told: HitRow) -> Html:
    extension = told["extension"]
    alike = f" · +{number(told['alike'])} alike" if told["alike"] else ""
    muted = el("span", extension, class_="lv-muted") if extension else None
    return join([el("code", told["stem"], muted, f".{told['column']}", title=told["full"]), sub(told["note"] + alike)])


def _why(told: HitRow) -> Html:
    word = told["confidence"]
    line = el("span", el("b", icon(CONFIDENCE[word]), f" {word}", class_=f"lv-Conf lv-is-{word}"), " ",
              el("span", told["line"]), class_="lv-Line")  # fmt: skip
    said = [el("span", el("b", "+"), f" {each}", class_="lv-pro") for each in told["pro"][:1]]
    said += [el("span", el("b", "−"), f" {each}", class_="lv-con") for each in told["con"][:1]]
    return join([line, el("br"), el("small", join(said, " "), class_="lv-sub lv-Ev")])


def _match(told: HitRow) -> Html:
    return meter(told["share"], told["low"], told["high"], told["exact"], told["percent"], told["without"],
                 told["spoken"])  # fmt: skip


def _rows(told: HitRow) -> Html:
    rows: Html | str = told["rows_text"]
    if told["warn"]:
        rows = el("span", icon("warn", "warning: fan-out"), " ", el("b", rows), class_="lv-warn")
    return join([rows, sub(told["effect"], "lv-sub lv-warn" if told["warn"] else "lv-sub") if told["effect"] else None])


def _adds(told: HitRow) -> Html:
    return join([told["adds_text"], sub(told["adds_names"]) if told["adds_names"] else None])


def _keys() -> Html:
    lines = (
        (code("hits = _"), " keeps this answer"),
        (code("hits[0].join()"), " plans a join, nothing runs yet"),
        (code(".preview()"), " shows rows"),
        (code(".to_pandas()"), " runs it"),
        (code(".code()"), " is plain code for it"),
    )
    return el("p", join((el("span", *line) for line in lines), " · "), class_="lv-Keys")
