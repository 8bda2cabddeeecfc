"""A lake that is changed while it is searched: an answer is that of one moment, whoever changes it meanwhile."""

from __future__ import annotations

import threading
from pathlib import Path

import pandas as pd
import pytest

import lakeview as lv
from lakeview.lake import lake as lakes
from lakeview.search.view import View


@pytest.fixture
def lake(tmp_path: Path) -> lv.Lake:
    folder = tmp_path / "lake"
    folder.mkdir()
    for name in ("b", "c"):
        pd.DataFrame({"x": [f"{name}{n}" for n in range(40)] + ["both"]}).to_csv(folder / f"{name}.csv", index=False)
    made = lv.open(folder)
    made.index(engine="local")
    return made


def test_a_change_in_the_middle_of_a_search_does_not_reach_it(lake, monkeypatch):
    resolve = View.resolve

    def changed(self, text):
        found = resolve(self, text)
        (Path(lake.roots[0]) / "c.csv").unlink()
        lake.index(engine="local")
        lake.compact()
        return found

    monkeypatch.setattr(View, "resolve", changed)
    assert [(hit.name, hit.overlap) for hit in lake.search("c.csv.x")] == [("b.csv.x", 1)]
    monkeypatch.undo()
    with pytest.raises(lv.NotFound, match=r"c\.csv"):
        lake.search("c.csv.x")


def test_a_view_keeps_the_frames_that_it_saw(lake):
    lake.add(pd.DataFrame({"x": ["old"]}), "mine")
    view = lake.view()
    lake.add(pd.DataFrame({"x": ["new"]}), "mine")
    assert view.side("mine").key("x").to_pylist() == ["old"]
    lake.remove("mine")
    assert view.side("mine").key("x").to_pylist() == ["old"]


def test_the_last_look_at_the_store_stays(lake, monkeypatch):
    """A thread that read the store before another indexed must not put back what it saw."""
    read, seen, go = lake.store.read, threading.Event(), threading.Event()

    def slow():
        found = read()
        if threading.current_thread().name == "slow":
            seen.set()
            go.wait(1)
        return found

    monkeypatch.setattr(lake.store, "read", slow)
    thread = threading.Thread(target=lake.refresh, name="slow")
    thread.start()
    seen.wait()
    pd.DataFrame({"x": ["d1"]}).to_csv(Path(lake.roots[0]) / "d.csv", index=False)
    lakes.build.index_files(
        lake.store, lakes.sources.list_tables(lake.roots, skip=(str(lake.store.folder),)), None, "local", True, False,
        lakes.progress.Silent(), 0.0,
    )  # fmt: skip
    lake.refresh()
    go.set()
    thread.join()
    assert "d.csv" in set(lake.tables["table"])
