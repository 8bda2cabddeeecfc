"""Tables of which files went or changed: what these held is taken out again, and new files alone are read.

What was read of each file is kept (`kept`), so a column's tokens are those that the index holds, less those of files
that went, with those of files that came; all else is merged from the parts as a full reading does (`merge_parts`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lakeview import values
from lakeview.catalog.model import File, Table
from lakeview.catalog.places import files_of
from lakeview.errors import StoreError
from lakeview.index import merging
from lakeview.pipeline import grown
from lakeview.pipeline.grown import Grown
from lakeview.pipeline.kept import Kept
from lakeview.pipeline.known import Known
from lakeview.pipeline.reading import Reader, Scanned, listed
from lakeview.store import contents
from lakeview.store.contents import Contents
from lakeview.store.profiles import Column, merge_parts, without_na
from lakeview.store.segment import Segment
from lakeview.store.segment_writer import SegmentWriter

_MOST = np.iinfo(np.uint32).max  # counts are held up to it, and beyond nobody knows what is left


class _Unfit(Exception):
    """What is held and what is kept do not add up; the table is read whole."""


@dataclass(frozen=True)
class Altered(Grown):
    """A table with other files than before: new ones, and those that went, as the index knows them."""

    gone: tuple[File, ...] = ()


def altered(
    stale: Sequence[Table], known: Mapping[str, Known], segments: Sequence[Segment], hashes: Contents, kept: Kept
) -> tuple[list[Altered], list[Table]]:
    """The tables of `stale` of which some files are as they were and the profiles of all former ones are kept; and the
    others."""
    found, others = [], []
    for table in stale:
        before = known.get(table.name)
        files = _files(table, before.spec, hashes, kept) if before and before.whole else None
        if before is None or files is None:
            others.append(table)
        else:
            held = tuple((segments[s], t) for s, t in before.places)
            found.append(Altered(files[0], files[1], held, files[2]))
    return found, others


def _files(
    table: Table, spec: Any, hashes: Contents, kept: Kept
) -> tuple[Table, tuple[File, ...], tuple[File, ...]] | None:
    """The table with the contents that are known, its new files, and those that went; None where that cannot be told,
    or a profile is missing."""
    try:
        if table.folder is None or (spec["kind"], spec["folder"]) != (table.kind, table.folder):
            return None
        before = {(file.root, file.place): (file, held)
                  for file, held in zip(files_of(spec), spec["files"], strict=True)}  # fmt: skip
        files, fresh = [], []
        for file in table.files:
            old, held = before.get((file.root, file.place), (None, {}))
            if old and old.content and contents.is_alike(file, held) and contents.is_same(file, held, hashes):
                files.append(replace(file, content=old.content))
                del before[file.root, file.place]
            else:
                files.append(file)
                fresh.append(file)
        gone = tuple(old for old, _ in before.values())
    except (KeyError, TypeError, ValueError):
        return None
    whole = replace(table, files=tuple(files))
    keys = {tuple(key for key, _ in file.keys) for file in (*table.files, *gone)}
    there = [file for file in files if file not in fresh]
    if not there or not gone or len(keys) != 1 or not all(kept.of(whole, file) for file in (*there, *gone)):
        return None
    return whole, tuple(fresh), gone


def add(
    found: Sequence[Altered], reader: Reader, kept: Kept, segment: SegmentWriter, new: Callable[[], SegmentWriter]
) -> tuple[list[SegmentWriter], list[Table]]:
    """As `grown.add`."""
    more, whole = [], []
    for each, fresh in grown.read(found, reader):
        try:
            columns = Rest(each, fresh, kept)
        except (_Unfit, StoreError):
            whole.append(grown.anew(each.table))
            continue
        table = contents.scanned(each.table, columns.scanned.digests)
        kept.write(table, fresh)
        more += grown.write(table, columns, reader.keep, segment, new)
    return more, whole


class Rest:
    """The columns of a table as its files are now. Raises _Unfit where that cannot be told, StoreError where it shows
    later; then nothing that was kept counts any more."""

    def __init__(self, each: Altered, fresh: Mapping[str, Scanned], kept: Kept) -> None:
        self._each, self._kept = each, kept
        self.scanned, self._came, self._went = Scanned(), Scanned(), Scanned()
        before = set[str]()
        for file in each.table.files:
            if file.path in fresh:
                self._came.add(fresh[file.path])
                self.scanned.add(fresh[file.path])
            else:
                there = _kept(each.table, file, kept)
                before |= set(there.parts)
                self.scanned.add(there)
        for file in each.gone:
            self._went.add(_kept(each.table, file, kept))
        if set(each.places) != before | set(self._went.parts) or self._went.rows + self.scanned.rows >= _MOST:
            raise _Unfit
        self._names = list(self.scanned.parts)
        self.rows, self.problems = self.scanned.rows, listed(self.scanned.problems)

    @property
    def sizes(self) -> list[int]:
        """Tokens that each column has, at most."""
        came = self._came.parts
        return [self._each.size(name) + sum(len(p.tokens) for p in came.get(name, ())) for name in self._names]

    def columns(self, run: range, keep: int | None, writer: SegmentWriter) -> Iterator[Column]:
        """Some of the columns, one at a time, for `writer`."""
        for ordinal in run:
            name = self._names[ordinal]
            parts, runs = self.scanned.parts[name], self._runs(name)
            left = map(self._left, merging.merged(runs))
            merged = writer.end_to_end(left, sum(len(tokens) for tokens, _ in runs), self.rows)
            yield merge_parts(self._each.table.name, ordinal, parts, self.rows, keep, merged)

    def _runs(self, name: str) -> list[merging.Run]:
        """What the tokens of a column and the rows of each add up from. Of "NA", which may be held or not, the parts
        alone tell."""
        runs: list[merging.Run] = [_na(part.tokens, part.counts) for part in self.scanned.parts[name]]
        if name in self._each.places:
            segment, column = self._each.places[name]
            tokens, counts = segment.places_of(column)
            runs += [(tokens, counts), _negative(*_na(tokens, counts))]
        runs += [without_na(part.tokens, part.counts) for part in self._came.parts.get(name, ())]
        for part in self._went.parts.get(name, ()):
            runs.append(_negative(*without_na(part.tokens, part.counts)))
        return runs

    def _left(self, run: merging.Run) -> merging.Run:
        """The tokens that still have rows."""
        tokens, counts = run
        if len(counts) and counts.min() < 0:
            self._kept.forget()
            raise StoreError("what was kept of a file is not what the index holds of it: run lake.index() once more, "
                             f"which reads {self._each.table.name} as a whole")  # fmt: skip
        left = counts > 0
        return tokens[left], counts[left]


def _kept(table: Table, file: File, kept: Kept) -> Scanned:
    found, profiles = Scanned(), kept.of(table, file)
    if profiles is None:
        raise _Unfit
    for scan in kept.read(profiles):
        found.take(scan, file.path)
    return found


def _na(tokens: Any, counts: np.ndarray) -> merging.Run:
    at = values.places_of_na(tokens)
    return tokens[at], counts[at]


def _negative(tokens: Any, counts: np.ndarray) -> merging.Run:
    return tokens, -counts.astype(np.int64)
