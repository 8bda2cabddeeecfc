"""Bringing the index up to the lake: what changed is scanned, merged into a new segment, and published at once."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from lakeview.catalog.model import Listing, Problem, Table
from lakeview.catalog.places import spec_of
from lakeview.pipeline import altered, build_parts, expected, grown, renamed, within
from lakeview.pipeline.kept import Kept
from lakeview.pipeline.known import Known, known_tables
from lakeview.pipeline.progress import Reporter
from lakeview.pipeline.reading import Pieces, Reader, listed, scan_frame
from lakeview.store import compaction, contents, disk
from lakeview.store.contents import Contents
from lakeview.store.profiles import KEEP, Column
from lakeview.store.segment_writer import SegmentWriter
from lakeview.store.store import FinishedSegment, Manifest, SegmentEntry, Store, Writer


@dataclass(frozen=True)
class IndexReport:
    """What `Lake.index` did.

    tables, columns, rows: in the index now. added, changed, removed, skipped: tables; skipped ones were unchanged and
    not read again. Files without a readable column count nowhere but among the problems. problems: how many
    `lake.problems` lists. tasks: one dict per scanned part, as the workers report it (part, table, path, row_groups,
    worker, rows, seconds).
    """

    tables: int
    columns: int
    rows: int
    added: int
    changed: int
    removed: int
    skipped: int
    problems: int
    seconds: float
    tasks: tuple[dict[str, Any], ...] = field(default=(), repr=False)


def index_files(
    store: Store,
    listing: Listing,
    spark: Any,
    engine: str | None,
    exact: bool,
    filters: bool,
    reporter: Reporter,
    started: float,
) -> IndexReport:
    """Index the tables of a listing that the store does not hold as they are, or not with what `exact` and `filters`
    ask for. Where only the time of a file differs, it is read to compare it, once, and not indexed again.

    engine: None to take the one that is done sooner (`expected`)."""
    keep = None if exact or filters else KEEP
    with store.writing() as writer:
        _, segments = store.read()
        known = known_tables(segments)
        held = Contents(store.folder)
        stale = _stale(listing.tables, known, held, exact, filters, reporter)
        again, unread = renamed.renamed(stale, known, held, exact, filters)
        more, unread = grown.growing(unread, known, segments, held)
        kept = Kept(store)
        other, unread = altered.altered(unread, known, segments, held, kept)
        held.save()
        fresh = [file for table in unread for file in table.files]
        fresh += [file for each in (*more, *other) for file in each.fresh]
        reader = Reader(store, spark, engine or expected.engine(expected.load(fresh), spark), keep, reporter)
        added: list[SegmentWriter | FinishedSegment] = []
        if stale:
            segment = writer.segment()
            apart, whole = grown.add(more, reader, kept, segment, writer.segment)
            also_apart, also_whole = altered.add(other, reader, kept, segment, writer.segment)
            added += [*apart, *also_apart]
            reporter.update(0, 1, "looking where large files can be cut")
            pieces = Pieces.of([*unread, *whole, *also_whole])
            if build_parts.is_due(pieces, reader):
                added += build_parts.build(writer, pieces, reader, kept)
            else:
                for table, scanned in reader.read(pieces):
                    spec = spec_of(contents.scanned(table, scanned.digests))
                    columns = scanned.columns(table.name, keep)
                    segment.add_table(table.name, spec, scanned.rows, listed(scanned.problems), columns)
            reporter.update(1, 1, "writing the index")
            renamed.add(segment, again, known, segments)
            added += [] if segment.is_empty else [segment]
        report = _publish(
            store,
            writer,
            known,
            {t.name for t in stale},
            {t.name for t in listing.tables},
            listing.problems,
            added,
            exact,
            filters,
            reader.tasks,
            started,
        )
        if kept.folder.is_dir():
            kept.save({name: each.spec for name, each in known_tables(store.read()[1]).items() if each.whole})
        return report


def _stale(
    tables: Sequence[Table],
    known: Mapping[str, Known],
    held: Contents,
    exact: bool,
    filters: bool,
    reporter: Reporter,
) -> list[Table]:
    """The tables that have to be read: all that are not in the index as they are, with what is asked for."""
    stale = []
    for number, table in enumerate(tables):
        reporter.update(number, len(tables), "comparing files")
        found = known.get(table.name)
        if found is None or not (found.serves(exact, filters) and contents.is_held(table, found.spec, held)):
            stale.append(table)
    return stale


def index_frames(
    store: Store, frames: Mapping[str, Any], exact: bool, filters: bool, reporter: Reporter, started: float
) -> IndexReport:
    """Index DataFrames: pandas frames in this process, Spark frames where they are. All of them are scanned each time,
    as a frame does not say whether it changed; one that did not is left as it is in the store."""
    keep = None if exact or filters else KEEP
    with store.writing() as writer:
        _, segments = store.read()
        known = known_tables(segments)
        stale: set[str] = set()
        added: list[SegmentWriter] = []
        for i, (name, frame) in enumerate(frames.items()):
            reporter.update(i, len(frames), name)
            scanned = scan_frame(name, frame, store, reporter, keep)
            columns = scanned.columns(name, keep)
            spec = {"frame": _digest(columns)}
            if name in known and known[name].spec == spec and known[name].serves(exact, filters):
                continue
            if not added:
                added.append(writer.segment())
            stale.add(name)
            added[0].add_table(name, spec, scanned.rows, [], columns)
        return _publish(store, writer, known, stale, set(frames), [], added, exact, filters, [], started)


def _digest(columns: Sequence[Column]) -> str:
    digest = hashlib.sha256()
    for column in columns:
        digest.update(f"{column.name}\0{column.type}\0{column.rows}\0{column.nulls}\0".encode())
        digest.update(column.tokens.tobytes())
        digest.update(column.counts.tobytes())
        for array in column.sketch.pack() if column.sketch is not None else ():
            digest.update(array.tobytes())
    return digest.hexdigest()


def _too_long(store: Store, exact: bool) -> bool:
    """Whether the index holds tokens that a lake of sketches does not keep."""
    return not exact and any(segment.holds_long_sets for segment in store.read()[1])


def _publish(
    store: Store,
    writer: Writer,
    known: Mapping[str, Known],
    stale: set[str],
    present: set[str],
    listing_problems: Sequence[Problem],
    added: Sequence[SegmentWriter | FinishedSegment],
    exact: bool,
    filters: bool,
    tasks: list[dict[str, Any]],
    started: float,
) -> IndexReport:
    removed = set(known) - present
    manifest = writer.manifest
    problems = listed(listing_problems)
    if stale or removed or _too_long(store, exact) or problems != manifest.problems or manifest.indexed_at is None:
        entries = [SegmentEntry(e.id, e.files, list(e.dead)) for e in manifest.segments]
        for name in (stale & set(known)) | removed:
            for place, number in known[name].places:
                entries[place].dead.append(number)
        # Of which nothing lives goes at once: nothing has to be merged for that.
        sizes = [len(segment.tables["name"]) for segment in store.read()[1]]
        entries = [entry for entry, n in zip(entries, sizes, strict=True) if len(set(entry.dead)) < n]
        writer.publish(
            Manifest(manifest.parameters, 0, entries, problems, datetime.now(UTC).isoformat(timespec="seconds")), added
        )
        try:
            if _too_long(store, exact) or compaction.is_due(store, within.postings()):
                compaction.compact(store, writer, exact, filters, within.postings())
        except OSError as error:  # the lake is indexed; merging needs room for a second copy
            if _too_long(store, exact) or not disk.is_full(error):
                raise
        writer.clear()
    _, segments = store.read()
    alive = [
        (segment.tables["name"][number], segment.tables["rows"][number], segment.tables["problems"][number])
        for segment in segments
        for number in range(len(segment.tables["name"]))
        if number not in segment.dead
    ]
    usable = {
        segment.tables["name"][number]
        for segment in segments
        for number in set(segment.columns["table"].to_numpy()[segment.alive].tolist())
    }
    return IndexReport(
        tables=len(usable),
        columns=int(sum(segment.alive.sum() for segment in segments)),
        rows=sum({name: rows for name, rows, _ in alive}.values()),
        added=len((stale - set(known)) & usable),
        changed=len(stale & set(known) & usable),
        removed=len(removed),
        skipped=len((present - stale) & usable),
        problems=len(problems) + sum(len(json.loads(p)) for *_, p in alive),
        seconds=time.monotonic() - started,
        tasks=tuple(tasks),
    )
