"""Every pair of values that are alike enough, not each left value's best alone: what a join of many to many keeps.

A pair joins from the threshold up unless numbers contradict each other or it was rejected by hand; what was accepted
joins at any threshold. No match need lead another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
import pyarrow as pa

from lakeview.errors import InputError
from lakeview.join.fuzzy.advisor import figures_of
from lakeview.join.fuzzy.edit import EDITS, edit_pairs
from lakeview.join.fuzzy.figures import Figures, agree
from lakeview.join.fuzzy.judgements import Judgements, places
from lakeview.join.fuzzy.matched import Matched
from lakeview.join.fuzzy.matches import Block, scored
from lakeview.join.matching import Groups
from lakeview.join.model import How, JoinCounts, rows_out

MOST = 20_000_000  # pairs of values that are held at once, 24 bytes each


@dataclass(frozen=True)
class EveryPair:
    """The pairs that a plan keeps. joins: whether the threshold lets values join, or judgements alone."""

    matched: Matched
    judgements: Judgements
    joins: bool = True

    @cached_property
    def texts(self) -> Block:
        """By left text, the most similar first, of equal ones the first of the right column. Raises InputError where
        there are too many to hold."""
        return in_order(self._blocks())

    def rows(self, alone: bool, most: int | None = None) -> Block:
        """Row positions of both sides and the similarity of their keys; the right rows of one value in their order.

        alone: keep left rows that meet none, beside -1 and NaN. most: stop once there are that many.
        """
        a, b, similarity = self.texts
        left, right = self.matched.left, self.matched.right
        rows, pair = Groups(a, len(left.text)).expand(left.codes, alone, most)
        # The last is for rows that meet none.
        place, others = Groups(right.codes, len(right.text)).expand(np.append(b, -1)[pair], alone, most)
        return rows[place], others, np.append(similarity, np.nan)[pair][place]

    def counts(self, how: How) -> JoinCounts:
        """The rows that go in, meet and come out, however many pairs there are."""
        left, right = self.matched.left, self.matched.right
        fan, used = np.zeros(len(left.text), np.int64), np.zeros(len(right.text), bool)
        for a, b, _ in self._blocks():
            np.add.at(fan, a, right.counts[b])
            used[b] = True
        rows, met = len(left.codes), int(left.counts[fan > 0].sum())
        out = rows_out(how, int(left.counts @ fan), rows - met, 0)
        return JoinCounts(rows, met, len(right.codes), int(right.counts[used].sum()), out, int(fan.max(initial=0)))

    def at(self, thresholds: Sequence[float] | np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(left rows, right rows, pairs of rows), int64[thresholds] each: how many would join at each threshold, not
        under the floor."""
        left, right = self.matched.left, self.matched.right
        cuts = np.asarray(thresholds, float) * (1 - 1e-15)
        order = np.argsort(cuts)
        best, used = np.zeros(len(left.text)), np.zeros(len(right.text))
        kept = np.zeros(len(cuts) + 1)
        blocks = permitted(self._alike(self.matched.configuration.floor), *self._sides, self.judgements)
        by_hand = accepted(self.judgements, left.text, right.text)
        for a, b, value in chain(blocks, [(*by_hand[:2], np.full(len(by_hand[0]), np.inf))]):
            np.maximum.at(best, a, value)
            np.maximum.at(used, b, value)
            reached = np.searchsorted(cuts[order], value, side="right")
            kept += np.bincount(reached, (left.counts[a] * right.counts[b]).astype(float), len(cuts) + 1)
        pairs = np.empty(len(cuts), np.int64)
        pairs[order] = np.cumsum(kept[::-1])[::-1][1:]
        return reaching(best, left.counts, cuts), reaching(used, right.counts, cuts), pairs

    def has(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """bool: whether left text a[i] and right text b[i] are a pair; b[i] = -1: no text."""
        ours, theirs, _ = self.texts
        size = len(self.matched.right.text)
        return (b >= 0) & np.isin(a * size + b, ours * size + theirs)

    @cached_property
    def _sides(self) -> tuple[pa.Array, pa.Array, tuple[Figures, Figures] | None]:
        left, right = self.matched.left, self.matched.right
        figures = figures_of(left, right) if self.matched.configuration.numbers else None
        return left.text, right.text, figures

    def _blocks(self) -> Iterator[Block]:
        if self.joins:
            yield from permitted(self._alike(self.matched.configuration.threshold), *self._sides, self.judgements)
        yield accepted(self.judgements, self.matched.left.text, self.matched.right.text)

    def _alike(self, least: float) -> Iterator[Block]:
        matched, measure = self.matched, self.matched.configuration.measure
        if measure in EDITS:
            yield from edit_pairs(matched.left.text, matched.right.text, measure, least)
            return
        texts = matched.tokens
        assert texts.right is not None
        floors = [(measure, least)]
        yield from (block for (block,) in scored(texts.left, texts.right, len(matched.left.text), texts.tokens,
                                                 texts.largest, floors))  # fmt: skip


def permitted(
    blocks: Iterable[Block], left: pa.Array, right: pa.Array, figures: tuple[Figures, Figures] | None,
    judgements: Judgements,
) -> Iterator[Block]:  # fmt: skip
    """The pairs without those whose numbers contradict each other, and those that were judged."""
    said = [*judgements.rejected, *(pair[:2] for pair in judgements.accepted)]
    ours, theirs = places(left, [a for a, _ in said]), places(right, [b for _, b in said])
    judged = (ours * len(right) + theirs)[(ours >= 0) & (theirs >= 0)]
    for a, b, similarity in blocks:
        stays = agree(*figures, a, b) if figures is not None else np.ones(len(a), bool)
        if len(judged):
            stays &= ~np.isin(a * len(right) + b, judged)
        yield a[stays], b[stays], similarity[stays]


def accepted(judgements: Judgements, left: pa.Array, right: pa.Array) -> Block:
    """The pairs that join at any threshold."""
    a, b = places(left, [p[0] for p in judgements.accepted]), places(right, [p[1] for p in judgements.accepted])
    there = (a >= 0) & (b >= 0)
    return a[there], b[there], np.array([value for *_, value in judgements.accepted], float)[there]


def in_order(blocks: Iterable[Block]) -> Block:
    """All of the blocks, by left text, the most similar first. Raises InputError where they are too many to hold."""
    held, size = [], 0
    for block in blocks:
        held.append(block)
        size += len(block[0])
        if size > MOST:
            raise InputError(f'over {MOST:,} pairs of values are alike: raise the threshold, or keep the best match '
                             'with cardinality="N:1"')  # fmt: skip
    a, b, similarity = (np.concatenate([block[part] for block in held]) for part in range(3))
    order = np.lexsort((b, -similarity, a))
    return a[order], b[order], similarity[order]


def reaching(best: np.ndarray, counts: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """int64[cuts]: the rows of texts whose similarity reaches each cut. best, counts: of each text."""
    order = np.argsort(best)
    below = np.concatenate([[0], np.cumsum(counts[order])])
    return below[-1] - below[np.searchsorted(best[order], cuts)]
