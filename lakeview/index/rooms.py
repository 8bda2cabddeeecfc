"""Where large arrays of an index are put while it is made: in memory, or in files, by who writes them there anyway.

Memory that nobody touched before costs some seconds a gigabyte, many times what merging and inverting do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np


class Room(Protocol):
    """An array that is filled piece by piece, in any order."""

    def put(self, at: int, some: np.ndarray) -> None:
        """Write elements from one place on."""

    def whole(self, n: int) -> np.ndarray:
        """The array, of so many elements, once it is filled."""


MakeRoom = Callable[[str, int, Any], Room]  # from the array's name, the most elements that it may have, and its type


class InMemory:
    """As `Room`."""

    def __init__(self, name: str, most: int, dtype: Any) -> None:
        self._array = np.empty(most, dtype)

    def put(self, at: int, some: np.ndarray) -> None:
        self._array[at : at + len(some)] = some

    def whole(self, n: int) -> np.ndarray:
        return self._array[:n]


def put(room: MakeRoom, name: str, array: np.ndarray) -> np.ndarray:
    """An array that is there already, put in its room."""
    made = room(name, len(array), array.dtype)
    made.put(0, array)
    return made.whole(len(array))
