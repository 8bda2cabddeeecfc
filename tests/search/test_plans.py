"""A search's answer is the merge of all lists, whatever plan gave it, after any change of the lake."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from benchmarks import josie_d

import lakeview as lv
from lakeview.index import josie, josie_kernels

assert josie_kernels.COMPILED


def frame(rng: np.random.Generator) -> pd.DataFrame:
    n = int(rng.integers(1, 120))
    return pd.DataFrame({f"c{i}": [f"v{v}" for v in rng.zipf(1.3, n) % 300] for i in range(int(rng.integers(1, 4)))})


def test_after_inserts_updates_and_deletes_the_answers_are_a_rebuilt_indexs(tmp_path):
    rng = np.random.default_rng(3)
    frames = {f"t{i}": frame(rng) for i in range(30)}
    segments = set()
    for step in range(9):
        lake = lv.open(frames, store=tmp_path / "store", exclude=["t3.c0"])
        lake.index()
        if step == 6:
            lake.compact()
        rebuilt = lv.open(dict(sorted(frames.items(), reverse=True)), store=tmp_path / f"new{step}", exclude=["t3.c0"])
        rebuilt.index()
        for _ in range(4):
            query = frame(rng)["c0"]
            for k in (1, 3, 10, 50):
                found, expected = lake.search(query, k=k), rebuilt.search(query, k=k)
                # a score counts how common a value is, where replaced columns count until `compact()`
                found_rows, expected_rows = (h.to_pandas().drop(columns="score") for h in (found, expected))
                pd.testing.assert_frame_equal(found_rows, expected_rows)
                everything = sorted(
                    lake.search(query, threshold=1e-9), key=lambda hit: (-hit.overlap, hit.table, hit.column)
                )
                names = [(hit.table, hit.column, hit.overlap) for hit in everything][:k]
                assert [(hit.table, hit.column, hit.overlap) for hit in found] == names
        segments.add(len(lake._snapshot.segments))
        name = f"t{int(rng.integers(30))}"
        frames = {**frames, name: frame(rng), f"new{step}": frame(rng)}
        frames.pop(f"t{int(rng.integers(30))}", None)
    assert max(segments) > 3


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    rng = np.random.default_rng(1)
    frames = {f"t{i:02d}": frame(rng) for i in range(20)}
    lake = lv.open(frames, store=tmp_path_factory.mktemp("lake") / "store")
    lake.index()
    return lake


def test_every_plan_gives_the_same_hits(lake):
    snapshot = lake._snapshot
    for number in range(len(snapshot)):
        tokens = snapshot.tokens_of(number)[0]
        plans = ("auto", "merge", "probe", josie_d.josie)
        answers = {tuple(map(tuple, snapshot.top_k(tokens, 10, plan=plan)[:2])) for plan in plans}
        assert len(answers) == 1


def test_explain_tells_what_was_read(lake):
    hits = lake.search("t00.c0", k=3)
    told = hits.explain()
    assert isinstance(told, josie.Statistics)
    assert 0 < told.lists <= told.of_lists
    assert told.bytes > 0
    assert told.seconds > 0
    text = repr(told)
    assert text.startswith(f"plan: {told.plan}, ")
    assert "posting lists" in text
    assert "expected" in text
    joined = lake.search("t00.c0", rank="join").explain()
    assert (joined.plan, joined.sets, joined.lists) == ("merge", 0, joined.of_lists)
    assert "every column" in joined.why
    assert "knows no value" in lake.search(["nothing like it"]).explain().why


def test_explain_counts_what_a_merge_of_all_lists_reads(tmp_path):
    """1 and 2 are in both tables and have one list, 3 is in one; a list's members are read at 4 bytes each."""
    lake = lv.open({"a": pd.DataFrame({"x": [1, 2, 3]}), "b": pd.DataFrame({"x": [1, 2, 9]})}, store=tmp_path)
    lake.index(engine="local")
    told = lake.search(pd.Series([1, 2, 3, 4]), threshold=0.1).explain()
    assert (told.lists, told.of_lists, told.tokens, told.sets, told.bytes) == (2, 2, 3, 0, 4 * (2 + 1))
    more = lake.search(pd.Series([1, 2, 3, 9]), threshold=0.1).explain()
    assert (more.lists, more.tokens, more.bytes) == (3, 4, 4 * (2 + 1 + 1))
    assert more.expected > told.expected > 0


def test_indexing_compiles_what_searches_by_large_columns_need():
    big = pd.DataFrame({"key": [f"k{n}" for n in range(25_000)], "half": [f"k{n // 2}" for n in range(25_000)]})
    lake = lv.open({"big": big, "small": big.head(200)})
    lake.index()
    kernels = [getattr(josie_kernels, name) for name in ("find", "merge", "merge_top", "probe_top", "shared")]
    known = [set(kernel.signatures) for kernel in kernels]
    assert all(known)
    for query in (big["key"], big["key"].iloc[::-1] + "x"):
        lake.search(query, k=5)
        lake.search(query, threshold=0.1)
    assert [set(kernel.signatures) for kernel in kernels] == known
