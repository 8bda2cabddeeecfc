"""Joined by clicks, written by a click, made again by another process at another path: equal rows."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from panel_page import FRAME, Book, looked_at

OPEN = "%load_ext lakeview\n%lakeview open data\n%lakeview index"
ROWS = "to_json(orient='split', date_format='iso')"
AGAIN = f"""
import sys
import lakeview as lv
{FRAME}
lake = lv.open(sys.argv[1], store=sys.argv[1] + "-index")
lake.index(engine="local")
found = lv.replay(sys.argv[2], lake, frames={{"flights": flights}})
assert found.changes == [], found.changes
print(found.to_pandas().{ROWS})
scope = {{"flights": flights}}
exec(open(sys.argv[3]).read(), scope)
print(scope["flights_airports_airlines"].{ROWS})
"""


def find_joins(book: Book, panel: Any, column: str) -> Any:
    """Find joins of a column in the panel; the grid of the cell that this inserts."""
    place = len(book.sources())
    row = panel.get_by_role("treeitem", name=f"{column}, ")
    row.hover()
    row.get_by_role("button", name="Find joins").click()
    book.wait_for_run(place)
    grid = book.outputs(place).locator(".lv-Explore")
    grid.locator(".lv-Status", has_text="exact").wait_for()
    return grid


def join(book: Book, grid: Any, hit: str) -> None:
    """Join with a hit of a grid, and wait until the cell has run."""
    place = len(book.sources())
    grid.get_by_role("button", name=f"Details of {hit}").click()
    grid.get_by_role("button", name="Join", exact=True).click()
    book.wait_for_run(place)
    book.ready()


def test_two_clicked_joins_are_made_again_elsewhere(open_book: Any, lab: Any, tmp_path: Path) -> None:
    book = open_book(FRAME, OPEN).run_all()
    panel = book.show_panel()
    join(book, find_joins(book, panel, "dest"), "airports.csv.faa")
    panel.get_by_role("treeitem", name="flights_airports, pandas").click()
    join(book, find_joins(book, panel, "carrier"), "airlines.csv.carrier")
    place = len(book.sources())
    panel.get_by_role("button", name="Recipe").click()
    book.wait_for_run(place)
    name = Path(book.path).stem
    assert book.sources()[place] == f'%lakeview recipe "{name}.recipe.json"'
    said = book.outputs(place).get_by_role("region", name="Recipe")
    said.get_by_text("2 steps · 2 tables · 1 frame").wait_for()
    assert said.get_by_role("rowheader").all_inner_texts() == ["flights_airports", "flights_airports_airlines"]
    assert said.locator(".lv-warn").count() == 0
    looked_at(book, ".lv[aria-label=Recipe]", "recipe")
    looked_at(book, "#lakeview-panel", "recipe-panel")

    expected = json.loads(book.evaluate(f"flights_airports_airlines.{ROWS}"))
    recipe, script = lab.folder / f"{name}.recipe.json", lab.folder / f"{name}.recipe.py"
    elsewhere = tmp_path / "deep" / "lake"
    shutil.copytree(lab.folder / "data", elsewhere)
    text = script.read_text()
    assert text.count('LAKE = "data"\n') == 1 and str(lab.folder) not in recipe.read_text() + text
    script.write_text(text.replace('LAKE = "data"', f'LAKE = "{elsewhere}"'))
    command = [sys.executable, "-c", AGAIN, str(elsewhere), str(recipe), str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [json.loads(line) for line in done.stdout.splitlines()[-2:]] == [expected, expected]
    assert book.errors == []


def test_a_recipe_of_nothing_says_what_to_do(open_book: Any) -> None:
    book = open_book(FRAME, OPEN).run_all()
    book.show_panel().get_by_role("button", name="Recipe").click()
    book.wait_for_run(2)
    book.outputs(2).get_by_text("nothing was joined here yet: press Join in the grid of %lakeview explore").wait_for()
