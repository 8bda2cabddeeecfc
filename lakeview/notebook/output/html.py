"""Writing HTML from data that nobody can trust: every piece of text is escaped and bounded by construction.

`el("td", name)` escapes `name`, shows its control characters and cuts it at 200 characters; only what `el` itself
returned (`Html`) passes as markup. No script, no external resource, and no attribute name ever comes from data.
"""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Iterable
from typing import Any

from lakeview.catalog.naming import without_extension
from lakeview.notebook.scripts import built

MAX_TEXT = 200  # characters of one piece of text
MAX_ROWS = 50  # rows of one table

# Controls, line separators, bidirectional overrides and lone surrogates would hide or reorder what stands beside them.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_VOID = frozenset({"br", "col", "wbr"})


class Html(str):
    """Markup that is safe as it stands: made by this module from escaped text."""

    __slots__ = ()


def clip(value: object, limit: int = MAX_TEXT) -> str:
    """One line of at most `limit` characters: control characters shown as escapes, the rest cut with an ellipsis.

    The columns of a composite key, a tuple, stand in parentheses.
    """
    try:
        text = f"({', '.join(map(str, value))})" if isinstance(value, tuple) else str(value)
    except Exception:  # an object of a class that cannot be printed
        text = f"a {type(value).__name__}"
    cut = len(text) > limit
    text = _UNSEEN.sub(_escape_unseen, text[:limit])
    return text[: limit - 1] + "…" if cut or len(text) > limit else text


def _escape_unseen(match: re.Match[str]) -> str:
    return repr(match.group())[1:-1]


def el(tag: str, *children: object, **attributes: object) -> Html:
    """An element. Children that are not `Html` are text; None is left out.

    Attributes: `class_` for class, `_` for `-`; True is a bare attribute, None and False leave it out.
    """
    parts = ["<", tag]
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        name = name.rstrip("_").replace("_", "-")
        parts.append(f" {name}" if value is True else f' {name}="{html.escape(clip(value, 4 * MAX_TEXT))}"')
    parts.append(">")
    if tag not in _VOID:
        parts += [_markup(child) for child in children if child is not None]
        parts.append(f"</{tag}>")
    return Html("".join(parts))


def join(children: Iterable[object], separator: object = "") -> Html:
    """Children one after the other, with a separator between them; None is left out."""
    return Html(_markup(separator).join(_markup(child) for child in children if child is not None))


def _markup(child: object) -> str:
    return child if isinstance(child, Html) else html.escape(clip(child), quote=False)


def code(text: object) -> Html:
    """A name or a value in the code font."""
    return el("code", text)


def prose(text: object) -> Html:
    """A sentence in which `backticks` mark names."""
    parts = clip(text, 2 * MAX_TEXT).split("`")
    if len(parts) % 2 == 0:  # an odd backtick belongs to a name: leave all as they are
        return join(["`".join(parts)])
    return join(code(part) if i % 2 else part for i, part in enumerate(parts))


def listing(source: str, limit: int = 20_000) -> Html:
    """A block of program text, as it is but for its length."""
    source = source if len(source) <= limit else source[:limit] + "\n# … cut: too long to show"
    shown = re.sub("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", _escape_unseen, source)
    return el("pre", Html(html.escape(shown, quote=False)), class_="lv-Code", tabindex="0")  # it scrolls


def icon(name: str, words: str = "") -> Html:
    """A picture drawn by the style sheet; its words are read out, and seen where styles are stripped."""
    return el("span", words, class_=f"lv-Icon lv-i-{name}", aria_hidden=None if words else "true")


def sub(text: object, class_: str = "lv-sub") -> Html:
    """A smaller second line in a cell."""
    return join([el("br"), el("small", text, class_=class_)])


def table_parts(table: str) -> tuple[str, str]:
    """A table's name and its file extension: `("dir/airports", ".csv.gz")`."""
    stem = (without_extension(table) or [table])[-1]
    return stem, table.removeprefix(stem)


def name_html(table: str, column: object) -> Html:
    """`table.column`, the file extension in grey, with places to break the line."""
    stem, extension = table_parts(clip(table))
    pieces: list[object] = [join(stem.split("/"), join(["/", el("wbr")]))]
    if extension:
        pieces += [el("wbr"), el("span", extension, class_="lv-muted")]
    return el("code", *pieces, el("wbr"), f".{clip(column)}")


def heading(text: str | Html, name: str | None = None, class_: str | None = None) -> Html:
    """A heading inside an output, with an icon that needs no words. No <h4>: it would enter Lab's table of contents."""
    mark = join([el("span", icon(name), class_=class_), " "]) if name else None
    return el("p", mark, el("b", text), class_="lv-H")


def facts_table(facts: Iterable[tuple[str | Html, str | Html]]) -> Html:
    """Names on the left, numbers on the right."""
    rows = (el("tr", el("th", name, scope="row"), el("td", value, class_="lv-num")) for name, value in facts)
    return el("table", el("tbody", *rows), class_="lv-Mini")


def widget(title: str | Html, facts: Iterable[str | Html | None], status: Html | None, *body: Html, label: str) -> Html:
    """The frame that all outputs share: title, facts and state in one line, and what follows."""
    head = el(
        "header",
        el("p", icon("lake"), " ", el("b", title), class_="lv-Title"),
        el("p", join(facts, " · "), class_="lv-Facts"),
        status,
        class_="lv-Head",
    )
    return join([stylesheet(), el("section", head, *body, class_="lv", aria_label=label)])


@functools.cache
def stylesheet() -> Html:
    """The scoped style sheet as an element; each output carries it, so that a saved notebook needs nothing else."""
    css = built("style.css")
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    css = re.sub(r"\s+", " ", css).strip()
    return Html(f"<style>{css}</style>")


def number(value: Any) -> str:
    """A count with its thousands separated."""
    return f"{value:,}"


def plural(count: int, noun: str, nouns: str | None = None) -> str:
    """`1 table`, `2 tables`, `1,458 rows`."""
    return f"{number(count)} {noun if count == 1 else nouns or noun + 's'}"
