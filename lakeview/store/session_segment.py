"""The frames of a session as one more segment of a snapshot: in memory, its posting lists those of a delta.

It is a state, as any segment (`Delta.state`). Tokens are kept in full, whatever the lake keeps, so it has no sketches.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from lakeview.index.delta import Delta
from lakeview.index.josie import Best, Plan, Statistics
from lakeview.index.postings import Match, Postings, build
from lakeview.store.profiles import Column
from lakeview.store.segment import Segment
from lakeview.store.segment_writer import COLUMNS, described
from lakeview.store.signed import Signed, inverted
from lakeview.values.signatures import NO_SIGNATURE

KIND = "session"


@dataclass(frozen=True)
class SessionTable:
    """A frame of the session: its columns, the number of each one's set in the delta, and the side of its joins."""

    name: str
    rows: int
    columns: list[Column]
    numbers: list[int]
    side: Any

    def enter(self, delta: Delta) -> None:
        """Add its sets."""
        for number, column in zip(self.numbers, self.columns, strict=True):
            delta.add_set(number, column.tokens)


class SessionSegment(Segment):
    """Some frames as a segment.

    delta: a state that nobody changes.
    """

    def __init__(self, delta: Delta, tables: Sequence[SessionTable]) -> None:
        self.delta, self.dead = delta, frozenset()
        self._columns = [column for table in tables for column in table.columns]
        self._numbers = [number for table in tables for number in table.numbers]
        n = len(tables)
        self.tables: dict[str, list[Any]] = {
            "name": [table.name for table in tables],
            "spec": [json.dumps({"kind": KIND})] * n,
            "rows": [table.rows for table in tables],
            "problems": ["[]"] * n,
        }
        rows = [described(t, column) for t, table in enumerate(tables) for column in table.columns]
        self.columns = pa.Table.from_pylist(rows, schema=COLUMNS)

    def array(self, name: str) -> np.ndarray:
        """Of what a segment has on disk there is but the size of each set."""
        if name == "set_offsets":
            return np.cumsum([0, *(len(column.tokens) for column in self._columns)])
        return np.zeros(0, np.int64)

    def check(self) -> None:
        """It lies in memory."""

    @cached_property
    def postings(self) -> DeltaPostings:  # type: ignore[override]
        return DeltaPostings(self.delta, self._numbers)

    def inverted(self) -> Postings:
        tokens = [column.tokens for column in self._columns]
        return build(self.set_offsets, np.concatenate([np.zeros(0, np.uint64), *tokens]))[0]

    @cached_property
    def signed(self) -> Signed:
        each = [column.signature for column in self._columns]
        return Signed(len(self), *inverted(np.concatenate([NO_SIGNATURE, *each]), np.cumsum([0, *map(len, each)])))

    def tokens_of(self, column: int) -> tuple[np.ndarray, np.ndarray]:
        found = self._columns[column]
        return found.tokens, np.minimum(found.counts, np.iinfo(np.uint32).max).astype(np.uint32)

    def counts_of(self, column: int) -> np.ndarray:
        return self.tokens_of(column)[1]

    def search(self, match: Match, best: Best, plan: Plan, skip: np.ndarray, rank: np.ndarray, base: int) -> Statistics:
        """As of any segment; the plan is ProbeSet, whatever is asked for."""
        ranks = rank.tolist()
        named = {number: (base + i, ranks[i]) for i, number in enumerate(self._numbers) if not skip[i]}
        return self.delta.search(match, best, named)

    def merged(self, match: Match) -> Statistics:
        n = len(match.groups)
        return Statistics(n, 0, 8 * int(self.delta.frequency(match).sum()), of_lists=n, tokens=n)


class DeltaPostings:
    """A delta's answers by place in `numbers`, as `index.postings.Postings` gives them by column."""

    def __init__(self, delta: Delta, numbers: Sequence[int]) -> None:
        self._delta, self._numbers = delta, numbers
        self.match, self.frequency = delta.match, delta.frequency

    def overlaps(self, match: Match) -> np.ndarray:
        """Overlap of the query with every column: int64[n]."""
        found = self._delta.overlaps(match)
        return np.array([found[number] for number in self._numbers], np.int64)

    def weighted(self, match: Match, weights: np.ndarray) -> np.ndarray:
        """Sum over each column's matching tokens of the tokens' weights float64[q]: float64[n]."""
        summed = match.by_group(weights)
        return np.array([self.weighted_of(match, summed, i) for i in range(len(self._numbers))], float)

    def weighted_of(self, match: Match, summed: np.ndarray, column: int) -> float:
        """As `weighted`, of one column. summed: `match.by_group(weights)`."""
        return self._delta.weighted_of(match, summed, self._numbers[column])
