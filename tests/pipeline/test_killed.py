"""A build that is killed, at 20 random moments, leaves the index that was there, answering as before."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

import lakeview as lv

# Every table but the first changes in every round, so a build is always under way. A file is put in its place whole:
# the moment of the kill must not leave half a table, which the last build would rightly report and skip. The server
# builds once elsewhere, which imports what that takes, and forks a builder for each kill.
_SERVER = """
import os, pathlib, sys
import lakeview as lv

def build(folder, rounds):
    lake = lv.open(folder)
    for round in range(rounds):
        for i in range(1, 12):
            (folder / f".t{i}").write_text("a,b\\n" + "".join(f"r{round}x{j},{j}\\n" for j in range(3000)))
            (folder / f".t{i}").replace(folder / f"t{i}.csv")
        lake.index(engine="local")
        print(round, flush=True)

elsewhere = pathlib.Path(sys.argv[2])
elsewhere.mkdir()
build(elsewhere, 1)
print("warm", flush=True)
for _ in sys.stdin:
    child = os.fork()
    if not child:
        build(pathlib.Path(sys.argv[1]), 10**6)
    print("builder", child, flush=True)
    os.waitpid(child, 0)
    print("gone", flush=True)
"""


def answer(lake: lv.Lake, query: pd.Series) -> pd.DataFrame:
    """What is found, but for the score, which depends on how large the lake is."""
    return lake.search(query).to_pandas().drop(columns="score")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_killed_build_leaves_the_old_index(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory):
    values = [f"key{i}" for i in range(500)]
    pd.DataFrame({"k": values}).to_csv(tmp_path / "t0.csv", index=False)
    lv.open(tmp_path).index(engine="local")
    query = pd.Series([*values[::2], "other"])
    before = answer(lv.open(tmp_path), query)
    assert len(before) == 1
    rng = random.Random(17)
    generations = []
    root, elsewhere = str(Path(lv.__file__).parents[1]), tmp_path_factory.mktemp("warm") / "lake"
    with subprocess.Popen(
        [sys.executable, "-c", _SERVER, tmp_path, elsewhere], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": root},
    ) as server:  # fmt: skip
        assert server.stdin is not None
        assert server.stdout is not None
        while server.stdout.readline() != b"warm\n":
            pass
        for _ in range(20):
            server.stdin.write(b"\n")
            server.stdin.flush()
            child = next(int(line.split()[1]) for line in server.stdout if line.startswith(b"builder "))
            for _ in range(rng.randint(0, 1)):
                server.stdout.readline()
            time.sleep(rng.random() * 0.5)
            os.kill(child, signal.SIGKILL)
            while server.stdout.readline() != b"gone\n":
                pass
            lake = lv.open(tmp_path)
            lake.store.verify()
            pd.testing.assert_frame_equal(answer(lake, query), before)
            generations.append(lake.store.manifest().generation)
        server.stdin.close()
    assert max(generations) > 1, "no build got as far as to publish"
    report = lv.open(tmp_path).index(engine="local")
    assert (report.tables, report.problems) == (12, 0)
    assert not list((tmp_path / ".lakeview" / "segments").glob("*.tmp"))
