"""Kill -9 at 50 random points of inserting, deleting and compacting: the index is as before or as after."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from test_store import contents, publish

from lakeview.store import compaction
from lakeview.store.snapshot import Snapshot
from lakeview.store.store import Store

POINTS = 50
BASE = {"a": {"x": [1, 2, 3], "y": list(range(5_000))}, "b": {"z": [2**64 - 1, 5]}}

# Forks a writer at every line it reads, as starting an interpreter for each would take minutes.
_SERVER = """
import os, sys
sys.path[:0] = {path!r}
import test_killed_writer
test_killed_writer.change({folder!r})  # imports what it takes
for _ in sys.stdin:
    child = os.fork()
    if not child:
        while True:
            test_killed_writer.change({folder!r})
    print(child, flush=True)
    os.waitpid(child, 0)
    print("gone", flush=True)
"""


def state(generation: int) -> dict[str, dict[str, list[int]]]:
    """What the index holds, for each number of changes."""
    return {**BASE, "n": {"x": [2, *range(generation + 10, generation + 3_000)]}} if generation % 3 == 2 else BASE


def change(folder: str) -> None:
    """Insert a table, delete it, or compact, in turns."""
    store = Store(folder)
    generation = store.manifest().generation
    if generation % 3 == 1:
        publish(store, {"n": state(generation + 1)["n"]})
    elif generation % 3 == 2:
        publish(store, {}, replacing=("n",))
    else:
        with store.writing() as writer:
            compaction.compact(store, writer)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_killed_change_leaves_before_or_after(tmp_path: Path):
    store = Store(tmp_path / "store")
    publish(store, BASE)
    started = time.monotonic()
    for _ in range(3):
        change(str(store.folder))
    step = (time.monotonic() - started) / 3  # how long a change takes is the disk's affair, and changes on the way
    here, root = str(Path(__file__).parent), str(Path(__file__).parents[2])
    code = _SERVER.format(path=[here, root], folder=str(store.folder))
    rng = random.Random(7)
    generations, left = [], 0
    query = np.array([1, 2, 3, 4, 2_500, 2**64 - 1], np.uint64)
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for _ in range(POINTS):
            server.stdin.write(b"\n")
            server.stdin.flush()
            child = int(server.stdout.readline())
            time.sleep(rng.random() * 2 * step)
            os.kill(child, signal.SIGKILL)
            assert server.stdout.readline() == b"gone\n"
            store.verify()
            generation = store.manifest().generation
            expected = {(t, c): sorted(x) for t, columns in state(generation).items() for c, x in columns.items()}
            assert contents(store) == expected
            snapshot = Snapshot(*store.read())
            numbers, overlaps, _ = snapshot.top_k(query, 9)
            found = {
                (snapshot.tables[n], snapshot.names[n]): o for n, o in zip(numbers, overlaps.tolist(), strict=True)
            }
            assert found == {key: n for key, x in expected.items() if (n := len({*x} & {*query.tolist()}))}
            step *= 0.8 if generation > (generations or [0])[-1] else 1.25
            generations.append(generation)
            left += any(path.suffix == ".tmp" for path in (store.folder / "segments").iterdir())
        server.stdin.close()
    assert generations[-1] > 10, "the writers were killed before they wrote anything"
    assert left > 5, "no writer was killed in the middle"
    with store.writing():  # clears what the killed writers left
        pass
    named = {e.id for e in store.manifest().segments}
    assert {p.name for p in (store.folder / "segments").iterdir()} == named
