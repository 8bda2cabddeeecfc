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
_ROUNDS = 5


@dataclass(frozen=True)
class Costs:
    """Seconds to read a list of f columns, l0 + l1 f, and a set of n tokens, s0 + s1 n (equation 15)."""

    l0: float = 3e-8
    l1: float = 5e-10
    s0: float = 1e-7
    s1: float = 3.5e-9

    def lists(self, frequency: np.ndarray) -> np.ndarray:
        """L of each list."""
        return self.l0 + self.l1 * frequency

    def array(self) -> np.ndarray:
        """As it is kept with the index: float64[4]."""
        return np.array([self.l0, self.l1, self.s0, self.s1])


def fit(postings: Postings, seed: int = 0) -> Costs:
    """Measure reads of sampled lists and sets of all lengths, and fit a line to each.

    A list is read as merging does, counters included, and a set as probing does, compared with another that the same
    list brings up. The usual costs where the index is small or nothing is compiled.
    """
    compiled = kernels(len(postings.columns) >> 4) if len(postings.columns) >= FITTED_FROM else None
    if not compiled:
        return Costs()
    rng = np.random.default_rng(seed)
    frequency = np.diff(postings.offsets)
    counters, ones = np.zeros(len(postings.set_offsets) - 1, np.int32), np.ones(SAMPLES, np.int64)
    # A set is read from a list, so the sets to measure are drawn as lists bring them up: with their postings.
    drawn = rng.integers(0, len(postings.columns), SAMPLES)
    after = np.searchsorted(postings.offsets, drawn, side="right") - 1
    sets = postings.columns[drawn]
    others = postings.columns[rng.integers(postings.offsets[after], postings.offsets[after + 1])]
    # Mostly short lists are there, but what counts is long ones: half the sample by length.
    lists = np.concatenate([rng.integers(0, len(frequency), SAMPLES // 2), after[: SAMPLES // 2]])

    def read_lists(which: np.ndarray) -> np.ndarray:
        compiled.add_lists(postings.offsets, postings.columns, lists[which], ones, 0, counters)
        return frequency[lists[which]]

    def read_sets(which: np.ndarray) -> np.ndarray:
        return compiled.read_sets(  # type: ignore[no-any-return]
            postings.set_offsets, postings.set_groups, sets[which], others[which], after[which]
        )

    return Costs(*_line(read_lists), *_line(read_sets))


def _line(read: Callable[[np.ndarray], np.ndarray]) -> tuple[float, float]:
    """The line through the times of reads of like length, both terms positive; relative errors count.

    read: reads some of the sample, by their places in it, and says how long each was.
    """
    lengths = read(np.arange(SAMPLES))  # compiled by now
    x, y = [], []
    for which in np.array_split(np.argsort(lengths, kind="stable"), _CLASSES):
        times = []
        for _ in range(_ROUNDS):
            started = time.perf_counter()
            read(which)
            times.append(time.perf_counter() - started)
        x.append(float(lengths[which].mean()))
        y.append(min(times) / len(which))  # what else runs on the machine only adds
    weight = 1 / np.array(y)
    (c0, c1), *_ = np.linalg.lstsq(np.stack([np.ones(len(x)), x], 1) * weight[:, None], np.ones(len(x)), rcond=None)
    least = 1e-9, 1e-11
    return max(float(c0), least[0]), max(float(c1), least[1])
