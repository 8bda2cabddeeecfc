"""The columns of a table as canonical text: what programs read and what keys are compared by."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from lakeview.join.transform import dates
from lakeview.values import Normalize, canonical

if TYPE_CHECKING:
    from lakeview.join.side import Side

Row = Sequence[str | None]


@dataclass
class Column:
    """One column: its name, place, and one canonical text (or None) a row."""

    name: str
    place: int
    values: list[str | None]

    @cached_property
    def first_row(self) -> dict[str, int]:
        """Each distinct value with the first row that holds it, in order of appearance."""
        found: dict[str, int] = {}
        for row, value in enumerate(self.values):
            if value is not None and value not in found:
                found[value] = row
        return found

    @cached_property
    def filled(self) -> int:
        return sum(value is not None for value in self.values)

    @cached_property
    def is_measure(self) -> bool:
        """Whether most values are numbers with a fraction: measurements, which have no parts and are no keys."""
        values = list(self.first_row)[:500]
        return sum("." in v and v.replace(".", "", 1).lstrip("+-").isdigit() for v in values) * 2 > len(values)

    @cached_property
    def is_quantity(self) -> bool:
        """Whether the values are whole numbers of different lengths: their digits have no place to be cut at."""
        values = list(self.first_row)[:500]
        numbers = [v for v in values if v.lstrip("+-").isdigit()]
        return len(numbers) > 0.9 * len(values) and len(set(map(len, numbers))) > 1

    @cached_property
    def is_date(self) -> bool:
        """Whether most values are dates in one format."""
        return bool(self.first_row) and bool(dates.formats_of(list(self.first_row)))

    @property
    def key_share(self) -> float:
        """Distinct values by rows that hold one: 1.0 is a key."""
        return len(self.first_row) / self.filled if self.filled else 0.0


@dataclass
class Columns:
    """A table, column by column, in canonical text."""

    columns: list[Column]
    rows: int
    labels: tuple[Hashable, ...] = ()
    _tuples: list[tuple[str | None, ...]] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, side: Side, normalize: Normalize = "fold", reads: Sequence[int] | None = None,
           rows_at: np.ndarray | None = None) -> Columns:  # fmt: skip
        """From a side of a join: all columns, or those at the places `reads` (the others are left empty); all rows,
        or those at the positions `rows_at`."""
        columns = []
        rows = 0
        for place, label in enumerate(side.columns):
            values: list[str | None] = []
            if reads is None or place in reads:
                raw = side.key(label)
                if rows_at is not None:
                    raw = raw.take(pa.array(rows_at))
                values = canonical(raw, normalize=normalize).to_pylist()
                rows = len(values)
            columns.append(Column(str(label), place, values))
        return cls(columns, rows, tuple(side.columns))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def row(self, position: int) -> tuple[str | None, ...]:
        return tuple(column.values[position] for column in self.columns)

    def tuples(self) -> list[tuple[str | None, ...]]:
        if self._tuples is None:
            self._tuples = list(zip(*(c.values for c in self.columns), strict=True)) if self.columns else []
        return self._tuples

    def take(self, positions: np.ndarray | None) -> Columns:
        """The rows at `positions` (0-based) as a table of their own; None is all of them."""
        if positions is None:
            return self
        chosen = positions.tolist()
        columns = [Column(c.name, c.place, [c.values[i] for i in chosen]) for c in self.columns]
        return Columns(columns, len(chosen), self.labels)
