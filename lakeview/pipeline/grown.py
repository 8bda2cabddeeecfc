"""Tables of several files that grew: their new files alone are read, and added to what the index holds of the others.

Adding is what merging the parts of a table is anyway (`store.profiles`), so the columns are those of a full reading.
Where they could be others, the table is read whole: see `growing` and `fits`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from lakeview import values
from lakeview.catalog.model import LOGGED, File, Table
from lakeview.catalog.places import spec_of
from lakeview.index import merging
from lakeview.pipeline import within
from lakeview.pipeline.kept import Kept
from lakeview.pipeline.known import Known
from lakeview.pipeline.reading import Pieces, Reader, Scanned, listed
from lakeview.store import contents, parts
from lakeview.store.contents import Contents
from lakeview.store.profiles import Column, ColumnPart, merge_parts
from lakeview.store.segment import Segment
from lakeview.store.segment_writer import SegmentWriter

_G = TypeVar("_G", bound="Grown")


@dataclass(frozen=True)
class Grown:
    """A table with new files, and what the index holds of it: `table` as it was listed, with the contents of the files
    that were there before; segments and its number in each."""

    table: Table
    fresh: tuple[File, ...]
    held: tuple[tuple[Segment, int], ...]

    @cached_property
    def places(self) -> dict[str, tuple[Segment, int]]:
        """Where each column is held, by its name, in the table's order."""
        found = []
        for segment, number in self.held:
            ordinals = segment.columns["ordinal"].to_numpy()
            found += [(int(ordinals[c]), segment, int(c))
                      for c in (segment.columns["table"].to_numpy() == number).nonzero()[0]]  # fmt: skip
        found.sort(key=lambda each: each[0])
        return {segment.columns["name"][column].as_py(): (segment, column) for _, segment, column in found}

    def size(self, name: str) -> int:
        """Tokens that are held of a column."""
        if name not in self.places:
            return 0
        segment, column = self.places[name]
        return int(segment.set_offsets[column + 1] - segment.set_offsets[column])


class Sum:
    """The columns of a table that grew: what is held of it and what was read."""

    def __init__(self, each: Grown, scanned: Scanned) -> None:
        self._each, self._scanned = each, scanned
        segment, number = each.held[0]
        self.rows = int(segment.tables["rows"][number]) + scanned.rows
        before = [told for segment, number in each.held for told in json.loads(segment.tables["problems"][number])]
        self.problems = [*before, *listed(scanned.problems)]

    @property
    def fits(self) -> bool:
        """Whether what was read of the new files adds up with what is held: they have the same columns, and no null of
        before may have been an NA that is a value now."""
        return list(self._scanned.parts) == list(self._each.places) and not any(
            _may_turn(segment, column, self._scanned.parts[name])
            for name, (segment, column) in self._each.places.items()
        )

    @property
    def sizes(self) -> list[int]:
        """Tokens that each column has, at most."""
        return [self._each.size(name) + sum(len(p.tokens) for p in new) for name, new in self._scanned.parts.items()]

    def columns(self, run: range, keep: int | None, writer: SegmentWriter) -> Iterator[Column]:
        """Some of the columns, old and new together, one at a time, for `writer`."""
        names, sizes = list(self._scanned.parts), self.sizes
        for ordinal in run:
            segment, column = self._each.places[names[ordinal]]
            held = segment.described(column, *segment.places_of(column))
            parts = [_as_part(held), *self._scanned.parts[names[ordinal]]]
            slices = merging.merged([(part.tokens, part.counts) for part in parts])
            merged = writer.end_to_end(slices, sizes[ordinal], self.rows)
            yield merge_parts(self._each.table.name, ordinal, parts, self.rows, keep, merged)


def growing(
    stale: Sequence[Table],
    known: Mapping[str, Known],
    segments: Sequence[Segment],
    hashes: Contents,
) -> tuple[list[Grown], list[Table]]:
    """The tables of `stale` that have all their files as they were and some more; and the others.

    A table counts where all of its tokens are held, it has no log, its first file, by which the others are read, is the
    same, and its files have the same partition keys.
    """
    found, others = [], []
    for table in stale:
        spec = known[table.name].spec if table.name in known and known[table.name].whole else None
        grown = _grown(table, spec, hashes) if spec and table.folder is not None and table.kind not in LOGGED else None
        if grown is None:
            others.append(table)
        else:
            held = tuple((segments[s], t) for s, t in known[table.name].places)
            found.append(Grown(grown[0], grown[1], held))
    return found, others


def add(
    found: Sequence[Grown], reader: Reader, kept: Kept, segment: SegmentWriter, new: Callable[[], SegmentWriter]
) -> tuple[list[SegmentWriter], list[Table]]:
    """Read the new files and add the tables to a segment; large ones to some that `new` makes, which are returned, and
    the tables that are to be read whole."""
    more, whole = [], []
    for each, fresh in read(found, reader):
        scanned = Scanned()
        for part in fresh.values():
            scanned.add(part)
        columns = Sum(each, scanned)
        if not columns.fits:
            whole.append(anew(each.table))
            continue
        table = contents.scanned(each.table, scanned.digests)
        kept.write(table, fresh)
        more += write(table, columns, reader.keep, segment, new)
    return more, whole


def read(found: Sequence[_G], reader: Reader) -> Iterator[tuple[_G, dict[str, Scanned]]]:
    """Each table with what is read of each of its new files, by path, in their order."""
    scanned = reader.read(Pieces.by_file([(each.table, each.fresh) for each in found]))
    for each in found:
        yield each, {file.path: next(scanned)[1] for file in each.fresh}


def anew(table: Table) -> Table:
    """The table, of which nothing is known."""
    return replace(table, files=tuple(replace(file, content="") for file in table.files))


def write(
    table: Table, columns: Any, keep: int | None, segment: SegmentWriter, new: Callable[[], SegmentWriter]
) -> list[SegmentWriter]:
    """Add a table to a segment; a large one to some that `new` makes, which are returned. columns: as `Sum` has
    them."""
    runs = parts.ranges(np.array(columns.sizes, np.int64), parts.number(sum(columns.sizes), within.postings()))
    more = []
    for number, run in enumerate(runs):
        target = segment if len(runs) == 1 else new()
        more += [target] if len(runs) > 1 else []
        told = [] if number else columns.problems  # once
        target.add_table(table.name, spec_of(table), columns.rows, told, columns.columns(run, keep, target))
    return more


def _grown(table: Table, spec: Any, hashes: Contents) -> tuple[Table, tuple[File, ...]] | None:
    """The table with the contents that are known, and its new files; None where it is not merely more than before."""
    try:
        before = {(file["root"], file["place"]): file for file in spec["files"]}
        if (spec["kind"], spec["folder"], bool(spec.get("log"))) != (table.kind, table.folder, False):
            return None
        files, fresh = [], []
        for file in table.files:
            old = before.pop((file.root, file.place), None)
            if old is None:
                fresh.append(file)
            elif not (old["content"] and contents.is_alike(file, old) and contents.is_same(file, old, hashes)):
                return None
            files.append(file if old is None else replace(file, content=old["content"]))
    except (KeyError, TypeError):
        return None
    keys = {tuple(key for key, _ in file.keys) for file in table.files}
    if before or not fresh or table.files[0] in fresh or len(keys) != 1:
        return None
    return replace(table, files=tuple(files)), tuple(fresh)


def _as_part(column: Column) -> ColumnPart:
    """What is held of a column as a part of it. A type that its values told is one that they still have a say in."""
    return ColumnPart(
        column.name, column.type, column.rows, column.tokens, column.counts, column.shape, signature=column.signature
    )


def _may_turn(segment: Segment, column: int, added: Sequence[ColumnPart]) -> bool:
    """Whether nulls that are held may have been marks "NA", which together with the new values are a value."""
    few = segment.columns["distinct"][column].as_py() < 2 * len(values.two_letter_tokens())  # codes can be most of
    if not few or not segment.columns["nulls"][column].as_py():
        return False
    tokens, _ = segment.tokens_of(column)
    if values.is_na(tokens).any():
        return False
    return values.na_is_value(np.unique(np.concatenate([tokens, *(part.tokens for part in added)])))
