"""What reading costs: the functions L and S of JOSIE (SIGMOD'19, section 7.2), fitted on the index itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lakeview.index.dictionary import kernels
from lakeview.index.postings import Postings

FITTED_FROM = 1 << 20  # postings; below, everything is in the processor's cache and the usual costs serve
SAMPLES = 1_000  # lists, and sets
_CLASSES = 20  # of like length, each timed in one go, as one read is too short to time
_ROUNDS = 3


@dataclass(frozen=True)
class Costs:
    """Seconds to read a list of f columns, l0 + l1 f, and a set of n tokens, s0 + s1 n (equation 15)."""

    l0: float = 6e-8
    l1: float = 2e-9
    s0: float = 3e-7
    s1: float = 2e-9

    def lists(self, frequency: np.ndarray) -> np.ndarray:
        """L of each list."""
        return self.l0 + self.l1 * frequency

    def array(self) -> np.ndarray:
        """As it is kept with the index: float64[4]."""
        return np.array([self.l0, self.l1, self.s0, self.s1])


def fit(postings: Postings, seed: int = 0) -> Costs:
    """Measure reads of sampled lists and sets of all lengths, and fit a line to each.

    The usual costs where the index is small or nothing is compiled.
    """
    compiled = kernels(len(postings.columns) >> 4) if len(postings.columns) >= FITTED_FROM else None
    if not compiled:
        return Costs()
    rng = np.random.default_rng(seed)
    n_sets = len(postings.set_offsets) - 1
    frequency = np.diff(postings.offsets)
    size = np.diff(postings.set_offsets)
    counters = np.zeros(n_sets, np.int32)
    # A set is read from a list, so the sets to measure are drawn as lists bring them up: with their postings.
    drawn = rng.integers(0, len(postings.columns), SAMPLES)
    drawn = drawn[np.argsort(size[postings.columns[drawn]], kind="stable")]
    sets, after = postings.columns[drawn], np.searchsorted(postings.offsets, drawn, side="right") - 1
    tokens = postings.rests[drawn].astype(float)
    # Mostly short lists are there, but what counts is long ones: half the sample by length.
    some = after[rng.permutation(SAMPLES)[: SAMPLES // 2]]
    lists = np.concatenate([rng.integers(0, len(frequency), SAMPLES // 2), some])
    lists = lists[np.argsort(frequency[lists], kind="stable")]

    def read_lists(which: np.ndarray) -> object:
        return compiled.read_lists(postings.offsets, postings.columns, lists[which], counters)

    def read_sets(which: np.ndarray) -> object:
        return compiled.read_sets(postings.set_offsets, postings.set_groups, sets[which], after[which])

    l0, l1 = _line(read_lists, frequency[lists].astype(float))
    s0, s1 = _line(read_sets, tokens)
    return Costs(l0, l1, s0, s1)


def _line(read: Callable[[np.ndarray], object], lengths: np.ndarray) -> tuple[float, float]:
    """The line through the times of reads of like length, both terms positive; relative errors count."""
    read(np.arange(0))  # compiled by now
    x, y = [], []
    for which in np.array_split(np.arange(len(lengths)), _CLASSES):
        times = []
        for _ in range(_ROUNDS):
            started = time.perf_counter()
            read(which)
            times.append(time.perf_counter() - started)
        x.append(lengths[which].mean())
        y.append(float(np.median(times)) / len(which))
    weight = 1 / np.array(y)
    (c0, c1), *_ = np.linalg.lstsq(np.stack([np.ones(len(x)), x], 1) * weight[:, None], np.ones(len(x)), rcond=None)
    least = 1e-9, 1e-11
    return max(float(c0), least[0]), max(float(c1), least[1])
