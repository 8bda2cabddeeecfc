"""Sketches of large columns with known overlaps, made without their values: columns are unions of blocks of tokens.

A block's smallest token in each bucket is drawn as what so many uniform tokens would leave there, and a union's is the
smallest of its blocks'. Blocks are shared by columns of a topic, a few of them by many.
"""

from __future__ import annotations

import numpy as np

from lakeview.index import sketched
from lakeview.index.sketched import Sketched
from lakeview.sketch.hyperloglog import pack_registers, registers
from lakeview.sketch.minhash import one_permutation
from lakeview.sketch.minima import BITS, BUCKETS, EMPTY


class Unions:
    """`count` columns of 5,000 to 2,000,000 distinct tokens. `sketches` are theirs as a segment keeps them."""

    def __init__(self, count: int, seed: int = 1) -> None:
        rng = np.random.default_rng(seed)
        topics = max(count // 20, 2)
        sizes = np.exp(rng.uniform(np.log(1_000), np.log(100_000), topics * 12)).astype(int)
        blocks = np.stack([_minima(rng, size) for size in sizes])
        self.holds = np.zeros((count, len(sizes)), bool)
        minima, packed = np.empty((count, 256), np.uint64), np.empty((count, 3 * BUCKETS // 4), np.uint8)
        for column in range(count):
            topic = int(rng.integers(topics))
            own = topic * 12 + rng.choice(12, int(rng.integers(1, 12)), replace=False)
            others = rng.integers(0, len(sizes), int(rng.integers(0, 3)))
            held = np.unique(np.concatenate([own, others, [topic * 12 + int(sizes[topic * 12 :][:12].argmax())]]))
            self.holds[column, held] = True
            whole = blocks[held].min(axis=0)
            minima[column] = one_permutation(whole)
            packed[column] = pack_registers(registers(whole))
        self.block_sizes = sizes
        self.sizes = (self.holds @ sizes).astype(float)
        self.minima, self.packed = minima, packed

    def sketches(self, measured: bool = False, part: slice = slice(None)) -> Sketched:
        """Some of the columns, searchable; `measured`: at what scans and look-ups cost here."""
        made = sketched.of(self.minima[part], self.packed[part], self.sizes[part])
        if measured:
            made.costs = sketched.fit(made)
        return made

    def containment(self, query: int) -> np.ndarray:
        """Of a column in each."""
        return (self.holds @ (self.block_sizes * self.holds[query])) / self.sizes[query]


def _minima(rng: np.random.Generator, size: int) -> np.ndarray:
    """The smallest of `size` uniform tokens in each bucket: uint64[4096]."""
    counts = rng.multinomial(size, np.full(BUCKETS, 1 / BUCKETS))
    least = 1 - rng.random(BUCKETS) ** (1 / np.maximum(counts, 1))
    inside = (least * 2.0 ** (64 - BITS)).astype(np.uint64)
    tokens = (np.arange(BUCKETS, dtype=np.uint64) << np.uint64(64 - BITS)) + inside
    return np.where(counts > 0, tokens, EMPTY)
