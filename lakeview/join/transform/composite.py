"""Composite key columns: split by aligned structure, so that a program can make one part (thesis section 4.4.3).

Where the key columns of both tables hold more than the key ("Barack Obama (1961-)", "Obama, Barack; Honolulu"), no
program over one makes the other. A column that nearly all of whose values have a separator the same number of times is
split there, and a program is learned for each part that could be a key.
"""

from __future__ import annotations

from lakeview.join.transform.columns import Column, Columns
from lakeview.join.transform.operators import Piece, Split
from lakeview.join.transform.program import Program

SEPARATORS = ("(", "[", ";", "|", "/", "@", " - ", " – ", ":", ", ", "_", "-")
ALIGNED = 0.95  # share of the values that have the separator as often as most have
MOST_PARTS = 4
MOST_COLUMNS = 12  # columns with parts that are added to a table


def with_parts(table: Columns) -> tuple[Columns, dict[int, Program]]:
    """A table with the parts of its composite columns behind its columns; and by place what makes each part."""
    columns = list(table.columns)
    made: dict[int, Program] = {}
    for column in table.columns:
        for piece in aligned_parts(column):
            if len(made) < MOST_COLUMNS:
                program = Program((piece,), table.names)
                made[len(columns)] = program
                columns.append(Column(str(program), len(columns), list(map(piece.value, column.values))))
    return Columns(columns, table.rows, table.labels), made


def aligned_parts(column: Column) -> list[Piece]:
    """The pieces between the separators that the values of a column have in the same number, the first such of
    SEPARATORS; none where the column has no such structure."""
    values = list(column.first_row)[:1_000]
    for sep in SEPARATORS if len(values) >= 2 else ():
        counts = [value.count(sep) for value in values]
        usual = max(set(counts), key=counts.count)
        if 0 < usual < MOST_PARTS and counts.count(usual) >= ALIGNED * len(values):
            bare = "bare" if sep in "([" else ""
            return [Piece(column.place, (Split(sep, index),), bare if index else "") for index in range(usual + 1)]
    return []
