"""Faults: what an attacker, a clumsy colleague and a full disk do. Few of each in `make test`, all in `make faults`."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.fixture
def rounds(request: pytest.FixtureRequest) -> Callable[[int, int], int]:
    """How often to try: `rounds(bounded, whole)` is the first number in `make test`, the second in `make faults`."""
    whole = request.config.getoption("--whole")
    return lambda bounded, all_of_them: all_of_them if whole else bounded
