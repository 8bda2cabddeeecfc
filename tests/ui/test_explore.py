"""`lv.explore`: choose a column, look, preview, join by one click; by keyboard; where nothing is found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from panel_page import FRAME, Book

OPEN = "import lakeview as lv\nlake = lv.open('data')\nlake.index(engine='local');"


@pytest.fixture
def explore(open_book: Any) -> Callable[..., tuple[Book, Any]]:
    """A function that runs `lv.explore` and returns the notebook and the widget."""

    def explored(*cells: str) -> tuple[Book, Any]:
        book = open_book(FRAME, OPEN, *(cells or ("lv.explore(flights, 'dest', lake)",))).run_all()
        widget = book.page.locator(".lv-Explore")
        widget.locator(".lv-Status", has_text="exact").wait_for()
        return book, widget

    return explored


def test_join_with_one_click(explore: Callable[..., tuple[Book, Any]]) -> None:
    book, widget = explore()
    hit = widget.get_by_role("row", name="airports.csv.faa").first
    assert hit.get_by_role("img", name="containment 0.83, exact").count() == 1
    hit.get_by_role("button", name="Details of airports.csv.faa").click()
    widget.get_by_text("Not in faa: 1 value").wait_for()
    assert widget.get_by_text("BQN").count() == 1
    widget.get_by_role("button", name="Preview").click()
    widget.get_by_role("region", name="Preview of the join").get_by_text("City of ORD").wait_for()
    widget.get_by_role("button", name="Join", exact=True).click()
    book.page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.content.widgets[3]?.model.executionCount > 0"
    )
    assert "flights.merge(airports" in book.sources()[3] and "lakeview as" not in book.sources()[3]
    expected = "lake.search(flights, 'dest')[0].join().to_pandas()"
    assert book.evaluate(f"flights_airports.equals({expected})") is True
    assert book.evaluate("flights_airports['name'].tolist()[:2]") == ["City of ORD", "City of LAX"]
    assert book.errors == []


def test_by_keyboard_alone(explore: Callable[..., tuple[Book, Any]]) -> None:
    book, widget = explore()
    press = book.page.keyboard.press
    rows = widget.locator(".lv-HitRow")
    focused = "element => element === document.activeElement"
    widget.locator(".lv-HitRow[tabindex='0']").focus()
    press("ArrowDown")
    assert rows.nth(1).evaluate(focused)
    press("ArrowRight")
    widget.locator(".lv-DetailRow", has_text="Matching").wait_for()
    press("ArrowLeft")
    assert widget.locator(".lv-DetailRow").count() == 0
    press("Space")
    assert rows.nth(1).get_attribute("aria-selected") == "true"
    press("ArrowUp")
    press("Enter")
    widget.locator(".lv-DetailRow", has_text="Matching").wait_for()
    press("Escape")
    assert rows.nth(0).evaluate(focused)
    press("/")
    book.page.keyboard.type("routes")
    assert rows.count() == 2
    press("Escape")
    press("j")
    book.page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.content.widgets[3]?.model.executionCount > 0"
    )
    assert "merge(routes" in book.sources()[3]


def test_sort_filter_and_another_column(explore: Callable[..., tuple[Book, Any]]) -> None:
    book, widget = explore()
    header = widget.get_by_role("columnheader", name="Rows after left join")
    header.get_by_role("button").click()
    assert header.get_attribute("aria-sort") == "ascending"
    header.get_by_role("button").click()
    assert header.get_attribute("aria-sort") == "descending"
    assert widget.locator(".lv-HitRow .lv-name code").first.inner_text() == "routes.csv.dst"
    widget.get_by_label("Column of flights").select_option(label="carrier")
    widget.get_by_role("row", name="airlines.csv.carrier").first.wait_for()
    widget.get_by_label("Column of flights").select_option(label="air time")
    widget.get_by_text("Nothing in this lake joins with").wait_for()
    assert book.errors == []


MANY = """\
import pandas as pd
codes = pd.DataFrame({"code": [f"k{i}" for i in range(50)]})
many = lv.open({f"table_{t:03d}": codes.rename(columns={"code": f"code_{t}"}) for t in range(500)})
many.index()
widget = lv.explore(codes, lake=many)
widget"""


# The widget's own script draws what the kernel's widget holds, once more, where the notebook shows it: the time from
# the hits to the frame that shows them, the search and the way from the kernel left out.
DRAW = """async ([script, traits]) => {
    const { default: widget } = await import(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })));
    const old = document.querySelector('.lv-Explore');
    const model = { get: name => traits[name], on() {}, off() {}, send() {}, set() {}, save_changes() {} };
    const place = old.parentElement;
    old.remove();
    const started = performance.now();
    widget.render({ model, el: place });
    place.getBoundingClientRect();
    await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
    return [performance.now() - started, place.querySelectorAll('.lv-HitRow').length];
}"""


def test_five_hundred_hits_are_drawn_quickly(explore: Callable[..., tuple[Book, Any]]) -> None:
    book, widget = explore(MANY)
    widget.locator(".lv-HitRow").nth(499).wait_for()
    names = ["frame", "columns", "chosen", "busy", "error", "answer", "hits"]
    traits = book.evaluate(f"{{name: getattr(widget, name) for name in {names}}}")
    script = book.evaluate("str(widget._esm)")
    drawn = [book.page.evaluate(DRAW, [script, traits]) for _ in range(3)]
    print(f"500 hits: drawn, laid out and painted in {[round(took) for took, _ in drawn]} ms")
    assert {rows for _, rows in drawn} == {500}
    assert min(took for took, _ in drawn) < 500  # 200 on a machine of its own
    sorted_in = book.page.evaluate(
        """async () => {
            const started = performance.now();
            document.querySelector('.lv-Explore [data-sort=table]').click();
            document.querySelector('.lv-Explore').getBoundingClientRect();
            return performance.now() - started;
        }"""
    )
    print(f"sorted by table in {sorted_in:.0f} ms")
    assert sorted_in < 500
