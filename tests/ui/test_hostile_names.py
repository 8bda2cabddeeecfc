"""Columns, tables and files whose names would like to be code, clicked through every button that inserts a cell."""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from clicking import all_is_well, insert
from panel_page import Book, shot

sys.path.insert(0, str(Path(__file__).parents[1] / "notebook"))
from hostile import NAMES, PAYLOADS

from lakeview.join import naming
from lakeview.notebook import cells

CODE = Path(__file__).parents[2] / "labextension" / "lib" / "panel" / "code.js"
ODD = [
    "id\u2028!touch${IFS}canary", "a\x85!touch canary", 'say "x"; !touch canary', "it's \\", "{canary}", "$canary",
    "<img src=x onerror=window.attacked=1>", "\x1c%%bash\x1ctouch canary", "\u202efdp.exe?",
]  # fmt: skip
TABLE = "t\u2028!touch canary\u2028.csv"

LAKE = f"""\
import csv, pathlib, pandas as pd, lakeview as lv
odd = {ODD!a}
folder = pathlib.Path("strange")
folder.mkdir(exist_ok=True)
with open(folder / {TABLE!a}, "w", newline="") as file:
    csv.writer(file).writerows([odd, *([f"{{column}}-{{row}}" for column in range(len(odd))] for row in range(9))])
(folder / {"broken" + TABLE + ".xlsx"!a}).write_bytes(b"PK")
mine = pd.DataFrame({{name: [f"{{column}}-{{row}}" for row in range(5)] for column, name in enumerate(odd)}})
lake = lv.open(folder)
lake.index(engine="local");"""


@pytest.fixture
def start(open_book: Any) -> Callable[..., Book]:
    """A function that opens a notebook of the strange lake and these cells, and runs it."""

    def started(*more: str) -> Book:
        book = open_book(LAKE, *more).run_all()
        book.page.set_viewport_size({"width": 1500, "height": 1400})
        return book

    return started


def test_panel_menus_and_palette(start: Callable[..., Book], lab: Any) -> None:
    book = start("mine.head()")
    panel = book.show_panel()
    page = book.page
    frames = panel.get_by_role("tree", name="DataFrames")
    rows = frames.locator("[aria-level='2']")
    rows.nth(len(ODD) - 1).wait_for()
    for place in range(len(ODD)):
        rows.nth(place).hover()
        rows.nth(place).get_by_role("button", name="Find joins").click()
        book.wait_for_run(2 + place)
    lake = panel.get_by_role("tree", name="Lake")
    lake.locator("[aria-level='1']").click()
    rows = lake.locator("[aria-level='2']")
    rows.first.hover()
    rows.first.get_by_role("button", name="Find joins").click()
    book.wait_for_run(2 + len(ODD))
    said = panel.inner_text()  # the frame's column, the lake's, and perhaps what the former joins
    assert said.count("\\u202efdp.exe?") >= 2 and "\u202e" not in said  # nothing turns the text around
    shot(page, "hostile-panel")

    dialog = page.get_by_role("dialog")
    rows.first.click(button="right")
    page.get_by_role("menuitem", name="Compare with a Column…").click()
    dialog.locator("input").fill(cells.column("mine", ODD[0]))
    shot(page, "hostile-compare")
    dialog.get_by_role("button", name="Compare").click()
    book.wait_for_run(3 + len(ODD))
    rows.nth(1).click(button="right")
    page.get_by_role("menuitem", name="Compare with a Column…").click()
    dialog.locator("input").fill("mine." + ODD[2])  # as nobody offers it
    dialog.get_by_role("button", name="Compare").click()
    book.wait_for_run(4 + len(ODD))

    page.evaluate("() => void window.jupyterapp.commands.execute('lakeview:find-joins', { code: 'x\\n!touch canary' })")
    dialog.locator("select").select_option(cells.column("mine", ODD[3]))
    dialog.get_by_role("button", name="Ok").click()
    book.wait_for_run(5 + len(ODD))

    table, frame = lake.locator("[data-table]").first, frames.locator("[data-frame]").first
    acts = ((table, "Preview 20 Rows"), (table, "Insert Code That Reads It"), (frame, "Find Joins for Every Column"))
    for number, (row, act) in enumerate(acts, 6):
        row.click(button="right")
        page.get_by_role("menuitem", name=act).click()
        book.wait_for_run(number + len(ODD))

    headers = book.outputs(1).locator("thead th")
    for place in (0, 2, 5, 7):
        count = len(book.sources())
        headers.nth(place + 1).click(button="right")
        page.get_by_role("menuitem", name=re.compile("^Find Joins for")).click()
        page.wait_for_function(
            "n => window.jupyterapp.shell.currentWidget.content.widgets.length > n", arg=count, timeout=10_000
        )
        book.wait_for_run(2)
        book.ready()
    made = [source.removeprefix("%load_ext lakeview\n") for source in all_is_well(book, lab, 2)]
    searched = {f"%lakeview search {cells.column('mine', name)}" for name in ODD}
    assert searched <= set(made) and sum(source in searched for source in made) == len(ODD) + 1 + 4
    assert f"%lakeview search {cells.lake_column(TABLE, ODD[0])}" in made
    assert made[[source.startswith("%lakeview compare") for source in made].index(True)] == (
        f"%lakeview compare {cells.lake_column(TABLE, ODD[0])} --with {cells.column('mine', ODD[0])}"
    )
    assert f"%lakeview preview {naming.literal(TABLE)}" in made
    assert len(made) == 2 * 4 + len(acts) + len(ODD)


def test_buttons_of_outputs_and_widgets(start: Callable[..., Book], lab: Any) -> None:
    fuzzy = (
        "left = pd.DataFrame({odd[0]: ['dune hotel', 'fern cove', 'salt creek']})\n"
        "right = pd.DataFrame({odd[0]: ['dune hotex', 'fern cove inn', 'salt crook'], odd[1]: [1, 2, 3]})\n"
        "lv.explore(lv.fuzzy_join(left, right, on=odd[0], threshold=0.5))"
    )
    program = (
        "names = [(a, b) for a in ('Doe', 'Roe', 'Ott') for b in ('Ann', 'Ben', 'Cem', 'Ida')]\n"
        "people = pd.DataFrame({odd[0]: [f'{a}, {b}' for a, b in names]})\n"
        "staff = pd.DataFrame({odd[1]: [f'{b} {a}' for a, b in names], odd[0]: range(12)})\n"
        "lv.explore(lv.auto_join(people, staff))"
    )
    book = start("lake.search(mine, odd[0])", "lv.explore(mine, odd[0], lake)", fuzzy, program)
    page = book.page
    clicks = [(4, ".lv-Transform"), (3, ".lv-Fuzzy"), (2, ".lv-Explore:not(.lv-Fuzzy)"), (1, ".lv-Explore")]
    for place, widget in clicks:  # from the last on: cells are inserted below
        output = book.outputs(place).locator(widget).first
        if place == 2:
            output.locator(".lv-Status", has_text="exact").wait_for()
            output.locator(".lv-HitRow").first.focus()
            page.keyboard.press("Space")
            insert(book, output.get_by_role("button", name="Compare 1").click)
            output.locator(".lv-HitRow").first.focus()
            page.keyboard.press("ArrowRight")
        if place == 3:
            assert "null" not in output.inner_text()
        if place == 1:
            output.locator(".lv-HitRow").first.focus()
            page.keyboard.press("p")
            output.get_by_role("region", name="Preview of the join").wait_for()
        count = len(book.sources())
        output.get_by_role("button", name="Join", exact=True).first.click()
        page.wait_for_function(
            "n => window.jupyterapp.shell.currentWidget.content.widgets.length > n", arg=count, timeout=30_000
        )
        book.wait_for_run(place + 1)
        shot(book.outputs(place), f"hostile-{place}")
    all_is_well(book, lab, 1)
    frames = book.evaluate(
        "[[len(v), int(v.notna().all(axis=None))] for n, v in globals().items()"
        " if n[:1] != '_' and isinstance(v, pd.DataFrame) and '_' in n and v.shape[1] > 2 and len(v) < 13]"
    )
    assert sorted(frames)[0][0] == 3 and [5, 1] in frames


def test_the_pages_door_writes_as_the_kernels_does(open_lab: Any) -> None:
    """All names, in the browser: a literal that reads back as the name, and holds nothing that is not seen."""
    page = open_lab()
    write = """async ([source, names]) => {
        const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
        const { code, lakeColumn } = await import(url);
        const read = name => String.fromCharCode(...name);
        return names.map(read).map(name => [code`${name}`, lakeColumn(name, name)].map(String));
    }"""
    units = [list(memoryview(name.encode("utf-16-le", "surrogatepass")).cast("H")) for name in NAMES]
    written = page.evaluate(write, [CODE.read_text(), units])
    assert len(json.dumps(written)) > 100_000
    for name, (literal, column) in zip(NAMES, written, strict=True):
        assert ast.literal_eval(literal) == name and cells.checked(literal) == literal
        assert cells.checked(column) == column and column in (f"{name}.{name}", f"{literal}[{literal}]")
        if name in PAYLOADS:
            assert column == cells.lake_column(name, name)
