"""Every state of the panel and the widget, looked at in both themes: by axe always, as a picture when asked to."""

from __future__ import annotations

import re
from typing import Any

from panel_page import FRAME, Book, looked_at

OPEN = "import lakeview as lv\nlake = lv.open('data')\nlake.index(engine='local');"
PANEL = "#lakeview-panel"


def row(panel: Any, name: str) -> Any:
    return panel.get_by_role("treeitem", name=re.compile(f"^{re.escape(name)},")).first


def test_at_work_filtering_no_java_no_kernel(open_book: Any) -> None:
    book = open_book(FRAME, OPEN).run_all()
    panel = book.show_panel()
    row(panel, "airports.csv").click()
    row(panel, "faa").locator("rect").first.wait_for()
    panel.get_by_role("button", name="Problems").click()
    row(panel, "dest").hover()
    looked_at(book, PANEL, "panel-at-work")
    panel.get_by_role("searchbox").fill("na")
    panel.get_by_text("2 columns in 2 tables").wait_for()
    row(panel, "name").locator("rect").first.wait_for()
    looked_at(book, PANEL, "panel-filtering")
    panel.get_by_role("searchbox").fill("")
    for section in ("Frames", "Lake", "Jobs", "Problems"):
        button = panel.get_by_role("button", name=section, exact=False).and_(panel.locator(".lv-Sec-title"))
        if button.get_attribute("aria-expanded") == "true":
            button.click()
    looked_at(book, PANEL, "panel-at-rest")
    book.evaluate("[setattr(__import__('lakeview.pipeline.java').pipeline.java, 'find_java', lambda: None)] and 1")
    book.command("lakeview:look-for-java")
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
def job(title, state, message, done=0, total=0):
    made = jobs.Job(title, progress.Silent())
    made.update(done, total, message)
    if state != "running":
        made.end(state, message)
spark, own = "starting", True
lake = lv.open("data2")
job("Indexing flights/", "failed", "Spark has stopped; run the same call again: it starts a new session")
job("Indexing airports/", "cancelled", "cancelled; what was there before is still there")
job("Indexing routes/", "done", "43 tables, 512 columns indexed in 12.3 s")
job("Indexing data/", "running", "", 118, 204)"""


def test_jobs_and_spark(open_book: Any, lab: Any) -> None:
    (lab.folder / "data2").mkdir(exist_ok=True)
    book = open_book("import lakeview as lv", JOBS).run_all()
    panel = book.show_panel()
    panel.get_by_text("Spark is starting").wait_for()
    panel.get_by_text("This lake is not indexed yet").wait_for()
    looked_at(book, PANEL, "panel-jobs")
    book.evaluate("[globals().update(spark='running')] and 1")
    book.command("lakeview:reload")
    panel.get_by_role("button", name="Stop Spark").wait_for()
    looked_at(book, PANEL, "panel-spark-running")
    book.evaluate("[globals().update(own=False)] and 1")
    book.command("lakeview:reload")
    panel.get_by_text("Spark running · local[2] · your session").wait_for()
    assert panel.get_by_role("button", name="Stop Spark").count() == 0
    book.evaluate("[globals().update(own=True)] and 1")
    book.evaluate("[globals().update(spark='lost')] and 1")
    book.command("lakeview:reload")
    panel.get_by_text("Spark stopped · starts when needed").wait_for()
    assert panel.get_by_role("button", name="Stop Spark").count() == 0
    looked_at(book, PANEL, "panel-spark-lost")


def test_no_frame_and_no_lake(open_book: Any) -> None:
    book = open_book("import lakeview").run_all()
    panel = book.show_panel()
    panel.get_by_text("No lake is open").wait_for()
    looked_at(book, PANEL, "panel-no-lake")
    panel.get_by_role("textbox", name="Folder of the lake").fill("data")
    panel.get_by_role("button", name="Open", exact=True).click()
    panel.get_by_text("data/").first.wait_for()
    assert book.sources()[1] == '%load_ext lakeview\n%lakeview open "data"'


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
    widget.get_by_text("Matching").wait_for()
    looked_at(book, ".lv-Explore", "explore-narrow")
    widget.get_by_role("button", name="Preview").click()
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
    widget.get_by_text("looking for joins of dest").wait_for()
    looked_at(book, ".lv-Explore", "explore-at-work")
    widget.get_by_role("button", name="Cancel").click()
    widget.locator(".lv-Status", has_text="cancelled").wait_for()
    looked_at(book, ".lv-Explore", "explore-cancelled")
    widget.get_by_role("button", name="Look again").click()
    widget.get_by_text("looking for joins of dest").wait_for()
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
    widget.get_by_text("Matching").wait_for()
    widget.scroll_into_view_if_needed()
    from panel_page import shot

    for theme in ("Dark", "Light"):
        book.theme(theme)
        shot(book.page, f"window-{theme.lower()}")
