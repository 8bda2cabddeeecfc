"""Every state of the panel and the widget, looked at in both themes: by axe always, as a picture when asked to."""

from __future__ import annotations

import re
from typing import Any

from panel_page import FRAME, Book, looked_at, write_lake

OPEN = "import lakeview as lv\nlake = lv.open('data')\nlake.index(engine='local');"
PANEL = "#lakeview-panel"


def row(panel: Any, name: str) -> Any:
    return panel.get_by_role("treeitem", name=re.compile(f"^{re.escape(name)},")).first


def test_at_work_filtering_no_java_no_kernel(open_book: Any) -> None:
    book = open_book(FRAME, OPEN).run_all()
    panel = book.show_panel()
    row(panel, "airports.csv").click()
    row(panel, "faa").locator("rect").first.wait_for()
    row(panel, "dest").hover()
    looked_at(book, PANEL, "panel-at-work")
    panel.get_by_role("button", name="1 problem").click()
    panel.get_by_role("region", name="1 problem").wait_for()
    looked_at(book, PANEL, "panel-problems")
    panel.get_by_role("button", name="Close").click()
    panel.get_by_role("searchbox").fill("na")
    panel.get_by_text("2 columns in 2 tables").wait_for()
    row(panel, "name").locator("rect").first.wait_for()
    looked_at(book, PANEL, "panel-filtering")
    panel.get_by_role("searchbox").fill("")
    for section in ("Frames", "Lake"):
        button = panel.get_by_role("button", name=section, exact=False).and_(panel.locator(".lv-Sec-title"))
        if button.get_attribute("aria-expanded") == "true":
            button.click()
    looked_at(book, PANEL, "panel-at-rest")
    book.evaluate("[setattr(__import__('lakeview.pipeline.java').pipeline.java, 'find_java', lambda: None)] and 1")
    book.command("lakeview:look-for-java")
    panel.get_by_role("button", name="No Java").click()
    panel.get_by_text("Indexing needs Java 17 or newer").wait_for()
    looked_at(book, PANEL, "panel-no-java")
    book.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    panel.get_by_text("No kernel").wait_for()
    looked_at(book, PANEL, "panel-no-kernel")


# What Spark's long jobs look like, without waiting for them.
JOBS = """\
from lakeview.notebook.panel import jobs
from lakeview.pipeline import progress, session
session.state, session.is_own, session.master = lambda: spark, lambda: own, lambda: "local[2]"
def job(title, state, message, how="", done=0, total=0):
    made = jobs.Job(title, progress.Silent())
    made.update(done, total, message, how)
    if state != "running":
        made.end(state, message, how)
spark, own = "starting", True
lake = lv.open("data2")"""


def test_jobs_and_spark(open_book: Any, lab: Any) -> None:
    (lab.folder / "data2").mkdir(exist_ok=True)
    book = open_book("import lakeview as lv", JOBS).run_all()
    panel = book.show_panel()
    strip = panel.locator(".lv-Strip")
    strip.get_by_role("img", name="Spark is starting").wait_for()
    panel.get_by_text("Index this lake to search it").wait_for()
    looked_at(book, PANEL, "panel-not-indexed")
    states = {
        "running": ("job('indexing', 'running', '118 of 204 files', 'by Spark', 118, 204)", "118 of 204 files"),
        "unknown": ("job('indexing', 'running', 'starting Spark', 'about 20 s')", "Starting Spark"),
        "done": (
            "job('indexing', 'done', '43 tables indexed in 12.3 s', '512 columns')",
            "43 tables indexed in 12.3 s",
        ),
        "cancelled": ("job('indexing', 'cancelled', 'nothing was changed')", "cancelled"),
        "failed": ("job('indexing', 'failed', 'Spark has stopped; run the same call again')", "failed"),
    }
    for name, (made, says) in states.items():
        book.evaluate(f"[jobs._jobs.clear(), {made}] and 1")
        strip.get_by_text(says).first.wait_for()
        if name == "unknown":
            strip.get_by_text("about 20 s").wait_for()
        assert strip.evaluate("element => element.getBoundingClientRect().height") == 30
        looked_at(book, PANEL, f"panel-job-{name}")
    strip.get_by_role("button", name="Why?").click()
    panel.get_by_role("alert").get_by_text("run the same call again").wait_for()
    looked_at(book, PANEL, "panel-job-why")
    book.evaluate("[jobs._jobs.clear(), globals().update(spark='running')] and 1")
    book.command("lakeview:reload")
    strip.get_by_role("img", name="Spark running · local[2]").wait_for()
    panel.get_by_role("button", name="Lake: data2").click()
    panel.get_by_role("menuitem", name="Stop Spark").wait_for()
    looked_at(book, PANEL, "panel-spark-running")
    panel.get_by_role("menuitem", name="Look again").press("Escape")
    book.evaluate("[globals().update(own=False)] and 1")
    book.command("lakeview:reload")
    strip.get_by_role("img", name="Spark running · local[2] · your session").wait_for()
    panel.get_by_role("button", name="Lake: data2").click()
    panel.get_by_role("menuitem", name="Look again").wait_for()
    assert panel.get_by_role("menuitem", name="Stop Spark").count() == 0
    book.evaluate("[globals().update(own=True, spark='lost')] and 1")
    book.command("lakeview:reload")
    strip.get_by_role("img", name="Spark stopped · starts when needed").wait_for()
    assert panel.get_by_role("menuitem", name="Stop Spark").count() == 0
    looked_at(book, PANEL, "panel-spark-lost")


def open_lakes(book: Book, name: str) -> None:
    """Have as many as the panel remembers remembered: those of another kernel."""
    note = "__import__('lakeview.notebook.panel.places').notebook.panel.places.note"
    book.evaluate(
        f"[(__import__('os').mkdir(n), {note}([n], 1, None)) for n in map('{name}{{}}'.format, range(8))] and 1"
    )


def test_no_frame_and_no_lake(open_book: Any, lab: Any) -> None:
    write_lake(lab.folder / "towns")  # one that no other test of this Lab indexes
    (lab.folder / "towns-2024").mkdir()
    book = open_book("import lakeview").run_all()
    panel = book.show_panel()
    field = panel.get_by_role("combobox", name="Folder of the lake")
    field.wait_for()
    looked_at(book, PANEL, "panel-no-lake")
    field.fill("tow/")
    book.page.keyboard.press("Enter")
    panel.get_by_role("alert").get_by_text("There is no folder tow/").wait_for()
    assert field.get_attribute("aria-invalid") == "true"
    looked_at(book, PANEL, "panel-wrong-path")
    assert len(book.sources()) == 1  # it left no cell
    field.fill("to")
    option = panel.get_by_role("option", name="towns/")
    option.get_by_text("4 files").wait_for()
    looked_at(book, PANEL, "panel-path")
    field.focus()
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        book.page.keyboard.press(key)
    assert field.input_value() == "towns-2024/"
    field.fill("twons")
    book.page.keyboard.press("Enter")
    panel.get_by_role("alert").get_by_role("button", name="towns").click()
    panel.get_by_role("button", name="Lake: towns").wait_for()
    book.wait_for_run(1)
    assert book.sources()[1] == '%load_ext lakeview\n%lakeview open "towns"'
    # the menu of lakes, by keyboard alone
    open_lakes(book, "older")
    book.command("lakeview:reload")  # "towns" is the last again
    panel.get_by_role("button", name="Lake: towns").press("Enter")
    current = panel.get_by_role("menuitemradio", checked=True)
    current.and_(book.page.locator(":focus")).wait_for()  # though the lines of lakes came after those that were there
    assert current.locator("span").nth(1).inner_text() == "towns"
    looked_at(book, PANEL, "panel-lakes")
    current.press("Escape")
    assert panel.get_by_role("button", name="Lake: towns").evaluate("e => e === document.activeElement")
    # other kernels open lakes meanwhile: the lines that the menu had are gone when it has asked for them
    open_lakes(book, "later")
    book.page.keyboard.press("l")
    panel.get_by_role("menuitemradio", name="later7").and_(book.page.locator(":focus")).wait_for()
    panel.get_by_role("menuitem", name="Type a folder…").click()
    field.wait_for()
    panel.get_by_role("button", name="Cancel").click()
    panel.get_by_text("Index this lake to search it").wait_for()
    assert book.errors == []


def test_not_installed_and_broken(open_book: Any) -> None:
    book = open_book("import sys\nsys.modules['lakeview'] = None").run_all()
    panel = book.show_panel()
    panel.get_by_text("lakeview is not in this kernel").wait_for()
    looked_at(book, PANEL, "panel-not-installed")
    panel.get_by_role("button", name="Insert as a cell").wait_for()
    broken = "{'lakeview.notebook.panel.comm': __import__('types').ModuleType('broken')}"
    book.evaluate(f"[__import__('sys').modules.update({broken})] and 1")
    panel.get_by_role("button", name="Check again").click()
    panel.get_by_text("lakeview does not answer").wait_for()
    looked_at(book, PANEL, "panel-broken")


def test_widget(open_book: Any) -> None:
    book = open_book(FRAME, OPEN, "lv.explore(flights, 'dest', lake)").run_all()
    book.page.set_viewport_size({"width": 1500, "height": 900})
    widget = book.page.locator(".lv-Explore")
    widget.get_by_role("button", name="Details of airports.csv.faa").click()
    widget.get_by_text("What it does").wait_for()
    looked_at(book, ".lv-Explore", "explore-narrow")
    widget.get_by_role("region", name="Preview of the join").wait_for()
    book.command("application:toggle-left-area")
    looked_at(book, ".lv-Explore", "explore-wide")
    book.page.set_viewport_size({"width": 700, "height": 1400})
    looked_at(book, ".lv-Explore", "explore-phone")
    book.page.set_viewport_size({"width": 1500, "height": 900})
    widget.get_by_label("Column of flights").select_option(label="air time")
    widget.get_by_text("Nothing in this lake joins with").wait_for()
    looked_at(book, ".lv-Explore", "explore-nothing")
    assert book.errors == []


def test_widget_at_work_and_failed(open_book: Any) -> None:
    slow = "import time\nsearch = lake.search\nlake.search = lambda *a, **o: (time.sleep(60), search(*a, **o))"
    book = open_book(FRAME, OPEN, slow, "widget = lv.explore(flights, 'dest', lake)\nwidget").run_all()
    widget = book.page.locator(".lv-Explore")
    widget.get_by_text("looking for joins of flights.dest").wait_for()
    looked_at(book, ".lv-Explore", "explore-at-work")
    widget.get_by_role("button", name="Cancel").click()
    widget.locator(".lv-Status", has_text="cancelled").wait_for()
    looked_at(book, ".lv-Explore", "explore-cancelled")
    widget.get_by_role("button", name="Look again").click()
    widget.get_by_text("looking for joins of flights.dest").wait_for()
    widget.get_by_role("button", name="Cancel").click()
    book.evaluate("[setattr(lake, 'search', lambda *a, **o: 1 / 0), widget.search()] and 1")
    widget.get_by_role("alert").get_by_text("ZeroDivisionError").wait_for()
    looked_at(book, ".lv-Explore", "explore-failed")


def test_the_whole_window(open_book: Any) -> None:
    book: Book = open_book(FRAME, OPEN, "lv.explore(flights, 'dest', lake)").run_all()
    book.page.set_viewport_size({"width": 1500, "height": 900})
    book.show_panel().get_by_role("treeitem").first.wait_for()
    widget = book.page.locator(".lv-Explore")
    widget.get_by_role("button", name="Details of airports.csv.faa").click()
    widget.get_by_text("What it does").wait_for()
    widget.scroll_into_view_if_needed()
    from panel_page import shot

    for theme in ("Dark", "Light"):
        book.theme(theme)
        shot(book.page, f"window-{theme.lower()}")
