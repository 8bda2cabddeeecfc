"""What the index holds of each table, and so whether the table must be read again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lakeview.store.segment import Segment


@dataclass
class Known:
    """Where the index holds a table now: segments, and its number in each (a large one is in several)."""

    places: list[tuple[int, int]]
    spec: Any  # what it was read from (`catalog.places`)
    whole: bool  # every column has its tokens
    decided: bool  # every column has its tokens or a membership filter

    def serves(self, exact: bool, filters: bool) -> bool:
        """Whether an index with these options needs nothing more of the table."""
        return self.whole or not (exact or (filters and not self.decided))


def known_tables(segments: Sequence[Segment]) -> dict[str, Known]:
    """The living tables of an index, by name."""
    known: dict[str, Known] = {}
    for s, segment in enumerate(segments):
        lacking = set(segment.columns["table"].to_numpy()[segment.sketched].tolist())
        unfiltered = segment.sketched.copy()
        unfiltered[segment.filters[:-1, 0]] = False
        doubtful = set(segment.columns["table"].to_numpy()[unfiltered].tolist())
        for number, (name, spec) in enumerate(zip(segment.tables["name"], segment.tables["spec"], strict=True)):
            if number in segment.dead:
                continue
            if name not in known:
                known[name] = Known([], json.loads(spec), True, True)
            found = known[name]
            found.places.append((s, number))
            found.whole &= number not in lacking
            found.decided &= number not in doubtful
    return known
