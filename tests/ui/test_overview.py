"""`lv.explore(df)`, and `lake.search(df)` as a cell's last line: a line for each column; in by Enter, back by Esc."""

from __future__ import annotations

from typing import Any

from panel_page import looked_at

FRAME = """\
import pandas as pd
import lakeview as lv
towns = ["Bonn", "Rome", "Oslo", "Lima", "Kiel", "Pisa", "Lyon", "Bern", "Cork", "Graz", "Metz", "Nice"]
days = [f"day {i}" for i in range(12)]
visits = pd.DataFrame({"note": [f"n{i} of mine" for i in range(36)], "town": towns * 3,
                       "day": [days[(5 * i + i // 12) % 12] for i in range(36)],
                       "count": [1, 2, 3, 4] * 9, "when": "always"})
weather = pd.DataFrame([(t, d, i + 0.5) for i, t in enumerate(towns) for d in days], columns=["place", "sky", "rain"])
people = [f"people {i}" for i in range(11)]
lake = lv.open({"weather": weather, "towns": pd.DataFrame({"name": towns[:11], "people": people}),
                "ranks": pd.DataFrame({"rank": range(50), "prize": [f"prize {i}" for i in range(50)]})})
lake.index(engine="local");"""

# The lake answers, a column more each time, once it is let go on.
SLOW = """\
import threading
gates, search = [threading.Event() for _ in range(8)], lake.search
def slow(df, column=None, **options):
    if column is not None:
        yield from search(df, column, **options)
        return
    for gate, hits in zip(gates, search(df, **options)):
        threading.Event().wait(.15)
        yield hits
        gate.wait(60)
lake.search = slow
widget = lv.explore(visits, lake=lake)
widget"""

PLACES = """widget => [...widget.querySelectorAll('.lv-ColumnRow')].map(row =>
    row.getBoundingClientRect().top - widget.getBoundingClientRect().top)"""
FOCUSED = "element => element === document.activeElement"


def test_all_lines_at_once_then_in_and_back(open_book: Any) -> None:
    book = open_book(FRAME, SLOW).run_all()
    book.page.set_viewport_size({"width": 1440, "height": 900})
    press, widget = book.page.keyboard.press, book.page.locator(".lv-Over")
    rows, names = widget.locator(".lv-ColumnRow"), widget.locator(".lv-yours code")
    widget.get_by_text("1 of 5 columns").wait_for()
    assert names.all_inner_texts() == ["note", "town", "day", "count", "when"]
    assert widget.get_by_text("searching …").count() == 4
    places = widget.evaluate(PLACES)
    rows.nth(0).focus()
    press("ArrowDown")
    looked_at(book, ".lv-Over", "overview-at-work")
    book.evaluate("[gate.set() for gate in gates] and 1")
    widget.locator(".lv-Status", has_text="exact").wait_for()
    assert names.all_inner_texts() == ["note", "town", "day", "count", "when", "town, day"]
    assert rows.nth(1).evaluate(FOCUSED), "filled in place, under the hand"
    assert widget.evaluate(PLACES)[:5] == places, "no line moves"
    town = rows.nth(1)
    assert town.locator(".lv-best code").inner_text() == "towns.name"
    assert town.get_by_role("img", name="percent of your rows matched").count() == 1
    assert rows.nth(1).locator(".lv-Conf").inner_text().strip() in ("sure", "possible")
    assert widget.locator(".lv-accident .lv-yours").all_inner_texts() == ["note", "count", "when"]
    assert widget.locator(".lv-accident .lv-sure").all_inner_texts() == ["none", "chance", "none"]
    assert widget.get_by_text("1 set of columns joins").count() == 1
    looked_at(book, ".lv-Over", "overview")
    # In, by Enter: the grid of that column, at its first hit. Back, by Esc, to the line that was left.
    press("ArrowDown")
    press("ArrowUp")
    press("Enter")
    grid = book.page.locator(".lv-Explore:not(.lv-Over)")
    grid.get_by_role("row", name="towns.name").first.wait_for()
    grid.locator(".lv-Status", has_text="exact").wait_for()
    book.page.wait_for_function("() => document.activeElement.matches('.lv-HitRow')")
    assert widget.count() == 0 and grid.locator(".lv-Title").inner_text().split() == ["visits", "/", "town"]
    grid.locator(".lv-DetailRow .lv-Preview").wait_for()  # nothing of it is drawn anew from here on
    looked_at(book, ".lv-Explore", "overview-inside")
    press("ArrowRight")
    grid.locator(".lv-DetailRow", has_text="What it does").wait_for()
    press("Escape")
    rows.nth(1).wait_for()
    assert rows.nth(1).evaluate(FOCUSED) and grid.count() == 0
    # Nothing joins: that is told, and there is a way back too; then the pair, by a click, and back by its name.
    press("Home")
    press("ArrowRight")
    grid.get_by_text("Nothing in this lake joins with").wait_for()
    press("Escape")
    rows.nth(5).click()
    grid.get_by_role("row", name="weather.(place, sky)").first.wait_for()
    grid.get_by_role("button", name="visits", exact=True).click()
    rows.nth(5).wait_for()
    assert rows.nth(5).evaluate(FOCUSED)
    # Grouped, on request, as somebody was among the lines; filtered; two marked and searched for together.
    widget.get_by_role("button", name="Group by confidence").click()
    heads = widget.locator(".lv-Group b")
    assert heads.all_inner_texts() == [
        "2 columns join", "1 set of columns joins", "1 column meets the lake only by chance",
        "2 columns have nothing to join on",
    ]  # fmt: skip
    assert names.all_inner_texts() == ["town", "day", "town, day", "count", "note", "when"]
    looked_at(book, ".lv-Over", "overview-grouped")
    rows.nth(0).focus()
    press("/")
    book.page.keyboard.type("da")
    assert names.all_inner_texts() == ["day", "town, day"]
    book.page.keyboard.type("xx")
    widget.get_by_text("No column is left by the filter.").wait_for()
    widget.get_by_label("Filter columns").fill("")
    widget.get_by_role("button", name="chance 1").click()
    assert names.all_inner_texts() == ["count"]
    widget.get_by_role("button", name="All 6").click()
    rows.nth(0).focus()
    press("Space")
    widget.get_by_label("Mark day").click()
    assert widget.get_by_label("Mark town").is_checked() and widget.get_by_label("Mark day").is_checked()
    looked_at(book, ".lv-Over", "overview-marked")
    rows.nth(0).focus()
    press("t")
    grid.get_by_role("row", name="weather.(place, sky)").first.wait_for()
    assert book.errors == []


def test_what_a_whole_frame_joins_with_shows_itself_so(open_book: Any) -> None:
    book = open_book(FRAME, "lake.search(visits)").run_all()
    book.page.set_viewport_size({"width": 900, "height": 900})
    rows = book.page.locator(".lv-Over .lv-ColumnRow")
    book.page.locator(".lv-Over .lv-Status", has_text="exact").wait_for()
    assert rows.count() == 6
    looked_at(book, ".lv-Over", "overview-narrow")
    assert rows.locator(".lv-yours").all_inner_texts()[:3] == ["town", "day", "town, day"]
    rows.nth(1).focus()
    book.page.keyboard.press("Enter")
    grid = book.page.locator(".lv-Explore:not(.lv-Over)")
    grid.get_by_role("row", name="weather.sky").first.wait_for()
    # What the notebook's file keeps is the table of the whole frame again, once somebody is back.
    book.page.wait_for_function("() => document.activeElement.matches('.lv-HitRow')")
    book.page.keyboard.press("Escape")
    assert rows.nth(1).evaluate(FOCUSED)
    kept = "JSON.stringify(window.jupyterapp.shell.currentWidget.content.widgets[1].model.outputs.toJSON())"
    book.page.wait_for_function(f"() => {kept}.includes('Joins for visits: ')")
    assert book.errors == []


def test_values_that_are_everywhere_are_no_columns_that_join(open_book: Any) -> None:
    frames = """\
import pandas as pd
import lakeview as lv
codes, months = [f"K-{i:03d}" for i in range(240)], [f"2024-{m:02d}-01" for m in range(1, 13)]
sales = pd.DataFrame({"code": codes, "day": months * 20})
lake = lv.open({"items": pd.DataFrame({"code": codes, "label": [f"label {i}" for i in range(240)]}),
                "rain": pd.DataFrame({"day": months * 10, "station": [f"s{i}" for i in range(120)]})})
lake.index(engine="local");"""
    book = open_book(frames, "lv.explore(sales, lake=lake)").run_all()
    widget = book.page.locator(".lv-Over")
    widget.locator(".lv-Status", has_text="exact").wait_for()
    heads = widget.locator(".lv-Group b")
    heads.first.wait_for()
    assert heads.all_inner_texts() == ["1 column joins", "1 column holds common values"]
    assert widget.locator(".lv-yours code").all_inner_texts() == ["code", "day"]
    assert book.errors == []
