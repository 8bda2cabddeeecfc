"""The others of a family, as hits that are made when somebody looks at them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from lakeview.guards.ranked import Ranked
from lakeview.search.hit import Hit


class Alike(Ranked[Hit]):
    """The others of a family: how many is known, what they are is made when they are looked at."""

    _called = "alike"

    def __init__(self, count: int, make: Callable[[], list[Hit]]) -> None:
        self._count, self._make = count, make

    @cached_property
    def _ranked(self) -> list[Hit]:  # type: ignore[override]
        return self._make()

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return repr(self._ranked)
