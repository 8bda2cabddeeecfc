"""Bringing the index up to the lake: what changed is scanned, merged into a new segment, and published at once."""

from __future__ import annotations

import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from lakeview.catalog import sources
from lakeview.catalog.model import Listing, Part, Problem, Table
from lakeview.catalog.places import spec_of
from lakeview.pipeline import build_parts, progress, renamed, scan
from lakeview.pipeline.known import Known, known_tables
from lakeview.pipeline.progress import Reporter
from lakeview.pipeline.task import PartScan, record_of
from lakeview.store import compaction, contents, disk
from lakeview.store.contents import Contents
from lakeview.store.profiles import KEEP, Column, ColumnPart, merge_parts
from lakeview.store.scanning import ColumnScan, profile
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


@dataclass
class Scanned:
    """A table as the scan saw it."""

    rows: int = 0
    problems: list[Problem] = field(default_factory=list)
    digests: dict[str, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))  # of its files, by path
    parts: dict[str, list[ColumnPart]] = field(default_factory=lambda: defaultdict(list))

    def columns(self, table: str, keep: int | None = None) -> list[Column]:
        """The columns; a sketch in place of more than `keep` tokens."""
        return [merge_parts(table, i, parts, self.rows, keep) for i, parts in enumerate(self.parts.values())]


def index_files(
    store: Store,
    listing: Listing,
    spark: Any,
    engine: str,
    exact: bool,
    filters: bool,
    reporter: Reporter,
    started: float,
) -> IndexReport:
    """Index the tables of a listing that the store does not hold as they are, or not with what `exact` and `filters`
    ask for. Where only the time of a file differs, it is read to compare it, once, and not indexed again."""
    keep = None if exact or filters else KEEP
    with store.writing() as writer:
        _, segments = store.read()
        known = known_tables(segments)
        held = Contents(store.folder)
        stale = _stale(listing.tables, known, held, exact, filters, reporter)
        again, unread = renamed.renamed(stale, known, held, exact, filters)
        held.save()
        tasks: list[dict[str, Any]] = []
        added: list[SegmentWriter | FinishedSegment] = []
        parts, owner, left = _split(unread)
        if sum(scan.part_sizes(parts)) > build_parts.OUTGROWN:
            session_ = None if engine == "local" else progress.started(len(parts), reporter, spark)
            added += build_parts.build(writer, unread, parts, owner, session_, store.normalize, keep, reporter, tasks)
        elif unread:
            segment = writer.segment()
            added.append(segment)
            for table, scanned in _scan_tables(unread, parts, owner, left, store, spark, engine, keep, reporter, tasks):
                problems = [list(asdict(p).values()) for p in scanned.problems]
                spec = spec_of(contents.scanned(table, scanned.digests))
                segment.add_table(table.name, spec, scanned.rows, problems, scanned.columns(table.name, keep))
            reporter.update(1, 1, "writing the index")
        if again:
            copies = added[0] if len(added) == 1 and isinstance(added[0], SegmentWriter) else writer.segment()
            renamed.add(copies, again, known, segments)
            added += [] if copies in added else [copies]
        return _publish(
            store,
            writer,
            known,
            {t.name for t in stale},
            {t.name for t in listing.tables},
            listing.problems,
            added,
            exact,
            filters,
            tasks,
            started,
        )


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


def _scan_tables(
    tables: Sequence[Table],
    parts: Sequence[Part],
    owner: Sequence[int],
    left: list[int],
    store: Store,
    spark: Any,
    engine: str,
    keep: int | None,
    reporter: Reporter,
    tasks: list[dict[str, Any]],
) -> Iterator[tuple[Table, Scanned]]:
    """Scan tables and yield each as soon as its last part is in. owner: the table of each part; left: parts of each."""

    def show(done: int, total: int) -> None:
        reporter.update(done, total, f"indexing {len(tables):,} tables")

    if engine == "local":
        rows = scan.scan_here(parts, store.normalize, keep, show)
    else:
        session_ = progress.started(len(parts), reporter, spark)
        rows = scan.scan_on_spark(session_, parts, store.normalize, keep, show)
    scanned: dict[int, Scanned] = defaultdict(Scanned)
    by_part = {found.number: found for found in rows}
    for number in range(len(parts)):
        owner_table = owner[number]
        if number in by_part:
            _take(scanned[owner_table], by_part.pop(number), parts[number], tasks)
        left[owner_table] -= 1
        if not left[owner_table]:
            yield tables[owner_table], scanned.pop(owner_table)


def _split(tables: Sequence[Table]) -> tuple[list[Part], list[int], list[int]]:
    """All parts, the table of each, and the number of parts of each table."""
    parts: list[Part] = []
    owner: list[int] = []
    counts = []
    for number, table in enumerate(tables):
        pieces = sources.split(table)
        parts += pieces
        owner += [number] * len(pieces)
        counts.append(len(pieces))
    return parts, owner, counts


def _take(scanned: Scanned, found: PartScan, part: Part, tasks: list[dict[str, Any]]) -> None:
    scanned.rows += found.rows
    scanned.problems += found.problems
    scanned.digests[part.file.path] |= found.digests
    for column in found.columns:
        scanned.parts[column.name].append(column)
    tasks.append(record_of(found, part))


def scan_frame(name: str, frame: Any, store: Store, reporter: Reporter, keep: int | None = None) -> Scanned:
    """A DataFrame as the scan sees it: pandas in this process, Spark where it is."""
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        return scan_spark_frame(name, frame, store, reporter, keep)
    from lakeview import values
    from lakeview.guards import frames

    scanned = Scanned()
    frame = frames.flat(frame)
    scanned.rows = len(frame)
    for i, label in enumerate(frame.columns):
        data = values.as_arrow(frame.iloc[:, i])
        gathering = ColumnScan(str(label), data.type, keep)
        for chunk in getattr(data, "chunks", [data]):
            profile([(gathering, chunk)], store.normalize)
        scanned.parts[str(label)].append(gathering.part(len(frame)))
    return scanned


def scan_spark_frame(name: str, frame: Any, store: Store, reporter: Reporter, keep: int | None = None) -> Scanned:
    """A frame of Spark as the scan sees it, where it is."""
    scanned = Scanned()
    for found in scan.scan_frame_on_spark(
        frame, name, store.normalize, keep, lambda done, total: reporter.update(done, total, name)
    ):
        scanned.rows += found.rows
        for column in found.columns:
            scanned.parts[column.name].append(column)
    scanned.parts = {c: scanned.parts[c] for c in frame.columns if c in scanned.parts}
    return scanned


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
    problems = [list(asdict(p).values()) for p in listing_problems]
    if stale or removed or _too_long(store, exact) or problems != manifest.problems or manifest.indexed_at is None:
        entries = [SegmentEntry(e.id, e.files, list(e.dead)) for e in manifest.segments]
        for name in (stale & set(known)) | removed:
            for place, number in known[name].places:
                entries[place].dead.append(number)
        writer.publish(
            Manifest(manifest.parameters, 0, entries, problems, datetime.now(UTC).isoformat(timespec="seconds")), added
        )
        try:
            if _too_long(store, exact) or compaction.is_due(store):
                compaction.compact(store, writer, exact, filters)
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
