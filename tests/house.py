"""The house as its imports show it: files, rooms and floors. `python tests/house.py` draws it to docs/house.svg."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "lakeview"
PICTURE = ROOT / "docs" / "house.svg"
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "labextension" not in path.parts)

# Each room and its floor; nothing imports from its own floor or one above, but what lies in the same room.
FLOORS = {
    "errors": 0,
    "guards": 1,
    "options": 2, "values": 2, "sketch": 2,
    "estimate": 3, "catalog": 3, "evidence": 3,
    "index": 4,
    "store": 5,
    "pipeline": 6,
    "join": 7,
    "search": 8,
    "relations": 9,
    "lake": 10,
    "notebook": 11,
    "__init__": 12, "demo": 12,
    "cli": 13,
}  # fmt: skip


def room(module: str) -> str:
    """The room of a module: `lakeview.join.plan` lies in join, `lakeview` in its __init__."""
    return [*module.split("."), "__init__"][1]


def module_of(path: Path) -> str:
    """The module of a file: lakeview/join/plan.py is lakeview.join.plan."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def uses() -> dict[str, set[str]]:
    """The modules that each module of lakeview imports: anywhere, in functions and for type checkers too."""
    files = {module_of(path): path for path in MODULES}
    return {module: set(_imported(path, set(files))) - {module} for module, path in files.items()}


def _imported(path: Path, modules: set[str]) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module in modules:
            for alias in node.names:  # `from lakeview.join import plan` imports lakeview.join.plan
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in modules else node.module


def arrows() -> set[tuple[str, str]]:
    """(room, room that it imports from)."""
    pairs = {(room(user), room(used)) for user, all_used in uses().items() for used in all_used}
    return {(user, used) for user, used in pairs if user != used}


def picture() -> str:
    """The rooms on their floors as SVG; an arrow that a longer way implies is left out."""
    height, gap, whole = 64, 24, 1000
    spots: dict[str, tuple[float, float, float]] = {}
    top = max(FLOORS.values())
    for floor in set(FLOORS.values()):
        here = [name for name in FLOORS if FLOORS[name] == floor]
        widths = [30 + 12 * len(name) for name in here]
        x = (whole - sum(widths) - gap * (len(here) - 1)) / 2
        for name, width in zip(here, widths, strict=True):
            spots[name] = (x, 10 + (top - floor) * height, width)
            x += width + gap
    drawn = [f'<path d="M{_middle(spots[a])} {spots[a][1] + 36} L{_middle(spots[b])} {spots[b][1] - 2}"/>'
             for a, b in sorted(_direct(arrows()))]  # fmt: skip
    boxes = [f'<rect x="{x:.0f}" y="{y}" width="{width:.0f}" height="36" rx="4"/>'
             f'<text x="{x + width / 2:.0f}" y="{y + 23}">{escape(name)}</text>'
             for name, (x, y, width) in spots.items()]  # fmt: skip
    style = ("rect{fill:#eaf2f8;stroke:#5b7f95}text{font:600 13px sans-serif;text-anchor:middle;fill:#17272f}"
             "path{stroke:#8aa0ad;fill:none;marker-end:url(#a)}")  # fmt: skip
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {(top + 1) * height}" role="img">',
        "<title>The rooms of lakeview: each imports from floors below its own</title>", f"<style>{style}</style>",
        '<marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 L8 4 L0 8" style="marker-end:none"/></marker>',
        '<rect width="100%" height="100%" style="fill:#fff;stroke:none"/>', *drawn, *boxes, "</svg>\n",
    ])  # fmt: skip


def _middle(spot: tuple[float, float, float]) -> str:
    return f"{spot[0] + spot[2] / 2:.0f}"


def _direct(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    below: dict[str, set[str]] = {name: set() for name in FLOORS}
    for name in TopologicalSorter({a: {b for user, b in pairs if user == a} for a in FLOORS}).static_order():
        direct = {used for user, used in pairs if user == name}
        below[name] = direct.union(*(below[used] for used in direct))
    return {(a, b) for a, b in pairs if not any(b in below[c] for user, c in pairs if user == a)}


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(), encoding="utf-8")
