"""Files held from their opening on: small ones are read, large ones memory-mapped, and no descriptor stays open.

Whoever opened a segment so keeps all of it, whatever a writer clears meanwhile, and a thousand files cost a process
none of the descriptors that it may have.
"""

from __future__ import annotations

import io
import math
import os
from pathlib import Path

import numpy as np
import pyarrow as pa

from lakeview.errors import StoreError

READ = 64 << 10  # bytes up to which a file is read
_HEADER = 4096  # bytes that the header of a .npy file may take


class Held:
    """One file, as it was when it was opened. Raises OSError where it cannot be read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        found = path.stat()
        self._inode = found.st_dev, found.st_ino
        self.mapped = found.st_size > READ
        if self.mapped:
            with pa.memory_map(os.fsencode(path)) as file:  # closing it leaves the mapping to the buffer
                self.buffer = file.read_buffer()
        else:
            self.buffer = pa.py_buffer(path.read_bytes())

    @property
    def size(self) -> int:
        """Bytes."""
        return int(self.buffer.size)

    def checksum(self) -> str:
        """XXH3 of the bytes, in hexadecimal."""
        import xxhash

        return xxhash.xxh3_64(self.buffer).hexdigest()

    def check(self) -> None:
        """Raise StoreError where the file was cut short in place: touching what is mapped would end the process.

        One that was deleted or replaced is held as it was.
        """
        if not self.mapped:
            return
        try:
            found = self.path.stat()
        except OSError:
            return
        if found.st_size < self.size and (found.st_dev, found.st_ino) == self._inode:
            raise StoreError(f"{self.path} was cut short since the lake was opened; open the lake again")

    def array(self) -> np.ndarray:
        """What a .npy file holds, read-only. Raises StoreError where it is none."""
        file = io.BytesIO(memoryview(self.buffer)[:_HEADER])
        try:
            if np.lib.format.read_magic(file) != (1, 0):
                raise ValueError("another version of .npy")
            shape, _, dtype = np.lib.format.read_array_header_1_0(file)
            array = np.frombuffer(memoryview(self.buffer)[file.tell() :], dtype, math.prod(shape)).reshape(shape)
        except (ValueError, TypeError) as error:
            raise StoreError(f"{self.path} is damaged ({error}); index the lake again in another store=") from error
        return array
