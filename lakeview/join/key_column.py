"""The key of each row as canonical text: of one column, or of several together."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from lakeview import values
from lakeview.join.side import Side
from lakeview.join.spark.arrow import composite_key
from lakeview.values import Normalize

if TYPE_CHECKING:
    import pandas as pd


class KeyColumn:
    """Columns as canonical text (null: no key), of one column a piece at a time while no more is asked for.

    columns  Arrow arrays, or pandas Series, which are turned into Arrow no sooner than needed
    """

    def __init__(self, columns: Sequence[pa.Array | pa.ChunkedArray | pd.Series], normalize: Normalize) -> None:
        self._columns, self._normalize = columns, normalize

    @classmethod
    def of(cls, side: Side, on: Sequence[Hashable], normalize: Normalize) -> KeyColumn:
        """The key of a side that does not lie in Spark."""
        column = side.key_series if side.kind == "pandas" else side.key
        return cls([column(label) for label in on], normalize)

    def __len__(self) -> int:
        return len(self._columns[0])

    @cached_property
    def whole(self) -> pa.Array:
        return composite_key([values.canonical(column, self._normalize) for column in self._columns])

    def rows(self, start: int, stop: int) -> pa.Array:
        """The rows from start to stop; whether "NA" is a value shows in the whole column alone."""
        if (start == 0 and stop == len(self)) or "whole" in self.__dict__ or len(self._columns) > 1:
            return self.whole.slice(start, stop - start)
        column = self._columns[0]
        rows = column.iloc[start:stop] if hasattr(column, "iloc") else column.slice(start, stop - start)
        piece = values.canonical_part(rows, self._normalize)
        undecided = pc.equal(pc.ascii_lower(piece), "na")
        return self.whole.slice(start, stop - start) if pc.any(undecided).as_py() else piece
