"""Maps: pairs of columns of one table of the lake, read and kept, and which columns hold values of a kind.

What chance could meet holds nothing: a hop needs values that tell by themselves (`Evidence.tells`), by the search's own
evidence, and be no time, flag or category. Short codes and numbers that a column would hold by chance have to be there
as nearly all of a list's own kind are: no other column may hold more of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa

from lakeview import values
from lakeview.errors import LakeviewError
from lakeview.evidence import evidence
from lakeview.join.lookup import Pairs
from lakeview.join.side import Side
from lakeview.search import approximate, roles, scoring
from lakeview.search.query import Query
from lakeview.store.snapshot import Snapshot
from lakeview.values import Normalize

FUNCTIONAL = 0.9  # share of a map's rows that say what most rows of their value say
FEWEST = 3  # values that have to
SOME = 0.01  # share of values that chance would meet, above which they are common: short codes, numbers
NEARLY = 0.9  # share of such values that a hop needs
RIVAL = 0.97  # of what the best column holds of them
WIDE = 24  # columns of such a map that are looked for in the lake


@dataclass(frozen=True)
class Hop:
    """Values that meet a column: contained is the share of them, sure 0 to 1 what speaks against chance."""

    number: int
    contained: float
    sure: float


@dataclass(frozen=True)
class Leg:
    """A map by the numbers of its two columns, as it serves some values that come in."""

    source: int
    target: int
    pairs: Pairs
    coverage: float


class Maps:
    """The maps of a snapshot that were read, and what was looked for of them: kept while the snapshot is."""

    def __init__(self) -> None:
        self.pairs: dict[tuple[int, int], Pairs | None] = {}
        self.tokens: dict[tuple[int, int], tuple[np.ndarray, np.ndarray]] = {}
        self.columns: dict[int, pa.Array] = {}

    def read(self, side: Callable[[str], Side], snapshot: Snapshot, wanted: Iterable[tuple[int, int]],
             normalize: Normalize) -> None:  # fmt: skip
        """Read some maps, pairs of columns of one table, those of a table at once."""
        tables: dict[str, set[int]] = defaultdict(set)
        wanted = [pair for pair in wanted if pair not in self.pairs]
        for pair in wanted:
            tables[snapshot.tables[pair[0]]].update(n for n in pair if n not in self.columns)
        for table, numbers in tables.items():
            listed = sorted(numbers)
            try:
                found = side(table).keys([snapshot.names[n] for n in listed]) if listed else []
                self.columns.update(
                    (n, values.canonical(column, normalize)) for n, column in zip(listed, found, strict=True)
                )
            except (LakeviewError, OSError):  # a table that is not as it was indexed is no map
                continue
        for a, b in wanted:
            known = a in self.columns and b in self.columns
            self.pairs[a, b] = Pairs.of(self.columns[a], self.columns[b]) if known else None

    def hashed(self, pair: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        """The tokens of a map's sources, sorted, and of what each stands for."""
        if pair not in self.tokens:
            pairs = self.pairs[pair]
            assert pairs is not None
            source, target = (values.hash_strings(column) for column in (pairs.source, pairs.target))
            order = np.argsort(source)
            self.tokens[pair] = source[order], target[order]
        return self.tokens[pair]


_known: WeakKeyDictionary[Snapshot, Maps] = WeakKeyDictionary()


def maps_of(snapshot: Snapshot) -> Maps:
    return _known.setdefault(snapshot, Maps())


@dataclass
class Search:
    """A search for bridges in a snapshot. hidden: bool[n], columns that serve in none."""

    snapshot: Snapshot
    side: Callable[[str], Side]
    hidden: np.ndarray
    normalize: Normalize

    def __post_init__(self) -> None:
        self.maps = maps_of(self.snapshot)

    def without(self, table: str) -> Search:
        """The same without the columns of a table."""
        hidden = self.hidden.copy()
        hidden[list(self.snapshot.by_table.get(table, {}).values())] = True
        return Search(self.snapshot, self.side, hidden, self.normalize)

    # ---- hops ----------------------------------------------------------------------------------------------------

    def hops(self, tokens: np.ndarray, query: Callable[[], Query], least: float = 0.0) -> list[Hop]:
        """The columns that hold values of this kind, the surest first. tokens: of the query, which is made where there
        are any. least: the share of the values that is looked for."""
        overlap, frequency = self.snapshot.overlaps(tokens)
        overlap[self.hidden] = 0
        found = np.flatnonzero(overlap >= max(min(FEWEST, len(tokens)), least * len(tokens), 1))
        if not len(found):
            return []
        asked = query()
        none = approximate.estimates(asked, self.snapshot, np.zeros(len(self.snapshot), bool), False, 0.0)
        scores = scoring.scores(asked, self.snapshot, found, overlap, frequency, none)
        sure, contained = self._sure(scores), scores.evidence.contained
        order = np.lexsort((self.snapshot.rank[found], -contained, -sure))
        return [Hop(int(found[i]), float(contained[i]), float(sure[i])) for i in order.tolist() if sure[i] > 0]

    def hops_of(self, query: Query) -> list[Hop]:
        return self.hops(query.tokens, lambda: query)

    @staticmethod
    def _sure(scores: scoring.Scores) -> np.ndarray:
        """How sure each hop is, 0 to 1; 0 for what chance may have met."""
        e = scores.evidence
        common = np.isin(scores.role, list(roles.COMMON)) | (e.time > 0) | (e.measure > 0) | e.decimal
        by_chance = e.chance >= SOME
        most = e.contained.max(initial=0.0)
        enough = np.where(by_chance, (e.contained >= NEARLY) & (e.contained >= RIVAL * most), True)
        # Texts that chance does not make say what they are by half of them, however often a column repeats them.
        texts = ~by_chance & ~e.numeric & (e.contained >= evidence.SHARED) & (e.bits >= evidence.LIKELY)
        told = (e.tells | texts) & ~common & ~e.few & ~e.stray & enough
        return np.where(told, np.maximum(e.told, evidence.probability(e.odds)), 0.0)

    # ---- maps ----------------------------------------------------------------------------------------------------

    def leg(self, pair: tuple[int, int], tokens: np.ndarray) -> tuple[Leg, np.ndarray, np.ndarray] | None:
        """A map that was read, for some tokens: with those that it knows, and what each of these stands for."""
        pairs = self.maps.pairs.get(pair)
        if pairs is None or pairs.functional < FUNCTIONAL or not len(pairs.source):
            return None
        source, target = self.maps.hashed(pair)
        at = np.minimum(np.searchsorted(source, tokens), len(source) - 1)
        known = source[at] == tokens
        if known.sum() < min(FEWEST, len(tokens)):
            return None
        return Leg(*pair, pairs, float(known.mean())), tokens[known], target[at[known]]

    def columns(self, table: str, but: int) -> list[int]:
        """The columns of a table that a map may lead to."""
        s = self.snapshot
        found = [
            n for n in s.by_table[table].values() if n != but and not self.hidden[n] and s.distinct[n] > evidence.FEW
        ]
        return found[:WIDE]
