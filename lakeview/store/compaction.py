"""Merging the segments of an index: into one, or, where that would outgrow memory, into parts (`store.parts`)."""

from __future__ import annotations

from collections.abc import Sequence

from lakeview.store import parts
from lakeview.store.segment import Segment
from lakeview.store.store import Manifest, Store, Writer

COMPACT_FROM = 8  # segments that are worth merging; every query visits each of them
DEAD_SHARE = 0.3  # of the columns of all segments


def small(segments: Sequence[Segment], most: int | None = None) -> int:
    """How many segments are no full part of an index. most: postings of a part, as `parts.number` has it."""
    return sum(not _is_full(segment, most) for segment in segments)


def is_due(store: Store, most: int | None = None) -> bool:
    """Whether there are many segments to merge, or much in them that is dead."""
    _, segments = store.read()
    columns = sum(len(segment) for segment in segments)
    dead = columns - sum(int(segment.alive.sum()) for segment in segments)
    return small(segments, most) >= COMPACT_FROM or dead > DEAD_SHARE * columns


def compact(store: Store, writer: Writer, exact: bool = True, filters: bool = False, most: int | None = None) -> None:
    """Merge the segments, without what is dead; `exact=False`: and without the tokens of large columns. A full part of
    which nothing is dead stays."""
    manifest, segments = store.read()
    stays = [exact and not segment.dead and _is_full(segment, most) for segment in segments]
    merged = [segment for segment, kept in zip(segments, stays, strict=True) if not kept]
    entries = [entry for entry, kept in zip(manifest.segments, stays, strict=True) if kept]
    n = parts.number(sum(segment.size for segment in merged), most)
    added = parts.rewrite(merged, n, writer.segment, exact, filters) if merged or not entries else []
    writer.publish(Manifest(manifest.parameters, 0, entries, manifest.problems, manifest.indexed_at), added)


def _is_full(segment: Segment, most: int | None) -> bool:
    return segment.size >= (most or parts.POSTINGS) // 2
