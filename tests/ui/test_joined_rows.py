"""The joined rows of an open hit fit beside its other parts; the columns that do not are a click away."""

from __future__ import annotations

from typing import Any

from panel_page import looked_at

WIDE = """\
import pandas as pd
import lakeview as lv
codes = [f"{a}{b}{c}" for a in "ABCDE" for b in "KLMNO" for c in "VWXYZ"]
flights = pd.DataFrame({"dest": codes, "delay": range(125)})
airports = pd.DataFrame({"faa": codes, "name": [f"The international airport of {c}" for c in codes],
                         **{f"measure_{n}": [n * 1000.5 + i for i in range(125)] for n in range(7)}})
lake = lv.open({"airports": airports})
lake.index(engine="local");"""

OVER = "region => region.scrollWidth - region.clientWidth"


def test_joined_rows_fit_until_somebody_asks_for_more(open_book: Any) -> None:
    book = open_book(WIDE, "lv.explore(flights, 'dest', lake)").run_all()
    book.page.set_viewport_size({"width": 1440, "height": 900})
    widget = book.page.locator(".lv-Explore")
    widget.get_by_role("button", name="Details of airports.faa").click()
    rows = widget.get_by_role("region", name="Preview of the join")
    rows.get_by_text("The international").first.wait_for()
    for width in (1440, 1100):
        book.page.set_viewport_size({"width": width, "height": 900})
        assert rows.evaluate(OVER) <= 0
    heads = rows.get_by_role("columnheader")
    few = heads.count()
    looked_at(book, ".lv-Explore", "explore-wide-table")
    widget.get_by_role("button", name="more columns").click()
    widget.get_by_role("button", name="fewer columns").wait_for()
    assert heads.count() > few and rows.evaluate(OVER) > 0
    widget.get_by_role("button", name="fewer columns").click()
    widget.get_by_role("button", name="more columns").wait_for()
    assert heads.count() == few and book.errors == []
