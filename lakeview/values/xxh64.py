"""XXH64 with seed 42 of many strings at once: the hash of the `xxhash` package and of Spark's xxhash64(string).

Written from the specification of XXH64 (Collet, "XXH64 algorithm description"). Two kernels give the same numbers:
one in numpy, which walks all strings in step, and one compiled by numba, four times as fast, whose import and loading
cost most of a second. So a process starts on numpy and changes over once it has hashed for as long as that takes.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from lakeview.errors import InputError
from lakeview.values.buffers import string_data, string_offsets

SEED = 42
_P1, _P2, _P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
_P4, _P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
_MASK = (1 << 64) - 1

_PATIENCE = 1.0  # seconds of hashing in numpy after which numba pays
_spent = 0.0
_compiled: Callable[..., np.ndarray] | None = None


def hash_strings(array: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """The token of every valid value of a string column, in order, nulls skipped: uint64.

    Raises InputError where the column is not text; see `text`.
    """
    if isinstance(array, pa.ChunkedArray):
        return np.concatenate([hash_strings(chunk) for chunk in array.chunks] or [np.zeros(0, np.uint64)])
    if pa.types.is_string_view(array.type) or pa.types.is_null(array.type) or pa.types.is_dictionary(array.type):
        array = array.cast(pa.large_string())
    if not (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
        raise InputError(f"only text is hashed, not {array.type}; canonical() prints it")
    offsets = string_offsets(array).astype(np.int64, copy=False)
    starts, ends = offsets[:-1], offsets[1:]
    if array.null_count:
        valid = array.is_valid().to_numpy(zero_copy_only=False)
        starts, ends = starts[valid], ends[valid]
    return _hash(string_data(array), starts, ends)


def _hash(data: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    global _spent, _compiled
    if _compiled is None and (_spent > _PATIENCE or "numba" in sys.modules):
        _compiled = _load_compiled()
    if _compiled is not None:
        return _compiled(data, np.ascontiguousarray(starts), np.ascontiguousarray(ends))
    began = time.perf_counter()
    hashes = hash_numpy(data, starts, ends)
    _spent += time.perf_counter() - began
    return hashes


def _load_compiled() -> Callable[..., np.ndarray]:
    try:
        from lakeview.values.xxh64_numba import hash_numba
    except ImportError:
        return hash_numpy
    return hash_numba


def hash_numpy(data: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """XXH64 of data[starts[i]:ends[i]] for every i, all strings in step: uint64.

    One pass reads the same lane of all strings that still have it. Strings are taken longest first, so that those are
    always a prefix, never a mask.
    """
    lengths = ends - starts
    order = np.argsort(-lengths, kind="stable")
    at, left = starts[order], lengths[order]
    words = _words(data, at, ends)
    base = int(at.min()) // 8 * 8 if len(at) else 0
    at = at - base
    total = left.astype(np.uint64)
    with np.errstate(over="ignore"):
        hashes = np.full(len(at), _u(SEED + _P5), np.uint64)
        long = int(np.searchsorted(-left, -32, side="right"))
        if long:
            hashes[:long] = _stripes(words, at[:long], left[:long])
            at[:long] += left[:long] // 32 * 32
        left = left % 32
        hashes += total
        for lane in range(3):
            where = np.flatnonzero(left >= 8 * (lane + 1))
            if len(where) == 0:
                break
            mixed = hashes[where] ^ _round(np.uint64(0), _read(words, at[where] + 8 * lane))
            hashes[where] = _rotate(mixed, 27) * _u(_P1) + _u(_P4)
        at = at + left // 8 * 8
        left = left % 8
        where = np.flatnonzero(left >= 4)
        if len(where):
            mixed = hashes[where] ^ ((_read(words, at[where]) & _u(0xFFFFFFFF)) * _u(_P1))
            hashes[where] = _rotate(mixed, 23) * _u(_P2) + _u(_P3)
        at = at + left // 4 * 4
        left = left % 4
        for byte in range(3):
            where = np.flatnonzero(left > byte)
            if len(where) == 0:
                break
            mixed = hashes[where] ^ ((_read(words, at[where] + byte) & _u(0xFF)) * _u(_P5))
            hashes[where] = _rotate(mixed, 11) * _u(_P1)
        hashes = (hashes ^ (hashes >> _u(33))) * _u(_P2)
        hashes = (hashes ^ (hashes >> _u(29))) * _u(_P3)
        hashes ^= hashes >> _u(32)
    out = np.empty_like(hashes)
    out[order] = hashes
    return out


def _stripes(words: np.ndarray, at: np.ndarray, left: np.ndarray) -> np.ndarray:
    """The four accumulators over stripes of 32 bytes, merged; the longest strings come first."""
    lanes = [np.full(len(at), _u(start), np.uint64)
             for start in (SEED + _P1 + _P2, SEED + _P2, SEED, SEED - _P1)]
    stripes = left // 32
    for stripe in range(int(stripes[0])):
        alive = int(np.searchsorted(-stripes, -stripe))  # those with more stripes than this one
        for i, lane in enumerate(lanes):
            lane[:alive] = _round(lane[:alive], _read(words, at[:alive] + (32 * stripe + 8 * i)))
    hashes = _rotate(lanes[0], 1) + _rotate(lanes[1], 7) + _rotate(lanes[2], 12) + _rotate(lanes[3], 18)
    for lane in lanes:
        hashes = (hashes ^ _round(np.uint64(0), lane)) * _u(_P1) + _u(_P4)
    return hashes


def _words(data: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The bytes in use as little-endian words, with two words to spare for reads beyond the end."""
    if len(starts) == 0:
        return np.zeros(2, "<u8")
    first = int(starts.min()) // 8 * 8
    used = data[first : int(ends.max())]
    padded = np.zeros(len(used) // 8 * 8 + 24, np.uint8)
    padded[: len(used)] = used
    return padded.view("<u8")


def _read(words: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The eight bytes from position `at`, for every position, as little-endian integers."""
    word = at >> 3
    shift = (at & 7).astype(np.uint64) << _u(3)
    # two shifts to the left, since one by 64 is undefined
    return (words[word] >> shift) | ((words[word + 1] << (_u(63) - shift)) << _u(1))


def _round(lane: Any, word: np.ndarray) -> np.ndarray:
    return _rotate(lane + word * _u(_P2), 31) * _u(_P1)


def _rotate(x: np.ndarray, bits: int) -> np.ndarray:
    return (x << _u(bits)) | (x >> _u(64 - bits))


def _u(number: int) -> np.uint64:
    return np.uint64(number & _MASK)
