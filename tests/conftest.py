"""What all tests share: the fast ones run first, and no test sees another user's settings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Shared machines are slow at times; a property is not about that. CI judges a change by the same examples at every run;
# new ones are tried where somebody can look at what they find.
settings.register_profile("lakeview", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("lakeview")

# Later means slower; a failure in the fast ones shows within seconds.
_COST = {"spark": 1, "slow": 2, "ui": 3}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seeds", default="101", help="seeds of the generated lakes, comma-separated")
    parser.addoption("--whole", action="store_true", help="tests/faults: every fault, not a few of each")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order by cost; the sort is stable, so that files keep their order otherwise."""
    items.sort(key=lambda item: max((_COST.get(mark.name, 0) for mark in item.iter_markers()), default=0))


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
