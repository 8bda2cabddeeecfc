"""The whole way by keyboard alone, in Lab and in Notebook 7: the panel, a search from it, its output, the join."""

from __future__ import annotations

from typing import Any

import pytest
from panel_page import FRAME, Book, write_lake, write_notebook

OPEN = "import lakeview as lv\nlake = lv.open('data')\nlake.index(engine='local');"
EXPECTED = "lake.search(flights, 'dest', rank='join')[0].join().to_pandas()"
RAN = "n => window.jupyterapp.shell.currentWidget.content.widgets[n]?.model.executionCount > 0"


def tab_to(page: Any, selector: str, most: int = 80) -> None:
    """Press Tab until an element of that kind has the focus."""
    for _ in range(most):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{most} times Tab, and no {selector}")


@pytest.mark.parametrize("application", ["lab/tree", "notebooks"])
def test_from_the_panel_to_the_joined_frame(lab: Any, open_in: Any, application: str) -> None:
    write_lake(lab.folder / "data")
    path = f"keys-{application[:3]}.ipynb"
    write_notebook(lab.folder / path, FRAME, OPEN)
    page = open_in(application, path)
    page.set_default_timeout(30_000)
    book = Book(page, path).ready().run_all()
    press = page.keyboard.press

    press("Control+Shift+C")
    page.get_by_role("searchbox").or_(page.locator(".lm-CommandPalette-input")).first.wait_for()
    page.keyboard.type("Show Lakeview")
    press("Enter")
    panel = page.locator("#lakeview-panel")
    panel.get_by_role("treeitem", name="dest, object").wait_for()
    tab_to(page, "#lakeview-panel [role=treeitem]")
    for key in ("Home", "ArrowDown", "ArrowDown", "Enter"):
        press(key)
    page.wait_for_function(RAN, arg=2)
    output = book.outputs(2)
    output.get_by_text("airports.csv").first.wait_for()

    output.locator(".lv-Explore .lv-HitRow").first.wait_for()
    tab_to(page, ".lv-HitRow")
    press("p")
    output.get_by_role("region", name="Preview of the join").get_by_text("City of ORD").wait_for()
    press("Enter")  # into the open row, and by Tab to its Join
    tab_to(page, ".lv-Explore .lv-mod-accept")
    assert page.evaluate("() => document.activeElement.textContent") == "Join"
    press("Enter")
    page.wait_for_function(RAN, arg=3)
    book.ready()
    assert book.evaluate(f"flights_airports.equals({EXPECTED})") is True
    assert "flights.merge(airports" in book.sources()[3]

    # The same join from `lv.explore`.
    book.command("notebook:insert-cell-below")
    book.command("notebook:enter-edit-mode")
    page.keyboard.type("del flights_airports; lv.explore(flights, 'dest', lake)")
    press("Control+Enter")
    page.wait_for_function(RAN, arg=4)  # before that, the notebook takes the focus back
    book.ready()
    book.outputs(4).locator(".lv-Explore .lv-HitRow").first.wait_for()
    tab_to(page, ".lv-HitRow")
    press("ArrowDown")
    press("ArrowUp")
    press("p")
    book.outputs(4).get_by_role("region", name="Preview of the join").get_by_text("City of ORD").wait_for()
    press("Enter")
    press("Escape")
    press("j")
    page.wait_for_function(RAN, arg=5)
    book.ready()
    assert book.evaluate(f"flights_airports.equals({EXPECTED})") is True
    assert book.errors == []
