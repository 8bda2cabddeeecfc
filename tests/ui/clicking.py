"""Clicks that insert cells: what a cell says, that it has run, and that nothing else has."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from panel_page import Book

from lakeview.notebook import cells

# The inserted cell is the active one; its place, once it has run.
INSERTED = """count => {
    const { widgets, activeCell, activeCellIndex } = window.jupyterapp.shell.currentWidget.content;
    return widgets.length > count && activeCell.model.executionCount && activeCellIndex;
}"""
# What the notebook is at, where none came.
STANDS = """() => {
    const { content, sessionContext } = window.jupyterapp.shell.currentWidget;
    const cells = content.widgets.map(({ model }) => [model.sharedModel.getSource(), model.executionCount]);
    const at = document.activeElement;
    const toasts = [...document.querySelectorAll('.Toastify__toast')].map(toast => toast.innerText);
    const open = [...document.querySelectorAll('.lv-DetailRow')].map(row => row.innerText);
    const [kernel, active] = [sessionContext.session?.kernel?.status, content.activeCellIndex];
    return JSON.stringify({ kernel, active, at: at?.outerHTML.slice(0, 300), toasts, open, cells });
}"""
SAID = """place => {
    const { outputs = [], source } = window.jupyterapp.shell.currentWidget.content.widgets[place].model.toJSON();
    return [[source].flat().join(''), outputs.map(output => output.evalue ?? output.output_type)];
}"""
DELETE = """place => {
    const { content } = window.jupyterapp.shell.currentWidget;
    content.model.sharedModel.deleteCell(place);
    content.activeCellIndex = place - 1;
}"""


def insert(book: Book, click: Callable[[], object]) -> int:
    """Click; the place of the cell that this inserts, once it has run."""
    count = book.page.evaluate("() => window.jupyterapp.shell.currentWidget.content.widgets.length")
    click()
    try:
        return book.page.wait_for_function(INSERTED, arg=count).json_value()
    except Exception as error:
        raise AssertionError(f"no cell was inserted: {book.page.evaluate(STANDS)}\n{book.errors}") from error


def checked(book: Book, place: int) -> str:
    """The code of a cell that has run: it is what is seen, and ran without an error."""
    code, kinds = book.page.evaluate(SAID, place)
    assert cells.checked(code) == code
    assert set(kinds) <= {"execute_result", "display_data", "stream"}, (code, kinds)
    return code


def take_away(book: Book, place: int) -> None:
    """Delete a cell; the one above becomes the active one."""
    book.page.evaluate(DELETE, place)


def made(code: str) -> str:
    """The variable that code leaves: the last that it binds."""
    targets = [target for each in ast.parse(code).body if isinstance(each, ast.Assign) for target in each.targets]
    return [target.id for target in targets if isinstance(target, ast.Name)][-1]


def choose(book: Book, item: str, row: Any) -> Callable[[], None]:
    """An item of a row's context menu."""

    def click() -> None:
        row.click(button="right")
        book.page.get_by_role("menuitem", name=item).click()

    return click


def nothing_ran(book: Book, lab: Any) -> None:
    """No command of a name, in the shell, the kernel or the page."""
    assert [path.name for path in lab.folder.iterdir() if path.name.startswith(("canary", "z"))] == []
    # A table of that name is read into a variable of that name.
    assert book.evaluate("type(globals().get('canary')).__name__") in ("NoneType", "DataFrame")
    assert book.page.evaluate("() => window.attacked") is None


def all_is_well(book: Book, lab: Any, first: int) -> list[str]:
    """The cells from the first inserted one on: all have run, each showing what runs, none with an error."""
    places = range(first, len(book.sources()))
    for place in places:
        book.wait_for_run(place)
    book.ready()
    nothing_ran(book, lab)
    return [checked(book, place) for place in places]
