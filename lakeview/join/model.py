"""What is joined, as data: two sides, the columns that make their keys, and which rows without a partner are kept."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Self

import pyarrow as pa

from lakeview.errors import InputError
from lakeview.guards import checks
from lakeview.join.grain import Grain, Made, made_of
from lakeview.join.key_column import KeyColumn
from lakeview.join.naming import Columns, one_line, result_columns
from lakeview.join.side import Side
from lakeview.values import Normalize

How = Literal["left", "inner", "right", "outer"]
HOWS: tuple[How, ...] = ("left", "inner", "right", "outer")


@dataclass(frozen=True)
class JoinCounts:
    """What a join does to the row counts; `max_fanout` is the most right rows that one left row meets."""

    left_rows: int
    left_matched: int
    right_rows: int
    right_matched: int
    rows_out: int
    max_fanout: int


def rows_out(how: How, matches: int, left_alone: int, right_alone: int) -> int:
    """Rows of a join, from its matching pairs and the rows of each side that meet none."""
    return matches + (left_alone if how in ("left", "outer") else 0) + (right_alone if how in ("right", "outer") else 0)


def require_left_rows(grain: Grain | None, how: How) -> None:
    """Raise InputError where one row each is asked of a join whose rows are not those of the left side."""
    if grain is not None and how not in ("left", "inner"):
        raise InputError(f'one row for each left row is for how="left" or "inner", not "{how}"')


@dataclass(frozen=True, eq=False)
class Join:
    """Rows meet where the canonical text of every left column equals that of the right one in its place.

    left_on, right_on  the columns of the key, as many on either side: one column is a key of one
    grain              how the right side is brought to one row a key before, None where all its rows join
    """

    left: Side
    right: Side
    left_on: tuple[Hashable, ...]
    right_on: tuple[Hashable, ...]
    how: How
    normalize: Normalize = "fold"
    grain: Grain | None = None

    def __post_init__(self) -> None:
        require_left_rows(self.grain, self.how)

    def brought(self, grain: Grain | None) -> Self:
        """The same join with its right side brought to another grain; keys that were made stay."""
        other = replace(self, grain=grain)
        for name in ("left_keys", "right_keys", "both_keys"):
            if name in self.__dict__:
                other.__dict__[name] = self.__dict__[name]
        return other

    @cached_property
    def made(self) -> tuple[Made, ...]:
        """The columns that take the place of the right side's, where its rows are aggregated."""
        return () if self.grain is None else made_of(self.grain, self.right, self.right_on, self.left.columns)

    @property
    def shared(self) -> tuple[Hashable, ...]:
        """The key columns that both sides call the same: the result has them once."""
        return tuple(left for left, right in zip(self.left_on, self.right_on, strict=True) if left == right)

    @cached_property
    def columns(self) -> Columns:
        """The columns of the result; of what is made of the right side, its names are those of the side, too."""
        if self.made:
            left = tuple((column, column) for column in self.left.columns)
            return Columns(left, tuple((made.name, made.name) for made in self.made))
        return result_columns(self.left.columns, self.right.columns, self.shared, self.right.stem)

    @property
    def in_spark(self) -> bool:
        """Whether a side is a Spark frame."""
        return "spark" in (self.left.kind, self.right.kind)

    @cached_property
    def left_keys(self) -> KeyColumn:
        return KeyColumn.of(self.left, self.left_on, self.normalize)

    @cached_property
    def right_keys(self) -> KeyColumn:
        return KeyColumn.of(self.right, self.right_on, self.normalize)

    def keys_of(self, side: Literal["left", "right"]) -> pa.Array:
        """The keys of the rows of one side, which does not lie in Spark; null where a row has none."""
        checks.choice("side", side, "left", "right")
        return (self.left_keys if side == "left" else self.right_keys).whole

    @property
    def what(self) -> str:
        """What is joined, and how, on one line."""
        left, right = (f"{side.stem}.{on[0] if len(on) == 1 else '(' + ', '.join(map(str, on)) + ')'}"
                       for side, on in ((self.left, self.left_on), (self.right, self.right_on)))  # fmt: skip
        return one_line(f"{left} = {right}, {self.how} join{self.of_each}")

    @property
    def of_each(self) -> str:
        """What is done to the right side, ", …" in words."""
        return "" if self.grain is None else f" with {self.grain.said}"

    def require_unchanged(self) -> None:
        """Raise LakeChanged where a table of the lake is not as it was indexed; what was read before is no answer."""
        self.left.require_unchanged()
        self.right.require_unchanged()
