"""Several tables of the lake as one side of a join: their rows one below the other, each with its table's name."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import takewhile

from lakeview.catalog.model import LOGGED, Table
from lakeview.errors import InputError
from lakeview.guards import checks
from lakeview.join.naming import free, stem, word
from lakeview.join.side import Side

OF = "file"  # the column that names a row's table, or the next such name that is free


def stacked(sides: Sequence[Side], on: Sequence[Hashable]) -> Side:
    """Tables of files as one, in their order; columns that some lack are missing there. Its last column, "file", or a
    name that is free, has the name of each row's table.

    on: the columns that it is to be joined by. Raises InputError for tables that are no files of one kind, or lack one
    of these.
    """
    for side in sides:
        if side.kind != "lake" or side.table.kind in LOGGED:
            raise InputError(f"{side.name} is not a file: join its tables one by one")
        if side.table.kind != sides[0].table.kind:
            kinds = f"{sides[0].table.kind} and {side.table.kind}"
            raise InputError(f"{sides[0].name} and {side.name} are of two kinds, {kinds}: join them one by one")
        for column in on:
            if not checks.label(column, side.columns):
                raise InputError(f"{side.name} has no column {checks.said(column)}: join it by itself")
    label = free(OF, {name.lower() for side in sides for name in map(str, side.columns)}, fold=True)
    files = tuple(replace(file, keys=(*file.keys, (label, side.name))) for side in sides for file in side.table.files)
    types: dict[str, str] = {label: "text"}
    for side in sides:
        for column, kind in side.lake_table.types.items():
            types[column] = _wider(types.get(column, kind), kind)

    def change() -> str:
        return next(filter(None, (side.lake_table.change() for side in sides)), "")

    return Side.lake(Table(_name([side.name for side in sides]), sides[0].table.kind, files), types, change)


def is_stacked(table: Table) -> bool:
    """Whether a table is several in one, whose files need not agree."""
    return table.folder is None and len(table.files) > 1


def members(side: Side) -> list[tuple[str, Side]]:
    """The files of such a table, each with what its rows have in the last column."""
    found = []
    for file in side.table.files:
        *keys, (_, name) = file.keys
        one = Table(str(name), side.table.kind, (replace(file, keys=tuple(keys)),), "" if keys else None)
        found.append((str(name), Side.lake(one, side.lake_table.types, side.lake_table.change)))
    return found


def label_of(table: Table) -> str:
    """What its last column is called."""
    return table.files[0].keys[-1][0]


def _wider(one: str, other: str) -> str:
    if one == other:
        return one
    return "number" if {one, other} <= {"integer", "number"} else "text"


def _name(names: Sequence[str]) -> str:
    """What tables have in common at the start of their names, or else that of the first."""
    stems = [stem(name) for name in names]
    letters = takewhile(lambda column: len({*column}) == 1, zip(*stems, strict=False))
    common = word(re.sub(r"[\W\d_]+$", "", "".join(column[0] for column in letters)))
    return f"{common or word(re.sub(r'[0-9]+', '', stems[0])) or 'tables'}_all"
