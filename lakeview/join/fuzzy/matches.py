"""The pairs of texts that are alike, as they stream past, and the best partner of every left text with its runner-up,
kept meanwhile: no list of all pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lakeview.estimate.similarity.collection import Collection
from lakeview.estimate.similarity.compiled import compiled
from lakeview.estimate.similarity.measures import bound, similarity
from lakeview.estimate.similarity.prefix_join import PrefixIndex, blocks_of_pairs, prefix_index

Block = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Pairs of texts: places of the left ones, of the right ones, and their similarities."""


@dataclass(frozen=True)
class BestTwo:
    """Of each left text the most similar right text and the second: places (-1: none) and similarities (0: none).

    Of equally similar right texts the first in the right column wins.
    """

    right: np.ndarray
    similarity: np.ndarray
    second: np.ndarray
    second_similarity: np.ndarray

    @classmethod
    def of_nothing(cls, n: int) -> BestTwo:
        return cls(np.full(n, -1), np.zeros(n), np.full(n, -1), np.zeros(n))

    def add(self, left: np.ndarray, right: np.ndarray, values: np.ndarray) -> None:
        """Take in more pairs; no pair may come twice."""
        _keep(left, right, values, self.right, self.similarity, self.second, self.second_similarity)

    def prefer(self, right: np.ndarray) -> None:
        """Let right[i] >= 0, a text identical to left text i, be its best match before any other that scores 1."""
        moved = np.flatnonzero((right >= 0) & (right != self.right))
        self.second[moved], self.second_similarity[moved] = self.right[moved], self.similarity[moved]
        self.right[moved] = right[moved]

    @property
    def lead(self) -> np.ndarray:
        """How far the best is ahead of its runner-up."""
        return self.similarity - self.second_similarity

    def take(self, rows: np.ndarray) -> BestTwo:
        return BestTwo(self.right[rows], self.similarity[rows], self.second[rows], self.second_similarity[rows])


def best_two(
    probes: Collection, right: Collection, texts: int, tokens: int, largest: int,
    floors: Sequence[tuple[str, float]], same: bool = False, index: PrefixIndex | None = None,
) -> list[BestTwo]:  # fmt: skip
    """The best two of each probed text under several measures at once, each above its floor; see `scored`."""
    found = [BestTwo.of_nothing(texts) for _ in floors]
    for blocks in scored(probes, right, texts, tokens, largest, floors, same, index):
        for block, best in zip(blocks, found, strict=True):
            best.add(*block)
    return found


def scored(
    probes: Collection, right: Collection, texts: int, tokens: int, largest: int,
    floors: Sequence[tuple[str, float]], same: bool = False, index: PrefixIndex | None = None,
) -> Iterator[list[Block]]:  # fmt: skip
    """All pairs under several measures at once, each above its floor; a block for each measure at a time.

    texts: how many left texts there are, probed or not. floors: (measure, least similarity), the first of which lets
    pass every pair that any of the others does. same: the probes are right texts, and none is its own partner.
    index: of `right` at the first floor, where it is there already.
    """
    measure, floor = floors[0]
    limit = bound(measure, floor, largest)
    sizes = np.zeros(texts, np.int64)
    sizes[probes.rows] = probes.sizes
    right_sizes = right.sizes_by_row
    for pairs in blocks_of_pairs(probes, right, limit, index or prefix_index(right, limit, tokens)):
        if same:
            pairs = pairs.take(pairs.left != pairs.right)
        blocks = []
        for measure, floor in floors:
            values = similarity(measure, pairs.overlap, sizes[pairs.left], right_sizes[pairs.right])
            enough = values >= bound(measure, floor, largest).cut
            blocks.append((pairs.left[enough], pairs.right[enough], values[enough]))
        yield blocks


@compiled
def _keep(left, right, values, best, best_value, second, second_value):  # type: ignore[no-untyped-def]
    for k in range(len(left)):
        i, j, value = left[k], right[k], values[k]
        if value > best_value[i] or (value == best_value[i] and j < best[i]) or best[i] < 0:
            second[i], second_value[i] = best[i], best_value[i]
            best[i], best_value[i] = j, value
        elif value > second_value[i] or (value == second_value[i] and j < second[i]) or second[i] < 0:
            second[i], second_value[i] = j, value
