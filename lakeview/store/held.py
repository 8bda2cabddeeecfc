"""Files held from their opening on: small ones are read, others memory-mapped, and no descriptor stays open.

Whoever opened a segment so keeps all of it, whatever a writer clears meanwhile, and a thousand files cost a process
none of the descriptors that it may have. What a file should hold is checked by blocks, each once, before it is handed
out: opening reads nothing of a large file, and who asks for a part of it waits for no other. Up to a size, the block
is read into memory then, which its check does anyway: a file that is cut in place takes nothing away that was read, and
what it takes is told. Of files above that size a cut during a search ends the process; `check` notices earlier ones.
"""

from __future__ import annotations

import io
import math
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lakeview.catalog.blocks import BLOCK, checksum
from lakeview.errors import StoreError

READ = 64 << 10  # bytes up to which a file is read when it is opened
LATER = 64 << 20  # bytes up to which one is read by blocks: memory of this process's own, which none shares with it
_HEADER = 4096  # bytes that the header of a .npy file may take


class Held:
    """One file, as it was when it was opened.

    told: its bytes and the checksums of its blocks (`blocks`), if these are known. way_out: what to do where it is
    damaged. name: what to call it (default: its path). later: bytes up to which it is read by blocks. Raises OSError
    where it cannot be read, StoreError where it has another size than it was told to have.
    """

    def __init__(
        self,
        path: Path,
        told: Sequence[Any] | None = None,
        way_out: str = "index the lake again in another store=",
        name: str | None = None,
        later: int | None = None,
    ) -> None:
        self.path, self.name, self._way_out = path, name or str(path), way_out
        found = path.stat()
        self._inode = found.st_dev, found.st_ino
        self._mapped: pa.Buffer | None = None  # holds the file, whatever becomes of its name
        self._memory: np.ndarray | None = None  # of one that is read by blocks
        if found.st_size > READ:
            with pa.memory_map(os.fsencode(path)) as file:  # closing it leaves the mapping to the buffer
                self.buffer = self._mapped = file.read_buffer()
            if self.buffer.size <= (LATER if later is None else later):
                self._memory = np.empty(self.buffer.size, np.uint8)  # takes no room before it is filled
                self.buffer = pa.py_buffer(self._memory.data.toreadonly())
        else:
            self.buffer = pa.py_buffer(path.read_bytes())
        self._told: Sequence[str] = told[1] if told else ()
        self._array: np.ndarray | None = None  # parsed once
        blocks = len(self._told) if self._memory is None else -(-self.size // BLOCK)
        self._unproved = set(range(blocks))  # and unread
        if told and told[0] != self.size:
            raise self.damaged()

    @property
    def size(self) -> int:
        """Bytes."""
        return int(self.buffer.size)

    @property
    def mapped(self) -> bool:
        """Whether what is asked for is touched where it is mapped."""
        return self._mapped is not None and self._memory is None

    def prove(self, start: int = 0, stop: int | None = None) -> None:
        """Raise StoreError where the bytes from `start` to `stop` are not what the file should hold."""
        if not self._unproved:
            return
        wanted = range(start // BLOCK, -(-(self.size if stop is None else stop) // BLOCK))
        unproved = self._unproved.intersection(wanted)
        if not unproved:
            return
        self.check()
        for block in sorted(unproved):
            if self._memory is not None:
                self._read(self._memory, block * BLOCK)
            held = self.buffer[block * BLOCK : (block + 1) * BLOCK]
            if block < len(self._told) and checksum(held) not in (self._told[block], None):
                raise self.damaged()
            self._unproved.discard(block)

    def _read(self, memory: np.ndarray, start: int) -> None:
        """Read the block that begins there. Raises StoreError where the file was cut short."""
        block = memory[start : start + BLOCK]
        with suppress(OSError), self.path.open("rb", buffering=0) as file:
            found = os.fstat(file.fileno())
            if (found.st_dev, found.st_ino) == self._inode:
                file.seek(start)
                filled = 0
                while filled < len(block) and (more := file.readinto(block.data[filled:])):
                    filled += more
                if filled < len(block):
                    raise self._cut_short()
                return
        # Its name is gone: nobody cuts it any more.
        block[:] = memoryview(self._mapped)[start : start + BLOCK]  # type: ignore[arg-type]

    def damaged(self, why: str = "") -> StoreError:
        """What to raise of the file, and perhaps why it is no good."""
        return StoreError(f"{self.name} is damaged{why}; {self._way_out}")

    def check(self) -> None:
        """Raise StoreError where the file was cut short in place: touching what is mapped would end the process.

        One that was deleted or replaced is held as it was.
        """
        if not self.mapped:
            return
        try:
            found = os.stat(self.path)  # noqa: PTH116 (asked at every search: half of what Path.stat takes)
        except OSError:
            return
        if found.st_size < self.size and (found.st_dev, found.st_ino) == self._inode:
            raise self._cut_short()

    def _cut_short(self) -> StoreError:
        return StoreError(f"{self.name} was cut short since the lake was opened; open the lake again")

    def array(
        self, dtype: type[np.generic] = np.int64, start: int | None = None, stop: int | None = None
    ) -> np.ndarray:
        """The one-dimensional array of a .npy file, read-only; from one element to another, without proof of the rest.
        Raises StoreError where it is none of that type, or not what it should be."""
        if start is None or stop is None:
            self.prove()
            return self._parsed(dtype)
        array = self._parsed(dtype)
        first = self.size - array.nbytes  # where the elements begin
        self.prove(first + start * array.itemsize, first + stop * array.itemsize)
        return array[start:stop]

    def _parsed(self, dtype: type[np.generic]) -> np.ndarray:
        if self._array is not None and self._array.dtype == dtype:
            return self._array
        self.prove(0, _HEADER)
        file = io.BytesIO(memoryview(self.buffer)[:_HEADER])
        try:
            if np.lib.format.read_magic(file) != (1, 0):
                raise ValueError("another version of .npy")
            shape, _, found = np.lib.format.read_array_header_1_0(file)
            if (found, file.tell() + np.dtype(dtype).itemsize * math.prod(shape)) != (dtype, self.size):
                raise ValueError("another type or length")
            array = np.frombuffer(memoryview(self.buffer)[file.tell() :], dtype).reshape(shape)
            if array.ndim != 1:
                raise ValueError("another shape")
        except (ValueError, TypeError, OverflowError, MemoryError, RecursionError) as error:
            raise self.damaged(f" ({(str(error).splitlines() or [type(error).__name__])[0][:200]})") from error
        self._array = array
        return array
