"""The side panel with a real kernel: what it lists, what it inserts, and that it answers while a cell runs."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from panel_page import FRAME, Book, looked_at, write_notebook

OPEN = "import lakeview as lv\nlake = lv.open('data')\nlake.index(engine='local');"
START = Callable[..., tuple[Book, Any]]


@pytest.fixture
def start(open_book: Any) -> START:
    """A function that opens a notebook of these cells, runs them, and returns it and the panel."""

    def started(*cells: str) -> tuple[Book, Any]:
        book = open_book(*cells).run_all()
        return book, book.show_panel()

    return started


def row(panel: Any, name: str) -> Any:
    return panel.get_by_role("treeitem", name=re.compile(f"^{re.escape(name)},")).first


def test_frames_lake_problems_and_a_search_by_one_click(start: START) -> None:
    book, panel = start(FRAME, OPEN)
    row(panel, "dest").wait_for()
    assert row(panel, "flights").get_attribute("aria-label") == "flights, pandas, 6 rows, 3 columns"
    row(panel, "airports.csv").click()
    assert row(panel, "faa").get_attribute("aria-label") == "faa, text, key, 10 distinct, 0 null"
    panel.get_by_role("button", name="1 problem").click()
    panel.get_by_role("region", name="1 problem").get_by_text("survey.xlsx", exact=True).wait_for()
    panel.locator(".lv-Strip").get_by_role("img", name="Spark asleep").wait_for()

    row(panel, "dest").hover()
    row(panel, "dest").get_by_role("button", name="Find joins").click()
    book.outputs(2).get_by_text("airports.csv").first.wait_for()
    assert book.sources()[2] == "%load_ext lakeview\n%lakeview search flights.dest"
    # What is loaded once is not loaded again.
    row(panel, "air time").hover()
    row(panel, "air time").get_by_role("button", name="Find joins").click()
    book.wait_for_run(3)
    assert book.sources()[3] == '%lakeview search flights["air time"]'
    assert book.errors == []


def test_by_keyboard_alone(start: START) -> None:
    book, panel = start(FRAME, OPEN)
    row(panel, "dest").wait_for()
    tree = panel.get_by_role("tree", name="DataFrames")
    tree.locator("[tabindex='0']").focus()
    for key in ("Home", "ArrowDown", "ArrowDown"):
        book.page.keyboard.press(key)
    assert row(panel, "dest").evaluate("element => element === document.activeElement")
    book.page.keyboard.press("ArrowLeft")
    book.page.keyboard.press("ArrowLeft")
    assert row(panel, "flights").get_attribute("aria-expanded") == "false"
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "Enter"):
        book.page.keyboard.press(key)
    book.outputs(2).get_by_text("airports.csv").first.wait_for()
    assert book.sources()[2].endswith("%lakeview search flights.dest")


def test_the_header_of_a_rendered_table(start: START) -> None:
    book, _ = start(FRAME, OPEN, "other = flights.copy()\nflights.head()", "flights[['dest']]")
    header = book.outputs(2).locator("thead th", has_text="dest")
    header.click(button="right")
    book.page.get_by_role("menuitem", name="Find Joins for dest").click()
    book.wait_for_run(3, after=4)
    # below the cell of the table, of the frame that this cell names
    assert book.sources()[3].endswith("%lakeview search flights.dest")
    book.outputs(3).get_by_text("airports.csv").first.wait_for()
    assert book.errors == []


def test_compare_with_a_column_of_the_lake(start: START) -> None:
    book, panel = start(FRAME, OPEN)
    row(panel, "dest").click(button="right")
    book.page.get_by_role("menuitem", name="Compare with a Column…").click()
    dialog = book.page.get_by_role("dialog")
    dialog.get_by_text("Compare flights.dest with").wait_for()
    dialog.locator("input").fill("airports.csv.faa")
    dialog.get_by_role("button", name="Compare").click()
    book.outputs(2).get_by_text("of the values of flights.dest are in airports.csv.faa").first.wait_for()
    assert book.sources()[2] == "%load_ext lakeview\n%lakeview compare flights.dest --with airports.csv.faa"
    assert "0.83" in book.outputs(2).inner_text() and "5 shared values" in book.outputs(2).inner_text()
    looked_at(book, ".lv[aria-label^=Comparison]", "comparison")
    # from the header of a table, with a name of two words on each side
    book.command("notebook:insert-cell-below")
    book.page.evaluate(
        "() => { const w = window.jupyterapp.shell.currentWidget.content;"
        " w.activeCell.model.sharedModel.setSource('flights.head()'); }"
    )
    book.command("notebook:run-cell")
    book.outputs(3).locator("thead th", has_text="air time").click(button="right")
    book.page.get_by_role("menuitem", name="Compare with a Column…").click()
    dialog.locator("input").fill('flights["air time"]')
    dialog.get_by_role("button", name="Compare").click()
    book.outputs(4).get_by_text("6 shared values").wait_for()
    assert book.sources()[4] == """%lakeview compare flights["air time"] --with 'flights["air time"]'"""


def test_histograms_of_an_open_table(start: START) -> None:
    _, panel = start(FRAME, OPEN)
    row(panel, "routes.csv").click()
    bars = row(panel, "dst").locator("rect")
    bars.nth(5).wait_for()
    assert len({bar.get_attribute("height") for bar in bars.all()}) == 1  # each of the six is in nine rows
    assert row(panel, "src").locator("rect").count() == 9


def test_join_and_preview_from_the_output_of_a_search(start: START) -> None:
    book, panel = start(FRAME, OPEN)
    book.page.set_viewport_size({"width": 1700, "height": 1300})
    row(panel, "dest").hover()
    row(panel, "dest").get_by_role("button", name="Find joins").click()
    output = book.outputs(2)
    grid = output.locator(".lv-Explore")
    grid.get_by_role("button", name="Details of airports.csv.faa").click()
    grid.get_by_role("region", name="Preview of the join").get_by_text("City of ORD").wait_for()
    looked_at(book, ".lv-Explore", "hits")
    # A script may click as it likes: it is not a person.
    later = "button => new Promise(done => setTimeout(() => done(button.click()), 5200))"  # a click counts for 5 s
    grid.get_by_role("button", name="Join", exact=True).evaluate(later)
    book.page.wait_for_timeout(500)
    assert len(book.sources()) == 3
    grid.get_by_role("button", name="Join", exact=True).click()
    book.wait_for_run(3)
    expected = "lake.search(flights, 'dest', rank='join')[0].join().to_pandas()"
    assert book.evaluate(f"flights_airports.equals({expected})") is True
    # After a restart the same rows are there, without buttons, and say what to do.
    assert not output.get_by_role("note").is_visible()
    book.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    output.get_by_role("note").get_by_text("Run again to work with it").wait_for()
    assert grid.count() == 0 and output.locator(".lv-Button").count() == 0
    assert output.get_by_role("row", name="airports.csv.faa").get_by_text("5 of 6 codes").first.is_visible()
    assert book.errors == []


def test_a_menu_without_lakeview_elsewhere(start: START) -> None:
    book, _ = start(FRAME, "flights")
    book.outputs(1).locator("tbody td").first.click(button="right")
    book.page.get_by_role("menuitem").first.wait_for()
    assert book.page.get_by_role("menuitem", name="Find Joins").count() == 0


def test_it_answers_while_a_cell_runs(start: START, quiet: Any) -> None:
    book, panel = start(FRAME, OPEN)
    row(panel, "dest").wait_for()
    with quiet():
        book.page.evaluate(
            """() => {
                const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
                const code = 'from lakeview.notebook.panel import jobs\\nlate = flights\\n'
                    + 'jobs.tell(); print(); import time; time.sleep(8)';  // what it tells is of another shell
                const cell = kernel.requestExecute({ code });
                cell.onIOPub = message => (window.busy ||= message.header.msg_type === 'stream');
                cell.done.then(() => (window.busy = false));
            }"""
        )
        book.page.wait_for_function("() => window.busy")
        took = []
        for _ in range(3):
            took.append(
                book.page.evaluate(
                    """async () => {
                        const started = performance.now();
                        await window.jupyterapp.commands.execute('lakeview:reload');
                        return performance.now() - started;
                    }"""
                )
            )
    row(panel, "late").wait_for()
    assert book.page.evaluate("() => window.busy")
    print("answered while a cell ran, ms:", [round(ms) for ms in took])
    assert min(took) < 300


# What another kernel would tell of a job that has the number of the last one here: each counts from one.
FIRST_JOB = """[
    jobs := __import__('lakeview.notebook.panel.jobs', fromlist=['Job']),
    jobs._jobs.clear(), setattr(jobs, '_numbers', iter([2])),
    job := jobs.Job('indexing', __import__('lakeview.pipeline.progress', fromlist=['Silent']).Silent()),
    job.update(9, 9, 'reading'), job.end('done', '9 tables indexed')
] and 1"""


def test_an_index_begun_and_cancelled_from_the_panel(start: START, lab: Any, quiet: Any) -> None:
    big = lab.folder / "big"
    big.mkdir(exist_ok=True)
    for i in range(150):
        (big / f"t{i}.csv").write_text("a,b\n" + "".join(f"{i}-{n},{n * 7}\n" for n in range(4000)))
    local = "lake.index = functools.partial(lake.index, engine='local')"
    # A tenth of a second for each file, so that there is something to cancel however slow the browser is.
    waits = "from lakeview.pipeline import task\nimport time\nread = task.read_part\n"
    waits += "task.read_part = lambda *a, **o: (time.sleep(0.1), read(*a, **o))[1]"
    slow = f"import lakeview as lv, functools\nlake = lv.open('big')\n{local}\n{waits}"
    book, panel = start(FRAME, slow)
    with quiet():
        panel.get_by_role("button", name="Index it").click()
        cancel = panel.get_by_role("button", name="Cancel")
        cancel.wait_for()
        book.page.wait_for_function(
            "() => Number(document.querySelector('#lakeview-panel [role=progressbar]')?.ariaValueNow) >= 1"
        )
        started = time.monotonic()
        cancel.click()
        panel.locator(".lv-Strip[data-state=cancelled]").wait_for()
        took = time.monotonic() - started
    print(f"cancelled in {took:.2f} s")
    assert took < 2
    book.ready()
    assert book.evaluate("lv.open('big').indexed_at") is None
    book.evaluate("[setattr(task, 'read_part', read)] and 1")
    # and once more to the end; each leaves its line in the notebook
    panel.get_by_role("button", name="Index it").click()
    row(panel, "t0.csv").wait_for()
    assert book.evaluate("len(lv.open('big').tables)") == 150
    assert book.sources()[2:] == ["%load_ext lakeview\n%lakeview index", "%lakeview index"]
    panel.locator(".lv-Strip-when").wait_for()  # some seconds later the strip is as always
    book.evaluate(FIRST_JOB)
    panel.locator(".lv-Strip[data-state=done]").get_by_text("9 tables indexed").first.wait_for()


def test_a_restarted_kernel_is_found_again(start: START) -> None:
    book, panel = start(FRAME, OPEN)
    row(panel, "dest").wait_for()
    book.page.evaluate("() => { window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart(); }")
    panel.get_by_text("No DataFrame yet").wait_for()
    book.ready().run_all()
    row(panel, "dest").wait_for()
    row(panel, "dest").hover()
    row(panel, "dest").get_by_role("button", name="Find joins").click()
    book.outputs(2).get_by_text("airports.csv").first.wait_for()
    assert book.errors == []


def test_settings(start: START) -> None:
    """From the panel's own button: a cell that is inserted waits, then the panel stands on the right."""
    book, panel = start(FRAME, OPEN)
    row(panel, "dest").wait_for()
    panel.get_by_role("button", name="Settings").click()
    form = book.page.locator(".jp-SettingsPanel")
    runs, side = form.get_by_label("Run inserted cells"), form.locator("select")
    runs.uncheck()
    try:
        book.command("docmanager:open", path=book.path)
        row(panel, "dest").hover()
        row(panel, "dest").get_by_role("button", name="Find joins").click()
        waits = "() => window.jupyterapp.shell.currentWidget.content.widgets[2]?.model.executionCount === null"
        book.page.wait_for_function(waits)
        panel.get_by_role("button", name="Settings").click()
        side.select_option("right")
        book.page.locator("#jp-right-stack .lv-Panel").wait_for()
    finally:
        side.select_option("left")
        runs.check()
    book.page.locator("#jp-left-stack .lv-Panel").wait_for()
    assert book.errors == []


def test_a_second_notebook_and_back(start: START, lab: Any) -> None:
    book, panel = start(FRAME)
    row(panel, "flights").wait_for()
    write_notebook(lab.folder / "second.ipynb", FRAME.replace("flights", "trips"))
    book.command("docmanager:open", path="second.ipynb")
    book.ready().run_all()
    row(panel, "trips").wait_for()
    assert row(panel, "flights").count() == 0
    book.command("docmanager:open", path=book.path)
    row(panel, "flights").wait_for()


def test_the_layout_comes_back_after_a_reload(start: START) -> None:
    book, panel = start(FRAME, OPEN)
    row(panel, "dest").wait_for()
    book.command("docmanager:save")
    book.page.wait_for_timeout(2500)  # Lab saves its layout a second after the last change, and says nothing of it
    book.page.goto(book.page.url.split("?")[0])
    row(panel, "dest").wait_for()  # the kernel still runs


def test_a_kernel_without_lakeview(fresh_page: None, start: START) -> None:
    hide = "import sys\nsys.modules['lakeview'] = None"
    book, panel = start(hide)
    panel.get_by_text("lakeview is not in this kernel").wait_for()
    panel.get_by_role("button", name="Check again").click()
    panel.get_by_text("%pip install lakeview").wait_for()
    # It is found as soon as it is there: a cell that ends is reason enough to look.
    book.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.widgets[0].model.sharedModel.setSource('x = 1')"
    )
    book.evaluate("sys.modules.pop('lakeview', 0) and 1")
    book.command("notebook:run-all-cells")
    panel.get_by_text("No DataFrame yet").wait_for()
    assert book.errors == []


def test_java_missing(start: START) -> None:
    no_java = "from lakeview.pipeline import java\njava.find_java = lambda: None"
    _, panel = start(no_java, FRAME, OPEN)
    panel.locator(".lv-Strip").get_by_role("img", name="Spark unavailable").wait_for()
    row(panel, "dest").wait_for()  # what still works is there
    panel.get_by_role("button", name="No Java").click()
    panel.get_by_text("Indexing needs Java 17 or newer").wait_for()


def test_no_notebook(open_lab: Any) -> None:
    panel = Book(open_lab()).show_panel()
    panel.get_by_text("No kernel").wait_for()


WIDE = """\
import lakeview as lv, pandas as pd
lake = lv.open({f"folder/table_{t:03d}.csv": pd.DataFrame([range(100)], columns=[f"column_{t}_{c}" for c in range(100)])
                for t in range(200)})
lake.index();"""


def test_twenty_thousand_columns(start: START, quiet: Any) -> None:
    book, panel = start(WIDE)
    box = panel.get_by_role("searchbox")
    box.wait_for()
    assert box.get_attribute("placeholder") == "Filter 200 tables, 20,000 columns"
    again = """async () => {
        const started = performance.now();
        await window.jupyterapp.commands.execute('lakeview:reload');
        await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
        return performance.now() - started;
    }"""
    typed = """text => new Promise(done => {
        const box = document.querySelector('#lakeview-panel input[type=search]');
        const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
        const started = performance.now();
        set.call(box, text);
        box.dispatchEvent(new Event('input', { bubbles: true }));
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - started)));
    })"""
    texts = ("c", "co", "column", "column_19", "column_199_9")
    with quiet():
        opened = min(book.page.evaluate(again) for _ in range(3))
        rounds = [[book.page.evaluate(typed, text) for text in texts] for _ in range(8)]
    filtered = [min(times) for times in zip(*rounds, strict=True)]
    print(f"20,000 columns: opened in {opened:.0f} ms, filtered in {[round(ms) for ms in filtered]} ms")
    assert panel.locator(".lv-Found").inner_text() == "11 columns in 1 table"
    book.page.evaluate(typed, "column")
    assert panel.locator(".lv-Found").inner_text() == "20,000 columns in 200 tables"
    assert panel.get_by_role("treeitem").count() < 300
    tree = panel.get_by_role("tree", name="Filtered lake")
    tree.locator("[tabindex='0']").focus()
    book.page.keyboard.press("End")
    last = panel.get_by_role("treeitem", name=re.compile("^column_199_99,"))
    last.wait_for()
    assert last.evaluate("element => element === document.activeElement")
    assert opened < 1000
    assert sorted(filtered)[2] < 100
