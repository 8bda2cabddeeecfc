"""A small lake that changes by generations, and what a search of it answers, by brute force."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable
from pathlib import Path

import lakeview as lv
from lakeview.store.manifest import MANIFEST

QUERY = [f"v{n}" for n in range(0, 300, 3)]
BASE = {f"v{n}" for n in range(200, 10_200)}  # as many as it takes for its arrays to be memory-mapped
Answer = list[tuple[str, int]]


def state(generation: int) -> dict[str, set[str]]:
    """The tables of a generation, of one column each."""
    first = generation % 7 * 20
    tables = {
        "base.csv": BASE,
        "mine.csv": {f"v{n}" for n in range(first, first + 90)},
    }
    return {**tables, "odd.csv": {f"v{n}" for n in range(generation % 5, 60)}} if generation % 2 else tables


def write(folder: Path, generation: int) -> None:
    """Make a lake's files those of a generation; each is whole at any time."""
    folder.mkdir(exist_ok=True)
    tables = state(generation)
    for name, held in tables.items():
        text = "x\n" + "\n".join(sorted(held)) + "\n"
        if not (folder / name).exists() or (folder / name).read_text() != text:
            part = folder.parent / f"{name}.{os.getpid()}"
            part.write_text(text)
            part.replace(folder / name)
    for path in folder.glob("*.csv"):
        if path.name not in tables:
            path.unlink()


def expected(tables: dict[str, set[str]], query: Iterable[str] = QUERY) -> Answer:
    """Each table's overlap with the query, most first, ties by name."""
    asked = set(query)
    found = [(name, len(asked & held)) for name, held in tables.items()]
    return sorted((pair for pair in found if pair[1]), key=lambda pair: (-pair[1], pair[0]))


def answer(lake: lv.Lake, query: Iterable[str] = QUERY) -> Answer:
    """What the lake says."""
    return [(hit.table, hit.overlap) for hit in lake.search(list(query), k=9)]


def leftovers(folder: Path) -> list[str]:
    """What lies in a store, or in the folder of a published index, and no manifest names."""
    named = set()
    for name in (MANIFEST, "manifest.before.json"):
        with contextlib.suppress(FileNotFoundError):
            named |= {entry["id"] for entry in json.loads((folder / name).read_bytes())["segments"]}
    ours = {MANIFEST, "manifest.before.json", "published.json", "contents.json", "lock", "segments", "parts"}
    left = [path.name for path in folder.iterdir() if path.name not in ours]
    left += [path.name for path in (folder / "segments").iterdir() if path.name not in named]
    return left + [path.name for path in (folder / "segments").rglob("*") if path.name.endswith((".tmp", ".part"))]
