"""XXH64 with seed 42 of many strings at once: the hash of the `xxhash` package and of Spark's xxhash64(string).

Two kernels give the same numbers, one in numpy and one compiled by numba: ten times as fast, but its import and
loading cost most of a second. So a process starts on numpy and changes over once it has hashed for about as long as
that takes (the ski rental problem: never more than twice the best choice in hindsight).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
import pyarrow as pa

from lakeview.errors import InputError
from lakeview.values.buffers import string_data, string_offsets
from lakeview.values.xxh64_numpy import hash_numpy

Kernel = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]

# Seconds of hashing in numpy after which the compiled kernel pays: its loading alone, or with numba's import.
_LOADING, _IMPORTING = 0.4, 0.8

_TEXT = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null)

_spent = 0.0
_compiled: Kernel | None = None


def hash_strings(array: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """The token of every valid value of a string column, in order, nulls skipped: uint64.

    Raises InputError where the column is not text; see `text`.
    """
    if isinstance(array, pa.ChunkedArray):
        return np.concatenate([hash_strings(chunk) for chunk in array.chunks] or [np.zeros(0, np.uint64)])
    kind = array.type.value_type if pa.types.is_dictionary(array.type) else array.type
    if not any(is_text(kind) for is_text in _TEXT):
        raise InputError(f"only text is hashed, not {array.type}; canonical() prints it")
    if not (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
        array = array.cast(pa.large_string())
    offsets = string_offsets(array).astype(np.int64, copy=False)
    starts, ends = offsets[:-1], offsets[1:]
    if array.null_count:
        valid = array.is_valid().to_numpy(zero_copy_only=False)
        starts, ends = starts[valid], ends[valid]
    return _hash(string_data(array), starts, ends)


def is_compiled(ahead: float = 0.0) -> bool:
    """Whether this process has changed over to compiled code, or does so now for work of `ahead` seconds in numpy."""
    global _compiled
    if _compiled is None and _spent + ahead > (_LOADING if "numba" in sys.modules else _IMPORTING):
        _compiled = _load_compiled()
    return _compiled is not None and _compiled is not hash_numpy


def spend(seconds: float) -> None:
    """Tell of other work in numpy that compiled code does in a tenth of the time."""
    global _spent
    _spent += seconds


def _hash(data: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    kernel = _compiled if is_compiled() else None
    if kernel is not None:
        return kernel(data, starts, ends)
    began = time.perf_counter()
    hashes = hash_numpy(data, starts, ends)
    spend(time.perf_counter() - began)
    return hashes


def _load_compiled() -> Kernel:
    try:
        from lakeview.values.xxh64_numba import hash_numba
    except ImportError:  # no numba here, as in some clusters' tasks
        return hash_numpy
    return hash_numba
