"""A file with a problem is shown where it lies, in the file browser."""

from __future__ import annotations

from typing import Any

from panel_page import FRAME

OPEN = "import lakeview as lv\nlake = lv.open('data')\nlake.index(engine='local');"


def test_the_file_of_a_problem(open_book: Any) -> None:
    book = open_book(FRAME, OPEN).run_all()
    panel = book.show_panel()
    panel.get_by_role("button", name="1 problem").click()
    panel.get_by_role("region", name="1 problem").get_by_role("button", name="Show file").click()
    book.page.locator("#filebrowser .jp-DirListing-item", has_text="survey.xlsx").wait_for()
    assert book.errors == []
