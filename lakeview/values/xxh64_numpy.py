"""XXH64 in numpy: many strings in step, from the algorithm's description (Collet, "xxHash fast digest algorithm").

Each operation runs over the same lane of all strings of a block that still have that lane.
"""

from __future__ import annotations

import numpy as np

SEED = 42
_MASK = (1 << 64) - 1
_P1, _P2, _P3, _P4, _P5 = (
    np.uint64(prime)
    for prime in (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
)

_BLOCK = 8192  # strings: what numpy makes of them stays in the processor's cache
_FEW = 8  # so many strings or fewer go on in Python's integers: numpy's overhead would be worse


def hash_numpy(data: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """XXH64, seed 42, of data[starts[i]:ends[i]] for every i: uint64. `data` uint8, `starts` and `ends` int64."""
    out = np.empty(len(starts), np.uint64)
    for first in range(0, len(starts), _BLOCK):
        block = slice(first, first + _BLOCK)
        out[block] = _hash_block(data, starts[block], ends[block])
    return out


def _hash_block(data: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    words, at = _words(data, starts, ends)
    left = ends - starts
    hashes = np.full(len(at), (SEED + int(_P5)) & _MASK, np.uint64)
    long = np.flatnonzero(left >= 32)
    if len(long):
        long = long[np.argsort(-left[long])]
        hashes[long] = _stripes(words, at[long], left[long] // 32)
    hashes += left.astype(np.uint64)
    at, left = at + left // 32 * 32, left % 32
    for _ in range(3):
        has = np.flatnonzero(left >= 8)
        if len(has) == 0:
            break
        hashes[has] = _rotate(hashes[has] ^ _round(np.uint64(0), _read(words, at[has])), 27) * _P1 + _P4
        at[has] += 8
        left[has] -= 8
    has = np.flatnonzero(left >= 4)
    if len(has):
        hashes[has] = _rotate(hashes[has] ^ (_read(words, at[has]) & np.uint64(0xFFFFFFFF)) * _P1, 23) * _P2 + _P3
        at[has] += 4
        left[has] -= 4
    for _ in range(3):
        has = np.flatnonzero(left)
        if len(has) == 0:
            break
        hashes[has] = _rotate(hashes[has] ^ (_read(words, at[has]) & np.uint64(0xFF)) * _P5, 11) * _P1
        at[has] += 1
        left[has] -= 1
    hashes = (hashes ^ (hashes >> np.uint64(33))) * _P2
    hashes = (hashes ^ (hashes >> np.uint64(29))) * _P3
    return hashes ^ (hashes >> np.uint64(32))


def _stripes(words: np.ndarray, at: np.ndarray, stripes: np.ndarray) -> np.ndarray:
    """Four accumulators over the stripes of 32 bytes of each string, merged; most stripes first."""
    lanes = np.empty((len(at), 4), np.uint64)
    lanes[:] = [(SEED + add) & _MASK for add in (int(_P1) + int(_P2), int(_P2), 0, -int(_P1))]
    eights = np.arange(0, 32, 8)
    done = 0
    for done in range(int(stripes[0])):
        alive = int(np.searchsorted(-stripes, -done))  # those with more stripes than are done
        if alive <= _FEW:
            for i in range(alive):
                lanes[i] = _stripes_of_one(words, int(at[i]) + 32 * done, int(stripes[i]) - done, lanes[i].tolist())
            break
        lanes[:alive] = _round(lanes[:alive], _read(words, at[:alive, None] + 32 * done + eights))
    a, b, c, d = lanes.T
    hashes = _rotate(a, 1) + _rotate(b, 7) + _rotate(c, 12) + _rotate(d, 18)
    for lane in (a, b, c, d):
        hashes = (hashes ^ _round(np.uint64(0), lane)) * _P1 + _P4
    return hashes


def _stripes_of_one(words: np.ndarray, at: int, stripes: int, lanes: list[int]) -> list[int]:
    products = (_read(words, np.arange(at, at + 32 * stripes, 8)) * _P2).tolist()
    prime, mask = int(_P1), _MASK
    for i, lane in enumerate(lanes):
        for product in products[i::4]:
            lane = (lane + product) & mask
            lane = ((lane << 31 | lane >> 33) & mask) * prime & mask
        lanes[i] = lane
    return lanes


def _words(data: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The bytes in use as little-endian words, with two to spare for reads beyond the end, and the starts in them."""
    first = int(starts.min())
    used = data[first : int(ends.max())]
    padded = np.zeros(len(used) // 8 * 8 + 24, np.uint8)
    padded[: len(used)] = used
    return padded.view("<u8"), starts - first


def _read(words: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The eight bytes from position `at`, for every position, as little-endian integers."""
    word = at >> 3
    shift = (at & 7).astype(np.uint64) << np.uint64(3)
    # two shifts to the left, since one by 64 is undefined
    return (words[word] >> shift) | ((words[word + 1] << (np.uint64(63) - shift)) << np.uint64(1))


def _round(lane: np.ndarray | np.uint64, word: np.ndarray) -> np.ndarray:
    return _rotate(lane + word * _P2, 31) * _P1


def _rotate(x: np.ndarray, bits: int) -> np.ndarray:
    return (x << np.uint64(bits)) | (x >> np.uint64(64 - bits))
