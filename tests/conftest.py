"""What all tests share: fast ones run first, processes share the work, no test sees another user's settings."""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
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
FAST, SPARK, SLOW, UI = range(4)
_COST = {"spark": SPARK, "slow": SLOW, "ui": UI}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seeds", default="101", help="seeds of the generated lakes, comma-separated")
    parser.addoption("--whole", action="store_true", help="every fault and every character, not a few of each")


def pytest_configure(config: pytest.Config) -> None:
    short_jvm.prepare(is_first="PYTEST_XDIST_WORKER" not in os.environ and not config.option.collectonly)


def pytest_collection(session: pytest.Session) -> None:
    gc.disable()


def pytest_collection_finish(session: pytest.Session) -> None:
    """What was collected stays: no test's garbage is looked for in it, nor as often as by default."""
    gc.freeze()
    gc.set_threshold(10_000)
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Order by cost; the sort is stable, so that files keep their order otherwise."""
    costs = {
        item.nodeid: max((_COST.get(mark.name, FAST) for mark in item.iter_markers()), default=FAST) for item in items
    }
    items.sort(key=lambda item: costs[item.nodeid])
    if os.environ.get("PYTEST_XDIST_WORKER") == "gw0":
        (_place(config) / "costs").write_text(json.dumps(costs))


def _place(config: pytest.Config) -> Path:
    """The folder that the processes of a run share."""
    base: Path = config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests of one file and cost go to one process, which makes what they share once. The last process drives the
    browser, the first Spark, once the fast tests are done: so there is one Lab, and one session that most share. Who
    has done its own helps the others."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFileAndCost(LoadScopeScheduling):
        def schedule(self) -> None:
            if self.collection is None:
                self.costs = json.loads((_place(config) / "costs").read_text())
            super().schedule()

        def _split_scope(self, nodeid: str) -> str:
            return f"{nodeid.split('::')[0]} {self.costs[nodeid]}"

        def _assign_work_unit(self, node: Any) -> None:
            order = (FAST, SPARK, SLOW, UI) if node is self.nodes[0] else (FAST, SLOW, SPARK, UI)
            if len(self.nodes) > 1 and node is self.nodes[-1]:
                order = (UI, SLOW, SPARK, FAST)
            chosen = min(self.workqueue, key=lambda scope: order.index(int(scope[-1])))
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
            self._places = _place(config)

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
