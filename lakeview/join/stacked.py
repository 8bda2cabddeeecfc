"""What is stacked, as data: a frame, and tables whose rows go under hers, with the columns that go together."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from lakeview import values
from lakeview.join.naming import one_line
from lakeview.join.side import Side
from lakeview.join.spark.arrow import composite_key
from lakeview.values import Normalize

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Piece:
    """A table that is stacked. columns: of hers, what it calls them; drifted: those that it calls otherwise; own: all
    columns that it has."""

    side: Side
    columns: Mapping[Hashable, str]
    drifted: Mapping[Hashable, str]
    rows: int
    score: float
    own: Sequence[str]


class Stack:
    """A frame, and the rows of a table or of a family of tables under it.

    `score`, 0 to 1, is how far the tables list the same kind of thing.
    """

    def __init__(self, left: Side, pieces: Sequence[Piece], score: float, normalize: Normalize = "fold") -> None:
        self.left, self.pieces, self.score, self.normalize = left, list(pieces), score, normalize

    @property
    def table(self) -> str:
        """The best of its tables."""
        return self.pieces[0].side.name

    @property
    def tables(self) -> list[str]:
        """All of them, best first."""
        return [piece.side.name for piece in self.pieces]

    @property
    def columns(self) -> pd.DataFrame:
        """Of each column of hers what the first table calls it: column, theirs (None where it lacks one), drifted."""
        import pandas as pd

        first = self.pieces[0]
        rows = [(label, first.columns.get(label), label in first.drifted) for label in self.left.columns]
        return pd.DataFrame(rows, columns=["column", "theirs", "drifted"])

    @property
    def drifted(self) -> dict[Hashable, str]:
        """Columns that some table calls otherwise, and how."""
        return {label: name for piece in reversed(self.pieces) for label, name in piece.drifted.items()}

    @property
    def missing(self) -> list[Hashable]:
        """Her columns that no table has."""
        return [label for label in self.left.columns if not any(label in piece.columns for piece in self.pieces)]

    @property
    def extra(self) -> list[str]:
        """Their columns that she lacks."""
        held = [{*piece.columns.values()} for piece in self.pieces]
        left = (name for piece, own in zip(self.pieces, held, strict=True) for name in piece.own if name not in own)
        return list(dict.fromkeys(left))

    @property
    def rows(self) -> int:
        """Rows that all tables have."""
        return sum(piece.rows for piece in self.pieces)

    @cached_property
    def new(self) -> int:
        """Rows of theirs that are not in hers yet, by the columns that both have; the tables are read."""
        found = 0
        left = self.left.here(None)
        for piece in self.pieces:
            labels = list(piece.columns)
            mine, theirs = (
                _rows(left, labels, self.normalize),
                _rows(piece.side, list(piece.columns.values()), self.normalize),
            )
            found += int((~np.isin(theirs, mine)).sum())
        return found

    @property
    def there(self) -> float:
        """Share of their rows that she has already."""
        return (self.rows - self.new) / self.rows if self.rows else 0.0

    @property
    def reason(self) -> str:
        """What is stacked, in a sentence or two."""
        held = len(self.left.columns) - len(self.missing)
        said = f"{held:,} of {len(self.left.columns):,} columns agree"
        if self.drifted:
            said += f", {len(self.drifted):,} under {'another name' if len(self.drifted) == 1 else 'other names'}"
        many = f"{len(self.pieces):,} tables of one family: " if len(self.pieces) > 1 else ""
        return f"{many}{said}; {self.rows:,} rows."

    @property
    def what(self) -> str:
        """The tables, on one line."""
        more = f" (+{len(self.pieces) - 1:,} alike)" if len(self.pieces) > 1 else ""
        return one_line(f"{self.table}{more}")


def as_text(piece: Piece, left: Side) -> tuple[Hashable, ...]:
    """The columns of a table that are read as text, because hers are."""
    return tuple(name for label, name in piece.columns.items() if _is_text(left, label))


def _is_text(left: Side, label: Hashable) -> bool:
    if left.kind == "spark":
        return bool(dict(left.numbered.dtypes)[f"c{left.columns.index(label)}"] == "string")
    if left.kind == "lake":
        return left.lake_table.types.get(str(label)) not in ("integer", "number")
    kind = left.key_series(label).dtype.kind
    return bool(kind not in "iufbmM")


def _rows(side: Side, labels: Sequence[Hashable], normalize: Normalize) -> np.ndarray:
    """A hash of each row, by the canonical text of some columns; gaps count as values."""
    texts = [values.canonical(column, normalize).fill_null("\\N") for column in side.keys(labels)]
    return np.asarray(values.hash_strings(composite_key(texts).cast(pa.large_string())))
