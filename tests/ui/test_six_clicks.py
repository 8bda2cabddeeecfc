"""From a notebook that holds a frame to the joined table by the panel alone: six clicks at most, no Python typed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from likeness import FIRMS, NAMES, SEEN, STATES, SUPPLIERS, TURNED
from panel_page import Book, write_notebook

pytestmark = pytest.mark.slow


def tables() -> dict[str, pd.DataFrame]:
    """A lake with a table for each kind of join."""
    return {
        "airports": pd.DataFrame({"faa": ["ORD", "LAX", "MIA", "BQN", "ATL", "BOS"], "height": range(6)}),
        "weather": pd.DataFrame(SEEN, columns=["place", "day"]).assign(degrees=range(60)),
        "staff": pd.DataFrame({"name": NAMES, "desk": range(12)}),
        "firms": pd.DataFrame({"firm": FIRMS, "seats": range(20)}),
        "codes": pd.DataFrame({"state": STATES.keys(), "abbreviation": STATES.values()}),
        "people": pd.DataFrame({"abbreviation": STATES.values(), "millions": range(12)}),
    }


# Frame, the column that it begins with (or the line of several), the hit, what it adds, row by row.
KINDS: dict[str, tuple[pd.DataFrame, str, str, str, list[int]]] = {
    "equal": (pd.DataFrame({"dest": ["ORD", "BOS", "LAX", "MIA"]}), "dest", "airports.csv.faa", "height", [0, 5, 1, 2]),
    "together": (
        pd.DataFrame(SEEN[::-2], columns=["town", "when"]),
        "town, when", "weather.csv.(place, day)", "degrees", list(range(60))[::-2],
    ),
    "step": (
        pd.DataFrame({"who": TURNED}),
        "who", "staff.csv.name", "desk", list(range(12)),
    ),
    "similar": (
        pd.DataFrame({"supplier": SUPPLIERS}),
        "supplier", "firms.csv.firm", "seats", list(range(20)),
    ),
    "bridge": (
        pd.DataFrame({"home": list(STATES)}), "home", "people.csv.abbreviation", "millions", list(range(12)),
    ),
}  # fmt: skip


class Hand:
    """A hand that counts its clicks."""

    clicks = 0

    def click(self, target: Any) -> None:
        target.click()
        self.clicks += 1


def write(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for name, table in tables().items():
        table.to_csv(folder / f"{name}.csv", index=False)


@pytest.mark.parametrize(("kind", "where"), [*((kind, "lab/tree") for kind in KINDS), ("bridge", "notebooks")])
def test_to_a_joined_table(lab: Any, open_in: Any, kind: str, where: str) -> None:
    frame, column, found, added, expected = KINDS[kind]
    folder = f"six-{kind}-{where[:3]}"
    write(lab.folder / folder)
    cell = f"import pandas as pd\nmine = pd.DataFrame({frame.to_dict('list')!r})"
    write_notebook(lab.folder / f"{folder}.ipynb", cell)
    page = open_in(where, f"{folder}.ipynb")
    page.set_default_timeout(60_000)
    page.set_viewport_size({"width": 1440, "height": 900})
    book, hand = Book(page, f"{folder}.ipynb").ready().run_all(), Hand()

    if where == "lab/tree":
        hand.click(page.locator('.jp-SideBar [data-id="lakeview-panel"]'))
    else:  # side bars are put away in Notebook 7: by its palette
        page.keyboard.press("Control+Shift+C")
        page.get_by_role("searchbox").or_(page.locator(".lm-CommandPalette-input")).first.wait_for()
        page.keyboard.type("Show Lakeview")
        page.keyboard.press("Enter")
    panel = page.locator("#lakeview-panel")
    panel.get_by_role("combobox", name="Folder of the lake").fill(folder)
    hand.click(panel.get_by_role("button", name="Open", exact=True))
    hand.click(panel.get_by_role("button", name="Index it"))
    book.wait_for_run(2)
    name = "mine, pandas" if "," in column else f"{column}, "
    row = panel.get_by_role("treeitem", name=name)
    row.hover()
    hand.click(row.get_by_role("button", name="Find joins"))
    grid = book.outputs(3).locator(".lv-Explore")
    if "," in column:
        hand.click(book.outputs(3).locator(".lv-ColumnRow", has_text=column))
    else:
        hand.click(grid.get_by_role("button", name=f"Details of {found}"))
    hand.click(grid.get_by_role("row", name=found).locator("xpath=..").get_by_role("button", name="Join", exact=True))
    book.wait_for_run(4)
    made = book.sources()[4].strip().splitlines()[-1].removesuffix(".head()")
    print(f"{kind}: {hand.clicks} clicks, {made}")
    assert book.evaluate(f"{made}[{added!r}].tolist()") == expected
    assert book.evaluate(f"len({made}) == len(mine)") is True
    assert hand.clicks <= 6
    assert book.errors == []
