"""A join on several columns together: rows meet where the canonical text of every pair of columns is equal."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lakeview import values
from lakeview.errors import InputError
from lakeview.guards import checks
from lakeview.join.export.needed import family_of, share_a_column
from lakeview.join.matching import How, KeyColumn
from lakeview.join.naming import Columns, one_line, result_columns
from lakeview.join.plan import DIALECTS, Dialect, JoinPlan, coalesced
from lakeview.join.side import Side
from lakeview.join.spark.arrow import composite_key

if TYPE_CHECKING:
    import pandas as pd


class CompositeKeys(KeyColumn):
    """Several columns as one key column."""

    def __init__(self, columns: Sequence[pa.Array | pa.ChunkedArray], normalize: values.Normalize) -> None:
        super().__init__(columns[0], normalize)
        self._columns = columns

    @cached_property
    def whole(self) -> pa.Array:
        return composite_key([values.canonical(column, self._normalize) for column in self._columns])

    def rows(self, start: int, stop: int) -> pa.Array:
        return self.whole.slice(start, stop - start)


class CompositePlan(JoinPlan):
    """As JoinPlan, on several columns: `left_on` and `right_on` are tuples, in one order.

    Of a pair of one name the result has one column, as where one column is joined.
    """

    left_on: tuple[Hashable, ...]
    right_on: tuple[Hashable, ...]

    def __init__(
        self, left: Side, right: Side, left_on: Sequence[Hashable], right_on: Sequence[Hashable], how: How,
        normalize: values.Normalize = "fold",
    ) -> None:  # fmt: skip
        """Raises InputError unless each column has its own counterpart, NotFound for one that is not there."""
        if len(left_on) != len(right_on) or len(set(left_on)) < len(left_on) or len(set(right_on)) < len(right_on):
            raise InputError("give as many columns of one side as of the other, each once")
        for side, columns in ((left, left_on), (right, right_on)):
            for column in columns:
                side.check(column)
        super().__init__(left, right, tuple(left_on), tuple(right_on), how, normalize)

    @property
    def pairs_of_columns(self) -> list[tuple[Hashable, Hashable]]:
        """(left column, right column) of each part of the key."""
        return list(zip(self.left_on, self.right_on, strict=True))

    @property
    def shared(self) -> list[Hashable]:
        """The key columns that both sides call the same: the result has them once."""
        return [left for left, right in self.pairs_of_columns if left == right]

    @cached_property
    def columns(self) -> Columns:
        kept = [column for column in self.right.columns if column not in self.shared]
        return result_columns(self.left.columns, kept, None, None, self.right.stem, one_key=bool(self.shared))

    @cached_property
    def _left_keys(self) -> KeyColumn:
        return CompositeKeys([self.left.key(column) for column in self.left_on], self.normalize)

    @cached_property
    def _right_keys(self) -> KeyColumn:
        return CompositeKeys([self.right.key(column) for column in self.right_on], self.normalize)

    @property
    def _on_spark(self) -> Any:
        from lakeview.join.spark import composite

        return composite

    def to_spark(self, spark: Any = None) -> Any:
        checks.session("spark", spark)
        self._check_kinds()
        return super().to_spark(spark)

    def code(self, dialect: Dialect = "pandas") -> str:
        from lakeview.join.export.composite_code import code

        checks.choice("dialect", dialect, *DIALECTS)
        self._check_kinds()
        return code(self, dialect)

    def statements(self, dialect: Dialect = "sql") -> list[str]:
        from lakeview.join.export.composite_code import statements

        checks.choice("dialect", dialect, "sql")
        self._check_kinds()
        return statements(self, dialect)

    @property
    def _what(self) -> str:
        sides = ((self.left, self.left_on), (self.right, self.right_on))
        left, right = (f"{side.stem}.({', '.join(map(str, on))})" for side, on in sides)
        return one_line(f"{left} = {right}, {self.how} join")

    def _keys_in_result(self, parts: pd.DataFrame, right_frame: pd.DataFrame, left: np.ndarray, right: np.ndarray,
                        ) -> pd.DataFrame:  # fmt: skip
        self._check_kinds()
        left_frame = self.left.to_pandas(self.left_on)
        parts = parts.copy(deep=False)
        for column in self.shared:
            parts[column] = coalesced(left_frame[column], right_frame[column], left, right, self.how)
        return parts

    def _check_kinds(self) -> None:
        """An outer join has one column for both: its values must be of one kind."""
        if self.how != "outer":
            return
        for column in self.shared:
            kinds = [_family(side, column) for side in (self.left, self.right)]
            if not share_a_column(*kinds):
                raise InputError(
                    f"{column} is {kinds[0]} on the left and {kinds[1]} on the right, and an outer join has one column "
                    "for both: rename one of them first"
                )


def _family(side: Side, column: Hashable) -> str:
    if side.kind != "spark":
        return family_of(side.key_series(column))
    return family_of(side.counted(column).column(0).to_pandas())
