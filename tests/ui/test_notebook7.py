"""The same extension in Notebook 7: the panel, a search from it, a join from the widget."""

from __future__ import annotations

from typing import Any

from panel_page import FRAME, Book, write_lake, write_notebook

OPEN = "import lakeview as lv\nlake = lv.open('data')\nlake.index(engine='local');"


def test_find_and_join(lab: Any, open_in: Any) -> None:
    write_lake(lab.folder / "data")
    write_notebook(lab.folder / "seven.ipynb", FRAME, OPEN, "lv.explore(flights, 'dest', lake)")
    page = open_in("notebooks", "seven.ipynb")
    page.set_default_timeout(30_000)
    book = Book(page, "seven.ipynb").ready().run_all()
    widget = page.locator(".lv-Explore")
    widget.get_by_role("button", name="Details of airports.csv.faa").click()
    widget.get_by_role("button", name="Join", exact=True).click()
    book.wait_for_run(3)
    assert book.evaluate("len(flights_airports)") == 6
    panel = book.show_panel()
    column = panel.get_by_role("treeitem", name="dest, object").first
    if not column.is_visible():  # two frames now: none is open yet
        panel.get_by_role("treeitem", name="flights, pandas").click()
    column.hover()
    column.get_by_role("button", name="Find joins").click()
    book.wait_for_run(4)
    assert book.sources()[4].endswith("%lakeview search flights.dest")
