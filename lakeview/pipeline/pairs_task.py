"""What one Spark task answers of all pairs of columns: it asks its own parts of a published index (`search_task`).

Runs in Spark's Python workers. Imports numpy and pyarrow alone, and numba where it is there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lakeview.index import inclusions as passes
from lakeview.index.inclusions import Wanted
from lakeview.index.known_numbers import Lists
from lakeview.store.all_pairs import AllPairs, bits_of
from lakeview.store.snapshot import Snapshot


def inclusions(
    snapshot: Snapshot, places: np.ndarray, others: int, wanted: Wanted, needed: np.ndarray
) -> dict[str, Any]:
    """The inclusions of the columns of the last `others` segments in those of the first; places: of the snapshot's
    columns in `wanted`, -1 for those left out."""
    parts = AllPairs.of_part(snapshot, places).parts
    pairs = [np.zeros((3, 0), np.int64)]
    for asked in parts[len(parts) - others :]:
        pairs += [np.stack(found) for found in passes.pairs(asked, parts[0], wanted, needed)]
    source, target, overlap = np.concatenate(pairs, axis=1)
    return {"columns": np.stack([source, target]).astype(np.int32).tobytes(), "values": overlap.tobytes()}


def bits(snapshot: Snapshot, alive: int, most: float) -> dict[str, Any]:
    """What the values of each column of the first segment tell by their rarity in all of them."""
    parts = AllPairs(snapshot, np.zeros(0, np.int64)).parts
    return {"values": bits_of(parts[0], parts, alive, most).tobytes()}


def known(snapshot: Snapshot, columns: np.ndarray) -> dict[str, Any]:
    """The numbers that columns hold: how many each, and which."""
    offsets, numbers = AllPairs(snapshot, np.zeros(0, np.int64)).known(columns)
    return {"columns": np.diff(offsets).tobytes(), "values": numbers.tobytes()}


def holding(snapshot: Snapshot, queries: Lists, asked_of: np.ndarray, columns: np.ndarray) -> dict[str, Any]:
    """How many tokens of query `asked_of[p]` each of the columns holds."""
    found = AllPairs(snapshot, np.zeros(0, np.int64)).holding(queries, asked_of, columns)
    return {"values": found.tobytes()}


def repeats(snapshot: Snapshot, columns: np.ndarray) -> dict[str, Any]:
    """How many rows the commonest value of columns has."""
    return {"values": AllPairs(snapshot, np.zeros(0, np.int64)).repeats(columns).tobytes()}
