"""What the values of a match are: a key, or times, flags and categories, which join whatever has such values.

A year equals a year wherever there are any. That is no accident, and the analyst may want it, but it says nothing of
the two tables: such matches stand below keys and above what meets by chance.
"""

from __future__ import annotations

import numpy as np

from lakeview.evidence.evidence import FEW, SHARED, Evidence
from lakeview.evidence.key_names import Asked
from lakeview.search.query import Query
from lakeview.store.snapshot import Snapshot

KEY, VALUES, TIME, FLAG, CATEGORY = "key", "values", "time", "flag", "category"
COMMON = {TIME: "times", FLAG: "flags", CATEGORY: "categories"}  # what each joins whatever has of it
CATEGORIES = 50  # distinct values that a column of categories has at most
EACH = 4.0  # rows of each of them at least, on both sides


def roles(query: Query, asked: Asked, snapshot: Snapshot, columns: np.ndarray, found: Evidence) -> np.ndarray:
    """One of the words above for each column: str[n]. asked: what the query is called."""
    schema, place = snapshot.schema, snapshot.places[columns]
    dated = (snapshot.array("dates")[columns] > 0) | (snapshot.array("timestamps")[columns] > 0)
    is_time = (asked.time or query.shape.type in ("date", "timestamp")) & (dated | schema.names.times[place])
    each = (query.rows - query.nulls) / max(query.distinct, 1)
    repeats = (each >= EACH) & (found.repeats >= np.log2(EACH))
    most = np.maximum(found.asked, found.distinct)
    return np.select(
        [schema.is_key[place] & ~found.few, is_time, most <= FEW, repeats & (most <= CATEGORIES), found.unique],
        [KEY, TIME, FLAG, CATEGORY, KEY],
        VALUES,
    )


def common(role: np.ndarray, found: Evidence) -> np.ndarray:
    """Whether a match is one of times, flags or categories, of half of the query's values: bool[n]."""
    return np.isin(role, list(COMMON)) & (found.contained >= SHARED) & ~found.stray
