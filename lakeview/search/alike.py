"""The others of a family, as hits that are made when somebody looks at them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import overload

from lakeview.guards import checks
from lakeview.search.hits import Hit


class Alike(Sequence[Hit]):
    """The others of a family: how many is known, what they are is made when they are looked at."""

    def __init__(self, count: int, make: Callable[[], list[Hit]]) -> None:
        self._count, self._make = count, make

    @cached_property
    def _hits(self) -> list[Hit]:
        return self._make()

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Hit: ...

    @overload
    def __getitem__(self, index: slice) -> list[Hit]: ...

    def __getitem__(self, index: int | slice) -> Hit | list[Hit]:
        return checks.item("alike", self._hits, index)  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[Hit]:
        return iter(self._hits)

    def __repr__(self) -> str:
        return repr(self._hits)
