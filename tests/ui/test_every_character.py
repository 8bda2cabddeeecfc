"""Columns, folders and files whose names hold every character, or are a classic payload: every button that inserts a
cell is clicked for each, nothing runs but what is seen, and the joins are right.

In `make test` what ends a line, in `make faults` all from U+0000 to U+2FFF: strange.py says what a name cannot hold.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import strange
from clicking import checked, choose, insert, made, nothing_ran, take_away
from hostile import magic
from panel_page import Book

from lakeview.notebook import cells

SETUP = """\
import sys
sys.path.insert(0, {here!r})
import lakeview as lv
import strange
odds = strange.BATCHES[{batch}]
mine = strange.mine(odds)
lake = lv.open({folder!r})
lake.index(engine="local");"""
# What the notebook's own cells show of the odd table `n`: a saved search, and what joins after a step.
SAVED = """\
lv.options.widgets = False
display(lake.search(mine, odds[n].column))
lv.options.widgets = True"""
STEPS = """\
lake = lv.open(f"{folder}-steps/{{n}}")
lake.index(engine="local")
{frame} = strange.{frame}(odds[n])
lake.search({frame}, odds[n].column, rank="join")"""


CODE = Path(__file__).parents[2] / "labextension" / "lib" / "panel" / "code.js"
# As the page writes them: it may know letters that this Python does not.
WRITE = """async ([source, pairs]) => {
    const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    const { code, lakeColumn } = await import(url);
    return pairs.map(([table, column]) => [lakeColumn(table, column), code`${table}`].map(String));
}"""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "batch" in metafunc.fixturenames:
        whole = metafunc.config.getoption("--whole")
        metafunc.parametrize("batch", range(len(strange.BATCHES) if whole else 1))


def test_every_button(open_book: Any, lab: Any, batch: int) -> None:
    odds, folder = strange.BATCHES[batch], f"strange-{batch}"
    strange.write(lab.folder / folder, odds)
    for n, odd in enumerate(odds):
        strange.write_steps(lab.folder / f"{folder}-steps" / str(n), odd)
    setup = SETUP.format(here=str(Path(__file__).parent), batch=batch, folder=folder)
    steps = [STEPS.format(folder=folder, frame=frame) for frame in ("people", "suppliers")]
    book: Book = open_book(setup, "mine.head()", SAVED, *steps)
    book.page.set_viewport_size({"width": 1500, "height": 1400})
    clicks = Clicks(book, odds)
    clicks.run(0)
    clicks.run(1)
    clicks.headers()
    clicks.panel()
    clicks.palette()
    clicks.overview()
    clicks.saved(2)
    clicks.steps(3, "people", "Open the editor", "auto_join")
    clicks.steps(4, "suppliers", "Set the threshold", "fuzzy_join")
    nothing_ran(book, lab)
    assert book.errors == []


class Clicks:
    """Every button of a notebook that inserts a cell, for each odd table."""

    def __init__(self, book: Book, odds: list[strange.Odd]) -> None:
        self.book, self.page, self.odds = book, book.page, odds
        panel = book.show_panel()
        self.frames, self.lake = (panel.get_by_role("tree", name=name) for name in ("DataFrames", "Lake"))
        self.dialog = self.page.get_by_role("dialog")
        self.mine = [cells.column("mine", odd.column) for odd in odds]
        pairs = [[odd.path, odd.key] for odd in odds]
        written = self.page.evaluate(WRITE, [CODE.read_text(), pairs])
        self.theirs, self.tables = ([each[i] for each in written] for i in (0, 1))

    def run(self, place: int) -> Any:
        """Run one of the notebook's own cells anew; its output."""
        self.page.evaluate("n => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = n }", place)
        self.book.command("notebook:run-cell")
        checked(self.book, place)
        return self.book.outputs(place)

    def inserts(self, line: str, click: Callable[[], object], shows: str = "") -> None:
        """A click inserts a `%lakeview` line, which is one call, and shows a text."""
        place = insert(self.book, click)
        self.is_line(line, place)
        if shows:
            self.book.outputs(place).get_by_text(shows).first.wait_for()
        take_away(self.book, place)

    def is_line(self, line: str, place: int) -> None:
        code = checked(self.book, place)
        assert magic(code)
        assert code.removeprefix("%load_ext lakeview\n") == f"%lakeview {line}"

    def leaves(self, value: str, click: Callable[[], object]) -> None:
        """A click inserts code that leaves a frame of that value."""
        place = insert(self.book, click)
        name = made(checked(self.book, place))
        assert self.book.evaluate(f"globals().pop({name!r}).equals({value})") is True, value
        take_away(self.book, place)

    def headers(self) -> None:
        """The menu of a rendered table's headers."""
        headers = self.book.outputs(1).locator("thead th")
        for n, (mine, theirs) in enumerate(zip(self.mine, self.theirs, strict=True), 1):
            self.inserts(f"search {mine}", choose(self.book, "Find Joins for", headers.nth(n)))
            compare = self.typed(theirs, choose(self.book, "Compare with a Column…", headers.nth(n)))
            self.inserts(f"compare {mine} --with {theirs}", compare, "5 shared values")

    def panel(self) -> None:
        """The side panel's rows."""
        for _ in range(2):  # one frame is open from the beginning, and closes when others come
            self.frames.locator("[data-frame]").first.click()
        tables = self.lake.locator("[data-table]")
        for n in range(len(self.odds)):
            tables.nth(n).click()
        for n, (mine, theirs) in enumerate(zip(self.mine, self.theirs, strict=True)):
            row, column = (
                self.frames.locator("[aria-level='2']").nth(n),
                self.lake.locator("[data-lakeview]").nth(2 * n + 1),
            )
            row.hover()
            place = insert(self.book, row.get_by_role("button", name="Find joins").click)
            self.is_line(f"search {mine}", place)
            self.grid(n, self.book.outputs(place).locator(".lv-Explore"))
            take_away(self.book, place)
            column.hover()
            self.inserts(f"search {theirs}", column.get_by_role("button", name="Find joins").click)
            compare = self.typed(mine, choose(self.book, "Compare with a Column…", column))
            self.inserts(f"compare {theirs} --with {mine}", compare, "5 shared values")
            preview = choose(self.book, "Preview 20 Rows", tables.nth(n))
            self.inserts(f"preview {self.tables[n]}", preview, f"brought by {n} to row 8")
            read = choose(self.book, "Insert Code That Reads It", tables.nth(n))
            self.leaves(f"strange.table({n}, odds[{n}])", read)
            find = self.picked(1, choose(self.book, "Find Joins for a Column…", tables.nth(n)))
            self.inserts(f"search {theirs}", find)

    def picked(self, number: int, ask: Callable[[], object]) -> Callable[[], None]:
        """A column that a dialog lists."""

        def click() -> None:
            ask()
            self.dialog.locator("select").select_option(index=number)
            self.dialog.get_by_role("button", name="Ok").click()

        return click

    def typed(self, column: str, ask: Callable[[], object]) -> Callable[[], None]:
        """A column that is typed into a dialog."""

        def click() -> None:
            ask()
            self.dialog.locator("input").fill(column)
            self.dialog.get_by_role("button", name="Compare").click()

        return click

    def palette(self) -> None:
        def run(name: str) -> Callable[[], object]:
            return lambda: self.page.evaluate("name => void window.jupyterapp.commands.execute(name)", name)

        for n, (mine, theirs) in enumerate(zip(self.mine, self.theirs, strict=True)):
            self.inserts(f"search {mine}", self.picked(n, run("lakeview:find-joins")))
            compare = self.typed(theirs, self.picked(n, run("lakeview:compare")))
            self.inserts(f"compare {mine} --with {theirs}", compare, "5 shared values")

    def grid(self, n: int, grid: Any) -> None:
        """What a search shows."""
        grid.locator(".lv-Status", has_text="exact").wait_for()
        grid.locator(".lv-HitRow").first.focus()
        self.page.keyboard.press("Space")
        place = insert(self.book, grid.get_by_role("button", name="Compare 1").click)
        checked(self.book, place)
        self.book.outputs(place).get_by_text("5 shared values").first.wait_for()
        take_away(self.book, place)
        self.join(n, grid)

    def join(self, n: int, grid: Any) -> None:
        """The Join of the first hit."""
        grid.locator(".lv-HitRow").first.focus()
        self.page.keyboard.press("ArrowRight")
        self.leaves(f"strange.joined(odds, {n})", grid.get_by_role("button", name="Join", exact=True).first.click)

    def overview(self) -> None:
        """The joins of every column, and a grid inside."""
        frame = self.frames.locator("[data-frame]").first
        frame.hover()
        self.inserts("search mine", frame.get_by_role("button", name="Find joins").click)
        place = insert(self.book, choose(self.book, "Find Joins for Every Column", frame))
        self.is_line("explore mine", place)
        output = self.book.outputs(place)
        for n in range(len(self.odds)):
            output.locator(".lv-Over .lv-Status", has_text="exact").wait_for()
            output.locator(".lv-ColumnRow").nth(n).click()
            grid = output.locator(".lv-Explore:not(.lv-Over)")
            grid.locator(".lv-Status", has_text="exact").wait_for()
            self.join(n, grid)
            grid.locator(".lv-Crumb").click()
        take_away(self.book, place)

    def saved(self, place: int) -> None:
        """A search that is shown without a widget."""
        for n in range(len(self.odds)):
            self.book.evaluate(f"globals().update(n={n})")
            output = self.run(place)
            self.leaves("strange.joined(odds, n)", output.locator(".lv-Act", has_text="Join").first.click)

    def steps(self, place: int, frame: str, button: str, command: str) -> None:
        """What joins after a step: from the grid, and in an editor."""
        for n, odd in enumerate(self.odds):
            self.book.evaluate(f"globals().update(n={n})")
            grid = self.run(place).locator(".lv-Explore")
            editor = insert(self.book, grid.get_by_role("button", name=button).first.click)
            theirs = cells.lake_column(("firms/" if frame == "suppliers" else "") + odd.path, odd.key)
            self.is_line(f"{command} {cells.column(frame, odd.column)} --with {theirs}", editor)
            widget = self.book.outputs(editor).locator(".lv-Transform, .lv-Fuzzy")
            self.brings(widget.get_by_role("button", name="Join", exact=True).first.click)
            take_away(self.book, editor)
            hit = grid.locator(".lv-Hit", has=self.page.get_by_role("button", name=button)).first
            hit.locator(".lv-HitRow").focus()
            self.page.keyboard.press("ArrowRight")
            self.brings(hit.get_by_role("button", name="Join", exact=True).click)

    def brings(self, click: Callable[[], object]) -> None:
        """A click inserts a join that brings what belongs to each row, where it brings something."""
        place = insert(self.book, click)
        name = made(checked(self.book, place))
        brought = self.book.evaluate(f"globals().pop({name!r})[odds[n].more].fillna(-1).astype(int).tolist()")
        assert len(brought) in (12, 20)
        assert all(row in (-1, n) for n, row in enumerate(brought))
        assert brought.count(-1) < 4, brought
        take_away(self.book, place)
