"""What a reading of a text file met: counts for `problems` and for the exported code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lakeview.catalog.model import Problem, ReadError

MAX_PADDED = 4 << 20
PADDED_RATIO = 50


@dataclass
class Findings:
    """Rows without those of totals; rows with too few and too many cells, and the number (from 1) of the first such;
    rows of totals; comment lines; lines whose quote never closes, and the line from which on quotes mean nothing.
    `padded` cells were added to uneven rows, which have `uneven_cells` of their own."""

    rows: int = 0
    short: int = 0
    long: int = 0
    first_uneven: int = 0
    total_rows: int = 0
    comments: int = 0
    unclosed: list[int] = field(default_factory=list)
    plain_from: int | None = None
    padded: int = field(default=0, compare=False)
    uneven_cells: int = field(default=0, compare=False)

    def fit(self, row: list[str], width: int, number: int) -> Sequence[str | None]:
        """Row `number` (from 1) at the table's width: padded with nulls, or its excess dropped, and counted.

        Raises ReadError where nearly all that comes of such rows is padding.
        """
        if len(row) == width:
            return row
        self.first_uneven = self.first_uneven or number
        self.uneven_cells += len(row)
        if len(row) > width:
            self.long += 1
            return row[:width]
        self.short += 1
        self.padded += width - len(row)
        if self.padded > MAX_PADDED:
            self._refuse_padding()
        return [*row, *[None] * (width - len(row))]

    def fit_all(self, widths: np.ndarray, width: int, number: int) -> None:
        """Count rows of so many cells each, the first of which is row `number` (from 1), as `fit` does.

        Raises ReadError where nearly all that comes of such rows is padding.
        """
        uneven = np.flatnonzero(widths != width)
        if len(uneven):
            self.first_uneven = self.first_uneven or number + int(uneven[0])
            short = widths[widths < width]
            self.short += len(short)
            self.long += len(uneven) - len(short)
            self.padded += width * len(short) - int(short.sum())
            self.uneven_cells += int(widths[uneven].sum())
            self._refuse_padding()

    def add(self, other: Findings) -> None:
        """Count what was met in later rows, too."""
        self.rows += other.rows
        self.short += other.short
        self.long += other.long
        self.first_uneven = self.first_uneven or other.first_uneven
        self.total_rows += other.total_rows
        self.comments += other.comments
        self.unclosed += other.unclosed
        self.padded += other.padded
        self.uneven_cells += other.uneven_cells
        self._refuse_padding()

    def _refuse_padding(self) -> None:
        if self.padded > max(MAX_PADDED, PADDED_RATIO * self.uneven_cells):
            raise ReadError("is not a table: nearly all of its rows have far fewer cells than the header")


@dataclass(frozen=True)
class UnevenRows(Problem):
    """Rows with too few and too many cells, and the number (from 1) of the first one."""

    short: int = 0
    long: int = 0
    first: int = 0


def uneven_rows(table: str, short: int, long: int, first: int) -> UnevenRows:
    """What is to be told of uneven rows."""
    counts = {"too few cells, padded with nulls": short, "too many, the excess dropped": long}
    parts = "; ".join(f"{count:,} with {which}" for which, count in counts.items() if count)
    detail = f"{short + long:,} uneven: {parts} (the first is row {first:,})"
    return UnevenRows(table, "uneven rows", detail, short + long, short, long, first)


def problem(told: dict[str, Any]) -> Problem:
    """The inverse of `asdict`."""
    return UnevenRows(**told) if "short" in told else Problem(**told)


def of_parts(met: Iterable[tuple[str, int, Sequence[Problem]]]) -> list[Problem]:
    """Problems of the parts of files in order, each with its file and rows: uneven rows are told once a file."""
    found: list[Problem] = []
    before: dict[str, int] = {}  # rows of the file's parts until now
    uneven: dict[str, tuple[int, UnevenRows]] = {}  # and where it stands among those found
    for path, rows, problems in met:
        for each in problems:
            if not isinstance(each, UnevenRows):
                found.append(each)
            elif path in uneven:
                at, first = uneven[path]
                each = uneven_rows(each.table, first.short + each.short, first.long + each.long, first.first)
                uneven[path], found[at] = (at, each), each
            else:
                each = uneven_rows(each.table, each.short, each.long, before.get(path, 0) + each.first)
                uneven[path] = len(found), each
                found.append(each)
        before[path] = before.get(path, 0) + rows
    return found
