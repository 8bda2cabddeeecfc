"""A one-dimensional .npy file that is written piece by piece, and whose length is known only at its end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

_HEADER = 128  # bytes of the .npy header of any one-dimensional array
_AT_ONCE = 1 << 17  # numbers that are cast, if need be, and written at a time


class NpyFile:
    """As `index.rooms.Room`. length: elements that were appended."""

    def __init__(self, path: Path, dtype: Any) -> None:
        self.path, self.dtype, self.length = path, np.dtype(dtype), 0
        self._file = path.open("wb")
        self._at = -1  # where the next element would go, -1 before the first
        self._mapped: np.ndarray | None = None

    def append(self, array: np.ndarray) -> None:
        """Write elements behind those that were appended before; what `part` returned last is there already."""
        if array is not self._mapped:
            self.put(self.length, array)
        self.length += len(array)
        self._mapped = None

    def put(self, at: int, some: np.ndarray) -> None:
        """Write elements from one place on. Those that are too large for the file's type become its largest."""
        if at != self._at:
            self._file.seek(_HEADER + at * self.dtype.itemsize)
        for start in range(0, len(some), _AT_ONCE):
            part = some[start : start + _AT_ONCE]
            if part.dtype.itemsize > self.dtype.itemsize:
                part = np.minimum(part, np.iinfo(self.dtype).max)
            self._file.write(np.ascontiguousarray(part, self.dtype).data)
        self._at = at + len(some)

    def part(self, start: int, stop: int) -> np.ndarray:
        """Elements that were put somewhere, as they lie in the file: mapped, read-only."""
        self._file.flush()
        at = _HEADER + start * self.dtype.itemsize
        self._mapped = np.asarray(np.memmap(self.path, self.dtype, "r", at, (stop - start,)))
        return self._mapped

    def whole(self, n: int) -> np.ndarray:
        """Finish the file with so many elements, and map it."""
        self.length = n
        self.close()
        return np.asarray(np.load(self.path, mmap_mode="r"))

    def close(self) -> None:
        """Finish the file with what was appended."""
        self._file.truncate(_HEADER + self.length * self.dtype.itemsize)
        self._file.seek(0)
        header = {"descr": self.dtype.str, "fortran_order": False, "shape": (self.length,)}
        np.lib.format.write_array_header_1_0(self._file, header)
        if self._file.tell() != _HEADER:
            raise AssertionError("the .npy header has another size than was kept for it")
        self._file.close()
