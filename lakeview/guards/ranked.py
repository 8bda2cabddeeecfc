"""Answers in an order, picked by number or slice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar, overload

from lakeview.guards import checks

T = TypeVar("T")


class Ranked(Sequence[T]):
    """What was found, best first. A number that none of it has is told which there are, in one line."""

    _called: ClassVar[str]  # in that line
    _ranked: Sequence[T]

    def __len__(self) -> int:
        return len(self._ranked)

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> list[T]: ...

    def __getitem__(self, index: int | slice) -> T | list[T]:
        return checks.item(self._called, self._ranked, index)  # type: ignore[no-any-return]
