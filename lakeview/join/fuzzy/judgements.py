"""What an analyst said of single pairs. It stands above every threshold, and stays with the plan and its code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeview.estimate.similarity.texts import Distinct
from lakeview.join.fuzzy.matches import BestTwo


@dataclass(frozen=True)
class Judgements:
    """Canonical texts of the pairs found right, with their similarity, and of those found wrong.

    A left text has one partner at most, so that a second pair that is accepted takes the place of the first.
    """

    accepted: tuple[tuple[str, str, float], ...] = ()
    rejected: tuple[tuple[str, str], ...] = ()

    def __len__(self) -> int:
        return len(self.accepted) + len(self.rejected)

    def without(self, left: str, right: str) -> Judgements:
        """Nothing said of this pair."""
        return Judgements(tuple(pair for pair in self.accepted if pair[:2] != (left, right)),
                          tuple(pair for pair in self.rejected if pair != (left, right)))  # fmt: skip

    def accept(self, left: str, right: str, similarity: float) -> Judgements:
        kept = self.without(left, right)
        others = tuple(pair for pair in kept.accepted if pair[0] != left)
        return Judgements((*others, (left, right, similarity)), kept.rejected)

    def reject(self, left: str, right: str) -> Judgements:
        kept = self.without(left, right)
        return Judgements(kept.accepted, (*kept.rejected, (left, right)))

    def decide(
        self, left: pa.Array, right: pa.Array, partner: np.ndarray, similarity: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Partners (places on the right, -1: none) and similarities of the left texts, with what was said of them."""
        if not len(self):
            return partner, similarity
        partner, similarity = partner.copy(), similarity.copy()
        ours, theirs = places(left, [a for a, _ in self.rejected]), places(right, [b for _, b in self.rejected])
        for a, b in zip(ours, theirs, strict=True):
            if a >= 0 and b >= 0 and partner[a] == b:
                partner[a] = -1
        ours, theirs = places(left, [p[0] for p in self.accepted]), places(right, [p[1] for p in self.accepted])
        for a, b, (*_, value) in zip(ours, theirs, self.accepted, strict=True):
            if a >= 0 and b >= 0:
                partner[a], similarity[a] = b, value
        return partner, similarity

    def are_accepted(self, left: pa.Array) -> np.ndarray:
        """bool: whether a pair of this left text was accepted."""
        found = np.zeros(len(left), bool)
        at = places(left, [a for a, *_ in self.accepted])
        found[at[at >= 0]] = True
        return found

    def verdicts(self, left: Distinct, right: Distinct, best: BestTwo) -> tuple[np.ndarray, np.ndarray]:
        """(places of left texts, whether their best match is right), where that was said, or follows from another."""
        said: dict[int, bool] = {}
        for (a, b), right_one in [(pair, False) for pair in self.rejected] + [(p[:2], True) for p in self.accepted]:
            (i,), (j,) = places(left.text, [a]), places(right.text, [b])
            if i >= 0 and best.right[i] >= 0 and (right_one or best.right[i] == j):
                said[int(i)] = right_one and best.right[i] == j
        return np.array(list(said), np.int64), np.array(list(said.values()), bool)


def places(texts: pa.Array, wanted: Sequence[str]) -> np.ndarray:
    """int64: where each wanted text stands, -1 for nowhere."""
    found = pc.index_in(pa.array(wanted, texts.type), texts)
    return found.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
