"""The cells of a hit's row as html: the same in the answer to one column and in that to a whole frame."""

from __future__ import annotations

from lakeview.notebook.output.hit_rows import CONFIDENCE, HEADS, KINDS, HitRow
from lakeview.notebook.output.html import Html, el, icon, join, number, sub
from lakeview.notebook.output.meter_html import meter


def head(cls: str, key: str) -> Html:
    """A heading with its sentence; those of pictures are read out alone."""
    text, sentence = HEADS.get(key, (key, ""))
    inside = el("span", text, title=sentence) if sentence else el("span", text, class_="lv-sr")
    return el("th", inside, class_=cls, scope="col", role="columnheader")


def all_of(told: HitRow) -> tuple[Html, ...]:
    """Kind, name, why, rows matched, rows after, what it adds."""
    parts = (draw_sign, draw_name, draw_why, draw_match, draw_rows, draw_adds)
    return tuple(draw(told) for draw in parts)


def cell(column: tuple[str, str], content: object) -> Html:
    if column[1] == "name":
        return el("th", content, class_=column[0], scope="row", role="rowheader")
    return el("td", content, class_=column[0], role="cell")


def draw_sign(told: HitRow) -> Html:
    """In a class: Lab drops data-* attributes where it trusts nothing."""
    sign, word, meaning = KINDS[told["kind"]]
    look = "none" if told["below"] else told["kind"]
    return el("span", el("b", sign, aria_hidden="true"), el("span", word, class_="lv-sr"),
              class_=f"lv-Kind lv-is-{look}", title=f"{word}: {meaning}")  # fmt: skip


def draw_name(told: HitRow) -> Html:
    extension = told["extension"]
    alike = f" · +{number(told['alike'])} alike" if told["alike"] else ""
    muted = el("span", extension, class_="lv-muted") if extension else None
    return join([el("code", told["stem"], muted, f".{told['column']}", title=told["full"]), sub(told["note"] + alike)])


def draw_why(told: HitRow) -> Html:
    word = told["confidence"]
    line = el("span", el("b", icon(CONFIDENCE[word]), f" {word}", class_=f"lv-Conf lv-is-{word}"), " ",
              el("span", told["line"]), class_="lv-Line")  # fmt: skip
    said = [el("span", el("b", "+"), f" {each}", class_="lv-pro") for each in told["pro"][:1]]
    said += [el("span", el("b", "−"), f" {each}", class_="lv-con") for each in told["con"][:1]]
    return join([line, el("br"), el("small", join(said, " "), class_="lv-sub lv-Ev")])


def draw_match(told: HitRow) -> Html:
    return meter(told["share"], told["low"], told["high"], told["exact"], told["percent"], told["without"],
                 told["spoken"])  # fmt: skip


def draw_rows(told: HitRow) -> Html:
    rows: Html | str = told["rows_text"]
    if told["warn"]:
        rows = el("span", icon("warn", "warning: fan-out"), " ", el("b", rows), class_="lv-warn")
    return join([rows, sub(told["effect"], "lv-sub lv-warn" if told["warn"] else "lv-sub") if told["effect"] else None])


def draw_adds(told: HitRow) -> Html:
    return join([told["adds_text"], sub(told["adds_names"]) if told["adds_names"] else None])
