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
# the moment of the kill must not leave half a table, which the last build would rightly report and skip.
_BUILDS = """
import sys, pathlib
import lakeview as lv
folder = pathlib.Path(sys.argv[1])
lake = lv.open(folder)
print("ready", flush=True)
for round in range(10**6):
    for i in range(1, 12):
        (folder / f".t{i}").write_text("a,b\\n" + "".join(f"r{round}x{j},{j}\\n" for j in range(3000)))
        (folder / f".t{i}").replace(folder / f"t{i}.csv")
    lake.index(engine="local")
    print(round, flush=True)
"""


def answer(lake: lv.Lake, query: pd.Series) -> pd.DataFrame:
    """What is found, but for the score, which depends on how large the lake is."""
    return lake.search(query).to_pandas().drop(columns="score")


@pytest.mark.slow
def test_a_killed_build_leaves_the_old_index(tmp_path: Path):
    values = [f"key{i}" for i in range(500)]
    pd.DataFrame({"k": values}).to_csv(tmp_path / "t0.csv", index=False)
    lv.open(tmp_path).index(engine="local")
    query = pd.Series([*values[::2], "other"])
    before = answer(lv.open(tmp_path), query)
    assert len(before) == 1
    rng = random.Random(17)
    generations = []
    root = str(Path(lv.__file__).parents[1])
    for _ in range(20):
        process = subprocess.Popen(
            [sys.executable, "-c", _BUILDS, tmp_path], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": root}
        )
        assert process.stdout is not None
        for _ in range(rng.randint(1, 2)):
            process.stdout.readline()
        time.sleep(rng.random() * 0.5)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        lake = lv.open(tmp_path)
        lake.store.verify()
        pd.testing.assert_frame_equal(answer(lake, query), before)
        generations.append(lake.store.manifest().generation)
    assert max(generations) > 1, "no build got as far as to publish"
    report = lv.open(tmp_path).index(engine="local")
    assert (report.tables, report.problems) == (12, 0)
    assert not list((tmp_path / ".lakeview" / "segments").glob("*.tmp"))
