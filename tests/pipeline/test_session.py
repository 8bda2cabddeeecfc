"""The session: found again, started anew when its JVM died, told when there is no Java."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

import lakeview as lv
from lakeview.pipeline import progress, session

ROOT = str(Path(lv.__file__).parents[1])


def run(code: str, folder: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, folder], capture_output=True, text=True, timeout=400,
        env={**os.environ, "PYTHONPATH": ROOT, **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout + done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for i in range(3):
        pd.DataFrame({"a": [f"v{j}" for j in range(10)]}).to_csv(tmp_path / f"t{i}.csv", index=False)
    return tmp_path


_DIES = """
import os, signal, sys, pathlib
import lakeview as lv
from lakeview.pipeline import session
assert session.state() == "asleep"
lake = lv.open(sys.argv[1])
assert lake.index(engine="spark").tables == 3
assert session.state() == "running" and session.get() is session.get()
spark = session.get()
os.kill(int(spark.sparkContext._gateway.proc.pid), signal.SIGKILL)
spark.sparkContext._gateway.proc.wait()
assert session.state() == "lost", session.state()
pathlib.Path(sys.argv[1], "t3.csv").write_text("a\\nv1\\n")
assert lake.search("t0.csv.a").tables == 3
report = lake.index(engine="spark")
assert (report.tables, report.added) == (4, 1)
session.stop()
assert session.state() == "asleep"
print("again")
"""

_THEIRS = """
import os, sys
from lakeview.pipeline import session
assert session.state() == "asleep" and "pyspark" not in sys.modules
from pyspark.sql import SparkSession
theirs = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
assert (session.state(), session.master(), session.is_own()) == ("running", "local[1]", False)
assert session.get() is theirs
session.stop()
assert session.state() == "running" and session.alive(theirs)
theirs.stop()
assert session.state() == "asleep"
ours = session.get()
assert (session.state(), session.is_own()) == ("running", True)
ours.stop()
assert session.state() == "lost"
theirs = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
assert session.get() is theirs and session.state() == "running" and not session.is_own()
session.stop()
assert session.alive(theirs)
theirs.stop()
"""


@pytest.mark.spark
def test_a_session_of_the_analyst_is_told_before_it_is_used_and_is_hers_to_stop(folder: Path):
    run(_THEIRS, folder)


@pytest.mark.spark
def test_a_dead_jvm_is_noticed_and_replaced(folder: Path):
    said = run(_DIES, folder)
    assert "again" in said.splitlines()  # what a dying py4j says goes to stderr
    assert "WARN" not in said, "Spark is quiet"


_NO_JAVA = """
import sys
import lakeview as lv
lake = lv.open(sys.argv[1])
try:
    lake.index(engine="spark")
except lv.SparkUnavailable as error:
    print(error)
lake.index()  # what is small needs none
print(len(lake.search("t0.csv.a")))
"""


def test_without_java_it_says_what_to_install(folder: Path):
    empty = folder.parent / "nothing"
    empty.mkdir(exist_ok=True)
    hide = "import importlib.util; importlib.util.find_spec = lambda name, *_: None\n"
    said = run(hide + _NO_JAVA, folder, JAVA_HOME="", PATH=str(empty)).splitlines()
    assert "lakeview[java]" in said[0]
    assert "work without it" in said[0]
    assert said[1] == "2"


class Session:
    """What is asked of a session, without Spark."""

    stopped = False

    @property
    def sparkContext(self) -> Any:
        return SimpleNamespace(_jsc=SimpleNamespace(sc=lambda: SimpleNamespace(isStopped=lambda: self.stopped)))

    def stop(self) -> None:
        self.stopped = True


@pytest.fixture
def theirs(monkeypatch: pytest.MonkeyPatch) -> Session:
    """The analyst's session, which is active."""
    theirs = Session()
    monkeypatch.setattr(session, "_active", lambda: theirs)
    monkeypatch.setattr(session, "_own", None)
    monkeypatch.setattr(session, "_starting", None)
    return theirs


def test_of_sessions_that_are_given_only_those_that_run_are_used(theirs: Session):
    given = Session()
    for get in (session.get, lambda given: progress.started(1, progress.Silent(), given)):
        given.stopped = False
        assert get(given) is given
        given.stop()
        assert get(given) is theirs


def test_an_active_session_is_used_and_never_stopped(theirs: Session):
    assert session.get() is theirs
    assert session.state() == "running"
    assert not session.is_own()
    session.stop()
    assert not theirs.stopped


def test_the_log_is_the_users_alone(tmp_path):
    log = session.log_file()
    assert log.stat().st_mode & 0o077 == 0 and log == session.log_file()
    link = tmp_path / "link"
    (tmp_path / "target").touch()
    link.symlink_to(tmp_path / "target")
    with pytest.raises(OSError), session._stderr_to(link):
        pass
