"""What a cell shows inline, in a real browser: in both themes, wide and narrow, by keyboard, without any request."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from panel_page import check_access

sys.path.insert(0, str(Path(__file__).parents[1] / "notebook"))

from standins import Hits, flights, nothing

from lakeview.notebook.output.hits_html import hits_html
from lakeview.notebook.output.text import hits_text

ATTACK = '<img src=x onerror="window.attacked = true">'


def notebook(*answers: Hits) -> Any:
    from nbformat import v4

    outputs = [
        v4.new_output("display_data", data={"text/html": str(hits_html(hits)), "text/plain": hits_text(hits)})
        for hits in answers
    ]
    return v4.new_notebook(cells=[v4.new_code_cell("hits", outputs=outputs, execution_count=1)])


@pytest.fixture
def shown(page: Any) -> Callable[..., Any]:
    """A function that shows answers with Lab's own style sheet, as nbconvert exports them."""

    def show(*answers: Hits, theme: str = "light", width: int = 1200) -> Any:
        from nbconvert import HTMLExporter

        exporter = HTMLExporter(template_name="lab", theme=theme, require_js_url="", mathjax_url="", mermaid_js_url="")
        body, _ = exporter.from_notebook_node(notebook(*answers))
        page.set_viewport_size({"width": width, "height": 900})
        page.set_content(body)
        return page

    return show


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 900, 620])
def test_accessible_in_both_themes_wide_and_narrow(shown: Callable[..., Any], theme: str, width: int) -> None:
    page = shown(flights(), nothing(), theme=theme, width=width)
    for summary in page.locator(".lv summary").all()[1:]:
        summary.click(position={"x": 12, "y": 12})
    assert page.locator(".lv-Hit details[open]").count() == 5
    check_access(page, ".lv")


@pytest.mark.parametrize("width", [1400, 900, 620, 480])
def test_nothing_scrolls_sideways(shown: Callable[..., Any], width: int) -> None:
    hits = flights()
    hits.hits[1].table = "a/very/long/path/" * 8 + "t.csv"
    hits.hits[3].column = "x" * 200
    page = shown(hits, nothing(), width=width)
    sticking_out = page.evaluate(
        """() => [...document.querySelectorAll('.lv')].flatMap(box => {
            const right = box.getBoundingClientRect().right + 1;
            return [...box.querySelectorAll('th, td, p, li, details')]
                .filter(e => e.getBoundingClientRect().right > right || e.scrollWidth > e.clientWidth + 1)
                .filter(e => getComputedStyle(e).display !== 'inline')
                .map(e => e.outerHTML.slice(0, 120));
        })"""
    )
    assert sticking_out == []


def test_a_narrow_output_keeps_the_reason_and_drops_what_is_added(shown: Callable[..., Any]) -> None:
    page = shown(flights(), width=1400)
    adds = page.get_by_role("row", name="airports.csv.gz.faa").get_by_text("4 columns")
    assert adds.is_visible()
    page.set_viewport_size({"width": 700, "height": 900})
    assert not adds.is_visible()
    assert page.get_by_text("101 of 105 codes, a key").first.is_visible()


def test_details_open_by_keyboard_and_say_what_they_are_of(shown: Callable[..., Any]) -> None:
    page = shown(flights())
    summary = page.locator(".lv summary", has_text="Details of airports.csv.gz.faa")
    assert not page.get_by_text("SJU").is_visible()
    summary.focus()
    page.keyboard.press("Enter")
    assert page.get_by_text("SJU").is_visible()
    row = page.get_by_role("row", name="airports.csv.gz.faa").first
    triangle = summary.bounding_box()
    assert row.bounding_box()["y"] <= triangle["y"] < row.bounding_box()["y"] + row.bounding_box()["height"]


def test_roles_hold_when_rows_become_grids(shown: Callable[..., Any]) -> None:
    page = shown(flights(), width=620)
    table = page.get_by_role("table", name="Ranked joins for flights.dest")
    assert table.get_by_role("rowheader", name="airports.csv.gz.faa").count() == 1
    assert table.get_by_role("img", name="98 percent of your rows matched, 7,602 without").count() == 1


def test_names_and_values_run_nothing_and_fetch_nothing(page: Any, shown: Callable[..., Any]) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    hits = flights()
    for hit in hits.hits:
        hit.table = hit.column = hit.reason = ATTACK
        hit.matching = hit.missing = [(ATTACK, 1)]
    hits.query.name = ATTACK
    page = shown(hits)
    page.wait_for_timeout(200)
    assert page.evaluate("() => window.attacked") is None
    assert page.locator(".lv img, .lv script").count() == 0
    assert requests == []


def test_a_notebook_of_somebody_else_is_readable(open_lab: Any, lab: Any) -> None:
    """Lab takes style sheets and roles out of what it does not trust; the extension, where it is there, has its own."""
    book = notebook(flights())
    book.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    (lab.folder / "foreign.ipynb").write_text(json.dumps(book))
    page = open_lab("foreign.ipynb")
    output = page.locator(".jp-OutputArea-output")
    output.wait_for()
    assert output.locator("style").count() == 0
    assert "101 of 105" in output.inner_text() and "82,380,482" in output.inner_text()
    assert not output.get_by_text("SJU").is_visible()
    output.locator("summary", has_text="Details of airports.csv.gz.faa").click()
    assert output.get_by_text("SJU").is_visible()
