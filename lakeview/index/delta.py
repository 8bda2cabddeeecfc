"""An inverted index in memory that sets are added to and taken from without a rebuild (JOSIE, SIGMOD'19, 7.1.5).

The global order is that in which tokens came: a new one goes to its end, and those that are there keep their places, so
the prefix and position filters hold. There are no duplicate groups, as finding these takes sorting all lists: an index
this small does without. The paper's case 1 takes a token and a set that both exist for a pair that exists; here such a
pair is added too, and the positions after it move up. A set's size is kept once rather than in each of its entries.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

import numpy as np

from lakeview.index.josie import Best


class Delta:
    """Sets by number (any int) and the posting lists of their tokens (uint64)."""

    def __init__(self) -> None:
        self._order: dict[int, int] = {}  # token → place in the global order
        self._lists: list[dict[int, int]] = []  # by place: set → position in it
        self._sets: dict[int, list[int]] = {}  # set → places of its tokens, ascending

    def __len__(self) -> int:
        return len(self._sets)

    def __contains__(self, number: int) -> bool:
        return number in self._sets

    def add(self, token: int, number: int) -> None:
        """ADD: the set holds the token from now on; either may be new."""
        place = self._order.setdefault(token, len(self._order))
        if place == len(self._lists):
            self._lists.append({})
        if number not in self._lists[place]:
            held = self._sets.setdefault(number, [])
            at = bisect_left(held, place)
            held.insert(at, place)
            self._number(number, at)

    def delete(self, token: int, number: int) -> None:
        """DELETE: the set does not hold the token any more; nothing where it did not. A set without tokens is none."""
        place = self._order.get(token)
        if place is None or number not in self._lists[place]:
            return
        held = self._sets[number]
        del held[self._lists[place].pop(number)]
        self._number(number, bisect_left(held, place))
        if not held:
            del self._sets[number]

    def add_set(self, number: int, tokens: np.ndarray) -> None:
        """Add a whole set: its distinct tokens, uint64. Replaces the one of that number."""
        self.delete_set(number)
        places = [self._order.setdefault(token, len(self._order)) for token in tokens.tolist()]
        self._lists += ({} for _ in range(len(self._order) - len(self._lists)))
        if places:
            self._sets[number] = sorted(places)
            self._number(number, 0)

    def delete_set(self, number: int) -> None:
        """Take a whole set out; nothing where there is none."""
        for place in self._sets.pop(number, ()):
            del self._lists[place][number]

    def _number(self, number: int, start: int) -> None:
        """Write the positions of a set's tokens from `start` on to their lists."""
        held = self._sets[number]
        for position in range(start, len(held)):
            self._lists[held[position]][number] = position

    def search(self, query: np.ndarray, best: Best, rank: Callable[[int], int], base: int = 0) -> int:
        """Put the sets that share tokens with the query (uint64, distinct) among the best so far, as ProbeSet does;
        returns how many sets were read.

        rank: of a set's number, distinct, breaks ties, smaller first; `base` is added to the numbers.
        """
        asked = sorted(self._order[token] for token in query.tolist() if token in self._order)
        inside, k = set(asked), len(best.overlaps)
        met: set[int] = set()
        read = 0
        for i, place in enumerate(asked):
            left = len(asked) - i
            if not k or (best.n == k and left < best.overlaps[-1]):  # prefix filter
                break
            for number, position in self._lists[place].items():
                if number in met:
                    continue
                met.add(number)
                held = self._sets[number]
                if best.n == k and (-min(left, len(held) - position), rank(number)) > (
                    -int(best.overlaps[-1]),
                    int(best.ranks[-1]),
                ):  # position filter
                    continue
                overlap = sum(other in inside for other in held[position:])
                best.merge(*(np.array([x], np.int64) for x in (number + base, overlap, rank(number))))
                read += 1
        return read

    def top_k(self, query: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k sets that share most tokens with the query, at least one: numbers and overlaps, int64. Ties go by
        number."""
        best = Best.of(min(k, len(self)))
        self.search(query, best, lambda number: number)
        return best.found()
