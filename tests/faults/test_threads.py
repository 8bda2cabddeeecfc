"""Eight threads search one lake while another adds, removes, indexes and compacts: each answer is that of a moment."""

from __future__ import annotations

import ctypes
import gc
import os
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import growing
import pandas as pd
import pyarrow as pa

import lakeview as lv

THREADS = 8
LARGE = [f"v{n}" for n in range(0, 40_000)]  # from 20,000 values on, compiled kernels answer


class Changing:
    """A lake and, for each of its states, what is in it; a change is begun before it shows and done after."""

    def __init__(self, folder: Path) -> None:
        growing.write(folder, 0)
        self.folder, self.lake = folder, lv.open(folder)
        self.lake.index(engine="local")
        self.states = [growing.state(0)]
        self.begun = self.done = 0

    def changes(self) -> Iterator[None]:
        """Changes without an end."""
        generation, frames = 0, dict[str, set[str]]()
        for step in range(10**9):
            what = ("add", "index", "add", "remove", "index", "compact", "replace", "remove")[step % 8]
            if what == "index":
                generation += 1
            elif what in ("add", "replace"):
                name = "one" if what == "replace" else f"frame{step % 3}"
                frames = {**frames, name: {f"v{n}" for n in range(step % 90, step % 90 + 30)}}
            elif what == "remove" and frames:
                gone = next(iter(frames))
                frames = {name: held for name, held in frames.items() if name != gone}
            self.states.append({**growing.state(generation), **frames})
            self.begun += 1
            if what == "index":
                growing.write(self.folder, generation)
                self.lake.index(engine="local")
            elif what in ("add", "replace"):
                self.lake.add(pd.DataFrame({"x": sorted(frames[name])}), name)
            elif what == "compact":
                self.lake.compact()
            elif set(self.states[-2]) - set(self.states[-1]):
                self.lake.remove(gone)
            self.done += 1
            yield

    def fits(self, first: int, last: int, found: growing.Answer, query: list[str], **asked: float) -> bool:
        """Whether an answer is that of one of some states."""
        wanted = (growing.expected(self.states[i], query) for i in range(first, last + 1))
        if "threshold" in asked:
            least = asked["threshold"] * len(query)
            return any(found == [pair for pair in want if pair[1] >= least] for want in wanted)
        return any(found == want[: int(asked["k"])] for want in wanted)


def search(there: Changing, rng: random.Random) -> str | None:
    """One search; what is wrong with its answer."""
    start, step = rng.randrange(150), rng.choice([1, 2, 3])
    query = LARGE if rng.random() < 0.02 else [f"v{n}" for n in range(start, start + 150, step)]
    asked = rng.choice([{"k": 3}, {"k": 9}, {"threshold": 0.4}])
    first = there.done
    try:
        hits = there.lake.search(query, **asked)
        found = [(hit.table, hit.overlap) for hit in hits]
        if hits and rng.random() < 0.1:
            hits[0].examples()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if not there.fits(first, there.begun, found, query, **asked):
        return f"{asked} of {len(query)} from {query[0]}: {found}"
    return None


def held() -> tuple[int, int]:
    """Open descriptors of this process, and its private memory in bytes."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    ctypes.CDLL(None).malloc_trim(0)  # what nine threads' arenas keep is not held
    status = Path("/proc/self/status").read_text()
    kept = next(line for line in status.splitlines() if line.startswith("RssAnon"))
    return len(os.listdir("/proc/self/fd")), 1024 * int(kept.split()[1])  # noqa: PTH208


def test_searches_beside_changes(tmp_path: Path, rounds):
    """In a process of its own: in one that other tests have filled, free memory in pieces counts as held."""
    numbers = (rounds(300, 8_000), rounds(4, 60), rounds(500, 16_000), rounds(6, 140))
    done = subprocess.run(
        [sys.executable, __file__, tmp_path, *map(str, numbers)],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(Path(lv.__file__).parents[1])},
    )  # fmt: skip
    print(done.stdout)
    assert done.returncode == 0, done.stderr[-2_000:]


def search_beside_changes(folder: Path, searches: int, changed: int, more_searches: int, more_changed: int) -> None:
    there = Changing(folder / "lake")
    there.lake.search(LARGE)  # compiles
    changes = there.changes()
    for _ in range(16):
        next(changes)
    run(there, changes, searches, changed)
    before = held()
    run(there, changes, more_searches, more_changed)
    for name in {*there.states[-1]} - {*growing.state(0), *growing.state(1)}:
        there.lake.remove(name)
    after = held()
    print(f"{(after[1] - before[1]) / (1 << 20):.0f} MB and {after[0] - before[0]} descriptors more")
    assert after[0] <= before[0] + 2
    assert after[1] <= before[1] + (64 << 20)


def run(there: Changing, changes: Iterator[None], searches: int, more: int) -> None:
    """So many searches, and changes beside them."""
    changed, counts, stop = there.done + more, [0] * THREADS, threading.Event()

    def change() -> None:
        while not stop.is_set():
            next(changes)

    def ask(thread: int) -> list[str]:
        rng, wrong = random.Random(thread), []
        while not stop.is_set() and (sum(counts) < searches or there.done < changed):
            if said := search(there, rng):
                wrong.append(said)
            counts[thread] += 1
        return wrong

    interval = sys.getswitchinterval()
    sys.setswitchinterval(interval / 10)  # threads take turns in the middle of everything
    try:
        with ThreadPoolExecutor(THREADS + 1) as pool:
            changing, asking = pool.submit(change), [pool.submit(ask, thread) for thread in range(THREADS)]
            done, _ = wait([changing, *asking], return_when="FIRST_COMPLETED")
            wrong = [said for future in asking for said in future.result()] if changing not in done else []
            stop.set()
            changing.result()
    finally:
        stop.set()
        sys.setswitchinterval(interval)
    assert wrong == []
    print(f"{sum(counts):,} searches beside {there.done} changes in all")


if __name__ == "__main__":
    search_beside_changes(Path(sys.argv[1]), *map(int, sys.argv[2:]))
