"""A lake that is watched is indexed in the background when its files change."""

from __future__ import annotations

import gc
import threading
import time

import pandas as pd
import pytest

import lakeview as lv
from lakeview.lake import watching
from lakeview.pipeline import progress


def until(true) -> None:
    for _ in range(500):
        if true():
            return
        time.sleep(0.02)
    raise AssertionError("it did not come to be")


@pytest.fixture
def lake(tmp_path):
    (tmp_path / "a.csv").write_text("id,town\n1,Rome\n2,Oslo\n")
    return lv.open(tmp_path)


def test_what_changes_is_indexed_and_nothing_else(lake, tmp_path):
    shown = []
    progress.set_reporter(lambda: shown.append(1) or progress.Silent())
    try:
        with lake.watch(seconds=0.02, load=1) as watch:
            until(lambda: watch.runs == 1 and watch.looks > 3)
            assert lake.search(pd.Series(["Rome"])).to_pandas()["table"].tolist() == ["a.csv"]
            (tmp_path / ".b").write_text("place\nRome\nLima\n")
            (tmp_path / ".b").rename(tmp_path / "b.csv")  # whole: no look meets it empty
            until(lambda: watch.runs == 2)
            assert set(lake.search(pd.Series(["Rome"])).to_pandas()["table"]) == {"a.csv", "b.csv"}
            assert (watch.last.added, watch.last.skipped) == (1, 1)
            looks = watch.looks
            until(lambda: watch.looks > looks + 3)
            assert watch.runs == 2 and watch.is_running and "indexed 2 times" in repr(watch)
    finally:
        progress.set_reporter(progress.default_reporter)
    assert not watch.is_running and "stopped" in repr(watch)
    assert shown == []  # no progress bar of what nobody asked for


def test_trouble_is_told_and_tried_again(lake, tmp_path):
    with lake.store.writing(), lake.watch(seconds=0.02, load=1) as watch:
        until(lambda: "another process" in watch.problem or "being written" in watch.problem)
        assert watch.is_running and watch.runs == 0
    with lake.watch(seconds=0.02, load=1) as watch:
        until(lambda: watch.runs == 1)
        assert watch.problem == ""


def test_it_may_be_stopped_by_what_it_runs(lake, monkeypatch):
    began = threading.Event()
    monkeypatch.setattr(type(lake), "index", lambda *_, **options: began.wait(10) and watch.stop())
    watch = lake.watch(seconds=0.02, load=1)
    began.set()
    until(lambda: not watch._thread.is_alive())
    assert (watch.looks, watch.problem) == (1, "")


def test_it_keeps_to_its_load(lake, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(watching.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(lake, "index", lambda **_: now.__setitem__(0, now[0] + 30))
    watch = watching.Watch.__new__(watching.Watch)
    watch.looks = watch.runs = 0
    watch._seconds, watch._load, watch._options, watch._seen = 60.0, 0.1, {}, None
    assert watch._look(lake) == pytest.approx(270)  # 30 of 300 seconds
    assert watch._look(lake) == 60  # a look alone


def test_a_second_takes_the_place_of_the_first(lake):
    first = lake.watch(seconds=0.02, load=1)
    second = lake.watch(seconds=0.02, load=1)
    assert not first.is_running and second.is_running
    second.stop()


def test_it_ends_with_the_lake(tmp_path):
    lake = lv.open(tmp_path)
    watch = lake.watch(seconds=0.02, load=1)
    until(lambda: watch.looks)
    del lake
    gc.collect()
    until(lambda: not watch.is_running)


def test_wrong_calls_are_told(lake):
    for options in ({"seconds": 0}, {"load": 2}, {"engine": "gpu"}, {"exact": 3}):
        with pytest.raises(lv.InputError):
            lake.watch(**options)
    with pytest.raises(lv.InputError, match="only files"):
        lv.open({"a": pd.DataFrame({"x": [1]})}).watch()
