"""The tables that a search by transformation looks into, likeliest first.

A column's worth is the share of the query, rare parts weighing more, that its signature holds in the kind of parts
that holds most: what is left of whole values says more than words, and words more than 3-grams. Whole numbers that lie
close together hold the digits of anything, so they come later; measurements are looked at for amounts alone. One table
of each family, those with the same columns, comes before all others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from lakeview.join.side import Side
from lakeview.join.transform import amounts
from lakeview.join.transform.affixes import without_affixes
from lakeview.store.profiles import has_signature
from lakeview.store.signed import Signed
from lakeview.store.snapshot import Snapshot
from lakeview.values import Normalize
from lakeview.values.signatures import CLASSES, FORMS, GRAM, VALUES, WORD, hashes

FEWEST = 3  # distinct values of a column
LEAST = 3  # parts that a column must share
COLUMNS = 4  # columns of a table
TRUST = {GRAM: 0.5, WORD: 0.8}  # what a share of these parts says, beside one of whole values
DENSE = 0.1  # share of the whole numbers from its least to its largest from which on a column holds any by chance
COUNTED = 0.5  # what a share says of such a column

Sides = Callable[[str], Side]


class Likely(NamedTuple):
    """A table, its columns that share parts with the query, the likeliest first, and how likely that one is: 0 to 1."""

    table: str
    columns: list[int]
    worth: float


class Signatures:
    """The signatures of a lake's columns, looked up in its index."""

    def __init__(self, normalize: Normalize) -> None:
        self.normalize: Normalize = normalize
        self._held: tuple[Snapshot, Postings] | None = None

    def likely(self, texts: list[str], snapshot: Snapshot, hidden: np.ndarray) -> list[Likely]:
        """The tables that share parts with some texts, likeliest first, each with its columns that do."""
        for segment in snapshot.segments:
            segment.check()
        held = self._held  # read once: other threads ask, too
        if held is None or held[0] is not snapshot:
            signed = [segment.signed for segment in snapshot.segments]
            held = self._held = snapshot, Postings(signed, snapshot.bases, _asked(snapshot), snapshot.distinct)
        worth = held[1].worth(texts)
        counted, measured = _counted(snapshot), snapshot.array("decimals") > 0
        of_amounts = amounts.mark_of(texts) is not None
        columns: dict[str, list[tuple[float, int]]] = defaultdict(list)
        for number, value in worth.items():
            if not hidden[number] and (of_amounts or not measured[number]):
                value *= COUNTED if counted[number] else 1
                columns[snapshot.tables[number]].append((value, number))
        ranked = sorted(columns.items(), key=lambda item: (-max(item[1])[0], item[0]))
        seen: set[tuple[str, ...]] = set()
        first: list[Likely] = []
        others: list[Likely] = []
        for table, shared in ranked:
            family = tuple(snapshot.by_table[table])
            best = sorted(shared, reverse=True)[:COLUMNS]
            (others if family in seen else first).append(Likely(table, [n for _, n in best], best[0][0]))
            seen.add(family)
        return first + others


def _asked(snapshot: Snapshot) -> np.ndarray:
    """bool[n]: columns that programs are to join. A part of a table may have what the whole of it has not."""
    rows = zip(snapshot.types, snapshot.distinct.tolist(), (snapshot.rows - snapshot.nulls).tolist(), strict=True)
    worth = np.fromiter((has_signature(*row) for row in rows), bool, len(snapshot))
    return worth & snapshot.alive & (snapshot.distinct >= FEWEST)  # type: ignore[no-any-return]


def _counted(snapshot: Snapshot) -> np.ndarray:
    """bool[n]: columns of whole numbers that lie close together, such as row numbers."""
    span = snapshot.array("high") - snapshot.array("low") + 1
    whole = np.array([type == "integer" for type in snapshot.types], bool)
    return whole & (snapshot.distinct >= DENSE * np.where(np.isfinite(span), span, np.inf))


class Postings:
    """The signatures of a lake's columns by hash.

    signed: of each segment; bases: the number of each one's first column, and the number of columns; asked: bool[n],
    columns that are looked for; distinct: int64[n], their values."""

    def __init__(self, signed: Sequence[Signed], bases: Sequence[int], asked: np.ndarray, distinct: np.ndarray) -> None:
        self._signed, self._bases, self._asked = signed, bases, asked
        self._seen = VALUES / np.maximum(distinct, VALUES)  # the share of its values that a signature is of
        self._columns = np.count_nonzero(np.concatenate([np.zeros(0, bool), *(one.has_some for one in signed)]) & asked)
        none = np.zeros((len(CLASSES), 0), np.uint32)
        self._reach = np.concatenate([none, *(one.reach for one in signed)], axis=1)

    def worth(self, texts: list[str]) -> dict[int, float]:
        """By number, the columns that share parts with some texts, and how likely each is."""
        best = np.zeros(len(self._asked))
        for one in (texts, without_affixes(texts)):
            asked = hashes(one)
            for place, members in enumerate(CLASSES):
                for kind in members:
                    told = min(1.0, len(asked[kind]) / max(1, len(one)))  # values that have such a part
                    share = told * self._share(asked[kind], self._reach[place], kind in FORMS)
                    np.maximum(best, TRUST.get(kind, 1.0) * share, out=best)
        return {int(i): float(best[i]) for i in np.flatnonzero(best)}

    def _share(self, asked: np.ndarray, reach: np.ndarray, whole: bool) -> np.ndarray:
        """The share of some hashes, by rarity, that each column holds: float[n], 0 where it holds too few.

        whole: each is of one value, so of a column that was seen in part more are to be expected, less what as few may
        be off by (a standard deviation)."""
        n = len(self._asked)
        owners, places = self._hits(asked)
        times = np.bincount(places, minlength=len(asked))
        weight = np.log1p(self._columns / np.maximum(1, times))
        met = np.bincount(owners, weight[places], n)
        within = np.concatenate(([0.0], np.cumsum(weight)))[np.searchsorted(asked, reach, "right")]
        count = np.bincount(owners, minlength=n)
        share = met / np.maximum(within, 1e-9)
        if whole:
            more = (1 - 1 / np.sqrt(np.maximum(count, 1))) / self._seen
            share = np.where(self._seen < 1, np.clip(share * more, share, 1.0), share)
        return np.where(count >= LEAST, share, 0.0)

    def _hits(self, asked: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The columns that hold some hashes, and the place of the hash that each one holds: int64, int64."""
        columns, places = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for base, signed in zip(self._bases, self._signed, strict=False):
            found, place = signed.hits(asked)
            kept = self._asked[base + found]
            columns.append(base + found[kept])
            places.append(place[kept])
        return np.concatenate(columns), np.concatenate(places)
