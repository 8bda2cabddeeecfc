"""An inverted index in memory that sets are added to and taken from without a rebuild (JOSIE, SIGMOD'19, 7.1.5).

The global order is that in which tokens came: a new one goes to its end, and those that are there keep their places, so
the prefix and position filters hold. The paper's case 1 takes a token and a set that both exist for a pair that exists;
here such a pair is added too. A list holds the numbers of its sets alone: in memory a set is at hand, and a token's
position in it and its size follow from it, where the paper writes both to each entry. Equal lists are kept once, so
that a change of a set costs a step for each different list of its tokens, and array copies for the rest.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Mapping

import numpy as np

from lakeview.index.josie import Best, Statistics
from lakeview.index.postings import Match, intersect

SEARCH = 64  # places looked up in the time that looking one up by bisection takes
_NONE = np.zeros(0, np.int64)


class Delta:
    """Sets by number (any int) and the posting lists of their tokens (uint64)."""

    def __init__(self) -> None:
        self._tokens, self._places = np.zeros(0, np.uint64), _NONE  # sorted, and the place of each in the global order
        self._list = _NONE  # by place: which of the lists is the token's
        self._lists: list[tuple[int, ...]] = [()]  # the different lists of sets that there ever were
        self._known: dict[tuple[int, ...], int] = {(): 0}  # list → its number
        self._sets: dict[int, np.ndarray] = {}  # set → places of its tokens, int64, ascending

    def state(self) -> Delta:
        """The delta as it is now, which later changes do not reach: one thread may search it while another changes
        this one. Takes copies of a number for each token and of the lists of lists and sets, of no set."""
        made = copy.copy(self)  # tokens, their places and each set are replaced by a change, never written to
        made._list, made._lists = self._list.copy(), self._lists.copy()
        made._known, made._sets = self._known.copy(), self._sets.copy()
        return made

    def __len__(self) -> int:
        return len(self._sets)

    def __contains__(self, number: int) -> bool:
        return number in self._sets

    @property
    def idle(self) -> float:
        """Share of the known tokens that no set holds any more, or of the lists that no token has: both only grow."""
        tokens = np.bincount(self._list, minlength=len(self._lists))
        unheld = float(tokens[0]) / max(len(self._list), 1)
        return max(unheld, float((tokens[1:] == 0).sum()) / max(len(tokens) - 1, 1))

    def add(self, token: int, number: int) -> None:
        """ADD: the set holds the token from now on; either may be new."""
        place = int(self._placed(np.array([token], np.uint64))[0])
        held = self._sets.get(number, _NONE)
        at = int(np.searchsorted(held, place))
        if at == len(held) or held[at] != place:
            self._sets[number] = np.insert(held, at, place)
            self._enter(np.array([place]), number)

    def delete(self, token: int, number: int) -> None:
        """DELETE: the set does not hold the token any more; nothing where it did not. A set without tokens is none."""
        place = int(self._find(np.array([token], np.uint64))[0])
        held = self._sets.get(number, _NONE)
        at = int(np.searchsorted(held, place))
        if at == len(held) or held[at] != place:
            return
        self._leave(held[at : at + 1], number)
        self._sets[number] = np.delete(held, at)
        if len(held) == 1:
            del self._sets[number]

    def add_set(self, number: int, tokens: np.ndarray) -> None:
        """Add a whole set: its distinct tokens, uint64. Replaces the one of that number."""
        self.delete_set(number)
        if len(tokens):
            self._sets[number] = np.sort(self._placed(tokens))
            self._enter(self._sets[number], number)

    def delete_set(self, number: int) -> None:
        """Take a whole set out; nothing where there is none."""
        self._leave(self._sets.pop(number, _NONE), number)

    def _find(self, tokens: np.ndarray) -> np.ndarray:
        """Places of tokens, -1 of unknown ones: int64[n]."""
        if not len(self._tokens):
            return np.full(len(tokens), -1)
        at = np.minimum(np.searchsorted(self._tokens, tokens), len(self._tokens) - 1)
        return np.where(self._tokens[at] == tokens, self._places[at], -1)

    def _placed(self, tokens: np.ndarray) -> np.ndarray:
        """Places of tokens; new ones get theirs, at the end, as they come."""
        places = self._find(tokens)
        new = np.flatnonzero(places < 0)
        if len(new):
            places[new] = len(self._list) + np.arange(len(new))
            new = new[np.argsort(tokens[new])]
            at = np.searchsorted(self._tokens, tokens[new])
            self._tokens = np.insert(self._tokens, at, tokens[new])
            self._places = np.insert(self._places, at, places[new])
            self._list = np.concatenate([self._list, np.zeros(len(new), np.int64)])
        return places

    def _enter(self, places: np.ndarray, number: int) -> None:
        """Put a set on the lists of tokens that are not on it yet."""
        self._change(places, lambda numbers: (*numbers, number))

    def _leave(self, places: np.ndarray, number: int) -> None:
        """Take a set off the lists of its tokens."""
        self._change(places, lambda numbers: tuple(n for n in numbers if n != number))

    def _change(self, places: np.ndarray, change: Callable[[tuple[int, ...]], tuple[int, ...]]) -> None:
        before, which = np.unique(self._list[places], return_inverse=True)
        after = []
        for numbers in map(change, (self._lists[i] for i in before.tolist())):
            after.append(self._known.setdefault(numbers, len(self._lists)))
            if after[-1] == len(self._lists):
                self._lists.append(numbers)
        self._list[places] = np.array(after, np.int64)[which]

    # ---- asking: a match's groups are places ---------------------------------------------------------------------

    def match(self, query: np.ndarray) -> Match:
        """Look a query up: uint64[q], distinct."""
        found = self._find(query)
        groups = np.sort(found[found >= 0])
        return Match(found, groups, np.ones(len(groups), np.int64))

    def frequency(self, match: Match) -> np.ndarray:
        """The sets that hold each token of the query: int64[q]."""
        lengths = np.array([*map(len, self._lists)], np.int64)
        found = np.zeros(len(match.found), np.int64)
        known = match.found >= 0
        found[known] = lengths[self._list[match.found[known]]]
        return found

    def overlaps(self, match: Match) -> Counter[int]:
        """Overlap of the query with every set, by number, all lists merged (MergeList)."""
        found: Counter[int] = Counter()
        tokens = np.bincount(self._list[match.groups], minlength=len(self._lists))
        for i in np.flatnonzero(tokens).tolist():
            for number in self._lists[i]:
                found[number] += int(tokens[i])
        return found

    def weighted_of(self, match: Match, summed: np.ndarray, number: int) -> float:
        """Sum of the weights float64[m] of the query's known tokens (`match.by_group`) that a set holds."""
        return float(summed[intersect(match.groups, self._sets.get(number, _NONE))[0]].sum())

    def search(self, match: Match, best: Best, named: Mapping[int, tuple[int, int]]) -> Statistics:
        """Put the sets that share tokens with the query among the best so far, as ProbeSet does.

        named: set → the number that it is to be told by, and its rank, distinct, which breaks ties, smaller first; sets
        that are not there are passed over.
        """
        asked, k = match.groups, len(best.overlaps)
        first = np.full(len(self._lists), -1)  # where a list comes up first in the query
        first[self._list[asked][::-1]] = np.arange(len(asked))[::-1]
        lists = np.flatnonzero(first >= 0)
        lists = lists[np.argsort(first[lists])]
        found = Statistics(plan="probe", why="sets in memory are read as their lists come up", of_lists=len(lists),
                           tokens=len(asked))  # fmt: skip
        inside = np.zeros(len(self._list), bool)
        inside[asked] = True
        met: set[int] = set()
        for which in lists.tolist():
            i = int(first[which])
            if not k or (best.n == k and len(asked) - i < best.overlaps[-1]):  # prefix filter
                break
            found.lists += 1
            found.bytes += 8 * len(self._lists[which])
            for number in self._lists[which]:
                if number in met or number not in named:
                    continue
                met.add(number)
                held = self._sets[number]
                position = int(np.searchsorted(held, asked[i]))
                name, rank = named[number]
                most = min(len(asked) - i, len(held) - position)
                if best.n == k and (-most, rank) > (-int(best.overlaps[-1]), int(best.ranks[-1])):  # position filter
                    continue
                overlap = _shared(asked[i:], held[position:], inside)
                best.merge(*(np.array([x], np.int64) for x in (name, overlap, rank)))
                found.sets += 1
                found.bytes += 8 * (len(held) - position)
        return found

    def top_k(self, query: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k sets that share most tokens with the query, at least one: numbers and overlaps, int64. Ties go by
        number."""
        best = Best.of(min(k, len(self)))
        self.search(self.match(query), best, {number: (number, number) for number in self._sets})
        return best.found()


def _shared(asked: np.ndarray, held: np.ndarray, inside: np.ndarray) -> int:
    """How many places two sorted sets share; inside: bool, those of the query."""
    if len(asked) * SEARCH < len(held):
        return len(intersect(asked, held)[0])
    return int(np.count_nonzero(inside[held]))
