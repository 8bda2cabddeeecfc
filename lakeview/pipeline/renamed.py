"""Tables that the index holds under another name: files that were renamed, moved or copied are not read again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lakeview.catalog.kinds import extension
from lakeview.catalog.model import File, Table
from lakeview.catalog.places import files_of, spec_of
from lakeview.pipeline.known import Known
from lakeview.store.contents import Contents
from lakeview.store.profiles import Column
from lakeview.store.segment import Segment
from lakeview.store.segment_writer import SegmentWriter

_Shape = tuple[Any, ...]


@dataclass(frozen=True)
class Renamed:
    """A table and what the index holds under the name that it had."""

    table: Table
    was: str


def renamed(
    stale: Sequence[Table], known: Mapping[str, Known], held: Contents, exact: bool, filters: bool
) -> tuple[list[Renamed], list[Table]]:
    """The tables of `stale` that are in the index under another name, with the hashes of their files; and the others.

    Files are hashed where the index knows one of the same size and kind, and no others.
    """
    by_shape: dict[_Shape, list[str]] = {}
    for name, found in known.items():
        if found.serves(exact, filters) and (shape := _known_shape(found.spec)):
            by_shape.setdefault(shape, []).append(name)
    again, others = [], []
    for table in stale:
        names = by_shape.get(_shape(table.kind, table.files), [])
        contents = [held.of(file) for file in table.files] if names else []
        was = next((name for name in names if all(contents) and _contents(known[name].spec) == contents), None)
        if was is None:
            others.append(table)
        else:
            files = (replace(file, content=content) for file, content in zip(table.files, contents, strict=True))
            again.append(Renamed(replace(table, files=tuple(files)), was))
    return again, others


def add(
    segment: SegmentWriter, found: Sequence[Renamed], known: Mapping[str, Known], segments: Sequence[Segment]
) -> None:
    """Copy to a new segment what the index holds of tables."""
    for each in found:
        name, places = each.table.name, known[each.was].places
        rows = int(segments[places[0][0]].tables["rows"][places[0][1]])
        problems = [
            [name, *problem[1:]] for s, t in places for problem in json.loads(segments[s].tables["problems"][t])
        ]
        segment.add_table(name, spec_of(each.table), rows, problems, _columns(name, places, segments))


def _columns(name: str, places: Sequence[tuple[int, int]], segments: Sequence[Segment]) -> Iterator[Column]:
    for s, t in places:
        for number in (segments[s].columns["table"].to_numpy() == t).nonzero()[0]:
            yield replace(segments[s].column(int(number)), table=name)


def _shape(kind: str, files: Sequence[File]) -> _Shape:
    """What is alike in a table and its copy, and told without reading: a file is read by its kind and extension."""
    return kind, tuple((file.size, file.keys, file.inner, extension(file.place)) for file in files)


def _known_shape(spec: Any) -> _Shape | None:
    try:
        return _shape(spec["kind"], files_of(spec))
    except (KeyError, TypeError, ValueError):
        return None


def _contents(spec: Any) -> list[str]:
    return [file.get("content", "") for file in spec["files"]]
