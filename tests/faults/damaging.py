"""Bits flipped, ends cut off and stretches zeroed in the files of an index, one fault at a time. Run in a process of
its own, as the worst that a damaged file may do is to end the one that reads it."""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from pathlib import Path

import lakes

import lakeview as lv
from lakeview.errors import LakeviewError
from lakeview.store import held
from lakeview.store import store as stores

ZEROED = 4096  # bytes, at most
_AT_OPEN, _LATER = stores.CHECKED_AT_OPEN, held.LATER


def run(data: str, store: str, first: int, faults: int, at_first_use: bool, under: bool = False) -> Counter[str]:
    """Try faults by their numbers; what came of each is told, and all of it counted.

    at_first_use: nothing is checked at the opening, as in a store of any size. under: a lake is open, and every other
    time has answered, while files end short; every third time they are mapped, as those of large lakes are.
    """
    stores.CHECKED_AT_OPEN = 0 if at_first_use else _AT_OPEN
    before = lakes.answers(lv.open(data, store=store))
    files = sorted(path for path in Path(store).rglob("*") if path.is_file() and path.stat().st_size)
    told: Counter[str] = Counter()
    for number in range(first, first + faults):
        rng = random.Random(number)
        path = rng.choice(files)
        held.LATER = 0 if under and number % 3 == 0 else _LATER
        lake = lv.open(data, store=store) if under else None
        if under and number % 2:
            lakes.answers(lake)
        undo, said = damage(path, rng, ["cut"] if under else ["flip", "flip", "cut", "zero"])
        print(f"{number}: {said} {path.relative_to(store)}", file=sys.stderr, flush=True)
        try:
            found = lakes.outcome(before, lambda lake=lake: lakes.answers(lake or lv.open(data, store=store)))
            if undo is not None and verified(data, store):
                found = f"wrong: verify() did not notice, and the answers: {found}"
        finally:
            restore(path, undo)
        told[found if found in ("same", "told") else f"{number}: {said} {path.name}: {found}"] += 1
    return told


def damage(path: Path, rng: random.Random, kinds: list[str]) -> tuple[tuple[int, bytes, int] | None, str]:
    """Harm a file in place. Returns what brings it back (place, bytes, size), None where it is as before."""
    size = path.stat().st_size
    kind = rng.choice(kinds)
    # half of all faults at either end, where headers and footers are
    place = rng.choice([rng.randrange(size), rng.randrange(min(size, 200)), size - 1 - rng.randrange(min(size, 200))])
    with path.open("r+b") as file:
        file.seek(place)
        old = file.read(1 if kind == "flip" else ZEROED if kind == "zero" else size)
        file.seek(place)
        new = bytes([old[0] ^ 1 << rng.randrange(8)]) if kind == "flip" else bytes(len(old))
        if kind == "cut":
            file.truncate(place)
        else:
            file.write(new)
    return (None if kind == "zero" and new == old else (place, old, size)), f"{kind} at {place} of {size}"


def restore(path: Path, undo: tuple[int, bytes, int] | None) -> None:
    if undo is not None:
        with path.open("r+b") as file:
            file.seek(undo[0])
            file.write(undo[1])
        assert path.stat().st_size == undo[2]


def verified(data: str, store: str) -> bool:
    """Whether `verify` finds everything as it was written."""
    try:
        lv.open(data, store=store).verify()
    except LakeviewError:
        return False
    return True


if __name__ == "__main__":
    for job in json.loads(sys.argv[1]):
        print(json.dumps(run(**job)), flush=True)
