"""Merging the segments of an index into one."""

from __future__ import annotations

import json

from lakeview.catalog.store import Manifest, Store, Writer

COMPACT_FROM = 8  # segments; every query visits each of them
DEAD_SHARE = 0.3  # of the columns of all segments


def is_due(store: Store) -> bool:
    """Whether there are many segments, or much in them that is dead."""
    _, segments = store.read()
    columns = sum(len(segment) for segment in segments)
    dead = columns - sum(int(segment.alive.sum()) for segment in segments)
    return len(segments) >= COMPACT_FROM or dead > DEAD_SHARE * columns


def compact(store: Store, writer: Writer, exact: bool = True, filters: bool = False) -> None:
    """Merge all segments into one, without what is dead; `exact=False`: and without the tokens of large columns."""
    manifest, segments = store.read()
    merged = writer.segment()
    for segment in segments:
        owners = segment.columns["table"].to_numpy()
        for number, name in enumerate(segment.tables["name"]):
            if number in segment.dead:
                continue
            columns = [segment.column(int(i)) for i in (owners == number).nonzero()[0]]
            columns = columns if exact else [column.without_tokens(filters) for column in columns]
            spec, problems = (json.loads(segment.tables[field][number]) for field in ("spec", "problems"))
            merged.add_table(name, spec, segment.tables["rows"][number], problems, columns)
    writer.publish(Manifest(manifest.parameters, 0, [], manifest.problems, manifest.indexed_at), [merged])
