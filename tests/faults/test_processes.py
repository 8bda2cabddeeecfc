"""Processes that read an index beside one that rebuilds it: who opened it has its answers, who opens it anew those of
that moment."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import growing

import lakeview as lv

_READER = """
import json, os, sys
sys.path.insert(0, sys.argv[3])
import growing
import lakeview as lv

def answer(lake):
    return growing.answer(lake)

def descriptors():
    return len(os.listdir("/proc/self/fd"))

kept, opened, searches, wrong = lv.open(sys.argv[1], store=sys.argv[2]), 0, 0, []
first = growing.answer(kept)
print("ready", flush=True)
before = None
possible = [growing.expected(growing.state(g)) for g in range(100)]
while not os.path.exists(sys.argv[4]):
    try:
        if growing.answer(kept) != first:
            wrong.append("what was opened changed")
        new = lv.open(sys.argv[1], store=sys.argv[2])
        if (found := growing.answer(new)) not in possible:
            wrong.append(f"no state: {found}")
        tokens = sum(int(new._snapshot.tokens_of(n)[0][-1]) for n in range(len(new._snapshot)))
        opened, searches = opened + 1, searches + 2
    except BaseException as error:
        wrong.append(f"{type(error).__name__}: {error}")
    before = before or descriptors()
print(json.dumps({"opened": opened, "searches": searches, "wrong": wrong, "more": descriptors() - before}))
"""


def test_two_readers_beside_rebuilds(tmp_path: Path, rounds):
    lake, store, stop = tmp_path / "lake", tmp_path / "store", tmp_path / "stop"
    growing.write(lake, 0)
    lv.open(lake, store=store).index(engine="local")
    command = [sys.executable, "-c", _READER, lake, store, Path(__file__).parent, stop]
    readers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        for reader in readers:
            assert reader.stdout is not None
            assert reader.stdout.readline() == "ready\n"
        for generation in range(1, rounds(6, 20) + 1):
            growing.write(lake, generation)
            writer = lv.open(lake, store=store)
            writer.index(engine="local")
            writer.compact()  # clears every segment that was there
    finally:
        stop.touch()
        said = [json.loads(reader.communicate(timeout=60)[0]) for reader in readers]
    for reader in said:
        print(reader["opened"], "openings,", reader["searches"], "searches beside", generation, "rebuilds")
        assert reader["wrong"] == []
        assert reader["opened"] > 3
        assert reader["more"] <= 2
    assert growing.leftovers(store) == []
