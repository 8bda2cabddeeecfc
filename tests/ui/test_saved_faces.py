"""What stays of each widget when its kernel is gone: the saved face of the overview and of both editors."""

from __future__ import annotations

from typing import Any

import pytest
from panel_page import looked_at
from test_fuzzy_widget import PLACES
from test_overview import FRAME
from test_transform_widget import TABLES

# name -> cells, the widget's class, what its saved face says
FACES = {
    "overview": ((FRAME, "lv.explore(visits, lake=lake)"), ".lv-Over", "Joins for"),
    "fuzzy": ((PLACES, "lv.explore(plan)"), ".lv-Fuzzy", "alike from"),
    "transform": ((TABLES, "lv.auto_join(historians, us_presidents)"), ".lv-Transform", "left join"),
}


@pytest.mark.parametrize("name", FACES)
def test_what_stays_without_a_kernel(open_book: Any, name: str) -> None:
    cells, widget, says = FACES[name]
    book = open_book(*cells).run_all()
    shown = book.page.locator(widget)
    shown.locator(".lv-Status").first.wait_for()
    if name != "fuzzy":
        shown.locator(".lv-Status", has_text="exact").wait_for()
    kept = book.outputs(1).locator(".lv-Lasting")
    kept.get_by_text(says).first.wait_for(state="attached")
    book.page.wait_for_timeout(1000)  # what lasts follows the widget when that rests
    book.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    kept.get_by_role("note").get_by_text("Saved result of").wait_for()
    assert shown.count() == 0 and kept.get_by_role("button", name="Join").count() == 0
    assert says in kept.inner_text()
    looked_at(book, ".lv-Lasting", f"{name}-saved")
    assert book.errors == []
