"""What one Spark task does of a search: it asks its own part of a published index.

Runs in Spark's Python workers. Imports numpy and pyarrow alone, and numba where it is there.
"""

from __future__ import annotations

import functools
import json
import os
import socket
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import pyarrow as pa

from lakeview.errors import LakeviewError
from lakeview.index.josie import Statistics
from lakeview.store import published
from lakeview.store.snapshot import Snapshot
from lakeview.store.urls import shown

RESULT = pa.schema(
    [
        ("task", pa.int32()),
        ("worker", pa.string()),
        ("seconds", pa.float64()),
        ("error", pa.string()),
        ("statistics", pa.string()),
        ("columns", pa.binary()),
        ("values", pa.binary()),
        ("frequency", pa.binary()),
    ]
)

Question = Callable[[Snapshot], dict[str, Any]]


def answer(task: int, url: str, normalize: str, version: str, part: tuple[int, ...], ask: Question) -> pa.RecordBatch:
    """Ask the segments `part` of the index at `url`; an error of ours is told in the answer, in its own words."""
    started = time.perf_counter()
    row: dict[str, Any] = {"task": task, "worker": f"{socket.gethostname()}:{os.getpid()}"}
    try:
        row |= ask(_opened(url, normalize, version, part))
    except LakeviewError as error:
        row["error"] = str(error)
    row["seconds"] = time.perf_counter() - started
    return pa.RecordBatch.from_pylist([row], schema=RESULT)


@functools.lru_cache(maxsize=32)
def _opened(url: str, normalize: str, version: str, part: tuple[int, ...]) -> Snapshot:
    """Some segments of a published index as one snapshot; kept by the worker, so that files are checked once."""
    manifest = published.manifest(url, normalize)
    if manifest.version != version:
        raise LakeviewError(f"the index at {shown(url)} changed meanwhile: search again")
    return Snapshot(manifest, published.segments(url, [manifest.segments[i] for i in part]))


def top_k(snapshot: Snapshot, query: np.ndarray, k: int, skip: np.ndarray) -> dict[str, Any]:
    """The k columns that share most with the query; skip: numbers of columns in this part to leave out."""
    hidden = np.zeros(len(snapshot), bool)
    hidden[skip] = True
    columns, overlaps, statistics = snapshot.top_k(query, k, hidden)
    return _row(snapshot, query, columns, overlaps, statistics)


def overlaps(snapshot: Snapshot, query: np.ndarray) -> dict[str, Any]:
    """All columns that share anything with the query."""
    found = snapshot.held(query)
    columns = np.flatnonzero(found)
    return _row(snapshot, query, columns, found[columns], snapshot.merged(query))


def weighted(snapshot: Snapshot, query: np.ndarray, weights: np.ndarray, columns: np.ndarray) -> dict[str, Any]:
    """The sums of the weights of the query tokens that columns of this part hold."""
    return {"values": snapshot.weighted(query, weights, columns).tobytes()}


def _row(
    snapshot: Snapshot, query: np.ndarray, columns: np.ndarray, overlap: np.ndarray, statistics: Statistics
) -> dict[str, Any]:
    told = {name: value for name, value in asdict(statistics).items() if name != "segments"}
    return {
        "columns": columns.astype(np.int64).tobytes(),
        "values": overlap.astype(np.int64).tobytes(),
        "frequency": snapshot.frequency(query).astype(np.uint32).tobytes(),
        "statistics": json.dumps(told, default=lambda number: number.item()),
    }
