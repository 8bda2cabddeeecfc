"""A saved result is shown by lakeview's renderer alone: no kernel, no widget state, no HTML in the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from panel_page import FRAME, check_access, shot

MIME = "application/vnd.lakeview.v1+json"
ATTACK = '<img src=x onerror="window.attacked = true">'


def saved(**changes: Any) -> dict[str, Any]:
    return {
        "title": f"Joins for {ATTACK}",
        "facts": ["105 distinct values", ATTACK],
        "columns": [{"label": "table", "type": "text"}, {"label": ATTACK, "type": "number"}],
        "rows": [["airports.csv", 101], [ATTACK, 0.5], ["none", None]],
        "total": 40,
        **changes,
    }


def write_notebook(folder: Path, name: str, data: Any, mime: str = MIME) -> None:
    output = {"output_type": "display_data", "metadata": {}, "data": {mime: data, "text/plain": "only text"}}
    cell = {"cell_type": "code", "id": "a", "execution_count": 1, "metadata": {}, "source": "hits", "outputs": [output]}
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / name).write_text(json.dumps(book))


def test_the_plugins_are_at_work(open_lab: Any):
    page = open_lab()
    assert page.evaluate("() => window.jupyterapp.hasPlugin('lakeview:plugin')")


def test_a_saved_result_is_a_table_of_text(open_lab: Any, lab: Any):
    write_notebook(lab.folder, "saved.ipynb", saved())
    page = open_lab("saved.ipynb")
    result = page.locator(".lv-Output")
    result.wait_for()
    assert [cell.strip() for cell in result.get_by_role("columnheader").all_inner_texts()] == ["table", ATTACK]
    assert result.locator("tbody tr").all_inner_texts() == ["airports.csv\t101.00", f"{ATTACK}\t0.50", "none\t–"]
    assert "3 of 40 rows were saved" in result.inner_text()
    assert result.locator("img").count() == 0
    assert page.evaluate("() => window.attacked") is None


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_a_saved_result_is_accessible(open_lab: Any, lab: Any, theme: str):
    write_notebook(lab.folder, "saved.ipynb", saved())
    page = open_lab("saved.ipynb")
    page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
    page.wait_for_selector(f"body[data-jp-theme-name='{theme}']", state="attached")
    page.locator(".lv-Output").wait_for()
    check_access(page, ".lv-Output")


@pytest.mark.parametrize(
    "data", [{}, [], "text", saved(rows=[["too short"]]), saved(rows=[[{}, 1]]), saved(columns=[1])]
)
def test_what_cannot_be_read_says_so(open_lab: Any, lab: Any, data: Any):
    write_notebook(lab.folder, "strange.ipynb", data)
    page = open_lab("strange.ipynb")
    assert "another version of lakeview" in page.locator(".lv-Output").inner_text()


def test_html_of_a_notebook_that_is_not_trusted_keeps_its_look(open_lab: Any, lab: Any):
    """Lab drops the style sheet that the HTML brings; the extension has brought the same one."""
    write_notebook(lab.folder, "foreign.ipynb", '<div class="lv"><p class="lv-Facts">facts</p></div>', "text/html")
    page = open_lab("foreign.ipynb")
    facts = page.locator(".jp-OutputArea-output .lv-Facts")
    facts.wait_for()
    assert facts.evaluate("element => getComputedStyle(element).fontSize") == "12px"


def test_badges_keep_their_colours_without_trust(open_lab: Any, lab: Any):
    kinds = ("equi", "composite", "transform", "fuzzy")
    badges = "".join(f'<span class="lv-Badge lv-is-{kind}">{kind}</span>' for kind in kinds)
    write_notebook(lab.folder, "badges.ipynb", f'<section class="lv">{badges}</section>', "text/html")
    page = open_lab("badges.ipynb")
    found = page.locator(".jp-OutputArea-output .lv-Badge")
    found.first.wait_for()
    colours = {badge.evaluate("element => getComputedStyle(element).color") for badge in found.all()}
    assert len(colours) == len(kinds)


def test_what_a_widget_showed_stays_when_its_kernel_is_gone(open_book: Any, open_lab: Any, lab: Any):
    lake = "import lakeview as lv\nlake = lv.open('data')\nlake.index(engine='local');"
    book = open_book(FRAME, lake, "lv.explore(flights, 'carrier', lake)").run_all()
    widget = book.page.locator(".lv-Explore")
    widget.get_by_role("row", name="airlines.csv.carrier").first.wait_for()
    kept = book.outputs(2).locator(".lv-Lasting")
    assert kept.count() == 1 and not kept.is_visible()
    widget.get_by_label("Column of flights").select_option(label="dest")
    widget.get_by_role("row", name="airports.csv.faa").first.wait_for()
    choose = widget.get_by_label("Column of flights")
    choose.focus()
    kept.get_by_text("flights.dest").first.wait_for(state="attached")
    assert choose.evaluate("element => element === document.activeElement")  # nothing was drawn anew
    book.command("docmanager:save")
    outputs = json.loads((lab.folder / book.path).read_text())["cells"][2]["outputs"]
    data = outputs[-1]["data"]
    assert data[MIME]["title"] == "Joins for flights.dest" and data[MIME]["rows"][0][:2] == ["airports.csv", "faa"]
    assert "flights.dest" in "".join(data["text/plain"]) and "text/html" in data
    book.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    book.ready()
    page = open_lab(book.path)
    kept = page.locator(".lv-Lasting")
    kept.get_by_role("rowheader", name="airports.csv.faa").wait_for()
    page.wait_for_timeout(1000)
    assert not page.get_by_text("model not found").is_visible() and page.locator(".lv-Explore").count() == 0
    shot(page, "explore-saved")


def test_a_widget_gives_way_when_its_kernel_is_shut_down(open_book: Any):
    lake = "import lakeview as lv\nlake = lv.open('data')\nlake.index(engine='local');"
    book = open_book(FRAME, lake, "lv.explore(flights, 'carrier', lake)").run_all()
    book.page.locator(".lv-Explore").get_by_role("row", name="airlines.csv.carrier").first.wait_for()
    book.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    book.outputs(2).locator(".lv-Lasting").get_by_role("rowheader", name="airlines.csv.carrier").wait_for()
    assert book.page.locator(".lv-Explore").count() == 0
    assert book.errors == []
