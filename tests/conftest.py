"""What all tests share: the fast ones run first, two processes share the work, no test sees another user's settings."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
import short_jvm
from hypothesis import settings

# Shared machines are slow at times; a property is not about that. CI judges a change by the same examples at every run;
# new ones are tried where somebody can look at what they find.
settings.register_profile("lakeview", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("lakeview")

# Later means slower; a failure in the fast ones shows within seconds.
_COST = {"spark": 1, "slow": 2, "ui": 3}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seeds", default="101", help="seeds of the generated lakes, comma-separated")
    parser.addoption("--whole", action="store_true", help="every fault and every character, not a few of each")


def pytest_configure(config: pytest.Config) -> None:
    short_jvm.prepare(is_first="PYTEST_XDIST_WORKER" not in os.environ and not config.option.collectonly)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order by cost; the sort is stable, so that files keep their order otherwise."""
    items.sort(key=lambda item: max((_COST.get(mark.name, 0) for mark in item.iter_markers()), default=0))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests of a file that follow each other, which are those of one cost, go to one process: it makes what they share
    once. The last process drives the browser while others begin in the order above, so that there is one Lab and one
    session of Spark, and one waits while the other works; who has done its own takes the other's, from the end."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFileAndCost(LoadScopeScheduling):
        def schedule(self) -> None:
            tests = next(iter(self.registered_collections.values()))
            runs = enumerate(groupby(tests, lambda test: test.split("::")[0]))
            self.runs = {test: f"{file} {number}" for number, (file, run) in runs for test in run}
            super().schedule()

        def _split_scope(self, nodeid: str) -> str:
            return self.runs[nodeid]

        def _assign_work_unit(self, node: Any) -> None:
            in_browser = len(self.nodes) > 1 and node is self.nodes[-1]
            left = list(self.workqueue)
            chosen = next((run for run in left if run.startswith("tests/ui/") == in_browser), left[-1])
            self.workqueue.move_to_end(chosen, last=False)
            super()._assign_work_unit(node)

    config.option.loadscopereorder = False  # xdist would begin with the files of the most tests
    return ByFileAndCost(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """A test works beside those of other processes, but where it wants to be alone (`quiet`)."""
    with _Turn(item.config) as _Turn.now:
        return (yield)


class _Turn:
    """A test's turn to work, among the processes of a run."""

    now: _Turn

    def __init__(self, config: pytest.Config) -> None:
        self._places: Path | None = None
        self._held: Any = None
        if "PYTEST_XDIST_WORKER" in os.environ:
            self._places = config._tmp_path_factory.getbasetemp().parent  # type: ignore[attr-defined]

    def __enter__(self) -> _Turn:
        self.take(alone=False)
        return self

    def __exit__(self, *_: object) -> None:
        if self._held:
            self._held.close()

    def take(self, alone: bool) -> None:
        """Wait for it: alone until the others are between two tests or wait for the same, and they wait meanwhile."""
        if self._places is None:
            return
        import fcntl

        if self._held:
            self._held.close()
        with (self._places / "waiting").open("w") as waiting:
            fcntl.flock(waiting, fcntl.LOCK_EX)  # or tests that share would pass by for ever
            self._held = (self._places / "at-work").open("w")
            fcntl.flock(self._held, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)


@pytest.fixture
def quiet() -> Any:
    """A context in which no other test runs: for what holds a duration against a bound."""

    @contextmanager
    def alone() -> Iterator[None]:
        _Turn.now.take(alone=True)
        try:
            yield
        finally:
            _Turn.now.take(alone=False)

    return alone


@pytest.fixture(scope="session")
def spark():
    """The Spark session that lakeview starts, shared by all tests of a run. Its shuffles have two parts, not 200, for
    rows that are few."""
    from lakeview.pipeline import session

    spark = session.get()
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    yield spark
    session.stop()


@pytest.fixture(scope="session")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from building import build_sdist

    return build_sdist(tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="session")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from building import build_wheel

    return build_wheel(sdist, tmp_path_factory.mktemp("wheel"))
