"""HyperLogLog registers: how many distinct tokens a column has, in 3 KB (Flajolet et al. 2007).

The registers follow from the per-bucket minima of `minima`: the smallest token of a bucket is the one with the most
leading zeros. A register is 0 for an empty bucket, else the place of the first 1 after the bucket's own bits.
The cardinality is the maximum of the registers' likelihood (Ertl 2017), unbiased at every size without tables.
"""

from __future__ import annotations

import numpy as np

from lakeview.sketch.minima import EMPTY, coarser

MAX_BITS = 12


def registers(minima: np.ndarray, m: int = MAX_BITS) -> np.ndarray:
    """The 2^m registers of per-bucket minima: uint64[..., 2^p] to uint8[..., 2^m], m at most p."""
    smallest = coarser(minima, 1 << m)
    occupied = smallest != EMPTY
    return np.where(occupied, _leading_zeros(smallest << np.uint64(m), 64 - m) + 1, 0).astype(np.uint8)


def merge_registers(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The registers of the union, bit for bit."""
    return np.maximum(a, b)


def pack_registers(values: np.ndarray) -> np.ndarray:
    """Registers as six bits each: uint8[..., n] to uint8[..., 3n/4], n a multiple of four (4,096 are 3,072 bytes)."""
    a, b, c, d = (np.asarray(values, dtype=np.uint8)[..., i::4] for i in range(4))
    packed = np.empty((*a.shape, 3), dtype=np.uint8)
    packed[..., 0] = a | b << 6
    packed[..., 1] = b >> 2 | c << 4
    packed[..., 2] = c >> 4 | d << 2
    return packed.reshape(*a.shape[:-1], 3 * a.shape[-1])


def unpack_registers(packed: np.ndarray) -> np.ndarray:
    """The inverse of `pack_registers`."""
    a, b, c = (np.asarray(packed, dtype=np.uint8)[..., i::3] for i in range(3))
    values = np.empty((*a.shape, 4), dtype=np.uint8)
    values[..., 0] = a & 63
    values[..., 1] = a >> 6 | (b & 15) << 2
    values[..., 2] = b >> 4 | (c & 3) << 4
    values[..., 3] = c >> 2
    return values.reshape(*a.shape[:-1], 4 * a.shape[-1])


def cardinality(values: np.ndarray) -> tuple[float, float]:
    """Distinct tokens behind uint8[2^m] registers, and the standard error of that number."""
    size = len(values)
    m = size.bit_length() - 1
    counts = np.bincount(values, minlength=66 - m).astype(float)
    top = 64 - m  # the largest place that a first 1 can have; `top + 1` where all bits are 0
    level = np.arange(1, top + 2)
    below = counts[0]  # with n tokens in all, a register is empty with probability exp(-n / 2^m)
    if below == size:
        return 0.0, 0.0
    # Poisson model: P(register <= k) = exp(-n w_k) with w_k = 2^-(m+k). Newton's steps on log n, from a rough start.
    upper = np.where(level <= top, 2.0 ** -(m + level), 0.0)
    lower = 2.0 ** -(m + level - 1.0)
    occupied = counts[1 : top + 2]
    log_n = np.log(size * 0.72 / np.mean(2.0 ** -values.astype(float)) + 1)
    for _ in range(60):
        n = np.exp(log_n)
        gap = lower - upper
        slope = gap / np.expm1(np.clip(n * gap, 1e-300, 700))
        score = n * (occupied @ (slope - upper) - below / size)
        fisher = _information(n, size, lower, upper)
        step = np.clip(score / fisher, -2, 2)
        log_n += step
        if abs(step) < 1e-10:
            break
    n = float(np.exp(log_n))
    # The model lets the number of tokens vary as a Poisson count; n is fixed, so its variance n goes.
    return n, float(np.sqrt(max(n * n / _information(n, size, lower, upper) - n, 0.0)))


def _information(n: float, size: int, lower: np.ndarray, upper: np.ndarray) -> float:
    """Fisher information about log n in `size` registers."""
    gap = lower - upper
    chance = np.exp(-n * upper) * -np.expm1(-n * gap)
    slope = gap / np.expm1(np.clip(n * gap, 1e-300, 700)) - upper
    return size * (n * n) * (chance @ slope**2 + np.exp(-n / size) / size**2)


class CountingRegisters:
    """Registers that also forget: for each bucket, how many tokens have their first 1 at each place (BML, section 4).

    The paper keeps a heap of places a bucket; a row of counters is the same thing without the heap. It counts what it
    is given: to follow a column's distinct values, add a token when its first row comes and remove it when its last
    row goes. 2^m x (66 - m) counters of four bytes.
    """

    def __init__(self, m: int = MAX_BITS):
        self.m = m
        self.counts = np.zeros((1 << m, 66 - m), dtype=np.uint32)

    def add(self, tokens: np.ndarray) -> None:
        """Count uint64[n] tokens."""
        np.add.at(self.counts, self._places(tokens), 1)

    def remove(self, tokens: np.ndarray) -> None:
        """Uncount tokens that were added. ValueError where one can't have been; nothing changes then."""
        places = self._places(tokens)
        left = self.counts.astype(np.int64)
        np.subtract.at(left, places, 1)
        if (left < 0).any():
            raise ValueError("a token to remove was never added")
        self.counts = left.astype(np.uint32)

    def registers(self) -> np.ndarray:
        """uint8[2^m], bit for bit those of a column that never had what was removed."""
        places = np.arange(self.counts.shape[1], dtype=np.uint8)
        return np.where(self.counts > 0, places, 0).max(axis=1)

    def _places(self, tokens: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        tokens = np.asarray(tokens, dtype=np.uint64)
        buckets = (tokens >> np.uint64(64 - self.m)).astype(np.intp) if self.m else np.zeros(len(tokens), np.intp)
        return buckets, _leading_zeros(tokens << np.uint64(self.m), 64 - self.m).astype(np.intp) + 1


def _leading_zeros(x: np.ndarray, at_most: int) -> np.ndarray:
    """Leading zero bits of uint64 values, at most `at_most`.

    `frexp` of the high half and of the low half: each fits a double without rounding, so the exponent is the
    bit length.
    """
    high = np.frexp((x >> np.uint64(32)).astype(float))[1]
    low = np.frexp((x & np.uint64(0xFFFFFFFF)).astype(float))[1]
    return np.minimum(np.where(high > 0, 32 - high, 64 - low), at_most)
