"""The state of an index: how it is cut up, how much of it is dead, and whether merging it pays."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lakeview.pipeline import within
from lakeview.store.compaction import COMPACT_FROM, DEAD_SHARE, small
from lakeview.store.segment import Segment
from lakeview.store.snapshot import Snapshot

ASKED = 30  # columns of the lake that are searched with to measure
SLOWER = 0.25  # share of a search's time, over which what compacting spares is worth it


@dataclass(frozen=True)
class Status:
    """What `Lake.status` tells.

    tables, columns: living ones. segments: each search visits all. dead: share of the segments' columns that were
    replaced or removed. bytes: on disk. search_ms: median of some searches, measured now; spared_ms: what of that
    `compact()` would spare, by the time in the largest segment. pays: whether `compact()` does; why: in words.
    indexed_at: when the index was last brought up to date, ISO 8601, UTC.
    """

    tables: int
    columns: int
    segments: int
    dead: float
    bytes: int
    indexed_at: str | None
    search_ms: float
    spared_ms: float
    pays: bool
    why: str

    def __repr__(self) -> str:
        return (
            f"{self.tables:,} tables, {self.columns:,} columns, indexed {self.indexed_at or 'never'}\n"
            f"{self.segments} segments, {self.dead:.0%} dead, {self.bytes:,} bytes; a search takes "
            f"{self.search_ms:.2f} ms\n"
            f"compact() {'pays' if self.pays else 'would not pay'}: {self.why}"
        )


def status(snapshot: Snapshot) -> Status:
    """The state of an index; measures some searches, some milliseconds each."""
    columns, living = len(snapshot), int(snapshot.alive.sum())
    dead = 1 - living / columns if columns else 0.0
    now, whole = _measure(snapshot)
    spared = max(0.0, now - whole)
    parts = max(small(snapshot.segments, within.postings()), min(1, len(snapshot.segments)))
    pays, why = _judge(parts, dead, now, spared)
    files = snapshot.manifest.segments
    return Status(
        len(snapshot.by_table),
        living,
        len(snapshot.segments),
        dead,
        sum(size for entry in files for size, _ in entry.files.values()),
        snapshot.manifest.indexed_at,
        now,
        spared,
        pays,
        why,
    )


def _judge(segments: int, dead: float, now: float, spared: float) -> tuple[bool, str]:
    if dead > DEAD_SHARE:
        return True, f"{dead:.0%} of the columns are dead"
    if segments >= COMPACT_FROM:
        return True, f"every search visits {segments} small segments"
    if segments < 2:
        return False, "no two segments are worth merging" if segments else "nothing is indexed"
    share = spared / now if now else 0.0
    return share > SLOWER, f"it would spare {spared:.2f} ms of the {now:.2f} ms that a search takes"


def _measure(snapshot: Snapshot) -> tuple[float, float]:
    """Milliseconds of a search of the index as it is, and about those of one of a single segment: the time that the
    largest takes, in proportion."""
    living = np.flatnonzero(snapshot.alive & (snapshot.distinct > 0) & ~snapshot.sketched)
    if not len(living):
        return 0.0, 0.0
    asked = [snapshot.tokens_of(int(n))[0] for n in np.random.default_rng(0).choice(living, min(ASKED, len(living)))]
    now = _searches(snapshot, asked)
    if len(snapshot.segments) < 2:
        return now, now
    largest: Segment = max(snapshot.segments, key=lambda segment: segment.size)
    alone = _searches(Snapshot(snapshot.manifest, [largest]), asked)
    return now, alone * max(1.0, len(living) / max(int(largest.alive.sum()), 1))


def _searches(snapshot: Snapshot, asked: Sequence[np.ndarray]) -> float:
    snapshot.top_k(asked[0], 10)  # mapped and ranked by now
    times = []
    for tokens in asked:
        started = time.perf_counter()
        snapshot.top_k(tokens, 10)
        times.append(1e3 * (time.perf_counter() - started))
    return statistics.median(times)
