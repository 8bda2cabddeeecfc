"""The writer of HTML: no text becomes markup, none is longer than its bound."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import Page

from lakeview.notebook.output.html import MAX_TEXT, Html, clip, el, join, listing, number, plural, prose, stylesheet


@given(st.text())
def test_any_text_reads_back_as_itself_or_as_its_clipping(text: str) -> None:
    page = Page(el("p", text, title=text))
    assert page.text == clip(text)
    assert page.elements == [("p", {"title": clip(text, 4 * MAX_TEXT)})]
    assert not page.errors


@given(st.text(max_size=MAX_TEXT))
def test_clip_keeps_ordinary_text(text: str) -> None:
    if text.isprintable():
        assert clip(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("col\nname", r"col\nname"),
        ("a\tb\r\x00", r"a\tb\r\x00"),
        ("\u202egpj.exe", r"\u202egpj.exe"),
        ("\ud800", r"\ud800"),
        ("\u2028", r"\u2028"),
        ("👩\u200d🔬", "👩\u200d🔬"),
        ("x" * 201, "x" * 199 + "…"),
        ("x" * 200, "x" * 200),
        ("\n" * 1_000_000, r"\n" * 99 + "\\" + "…"),
    ],
)
def test_clip_shows_what_would_hide_and_cuts_what_is_long(text: str, shown: str) -> None:
    assert clip(text) == shown
    clip(text).encode("utf-8")


def test_only_own_markup_passes() -> None:
    assert el("p", el("b", "x"), "<b>") == "<p><b>x</b>&lt;b&gt;</p>"
    assert el("td", None, 5, hidden=True, open=False, title=None) == "<td hidden>5</td>"
    assert type(join(["a", "b"], "<")) is Html
    assert join(["a", None, "b"], "<") == "a&lt;b"


def test_prose_marks_names_but_not_an_odd_backtick() -> None:
    assert prose("`a<b` is a key") == "<code>a&lt;b</code> is a key"
    assert Page(prose("all match; `a.b` is a key")).tags("code") == [{}]
    assert prose("a ` b") == "a ` b"


def test_listing_keeps_lines_and_is_bounded() -> None:
    page = Page(listing("a = '<b>'\nb\x07\n" + "x" * 50_000))
    assert page.text.startswith("a = '<b>'\nb\\x07\n")
    assert len(page.text) < 20_100


def test_numbers() -> None:
    assert number(1458) == "1,458"
    assert (plural(1, "row"), plural(1458, "row"), plural(2, "match", "matches")) == (
        "1 row",
        "1,458 rows",
        "2 matches",
    )


def test_stylesheet_needs_nothing_from_elsewhere_and_sets_no_variable_of_lab() -> None:
    css = stylesheet()
    assert "url(" not in css and "@import" not in css and "@font-face" not in css and "expression" not in css
    assert "--jp-" in css and "; --jp-" not in css and "{ --jp-" not in css
    assert css.count("{") == css.count("}")
    assert css.count("</style>") == 1
    assert "opacity" not in css
