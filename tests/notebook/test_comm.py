"""The side panel's requests: answered by id, without touching data; a cancelled index leaves the store as it was."""

from __future__ import annotations

import importlib
import re
import threading
import time
from contextvars import ContextVar, copy_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import lakeview as lv
from lakeview.errors import JobCancelled
from lakeview.notebook import cells, state
from lakeview.notebook.panel import answers, comm, jobs
from lakeview.notebook.panel.shapes import shape
from lakeview.pipeline import progress


class Untouchable:
    """A Spark frame as far as the panel may go: its schema is read, anything else fails the test."""

    dtypes = (("trip id", "bigint"), ("city", "string"))

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"the panel touched {name}")

    def __repr__(self) -> str:
        raise AssertionError("the panel called repr")


class DataFrame(Untouchable):
    __module__ = "pyspark.sql.classic.dataframe"


class Gone(DataFrame):
    __module__ = "pyspark.sql.classic.dataframe"

    @property
    def dtypes(self) -> Any:
        raise ConnectionRefusedError("Spark is gone\nand this is its second line")


@pytest.fixture
def lake(tmp_path: Path) -> Any:
    (tmp_path / "airports.csv").write_text("faa,city\nORD,Chicago\nATL,Atlanta\nBOS,\n")
    (tmp_path / "notes.xlsx").write_bytes(b"PK")
    opened = lv.open(tmp_path)
    state.set_lake(opened)
    yield opened
    state.set_lake(None)


def ask(kind: str, **more: Any) -> Any:
    reply = comm.answer({"id": 7, "kind": kind, "job": None, "refresh": False, **more})
    assert reply["id"] == 7 and reply["error"] is None, reply
    return reply["result"]


def test_frames_by_name_and_type_alone() -> None:
    pandas = pd.DataFrame({"dest": ["x"], "a b": [1], 2020: [1.5], "it's": [True], ("a", "b"): [1]})
    frames = answers.frames({"df": pandas, "trips": DataFrame(), "gone": Gone(), "_": pandas, "x": 1})["frames"]
    assert [(f["name"], f["library"]) for f in frames] == [("df", "pandas"), ("trips", "Spark"), ("gone", "Spark")]
    assert [c["code"] for c in frames[0]["columns"]] == ["df.dest", 'df["a b"]', "df[2020]", 'df["it\'s"]', None]
    assert [(c["name"], c["type"], c["code"]) for c in frames[1]["columns"]] == [
        ("trip id", "bigint", 'trips["trip id"]'),
        ("city", "string", "trips.city"),
    ]
    assert frames[2]["columns"] == [] and "Spark is gone" in str(frames[2]["note"])
    assert "second line" not in str(frames[2]["note"])


def test_enough_of_a_name_is_told_to_know_it_by() -> None:
    """The page compares 150 characters that can be read, with those of a table's header: labextension's header.ts."""
    odd = pd.DataFrame({"\x1c\u2028!>z" * 200: [1]})
    (frame,) = answers.frames({"odd": odd})["frames"]
    assert len(re.sub(r"\\(x..|u....)", "", frame["columns"][0]["name"])) >= 150


def test_what_the_panel_offers_is_what_the_magic_reads() -> None:
    from lakeview.notebook import namespace

    labels = ["dest", "a b", "it's", 'say "x"', "a--b", "[0]", "new\nline", "\\", "class", 2020, 1.5]
    frame = pd.DataFrame([range(len(labels))], columns=labels)
    for label in labels:
        text = cells.column("df", label)
        assert text is not None and "\n" not in text
        query = namespace.find_query(text, {"df": frame})
        assert query.data is frame and query.column == label


def test_lake_problems_and_status(lake: Any, tmp_path: Path) -> None:
    assert ask("lake")["lake"]["indexed_at"] is None
    before = ask("status")["lake"]
    lake.index(engine="local")
    assert ask("status")["lake"] != before
    assert ask("lake")["lake"]["path"] == str(tmp_path)
    (table,) = ask("lake")["lake"]["tables"]
    assert (table["name"], table["rows"]) == ("airports.csv", 3)
    assert [(c["name"], c["distinct"], c["nulls"]) for c in table["columns"]] == [("faa", 3, 0), ("city", 2, 1)]
    problems = ask("problems")
    assert problems["total"] == 1 and "notes.xlsx" in problems["problems"][0]["table"]


def test_no_lake_is_no_error() -> None:
    assert ask("lake") == {"lake": None}
    assert ask("problems") == {"problems": [], "total": 0}


def test_the_panel_asks_a_kernel_for_what_is_there() -> None:
    """The expression by which the extension looks for lakeview in a kernel names a module, and a function of it."""
    source = Path(__file__).parents[2] / "labextension" / "src" / "panel" / "connection.ts"
    asked = re.search(r"__import__\('([\w.]+)', fromlist=\['(\w+)'\]\)", source.read_text(encoding="utf-8"))
    assert asked is not None
    module, name = asked.groups()
    assert getattr(importlib.import_module(module), name) is comm.register


def test_an_unknown_request_is_answered() -> None:
    reply = comm.answer({"id": 3, "kind": "nonsense"})
    assert reply["id"] == 3 and reply["error"] is not None and "nonsense" in reply["error"]["message"]


@pytest.fixture
def watched() -> Any:
    """All progress goes through the panel's list; what was there before is put back."""
    before = progress._make_reporter
    jobs.watch(progress.Silent)
    jobs._jobs.clear()
    yield
    progress.set_reporter(before)
    jobs._jobs.clear()


def until(condition: Any, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, jobs.listed()
        time.sleep(0.02)


def test_a_job_is_listed_and_can_be_cancelled(watched: None, quiet: Any) -> None:
    told = threading.Event()
    unlisten = jobs.listen(told.set)

    def work() -> None:
        reporter = progress.reporter()
        try:
            for step in range(10_000):
                reporter.update(step, 10_000, "working")
                time.sleep(0.01)
        except JobCancelled as error:
            reporter.close(f"stopped: {error}")

    with quiet():
        threading.Thread(target=work, daemon=True).start()
        until(lambda: jobs.listed() and jobs.listed()[0]["done"] > 3)
        assert told.is_set()
        (job,) = jobs.listed()
        assert (job["state"], job["total"], job["ago"]) == ("running", 10_000, None)
        started = time.monotonic()
        ask("cancel", job=job["id"])
        until(lambda: jobs.listed()[0]["state"] == "cancelled")
        assert time.monotonic() - started < 2
    unlisten()


def test_a_failure_says_why(watched: None) -> None:
    with pytest.raises(ValueError, match="disk full"), progress.reporting() as reporter:
        reporter.update(0, 1, "counting")
        raise ValueError("disk full")
    (job,) = jobs.listed()
    assert (job["state"], job["message"]) == ("failed", "disk full")
    assert job["ago"] is not None and job["ago"] < 5


def test_all_that_is_sent_is_sent_as_the_panels_own_shell(watched: None) -> None:
    """ipykernel has a request handled by the shell that last sent something."""
    shell: ContextVar[str] = ContextVar("shell", default="a thread's")
    senders, ends = [], []
    channel = SimpleNamespace(
        send=lambda data: senders.append(shell.get()), on_msg=lambda f: None, on_close=ends.append
    )

    def opened() -> None:
        shell.set("the panel's")
        comm._opened(channel, {})

    copy_context().run(opened)
    shell.set("the cell's")
    jobs.tell()
    threading.Thread(target=jobs.tell).start()
    until(lambda: len(senders) > 2)
    ends[0]({})
    assert set(senders) == {"the panel's"}


def test_a_job_that_is_interrupted_as_it_ends_is_over(watched: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), progress.reporting() as reporter:
        reporter.update(1, 9, "reading")
        comm.answer({"kind": "cancel", "job": jobs.listed()[0]["id"]})
        monkeypatch.setattr(jobs, "sys", SimpleNamespace(exception=interrupted))
        reporter.update(2, 9, "reading")
    assert jobs.listed()[0]["state"] == "cancelled"


def test_a_cancelled_index_leaves_the_store_readable(watched: None, lake: Any, tmp_path: Path) -> None:
    """Cancelled at its third report, in the middle of the scan."""
    lake.index(engine="local")
    for i in range(20):
        (tmp_path / f"more{i}.csv").write_text("a\n1\n")
    reports = []

    class Impatient(progress.Silent):
        def update(self, done: int, total: int, message: str, how: str = "") -> None:
            reports.append(done)
            if len(reports) == 3:
                jobs.cancel(jobs.listed()[0]["id"])

    jobs.watch(Impatient)
    with pytest.raises(JobCancelled):
        lake.index(engine="local")
    assert jobs.listed()[0]["state"] == "cancelled"
    again = lv.open(tmp_path)
    assert list(again.tables["table"]) == ["airports.csv"]
    assert again.index(engine="local").added == 20


def test_shapes_of_a_table(tmp_path: Path) -> None:
    lines = [f"{i},{'x' if i < 60 else i},{i % 2}," for i in range(100)]
    (tmp_path / "t.csv").write_text("\n".join(["key,skewed,half,empty", *lines]) + "\n")
    opened = lv.open(tmp_path)
    opened.index(engine="local")
    state.set_lake(opened)
    try:
        bars = ask("shapes", table="t.csv")["bars"]
        assert bars == [[100] * 9, [100, *[2] * 8], [100, 100], []]
        assert [len(table["columns"]) for table in ask("lake")["lake"]["tables"]] == [len(bars)]
        assert ask("shapes", table="gone.csv")["bars"] == []
    finally:
        state.set_lake(None)


def test_the_shape_of_many_values() -> None:
    assert shape(np.arange(1_000_000)[::-1])[:3] == [100, 87, 75]
    assert shape(np.zeros(0)) == []
