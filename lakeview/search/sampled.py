"""The first rows of a large query: overlaps estimated from a sample of its tokens, in a few milliseconds.

Tokens are uniform hashes, so the smallest ones are a random sample of the distinct values, and being sorted they cost
nothing to find. Only their posting lists are merged. A column that holds c of the s sampled tokens holds about c/s of
all n, within the binomial interval; drawing without replacement is more certain than that.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from lakeview.estimate.interval import wilson
from lakeview.search.approximate import Estimates
from lakeview.search.query import Query
from lakeview.store.snapshot import Snapshot

SAMPLE = 4_096  # tokens: intervals of at most 3 points of containment
QUICK = 5 * SAMPLE  # query tokens up to which the lists of small columns are merged as quickly
METHOD = "sample: posting lists"


@dataclass
class Sample(Query):
    """A query of which only the smallest tokens are looked up; it counts as the whole one."""

    whole: int = 0

    @property
    def distinct(self) -> int:
        return self.whole

    @classmethod
    def of_query(cls, query: Query) -> Sample:
        """The sample of a query."""
        same = {field.name: getattr(query, field.name) for field in fields(Query)}
        same |= {"tokens": query.tokens[:SAMPLE], "counts": query.counts[:SAMPLE], "spell": None}
        return cls(**same, whole=query.distinct)


def serves(query: Query, snapshot: Snapshot) -> bool:
    """Whether a sample answers first: not where columns are kept as sketches alone, as these have no lists, nor where
    all columns are small and the exact answer is there at once."""
    large = bool((snapshot.large & snapshot.alive).any())
    return (
        query.sketch is None
        and not bool((snapshot.sketched & snapshot.alive).any())
        and (large or len(query.tokens) > QUICK)
    )


def estimates(sample: Sample, snapshot: Snapshot, hidden: np.ndarray) -> Estimates:
    """The overlaps of the whole query with all columns but the hidden ones bool[n]; those of no sampled token are taken
    to have none."""
    found = Estimates(snapshot.alive & ~hidden)
    sizes = np.maximum(snapshot.distinct, 1).astype(float)
    found.size, found.sizes = (float(sample.whole), 0.0), np.stack([sizes, np.zeros(len(sizes))], axis=1)
    shared = snapshot.held(sample.tokens)
    numbers = np.flatnonzero((shared > 0) & found.columns)
    count, n, drawn = shared[numbers], sample.whole, len(sample.tokens)
    low, high = (end * n for end in wilson(count, drawn))
    low, high = np.maximum(low, count), np.minimum(high, np.minimum(sizes[numbers], n - (drawn - count)))
    found.add(numbers, (np.clip(count / drawn * n, low, high), np.minimum(low, high), high), METHOD)
    return found
