"""The compiled kernel of `xxh64`; importing this module imports numba."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

_P1, _P2 = np.uint64(0x9E3779B185EBCA87), np.uint64(0xC2B2AE3D27D4EB4F)
_P3, _P4 = np.uint64(0x165667B19E3779F9), np.uint64(0x85EBCA77C2B2AE63)
_P5, _SEED = np.uint64(0x27D4EB2F165667C5), np.uint64(42)


def jit(**options: Any) -> Any:
    """numba's compiler, which keeps what it made."""

    def compile_it(function: Any) -> Any:
        try:
            return numba.njit(cache=True, **options)(function)
        except RuntimeError:  # nowhere to keep the compiled code: a read-only install without a home
            return numba.njit(**options)(function)

    return compile_it


def readonly(*arrays: np.ndarray) -> list[np.ndarray]:
    """What a kernel reads: one compiled version serves Arrow's read-only buffers and our own arrays."""
    given = [np.ascontiguousarray(array).view() for array in arrays]
    for array in given:
        array.flags.writeable = False
    return given


@jit(inline="always")
def _rotate(x: np.uint64, bits: int) -> np.uint64:
    return (x << np.uint64(bits)) | (x >> np.uint64(64 - bits))


@jit(inline="always")
def _round(lane: np.uint64, word: np.uint64) -> np.uint64:
    return _rotate(lane + word * _P2, 31) * _P1


@jit(inline="always")
def _read(data: np.ndarray, at: int, width: int) -> np.uint64:
    word = np.uint64(0)
    for i in range(width):
        word |= np.uint64(data[at + i]) << np.uint64(8 * i)
    return word


@jit(inline="always")
def hash_bytes(data: np.ndarray, at: int, end: int) -> np.uint64:
    """The hash of data[at:end]."""
    total = np.uint64(end - at)
    if end - at >= 32:
        a, b, c, d = _SEED + _P1 + _P2, _SEED + _P2, _SEED, _SEED - _P1
        while end - at >= 32:
            a = _round(a, _read(data, at, 8))
            b = _round(b, _read(data, at + 8, 8))
            c = _round(c, _read(data, at + 16, 8))
            d = _round(d, _read(data, at + 24, 8))
            at += 32
        h = _rotate(a, 1) + _rotate(b, 7) + _rotate(c, 12) + _rotate(d, 18)
        for lane in (a, b, c, d):
            h = (h ^ _round(np.uint64(0), lane)) * _P1 + _P4
    else:
        h = _SEED + _P5
    h += total
    while end - at >= 8:
        h = _rotate(h ^ _round(np.uint64(0), _read(data, at, 8)), 27) * _P1 + _P4
        at += 8
    if end - at >= 4:
        h = _rotate(h ^ (_read(data, at, 4) * _P1), 23) * _P2 + _P3
        at += 4
    while at < end:
        h = _rotate(h ^ (np.uint64(data[at]) * _P5), 11) * _P1
        at += 1
    h = (h ^ (h >> np.uint64(33))) * _P2
    h = (h ^ (h >> np.uint64(29))) * _P3
    return h ^ (h >> np.uint64(32))


@jit(nogil=True)
def _kernel(data: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    out = np.empty(len(starts), np.uint64)
    for i in range(len(starts)):
        out[i] = hash_bytes(data, starts[i], ends[i])
    return out


def hash_numba(data: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """XXH64, seed 42, of data[starts[i]:ends[i]] for every i: uint64. `data` uint8, `starts` and `ends` int64."""
    return _kernel(*readonly(data, starts, ends))
