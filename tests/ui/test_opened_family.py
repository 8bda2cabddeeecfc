"""Columns of one family are one row; "+3 alike" opens the others below it."""

from __future__ import annotations

from typing import Any

from panel_page import looked_at

YEARS = """\
import pandas as pd
import lakeview as lv
codes = [f"{a}{b}{c}" for a in "ABCDE" for b in "KLMNO" for c in "VWXYZ"]
orders = pd.DataFrame({"part": codes * 3, "pieces": range(375)})
tables = {f"parts_{year}": pd.DataFrame({"part": codes[: 125 - year % 7], "weight": [i + 0.5 for i in range(125 - year % 7)],
                                         "maker": [f"maker {i % 9}" for i in range(125 - year % 7)]})
          for year in range(2019, 2023)}
lake = lv.open({**tables, "stock": pd.DataFrame({"code": codes[:120], "shelf": [f"shelf {i}" for i in range(120)]})})
lake.index(engine="local");"""  # noqa: E501


def test_a_family_opens(open_book: Any) -> None:
    book = open_book(YEARS, "lv.explore(orders, 'part', lake)").run_all()
    book.page.set_viewport_size({"width": 1440, "height": 900})
    widget = book.page.locator(".lv-Explore")
    widget.locator(".lv-Status", has_text="exact").wait_for()
    link = widget.get_by_role("button", name="alike").first
    link.wait_for()
    assert link.inner_text() == "+3 alike"
    link.click()
    widget.locator(".lv-alike").nth(2).wait_for()
    assert widget.locator(".lv-alike").count() == 3
    row = widget.locator(".lv-HitRow").first
    row.focus()
    for key in ("Space", "ArrowDown", "Space"):
        book.page.keyboard.press(key)
    widget.get_by_role("button", name="Compare 2").wait_for()
    looked_at(book, ".lv-Explore", "explore-family")
    # In a narrow window, too, the tools keep one line, and a row two.
    book.page.set_viewport_size({"width": 1100, "height": 900})
    tall = "element => element.getBoundingClientRect().height"
    assert widget.locator(".lv-Tools").evaluate(tall) < 40
    assert row.evaluate(tall) < 44
    assert book.errors == []
