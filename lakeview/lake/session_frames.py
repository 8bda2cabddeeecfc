"""The frames of a session that are searched beside the lake: held in memory, nothing of them is written."""

from __future__ import annotations

import itertools
from collections.abc import Container
from typing import Any

from lakeview.errors import InputError, NotFound
from lakeview.guards import checks
from lakeview.index.delta import Delta
from lakeview.join.side import Side
from lakeview.join.variable import variable_name
from lakeview.pipeline import progress, reading
from lakeview.store.session_segment import SessionSegment, SessionTable
from lakeview.store.snapshot import Snapshot
from lakeview.store.store import Store

IDLE = 0.5  # share of a delta that is of frames gone, from which a new one is made of those there are


class SessionFrames:
    """Frames by name. changes: how often one was added or removed.

    Its lake sees to it that one thread at a time puts a frame in or removes one; a copy stays as it is meanwhile.
    """

    def __init__(self) -> None:
        self.changes = 0
        self._delta, self._state = Delta(), Delta()  # what changes, and what is searched
        self._fresh = itertools.count()  # numbers of sets
        self._tables: dict[str, SessionTable] = {}  # replaced by a change, never written to

    def read(self, frame: Any, name: str | None, taken: Container[str], store: Store) -> SessionTable:
        """A frame as a table, under `name` or its variable's.

        taken: names that the lake has. Raises InputError where the name is one of these or there is none, and where the
        frame's columns cannot be told apart by text.
        """
        name = variable_name(frame) if name is None else checks.text("name", name)
        side = Side.frame(frame, "the frame" if name is None else name)
        if name is None:
            raise InputError('give it a name: lake.add(frame, name="orders")')
        if name in taken:
            raise InputError(f'the lake has a table {name!r}: add the frame under another name, as in name="my_{name}"')
        if not side.columns:
            raise InputError(f"{name} has no columns")
        unnamed = next((label for label in side.columns if not isinstance(label, str)), None)
        if unnamed is not None:
            raise InputError(f"{name} has a column {unnamed!r}, whose name is not text: rename it first, "
                             f"as in {name}.columns = {name}.columns.map(str)")  # fmt: skip
        columns, rows = _scanned(side, frame, store)
        return SessionTable(name, rows, columns, [next(self._fresh) for _ in columns], side)

    def put(self, table: SessionTable) -> None:
        """Take a table in; one that is there under its name is replaced."""
        table.enter(self._delta)
        old = self._tables.get(table.name)
        self._tables = {**self._tables, table.name: table}
        self._changed(old)

    def remove(self, name: str) -> None:
        """Forget a frame. Raises NotFound where none has that name."""
        if not checks.label(name, self._tables):
            there = f"there are {', '.join(self._tables)}" if self._tables else "none was added"
            raise NotFound(f"no frame was added as {checks.said(name)}: {there}")
        gone = self._tables[name]
        self._tables = {other: table for other, table in self._tables.items() if other != name}
        self._changed(gone)

    def _changed(self, gone: SessionTable | None) -> None:
        for number in gone.numbers if gone is not None else ():
            self._delta.delete_set(number)
        if self._delta.idle > IDLE:
            self._delta = Delta()
            for table in self._tables.values():
                table.enter(self._delta)
        self._state = self._delta.state()
        self.changes += 1

    def side(self, name: str) -> Side:
        """A frame as one side of a join. Raises NotFound where it was removed."""
        if name not in self._tables:
            raise NotFound(f"the frame {name!r} was removed from the lake: lake.add it again")
        side: Side = self._tables[name].side
        return side

    def beside(self, stored: Snapshot) -> Snapshot:
        """A snapshot with the frames in it; where the lake has since got a table of that name, that one alone."""
        shown = [table for name, table in self._tables.items() if name not in stored.table_names]
        if not shown:
            return stored
        return Snapshot(stored.manifest, [*stored.segments, SessionSegment(self._state, shown)])


def _scanned(side: Side, frame: Any, store: Store) -> tuple[list[Any], int]:
    """The columns of a frame and its rows; a Spark frame is scanned where it is."""
    with progress.reporting() as reporter:
        scanned = reading.scan_frame(side.name, frame, store, reporter)
    if side.kind == "spark":
        reporter.close(f"read {side.name}")
    return scanned.columns(side.name), scanned.rows
