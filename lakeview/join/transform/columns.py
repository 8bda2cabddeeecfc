"""The columns of a table as canonical text: what programs read and what keys are compared by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from lakeview.values import as_arrow, canonical

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

    @property
    def key_share(self) -> float:
        """Distinct values by rows that hold one: 1.0 is a key."""
        return len(self.first_row) / self.filled if self.filled else 0.0


@dataclass
class Columns:
    """A table, column by column, in canonical text."""

    columns: list[Column]
    rows: int
    normalize: str = "fold"
    positions: np.ndarray | None = None  # rows of the whole table, where this is a sample
    name: str = "table"
    _tuples: list[tuple[str | None, ...]] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, frame: Any, normalize: str = "fold", name: str = "table") -> Columns:
        """From a pandas frame (column names are taken as text; repeated names are told apart by place)."""
        columns = [
            Column(str(label), place, canonical(as_arrow(frame.iloc[:, place]), normalize=normalize).to_pylist())
            for place, label in enumerate(frame.columns)
        ]
        return cls(columns, len(frame), normalize, name=name)

    def row(self, position: int) -> tuple[str | None, ...]:
        return tuple(column.values[position] for column in self.columns)

    def tuples(self) -> list[tuple[str | None, ...]]:
        if self._tuples is None:
            self._tuples = list(zip(*(c.values for c in self.columns), strict=True)) if self.columns else []
        return self._tuples

    def take(self, positions: np.ndarray) -> Columns:
        """The rows at `positions` (0-based), as a table of their own that remembers where they were."""
        chosen = positions.tolist()
        columns = [Column(c.name, c.place, [c.values[i] for i in chosen]) for c in self.columns]
        return Columns(columns, len(chosen), self.normalize, positions, self.name)
