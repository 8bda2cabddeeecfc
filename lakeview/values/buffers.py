"""The bytes and offsets of an Arrow string array as numpy arrays, without copying."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

_NO_BYTES = np.zeros(0, np.uint8)
_BLOCK = 1 << 16  # bytes: a block and what is made of it stay in the processor's cache


def string_offsets(array: pa.Array) -> np.ndarray:
    """Where each value begins in the data buffer, and where the last one ends: len + 1 integers.

    Sound for sliced arrays. Null slots may span bytes that mean nothing.
    """
    offsets = array.buffers()[1]
    width = np.int64 if pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type) else np.int32
    if offsets is None or len(array) == 0:
        return np.zeros(1, width)
    return np.frombuffer(offsets, width, len(array) + 1, array.offset * np.dtype(width).itemsize)


def string_data(array: pa.Array) -> np.ndarray:
    """The whole data buffer, to be read at `string_offsets`: uint8, read-only."""
    data = array.buffers()[2]
    return _NO_BYTES if data is None or data.size == 0 else np.frombuffer(data, np.uint8)


def lengths(array: pa.Array) -> np.ndarray:
    """Bytes of each value; of null slots anything."""
    return np.diff(string_offsets(array))


def any_bytes(array: pa.Array, test: Callable[[np.ndarray], np.ndarray]) -> bool:
    """Whether `test` holds anywhere in the array's bytes (uint8; null slots may add bytes of their own).

    `test` is asked block by block, each overlapping the next by one byte, so it may also look at pairs.
    """
    offsets = string_offsets(array)
    data = string_data(array)[offsets[0] : offsets[-1]]
    return any(test(data[first : first + _BLOCK + 1]).any() for first in range(0, len(data), _BLOCK))


def is_ascii(array: pa.Array) -> bool:
    """Whether all of the array's bytes are ASCII."""
    return not any_bytes(array, lambda data: data >= 0x80)
