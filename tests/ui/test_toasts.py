"""What Lab says for a while at the edge of the page: it begins with what it is about."""

from __future__ import annotations

from typing import Any

from panel_page import Book

LAKE = """\
import lakeview as lv, pandas as pd
lake = lv.open({"people": pd.DataFrame({"who": ["Ann", "Bob"]})})
lake.index(engine="local");"""


def toasts(book: Book) -> Any:
    return book.page.locator(".jp-toastContainer .Toastify__toast")


def test_what_goes_wrong_names_its_table(open_book: Any) -> None:
    book = open_book(LAKE).run_all()
    table = book.show_panel().get_by_role("treeitem", name="people,")
    table.click(button="right")
    book.page.get_by_role("menuitem", name="Copy Path").click()
    toasts(book).get_by_text("people is no file: it is a DataFrame", exact=True).wait_for()
    assert book.errors == []


def test_nothing_to_pick_from_names_the_notebook(open_book: Any) -> None:
    book = open_book("import pandas").run_all()
    book.page.evaluate("() => void window.jupyterapp.commands.execute('lakeview:find-joins')")
    said = f"No DataFrame in {book.path} yet: run a cell that makes one."
    toasts(book).get_by_text(said, exact=True).wait_for()
    assert book.errors == []
