"""The wheel alone, in an environment of its own without Node: Lab has the panel and the widget, and a join is made."""

from __future__ import annotations

import shutil
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from building import run
from conftest import serve
from panel_page import FRAME, Book, start, stop_kernels, write_lake, write_notebook

OPEN = "import lakeview as lv, pathlib\nlake = lv.open('data')\nlake.index(engine='local');"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a new environment that has the wheel, and borrows all other packages of this one."""
    folder = tmp_path_factory.mktemp("alone")
    run(sys.executable, "-m", "venv", "--without-pip", "env", cwd=folder)
    python = folder / "env" / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel, cwd=folder)
    site = folder / "env" / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages"
    # A path in a .pth is searched last, and the .pth files behind it (this checkout's own) are not read.
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    # Lab itself and its other extensions, of which the widgets' are needed.
    shared = Path(sys.prefix) / "share" / "jupyter"
    rest = shutil.ignore_patterns("lakeview", "kernels")
    shutil.copytree(shared, folder / "env" / "share" / "jupyter", ignore=rest, dirs_exist_ok=True)
    run(python, "-m", "ipykernel", "install", "--sys-prefix", cwd=folder)
    return python


def test_panel_and_join(python: Path, page: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    empty = tmp_path_factory.mktemp("bin")
    listed = run(python, "-m", "jupyterlab.labextensions", "list", cwd=empty, PATH=str(empty))
    assert any("lakeview v" in line and "enabled" in line and "OK" in line for line in listed.splitlines()), listed
    with serve(tmp_path_factory, python, PATH=str(empty)) as lab:
        write_lake(lab.folder / "data")
        write_notebook(lab.folder / "alone.ipynb", FRAME, OPEN, "lv.explore(flights, 'dest', lake)")
        start(page, f"{lab.url}/lab/tree/alone.ipynb?reset")
        page.set_default_timeout(60_000)
        book = Book(page, "alone.ipynb").ready().run_all()
        prefix = str(python.parents[1])
        assert book.evaluate(f"pathlib.Path(lv.__file__).is_relative_to({prefix!r})") is True
        assert book.evaluate("__import__('shutil').which('node')") is None
        widget = page.locator(".lv-Explore")
        widget.get_by_role("button", name="Details of airports.csv.faa").click()
        widget.get_by_role("button", name="Join", exact=True).click()
        ran = "n => window.jupyterapp.shell.currentWidget.content.widgets[n]?.model.executionCount > 0"
        page.wait_for_function(ran, arg=3)
        expected = "lake.search(flights, 'dest')[0].join().to_pandas()"
        assert book.evaluate(f"flights_airports.equals({expected})") is True
        panel = book.show_panel()
        panel.get_by_role("treeitem", name="flights, pandas").click()
        panel.get_by_role("treeitem", name="dest, object").focus()
        page.keyboard.press("Enter")
        page.wait_for_function(ran, arg=4)
        book.outputs(4).locator(".lv-Explore").get_by_role("row", name="airports.csv.faa").wait_for()
        assert book.errors == []
        stop_kernels(page)
