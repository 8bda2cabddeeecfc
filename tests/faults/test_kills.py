"""Kill -9 at random moments of index, compact, pull and publish: the index is the old one or the new one, and the next
write leaves nothing lying."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import growing
import pytest

import lakeview as lv

STEPS = ("index", "index in parts", "compact", "publish", "publish in parts", "pull")

# Forks a writer at every line it reads, as starting an interpreter for each would take minutes.
_SERVER = """
import os, sys
sys.path.insert(0, sys.argv[1])
import test_kills
from pathlib import Path
folder = Path(sys.argv[2])
for step in test_kills.STEPS:  # imports what it takes
    test_kills.work(folder / "warm", step, 1)
for line in sys.stdin:
    step, generation = line.rstrip().rsplit(" ", 1)
    child = os.fork()
    if not child:
        test_kills.work(folder, step, int(generation))
        os._exit(0)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


def work(folder: Path, step: str, generation: int) -> None:
    """One step of a lake's life. The first index is of the lake, published at `url` and pulled to the second."""
    from lakeview.pipeline import build_parts

    folder.mkdir(exist_ok=True)
    if generation == 1 or step.startswith("index"):
        growing.write(folder / "lake", generation)
    build_parts.OUTGROWN = 0 if "parts" in step else 1 << 40
    lake = lv.open(folder / "lake", store=folder / "first")
    if step.startswith("index") or lake.indexed_at is None:
        lake.index(engine="local")
    elif step == "compact":
        lake.compact()
    elif step == "pull":
        lv.open(folder / "lake", store=folder / "second").pull(str(folder / "url"))
    else:
        lake.publish(str(folder / "url"), partitions=3 if "parts" in step else None)


def answers(folder: Path) -> dict[str, growing.Answer]:
    """What each of the three indexes says; all of it is checked."""
    found = {}
    for name in ("first", "second"):
        lake = lv.open(folder / "lake", store=folder / name)
        lake.store.verify()
        found[name] = growing.answer(lake)
    probe = lv.open(folder / "lake", store=folder / "probe")
    probe.pull(str(folder / "url"))
    found["url"] = growing.answer(probe)
    shutil.rmtree(folder / "probe")
    return found


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_kill_at_any_moment(tmp_path: Path, rounds):
    for step in ("index", "publish", "pull"):
        work(tmp_path, step, 1)
    kept = answers(tmp_path)
    assert [*kept.values()] == [growing.expected(growing.state(1))] * 3
    rng, lengths, generation, killed, changed, left = random.Random(5), dict.fromkeys(STEPS, 0.4), 1, 0, 0, 0
    before, n = set[str](), 0
    code = [sys.executable, "-c", _SERVER, Path(__file__).parent, tmp_path]
    with subprocess.Popen(code, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        while killed < rounds(12, 200):
            step, n = STEPS[n % len(STEPS)], n + 1
            generation += step.startswith("index")
            print(step, generation, file=server.stdin, flush=True)
            child = int(server.stdout.readline())
            time.sleep(rng.random() * 1.2 * lengths[step])
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            survived = int(server.stdout.readline()) == 0
            lengths[step] *= 0.7 if survived else 1.1
            killed += not survived
            lying = {path for name in ("first", "second", "url") for path in growing.leftovers(tmp_path / name)}
            left, before = left + bool(lying - before), lying
            now, new = answers(tmp_path), growing.expected(growing.state(generation))
            of = {"index": {"first": [new]}, "pull": {"second": [kept["url"]]}}.get(
                step.split()[0], {"url": [kept["first"]]} if step.startswith("publish") else {}
            )
            for name, said in now.items():
                assert said in [kept[name], *of.get(name, [])], (step, name)
                changed += said != kept[name]
            kept = now
        server.stdin.close()
    print(f"{killed} of {n} killed in the middle, {left} left something, {changed} changes came through")
    assert left > n / 20, "no kill was in the middle of writing"
    assert changed > n / 40, "no step came to its end"
    for path in (tmp_path / "url").rglob("*"):
        os.utime(path, (0, 0))  # what may be under way stays for an hour
    for step in ("index", "publish", "pull"):
        work(tmp_path, step, generation + 1)
    for _ in range(2):  # the publication before this one stays
        work(tmp_path, "publish in parts", generation + 1)
    assert answers(tmp_path)["first"] == growing.expected(growing.state(generation + 1))
    assert [growing.leftovers(tmp_path / name) for name in ("first", "second", "url")] == [[], [], []]
