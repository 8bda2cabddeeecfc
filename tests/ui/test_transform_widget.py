"""`lv.explore(plans)`: look through a learned join, correct it, choose another program, join; by mouse and by keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from panel_page import Book, looked_at

TABLES = """\
import pandas as pd
import lakeview as lv
names = ["Barack Obama", "George W. Bush", "Bill Clinton", "Ronald Reagan", "Gerald Ford", "Lyndon Johnson",
         "John Kennedy", "Dwight Eisenhower", "Harry Truman", "Franklin Roosevelt", "Herbert Hoover",
         "Grover Cleveland"]
historians = pd.DataFrame({"President": [f"{n.split()[-1]}, {' '.join(n.split()[:-1])}(19{40 + i}-)"
                                         for i, n in enumerate(names)]
                                        + ["Carter, James Earl(1924-)", "Nixon, Richard(1913-)"]})
us_presidents = pd.DataFrame({"Name": [*reversed(names), "Grover Cleveland", "Jimmy C.", "R. M. N."],
                              "No": range(30, 45)})"""
SHOW = "plans = lv.auto_join(historians, us_presidents)\nwidget = lv.explore(plans)\nwidget"


@pytest.fixture
def explore(open_book: Any) -> Callable[[], tuple[Book, Any]]:
    """A function that shows the plans and returns the notebook and the widget."""

    def explored() -> tuple[Book, Any]:
        book = open_book(TABLES, SHOW).run_all()
        widget = book.page.locator(".lv-Transform")
        widget.locator(".lv-Status", has_text="exact").wait_for()
        return book, widget

    return explored


def test_plans_as_a_last_line_are_their_editor(open_book: Any) -> None:
    """Found programs, none, and a fuzzy join: nobody reads a repr, and nobody types `lv.explore`."""
    none = "lv.auto_join(historians, pd.DataFrame({'a': ['x']}))"
    fuzzy = "lv.fuzzy_join(us_presidents, us_presidents.head(9), on='Name', threshold=0.5)"
    book = open_book(TABLES, "lv.auto_join(historians, us_presidents)", none, fuzzy).run_all()
    book.outputs(1).locator(".lv-Transform .lv-Status", has_text="exact").wait_for()
    book.outputs(2).get_by_text("No program joins these tables.").wait_for()
    book.outputs(3).locator(".lv-Fuzzy").wait_for()
    assert "JoinPlan(" not in book.outputs(1).inner_text()
    assert book.errors == []


def test_correct_choose_and_join(explore: Callable[[], tuple[Book, Any]]) -> None:
    book, widget = explore()
    assert widget.get_by_role("tab", selected=True).first.inner_text() == "Uncovered (2)"
    assert widget.get_by_role("img", name="Rows of historians: 11 covered; 1 ambiguous; 2 uncovered").count() == 1
    looked_at(book, ".lv-Transform", "transform-uncovered")
    widget.get_by_text("Carter, James Earl(1924-)", exact=True).wait_for()  # as it is written, not as it is compared
    widget.get_by_text("James Earl Carter", exact=True).wait_for()
    widget.get_by_role("row", name="Carter, James Earl").dblclick()
    field = widget.get_by_role("textbox", name="The key that this row should join")
    field.fill("Nobody at all")
    field.press("Enter")
    widget.get_by_role("alert").get_by_text("is not a key of").wait_for()
    widget.get_by_role("row", name="Carter, James Earl").dblclick()
    field.fill("Jimmy C.")
    looked_at(book, ".lv-Transform", "transform-editing")
    widget.get_by_role("button", name="Learn again").click()
    widget.get_by_role("tab", name="Uncovered (1)").wait_for()
    assert book.evaluate("widget.plan.counts().left_matched") == 13
    widget.get_by_role("tab", name="Ambiguous (1)").click()
    widget.get_by_text("Grover Cleveland · 30", exact=True).wait_for()
    looked_at(book, ".lv-Transform", "transform-ambiguous")
    widget.get_by_role("button", name="This pair is wrong").click()
    widget.get_by_role("tab", name="Ambiguous (0)").wait_for()
    widget.get_by_role("tab", name="Covered").last.click()
    looked_at(book, ".lv-Transform", "transform-covered")
    widget.get_by_role("tab", name="SQL").click()
    widget.get_by_role("tabpanel", name="SQL").get_by_text("LEFT JOIN").wait_for()
    widget.get_by_role("button", name="inner").click()
    widget.get_by_text("12 rows out").wait_for()
    widget.get_by_role("button", name="Preview").click()
    widget.get_by_role("region", name="Preview of the join").get_by_text("Barack Obama").wait_for()
    widget.get_by_role("button", name="Join", exact=True).click()
    book.wait_for_run(2)
    assert "historians" in book.sources()[2] and "import lakeview" not in book.sources()[2]
    assert book.evaluate("len(historians_us_presidents)") == 12
    # A name that exists is asked for once more; the rows without a match, alone.
    name = widget.get_by_label("Name of the result")
    book.page.wait_for_function("input => input.value === 'historians_us_presidents_2'", arg=name.element_handle())
    name.fill("historians_us_presidents")
    name.press("Enter")
    widget.get_by_text("will be replaced: Join once more").wait_for()
    assert len(book.sources()) == 3
    name.press("Escape")
    assert name.input_value() == "historians_us_presidents_2"
    widget.get_by_role("button", name="only unmatched").click()
    widget.get_by_text("2 rows out").wait_for()
    widget.get_by_role("button", name="Join", exact=True).click()
    book.page.wait_for_function("() => window.jupyterapp.shell.currentWidget.content.widgets.length === 4")
    book.ready()
    assert book.evaluate("historians_us_presidents_2.equals(historians.loc[historians_us_presidents_2.index])") is True
    assert book.evaluate("(len(historians_us_presidents_2), len(historians_us_presidents))") == [2, 12]
    assert book.errors == []


def test_by_keyboard_alone(explore: Callable[[], tuple[Book, Any]]) -> None:
    book, widget = explore()
    press = book.page.keyboard.press
    rows = widget.locator(".lv-Pair")
    focused = "element => element === document.activeElement"
    rows.nth(0).focus()
    press("ArrowDown")
    assert rows.nth(1).evaluate(focused)
    press("ArrowUp")
    press("Enter")
    assert widget.locator(".lv-Edit").evaluate(focused)
    press("Escape")
    assert rows.nth(0).evaluate(focused)
    press("Enter")
    book.page.keyboard.insert_text("Jimmy C.")
    press("Enter")
    widget.get_by_role("tab", name="Uncovered (1)").wait_for()
    press("2")
    assert widget.get_by_role("tab", name="Ambiguous (1)").evaluate(focused)
    press("ArrowRight")
    assert widget.get_by_role("tab", name="Covered (12)").evaluate(focused)
    radios = widget.get_by_role("radio")
    radios.first.focus()
    press("ArrowDown")
    widget.locator(".lv-Alt[data-plan='1'][aria-checked='true']").wait_for()
    press("ArrowUp")
    widget.locator(".lv-Alt[data-plan='0'][aria-checked='true']").wait_for()
    assert book.errors == []
