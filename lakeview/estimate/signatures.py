"""Min-Hash signatures of the sets of a collection: M true permutations of the tokens that occur."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lakeview.estimate.similarity.collection import Collection


def signatures(sides: Sequence[Collection], tokens: int, length: int = 10, seed: int = 1) -> list[np.ndarray]:
    """int32[sets, length] a side: per permutation, the first of a set's tokens. Two sets agree in one place with
    the probability of their Jaccard similarity. A set without tokens agrees with none, not even another empty one.
    """
    random = np.random.default_rng(seed)
    orders = [random.permutation(tokens).astype(np.int32) for _ in range(length)]
    made, nobody = [], -1
    for side in sides:
        found = np.empty((len(side), length), np.int32)
        filled = side.sizes > 0
        starts = side.starts[:-1][filled]
        for i, order in enumerate(orders):
            if len(starts):
                found[filled, i] = np.minimum.reduceat(order[side.ranks], starts)
        empty = np.flatnonzero(~filled)
        found[empty] = (nobody - np.arange(len(empty)))[:, None]
        nobody -= len(empty)
        made.append(found)
    return made
