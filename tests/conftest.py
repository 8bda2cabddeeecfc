"""What all tests share: the fast ones run first, two processes share the work, no test sees another user's settings."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# Shared machines are slow at times; a property is not about that. CI judges a change by the same examples at every run;
# new ones are tried where somebody can look at what they find.
settings.register_profile("lakeview", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("lakeview")

# The suite starts some thirty JVMs that live for seconds: most of their time would go into optimizing their own code.
_SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
os.environ.setdefault("SPARK_SUBMIT_OPTS", f"{_SHORT_LIVED} -Dspark.executor.extraJavaOptions='{_SHORT_LIVED}'")
for _who in ("SPARK_LAUNCHER_OPTS", "SPARK_DAEMON_JAVA_OPTS"):
    os.environ.setdefault(_who, _SHORT_LIVED)

# Later means slower; a failure in the fast ones shows within seconds.
_COST = {"spark": 1, "slow": 2, "ui": 3}
# What a process starts or builds once, for all tests that ask for it: they stay in one process.
_SHARED = ("spark", "wheel", "sdist")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seeds", default="101", help="seeds of the generated lakes, comma-separated")
    parser.addoption("--whole", action="store_true", help="tests/faults: every fault, not a few of each")


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Order by cost; the sort is stable, so that files keep their order otherwise."""
    costs = {item: max((_COST.get(mark.name, 0) for mark in item.iter_markers()), default=0) for item in items}
    items.sort(key=costs.__getitem__)
    for item in items if config.pluginmanager.hasplugin("xdist") else ():
        if costs[item]:
            shared = (name for name in _SHARED if name in getattr(item, "fixturenames", ()))
            item.add_marker(pytest.mark.xdist_group(next(shared, item.path.stem)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """The tests of a file, or of a group, go to one process, so that what they share is made once."""
    from xdist.scheduler import LoadGroupScheduling

    class ByGroupAndFile(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return str(super()._split_scope(nodeid)).split("::")[0]

    return ByGroupAndFile(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """A test marked `alone` waits until the other processes are between two tests, and they wait for it."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return (yield)
    import fcntl

    places = item.config._tmp_path_factory.getbasetemp().parent  # of all processes of this run
    with (places / "waiting").open("w") as waiting, (places / "at-work").open("w") as at_work:
        fcntl.flock(waiting, fcntl.LOCK_EX)  # or tests that share would pass by for ever
        fcntl.flock(at_work, fcntl.LOCK_EX if item.get_closest_marker("alone") else fcntl.LOCK_SH)
        fcntl.flock(waiting, fcntl.LOCK_UN)
        return (yield)


@pytest.fixture(scope="session")
def spark():
    """The Spark session that lakeview starts, shared by all tests of a run."""
    from lakeview.pipeline import session

    yield session.get()
    session.stop()


@pytest.fixture(scope="session")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from building import build_sdist

    return build_sdist(tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="session")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from building import build_wheel

    return build_wheel(sdist, tmp_path_factory.mktemp("wheel"))
