"""Published indexes that somebody altered and gave right checksums: who pulls one has the same answers, another index
that is sound, or a LakeviewError of one line and her own index to the byte; who reads one where it lies, likewise."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import lakes
import pandas as pd
from apart import counted

import lakeview as lv

ALL = 1_040  # and a few twice
GOOD = {f"{how}: {what}" for how in ("pulled", "read") for what in ("same", "told", "refused", "another index")}


def test_an_altered_index(tmp_path: Path, rounds: Callable[[int, int], int]):
    """Of two kinds: with all tokens, and of sketches with filters, both in segments with tombstones."""
    jobs = []
    for kind in ("segments", "sketches"):
        data = tmp_path / kind / "data"
        lakes.write_tables(data)
        lakes.indexed(data, tmp_path / kind / "own", "exact")
        lakes.indexed(data, tmp_path / kind / "theirs", kind)
        theirs = lv.open(data, store=tmp_path / kind / "theirs")
        if kind == "sketches":
            pd.DataFrame({"more": [f"k{n}" for n in range(100, 5_500)]}).to_csv(data / "e.csv", index=False)
            pd.DataFrame({"k": ["k1", "k2"]}).to_csv(data / "d.csv", index=False)
            with lakes.quiet():
                theirs.index(engine="local", exact=False, filters=True)
        theirs.publish(str(tmp_path / kind / "url"))
        numbers = random.Random(11).sample(range(ALL), rounds(40, ALL))
        place = {"data": str(data), "url": str(tmp_path / kind / "url"), "own": str(tmp_path / kind / "own")}
        jobs += [{**place, "numbers": numbers[i : i + 100]} for i in range(0, len(numbers), 100)]
    told: Counter[str] = Counter()
    for i in range(0, len(jobs), 2):
        told.update(counted("altering.py", jobs[i : i + 2]))
    print(dict(told))
    assert set(told) <= GOOD, {what: n for what, n in told.items() if what not in GOOD}
    assert told["pulled: refused"] > told.total() / 4, "hardly an alteration was noticed"
