"""The tables behind an index: each as one side of a join, and what became of it since it was indexed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lakeview.catalog.places import table_of
from lakeview.errors import LakeviewError, NotFound
from lakeview.guards import checks
from lakeview.join.side import Side
from lakeview.lake.origin import Origin
from lakeview.lake.session_frames import SessionFrames
from lakeview.store import contents, session_segment
from lakeview.store.snapshot import Snapshot


@dataclass(frozen=True)
class Tables:
    """roots: the folders and files of the lake by name (`catalog.listing.labelled`). contents: what is known
    of them."""

    snapshot: Snapshot
    origin: Origin
    roots: Mapping[str, Path]
    session: SessionFrames
    contents: contents.Contents

    def side(self, table: str) -> Side:
        """As `Lake.side`."""
        s, table = self.snapshot, checks.text("table", table)
        spec = s.spec_of(table)
        if spec.get("kind") == session_segment.KIND:
            return self.session.side(table)
        columns = s.by_table.get(table)
        if columns is None:
            raise NotFound(f"{table} has no column that could be read; lake.problems says why")
        if not self.origin.roots:
            return self.origin.side(table, int(s.rows[next(iter(columns.values()))]), list(columns))
        held = table_of(table, spec, self.roots)
        change = partial(contents.change, held, self.contents)
        return Side.lake(held, {c: s.types[n] for c, n in columns.items()}, change)

    def change_of(self, table: str) -> str:
        """As `Lake.change_of`."""
        if self.origin.database:
            return ""
        try:
            spec = self.snapshot.spec_of(table)
            if self.origin.roots and spec.get("kind") != session_segment.KIND:
                return contents.change(table_of(table, spec, self.roots), self.contents, glance=True)
            self.side(table)
        except LakeviewError as error:
            return str(error)
        return ""
