"""The bytes and offsets of an Arrow string array as numpy arrays, without copying."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

_NO_BYTES = np.zeros(0, np.uint8)


def string_offsets(array: pa.Array) -> np.ndarray:
    """Where each value begins in the data buffer, and where the last one ends: len + 1 integers.

    Sound for sliced arrays. Null slots may span bytes that mean nothing.
    """
    offset = array.buffers()[1]
    width = np.int64 if pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type) else np.int32
    if offset is None or len(array) == 0:
        return np.zeros(1, width)
    return np.frombuffer(offset, width, len(array) + 1, array.offset * np.dtype(width).itemsize)


def string_data(array: pa.Array) -> np.ndarray:
    """The whole data buffer, to be read at `string_offsets`: uint8, read-only."""
    data = array.buffers()[2]
    return _NO_BYTES if data is None or data.size == 0 else np.frombuffer(data, np.uint8)


def string_bytes(array: pa.Array) -> np.ndarray:
    """The bytes that the array's values span: for questions such as whether any byte is not ASCII."""
    offsets = string_offsets(array)
    return string_data(array)[offsets[0] : offsets[-1]]


def is_ascii(array: pa.Array) -> bool:
    """Whether all of the array's bytes are ASCII."""
    return not (string_bytes(array) >= 0x80).any()
