"""`lv.explore`: choose a column, look, preview, join by one click; by keyboard; where nothing is found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from panel_page import FRAME, Book, looked_at

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
    assert hit.get_by_role("img", name="83 percent of your rows matched, 1 without").count() == 1
    hit.get_by_role("button", name="Details of airports.csv.faa").click()
    rows = widget.get_by_role("region", name="Preview of the join")
    rows.get_by_text("City of ORD").wait_for()
    assert rows.get_by_role("row").last.inner_text().split("\t") == ["BQN", "–", "no match"]
    assert widget.locator(".lv-Get li").all_inner_texts() == [
        "name\nabc\nCity of ORD, City of LAX",
        "alt\n123\n600, 400",
    ]
    widget.get_by_role("button", name="Show the 1 without").click()
    widget.get_by_text("1 value not in faa").wait_for()
    widget.get_by_role("button", name="Show the 5 matched").click()
    before = book.evaluate("sorted(name for name in globals() if name[0] != '_')")
    widget.get_by_role("button", name="Join", exact=True).click()
    book.wait_for_run(3)
    assert "flights.merge(airports" in book.sources()[3] and "lakeview as" not in book.sources()[3]
    expected = "lake.search(flights, 'dest')[0].join().to_pandas()"
    assert book.evaluate(f"flights_airports.equals({expected})") is True
    assert book.evaluate("flights_airports['name'].tolist()[:2]") == ["City of ORD", "City of LAX"]
    after = set(book.evaluate("sorted(name for name in globals() if name[0] != '_')")) - set(before)
    assert after <= {"flights_airports", "pd"} and book.sources()[3].endswith("\nflights_airports.head()")
    # Another name, one column less; a name that exists is asked for once more.
    widget.get_by_label("alt", exact=True).uncheck()
    name = widget.get_by_label("Name of the result")
    name.fill("flights_airports")
    name.press("Tab")
    widget.get_by_text("exists: it will be replaced").wait_for()
    widget.get_by_role("button", name="Join", exact=True).click()
    widget.get_by_text("Join once more").wait_for()
    assert len(book.sources()) == 4
    name.fill("named")
    name.press("Enter")
    book.wait_for_run(3)
    book.page.wait_for_function("() => window.jupyterapp.shell.currentWidget.content.widgets.length === 5")
    book.ready()
    assert book.evaluate("list(named.columns)") == ["carrier", "dest", "air time", "faa", "name"]
    assert book.errors == []


def test_by_keyboard_alone(explore: Callable[..., tuple[Book, Any]]) -> None:
    book, widget = explore()
    press = book.page.keyboard.press
    rows = widget.locator(".lv-HitRow")

    def focused(place: int) -> bool:
        """Whether that row has the focus; asked at once, as a row may be drawn anew meanwhile."""
        return book.page.evaluate(
            "i => document.querySelectorAll('.lv-Explore .lv-HitRow')[i] === document.activeElement", place
        )

    widget.get_by_role("button", name="2 chance matches").focus()
    press("Enter")
    widget.locator(".lv-HitRow[tabindex='0']").focus()
    press("ArrowDown")
    assert focused(1)
    press("ArrowRight")
    widget.locator(".lv-DetailRow", has_text="What it does").wait_for()
    press("ArrowLeft")
    assert widget.locator(".lv-DetailRow").count() == 0
    press("Space")
    assert rows.nth(1).get_attribute("aria-selected") == "true"
    press("ArrowUp")
    press("Enter")
    widget.locator(".lv-DetailRow", has_text="What it does").wait_for()
    press("Escape")
    assert focused(0)
    press("m")
    widget.get_by_text("Rows without a match").wait_for()
    press("m")
    widget.get_by_text("Joined rows").wait_for()
    press("/")
    book.page.keyboard.type("routes")
    assert rows.count() == 2
    press("Escape")
    # Where rows would multiply nothing is chosen beforehand, and Join waits.
    press("j")
    detail = widget.locator(".lv-DetailRow", has_text="What it does").last
    detail.wait_for()
    assert detail.get_by_role("button", name="Join", exact=True).is_disabled() and len(book.sources()) == 3
    detail.get_by_label("all rows").focus()
    press("Space")
    press("Escape")
    press("j")
    book.wait_for_run(3)
    assert "merge(routes" in book.sources()[3]


def test_sort_filter_and_another_column(explore: Callable[..., tuple[Book, Any]]) -> None:
    book, widget = explore()
    assert widget.locator(".lv-HitRow .lv-name code").all_inner_texts() == ["airports.csv.faa"]
    line = widget.get_by_role("button", name="2 chance matches")
    assert line.get_attribute("aria-expanded") == "false"
    line.click()
    header = widget.get_by_role("columnheader", name="Rows after")
    assert "all matches kept" in header.get_by_role("button").get_attribute("title")
    header.get_by_role("button").click()
    assert header.get_attribute("aria-sort") == "ascending"
    header.get_by_role("button").click()
    assert header.get_attribute("aria-sort") == "descending"
    names = widget.locator(".lv-HitRow .lv-name code").all_inner_texts()
    assert names == ["airports.csv.faa", "routes.csv.dst", "routes.csv.src"], "below the line, too"
    widget.get_by_label("Column of flights").select_option(label="carrier")
    widget.get_by_role("row", name="airlines.csv.carrier").first.wait_for()
    widget.get_by_label("Column of flights").select_option(label="air time")
    widget.get_by_text("Nothing in this lake joins with").wait_for()
    assert book.errors == []


KINDS = """\
import pandas as pd
import lakeview as lv
names = ["Ann Doe", "Ben Roe", "Cem Ott", "Dora Lang", "Eva Kern", "Finn Wolf", "Ida Beck"]
visits = pd.DataFrame({"guide": [", ".join(name.split()[::-1]) for name in names],
                       "town": ["Bonn", "Bonn", "Rome", "Rome", "Oslo", "Oslo", "Lima"],
                       "year": [2020, 2021, 2020, 2021, 2020, 2021, 2020]})
guides = pd.DataFrame({"name": names})
counts = pd.DataFrame({"place": ["Bonn", "Bonn", "Rome", "Rome", "Oslo", "Oslo"],
                       "when": [2020, 2021] * 3, "n": range(6)})
lake = lv.open({"counts": counts, "guides": guides, "notes": visits[["guide"]].head(5).set_axis(["person"], axis=1)})
lake.index(engine="local");"""


def test_transformations_several_columns_and_what_is_marked(explore: Callable[..., tuple[Book, Any]]) -> None:
    book, widget = explore(KINDS, "lv.explore(visits, 'guide', lake)")
    book.page.set_viewport_size({"width": 1700, "height": 1000})
    widget.get_by_role("row", name="guides.name").first.wait_for()
    widget.get_by_text("looked through in").wait_for()
    widget.locator(".lv-Status", has_text="exact").wait_for()
    kinds = widget.get_by_role("group", name="Kinds of joins")
    said = [" ".join(text.split()) for text in kinds.get_by_role("button").all_inner_texts()]
    assert said == ["All 2", "= equal 1", "ƒ step 1"]
    kinds.get_by_role("button", name="step").click()
    assert widget.locator(".lv-HitRow .lv-name code").all_inner_texts() == ["guides.name"]
    widget.get_by_role("button", name="Details of guides.name").click()
    widget.locator(".lv-DetailRow", has_text="7 of 7 values").wait_for()
    kinds.get_by_role("button", name="All 2").click()
    looked_at(book, ".lv-Explore", "explore-kinds")
    for row in (0, 1):
        widget.locator(".lv-HitRow").nth(row).focus()
        book.page.keyboard.press("Space")
    widget.get_by_role("button", name="Compare 2").click()
    book.outputs(4).get_by_text("guide beside guides.name").wait_for()
    assert book.outputs(4).get_by_text("guide beside notes.person").count() == 1
    widget.get_by_label("Column of visits").select_option(label="town")
    widget.get_by_role("row", name="counts.place").first.wait_for()
    widget.get_by_label("Join on another column too").select_option(label="year")
    widget.get_by_role("row", name="counts.(place, when)").first.wait_for()
    widget.get_by_role("button", name="Details of counts.(place, when)").click()
    widget.get_by_role("cell", name="Lima").or_(widget.get_by_text("1 value not in")).first.wait_for()
    looked_at(book, ".lv-Explore", "explore-together")
    widget.get_by_role("button", name="Join", exact=True).click()
    book.page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.content.widgets.some(cell =>"
        " cell.model.sharedModel.getSource().includes('visits_counts') && cell.model.executionCount)"
    )
    assert book.evaluate("visits_counts['n'].fillna(-1).tolist()") == [0, 1, 2, 3, 4, 5, -1]
    assert book.errors == []


# Answers as the kernel would send them: estimates whose order the exact numbers turn round.
SETTLE = """widget = lv.explore(flights, 'dest', lake)
def answer(*shares, exact):
    row, kept = dict(widget.hits[0]), dict(widget.answer)
    rows = [{**row, 'id': name, 'table': name, 'rank': i, 'exact': exact, 'percent': f'{share:.2f}', 'share': share,
             'stem': name, 'full': name}
            for i, (name, share) in enumerate(sorted(zip('abc', shares), key=lambda pair: -pair[1]))]
    with widget.hold_sync():
        widget.hits, widget.answer = rows, {**kept, 'question': 99, 'facts': [str(shares)]}
widget"""


def test_numbers_settle_in_place(explore: Callable[..., tuple[Book, Any]]) -> None:
    """Rows do not move under a hand that is among them; they do once that is asked for, or when nobody is there."""
    book, widget = explore(SETTLE)
    names = widget.locator(".lv-HitRow .lv-name code")
    book.evaluate("answer(.9, .8, .7, exact=False) or 1")
    widget.locator(".lv-Status", has_text="approximate").wait_for()
    widget.locator(".lv-HitRow").nth(1).focus()
    book.page.keyboard.press("Space")
    book.evaluate("answer(.5, .6, .7, exact=True) or 1")
    widget.locator(".lv-Status", has_text="exact").get_by_text("exact", exact=True).wait_for()
    assert [name[0] for name in names.all_inner_texts()] == ["a", "b", "c"]
    assert widget.locator(".lv-match b").all_inner_texts() == ["0.50", "0.60", "0.70"]
    assert widget.locator(".lv-HitRow").nth(1).evaluate("row => row === document.activeElement")
    assert widget.locator(".lv-HitRow").nth(1).get_attribute("aria-selected") == "true"
    widget.get_by_role("button", name="Order changed: update").click()
    assert [name[0] for name in names.all_inner_texts()] == ["c", "b", "a"]
    assert not widget.get_by_role("button", name="Order changed: update").is_visible()
    book.page.evaluate("() => document.activeElement.blur()")
    book.page.mouse.move(2, 2)
    book.evaluate("answer(.9, .8, .7, exact=True) or 1")
    widget.get_by_text("(0.9, 0.8, 0.7)").wait_for()
    assert [name[0] for name in names.all_inner_texts()] == ["a", "b", "c"]
    assert book.errors == []


# Sights of what joins after a step, each when it is let.
LET = """import threading
from lakeview.notebook.widgets import steps
let, all_sights = threading.Semaphore(0), steps.sights
def one_by_one(answer):
    for sight in all_sights(answer):
        let.acquire()
        yield sight
steps.sights = one_by_one"""


def test_steps_leave_rows_under_the_hand(explore: Callable[..., tuple[Book, Any]]) -> None:
    """What joins after a step comes below the rows that somebody is among; it is stopped and goes on."""
    book, widget = explore(KINDS, LET, "widget = lv.explore(visits, 'guide', lake)\nwidget")
    names = widget.locator(".lv-HitRow .lv-name code")
    assert names.all_inner_texts() == ["notes.person"]
    head = widget.locator(".lv-Steps")
    head.get_by_text("looking for bridges").wait_for()
    looked_at(book, ".lv-Explore", "explore-steps")
    head.get_by_role("button", name="Stop").focus()
    book.page.keyboard.press("Enter")
    head.get_by_text("stopped").wait_for()
    assert head.get_by_role("button", name="Go on").evaluate("button => button === document.activeElement")
    book.page.keyboard.press("Enter")
    head.get_by_text("looking for bridges").wait_for()
    row = widget.locator(".lv-HitRow").first
    widget.get_by_role("button", name="Details of notes.person").click()
    widget.get_by_text("5 of 7 values ·").wait_for()
    row.focus()
    book.page.keyboard.press("Space")
    at = "() => document.querySelector('.lv-Explore .lv-HitRow').getBoundingClientRect().y"  # as drawn by then
    place = book.page.evaluate(at)
    book.evaluate("[let.release() for _ in range(40)] and 1")
    head.get_by_text("looked through in").wait_for()
    assert names.all_inner_texts() == ["notes.person", "guides.name"]
    assert book.page.evaluate("() => document.activeElement.matches('.lv-HitRow')")
    assert abs(book.page.evaluate(at) - place) < 2
    assert row.get_attribute("aria-selected") == "true" and widget.get_by_text("5 of 7 values ·").is_visible()
    assert not widget.get_by_role("button", name="Order changed: update").is_visible()
    looked_at(book, ".lv-Explore", "explore-steps-found")
    editor = widget.get_by_role("button", name="Open the editor")
    for width in (700, 1100, 1500):  # what opens it goes under the name where there is no room beside it
        book.page.set_viewport_size({"width": width, "height": 900})
        box = editor.bounding_box()
        assert box and box["height"] >= 20 and box["width"] >= 60, width
    widget.locator(".lv-HitRow").last.focus()
    book.page.keyboard.press("e")
    book.wait_for_run(5)
    assert book.sources()[5].endswith('%lakeview auto_join visits.guide --with "guides"["name"]')
    book.outputs(5).locator(".lv-Transform").wait_for()
    widget.get_by_label("Column of visits").select_option(label="town")
    widget.get_by_role("row", name="counts.place").first.wait_for()
    head.get_by_text("no table is likely").or_(head.get_by_text("looked through in")).wait_for()
    head.get_by_text("none found").wait_for()
    assert book.errors == []


RIGHT_TO_LEFT = """\
import pandas as pd
cities = ["חיפה", "עכו", "אילת", "לוד", "רמלה", "יפו", "צפת", "טבריה", "נצרת", "אשדוד"]
visits = pd.DataFrame({"עיר": cities * 2})
heights = pd.DataFrame({"שם": cities, "גובה": range(10)})
lake = lv.open({"ערים 2024": heights})
lake.index(engine="local");"""


def test_names_that_are_read_from_the_right(explore: Callable[..., tuple[Book, Any]]) -> None:
    """Table, then column, wherever their letters run; at twice the size as well."""
    book, widget = explore(RIGHT_TO_LEFT, "lv.explore(visits, 'עיר', lake)")
    name = widget.locator(".lv-HitRow .lv-name code").first
    assert name.inner_text() == "ערים 2024.שם"
    at = "code => [...code.querySelectorAll('bdi')].map(part => part.getBoundingClientRect().left)"
    table, column = name.evaluate(at)
    assert table < column
    widget.get_by_role("button", name="Details of").first.click()
    widget.get_by_role("region", name="Preview of the join").wait_for()
    looked_at(book, ".lv-Explore", "explore-from-the-right")
    book.page.set_viewport_size({"width": 720, "height": 450})  # 1440 x 900 at 200 %
    book.command("application:toggle-left-area")
    wide = "element => element.scrollWidth - element.clientWidth"
    assert widget.evaluate(wide) <= 1, "nothing but tables of values scrolls sideways"
    looked_at(book, ".lv-Explore", "explore-twice-as-large")
    widget.get_by_role("button", name="Join", exact=True).click()
    book.wait_for_run(4)
    made = book.sources()[4].strip().splitlines()[-1].removesuffix(".head()")
    assert book.evaluate(f"{made}['גובה'].tolist()") == [*range(10)] * 2
    assert book.errors == []
