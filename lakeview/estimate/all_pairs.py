"""BML for every ordered pair of many columns: the registers compared for all, the equation solved for the few.

Two disjoint columns already agree (X's register at most Y's) in a known number of buckets. Only where the count beats
that by `margin` standard deviations can the estimate differ from "nothing found", and only there is `inclusion`'s
equation solved. numba compiles both loops where it is installed; without it numpy does the same, more slowly.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any

import numpy as np

from lakeview.estimate.inclusion import TOP, log_at_most, solve, weights

_COMPILED_FROM = 20_000  # pairs
_TOPS = np.uint64(0x8080808080808080)
_ONES = np.uint64(0x0101010101010101)


def inclusions(
    registers: np.ndarray, sizes: np.ndarray, margin: float = 3.0, block: int = 256
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All ordered pairs (i, j), i != j, whose inclusion |i ∩ j| / |i| is seen to be above 0.

    registers: uint8[n, 2^m]; sizes: distinct tokens of each column (n), above 0. Returns int64[p], int64[p] and the
    coefficients float64[p], as `inclusion.bml` finds them given these sizes.
    """
    registers = np.ascontiguousarray(registers, dtype=np.uint8)
    sizes = np.asarray(sizes, float)
    n, buckets = registers.shape
    m = buckets.bit_length() - 1
    weight = weights(sizes, m)
    alone = np.exp(np.multiply.outer(sizes, log_at_most(m)))
    rows, columns, values = [], [], []
    for start in range(0, n, block):
        part = slice(start, min(start + block, n))
        apart = np.clip(alone[part] @ weight.T, 1e-12, 1.0)  # the chance P(|X|), of disjoint columns
        bar = buckets * apart + margin * np.sqrt(buckets * apart * (1 - apart))
        counts = register_counts(registers[part], registers)
        at_row, at_column = np.nonzero(counts > bar)
        keep = at_row + start != at_column
        at_row, at_column = at_row[keep], at_column[keep]
        share = counts[at_row, at_column] / buckets
        values.append(solve_pairs(share, at_row + start, at_column, sizes, weight, m))
        rows.append(at_row + start)
        columns.append(at_column)
    return np.concatenate(rows), np.concatenate(columns), np.concatenate(values)


def register_counts(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Buckets where x's register is at most y's, for all pairs: uint8[a, b], uint8[c, b] to int32[a, c], b >= 8.

    Eight registers a word: a register has six bits, so with 128 added to y's, no byte of the difference borrows from
    the next, and its top bit says that y's is not the smaller.
    """
    x, y = (np.ascontiguousarray(registers, dtype=np.uint8).view(np.uint64) for registers in (x, y))
    # A few columns are compared before numba would be loaded.
    few = len(x) * len(y) < _COMPILED_FROM and "numba" not in sys.modules
    kernels = None if few else _compiled()
    if kernels is not None:
        words = min(x.shape[1], 128)  # a byte counts to 255, so no more words than that before they are summed
        return kernels[0](x.reshape(len(x), -1, words), y.reshape(len(y), -1, words))
    found = np.empty((len(x), len(y)), np.int32)
    raised = y | _TOPS
    for a in range(len(x)):
        ones = (raised - x[a]) >> np.uint64(7) & _ONES
        # The product's top byte is the sum of the eight bytes.
        found[a] = (ones * _ONES >> np.uint64(56)).sum(axis=1)
    return found


def solve_pairs(
    share: np.ndarray, i: np.ndarray, j: np.ndarray, sizes: np.ndarray, weight: np.ndarray, m: int = 12
) -> np.ndarray:
    """Inclusion of column i in column j for each pair, from the share of buckets: float64[p]."""
    x, y = sizes[i], sizes[j]
    most = np.minimum(1.0, y / x)
    kernels = _compiled()
    if kernels is not None:
        missing = kernels[1](share, i, j, sizes, weight, log_at_most(m), m)
    else:
        missing = solve(share, weight[j], x, m)
    return np.clip(1 - missing / x, 0, most)


@lru_cache(maxsize=1)
def _compiled() -> Any:
    try:
        from numba import njit
    except ImportError:
        return None

    @njit(cache=True, nogil=True)
    def counts(x, y):  # type: ignore[no-untyped-def]
        found = np.empty((len(x), len(y)), np.int32)
        even, spread = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0001000100010001)
        for a in range(len(x)):
            for b in range(len(y)):
                total = np.uint64(0)
                for block in range(x.shape[1]):
                    ones = np.uint64(0)
                    one, other = x[a, block], y[b, block]
                    for word in range(len(one)):
                        ones += ((other[word] | _TOPS) - one[word]) >> np.uint64(7) & _ONES
                    total += ((ones & even) + (ones >> np.uint64(8) & even)) * spread >> np.uint64(48)
                found[a, b] = total
        return found

    @njit(cache=True, nogil=True)
    def missing(share, i, j, sizes, weight, log_below, m):  # type: ignore[no-untyped-def]
        found = np.empty(len(share))
        for pair in range(len(share)):
            x, y = sizes[i[pair]], sizes[j[pair]]
            # Y's registers lie around this level: below, none; above it by 20, one bucket in a million.
            level = int(np.log2(max(y, 1.0))) - m
            first, last = max(level - 6, 0), min(max(level, 0) + 20, TOP)
            above = 0.0
            for k in range(last + 1, TOP + 1):
                above += weight[j[pair], k]
            goal = 1 / max(share[pair], 1e-9)
            s = 0.0
            for _ in range(40):
                # (1 - ε)^s at the highest level; one level down ε doubles, and 1 - 2ε = (1 - ε)² (1 - ε² / (1 - ε)²).
                power = np.exp(s * log_below[last])
                p, slope = above, 0.0
                for k in range(last, first - 1, -1):
                    term = weight[j[pair], k] * power
                    p += term
                    slope -= term * log_below[k]
                    epsilon = 2.0 ** -(m + k)
                    lost = s * epsilon * epsilon / ((1 - epsilon) * (1 - epsilon))
                    power *= power * (1 - lost + lost * lost / 2) if lost < 0.5 else 0.0
                p = max(p, 1e-12)
                step = (goal - 1 / p) * p * p / max(slope, 1e-300)
                following = min(max(s + step, 0.0), x)
                close = abs(following - s) <= 1e-7 * x
                s = following
                if close:
                    break
            found[pair] = s
        return found

    return counts, missing
