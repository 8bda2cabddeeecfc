"""What follows the hand: the handle of a threshold, and the filter over a thousand tables. Counted: seconds are the
machine's."""

from __future__ import annotations

from typing import Any

from costs import Costs

PLAN = """\
import lakeview as lv
firms = [f"{a} {b} {c}" for a in ("Alder", "Birch", "Cedar", "Dahlia", "Elm") for b in ("Hill", "Lake", "Moor", "Ridge")
         for c in ("Foods", "Tools", "Steel", "Paper")]
plan = lv.fuzzy_join([firm[:-1] + "x" for firm in firms], firms, precision=0.9)
widget = lv.explore(plan)
widget"""


def test_a_drag_asks_nobody_until_it_ends(open_book: Any, lab_page: Any) -> None:
    page = lab_page.page
    costs = Costs(page)
    book = open_book(PLAN).run_all()
    widget = page.locator(".lv-Fuzzy")
    page.set_viewport_size({"width": 1500, "height": 1300})
    handle = widget.get_by_role("slider", name="Similarity threshold")
    before = handle.get_attribute("aria-valuenow")
    chart, knob = widget.locator(".lv-Chart").bounding_box(), widget.locator(".handle circle").nth(1).bounding_box()
    across, down = knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2
    page.mouse.move(across, down)
    page.mouse.down()
    steps = 20
    with costs:
        page.mouse.move(chart["x"] + chart["width"] * 0.4, down, steps=steps)
    print(f"a drag of {steps} steps: {costs}")
    # Where it rested between two steps, as under load, it may have been asked then.
    assert costs.layouts <= 3 * steps and costs.styles <= 4 * steps and costs.messages <= steps // 4
    with costs:
        page.mouse.up()
        page.wait_for_timeout(500)
    assert costs.messages <= 2
    assert handle.get_attribute("aria-valuenow") != before
    assert book.errors == []


TABLES = """\
import lakeview as lv, pandas as pd
lake = lv.open({f"folder_{t % 9}/table_{t:04d}": pd.DataFrame({f"key_{t}": ["a", "b"], "n": [1, 2]})
                for t in range(1000)})
lake.index(engine="local");"""


def test_a_letter_in_the_filter_of_a_thousand_tables(open_book: Any, lab_page: Any) -> None:
    page = lab_page.page
    costs = Costs(page)
    book = open_book(TABLES).run_all()
    panel = book.show_panel()
    box = panel.get_by_role("searchbox")
    box.wait_for()
    assert box.get_attribute("placeholder") == "Filter 1,000 tables, 2,000 columns"
    box.focus()
    page.wait_for_timeout(1000)  # what the panel asks of a lake that it has just seen
    for letter in "key_99":
        with costs:
            page.keyboard.press(letter)
            page.wait_for_timeout(100)
        print(f"{letter}: {costs}, {panel.get_by_role('treeitem').count()} rows")
        # Asked for are the shapes of the tables that the filter opens, of those alone that are seen; an answer that
        # comes apart from the others is drawn once more.
        assert costs.messages <= 20
        assert costs.layouts <= 12 + 2 * costs.messages and costs.styles <= 24 + 2 * costs.messages
        assert panel.get_by_role("treeitem").count() < 300, "what is seen alone"
    assert panel.locator(".lv-Found").inner_text().startswith("11 columns")
    assert book.errors == []
