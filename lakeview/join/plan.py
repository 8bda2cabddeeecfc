"""A join before it runs: what it does to the rows, a look at it, its result, and the code that makes it."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa

from lakeview import values
from lakeview.guards import checks
from lakeview.join.export.needed import family_of, share_a_column
from lakeview.join.matching import How, JoinCounts, KeyColumn, Matching
from lakeview.join.naming import Columns, one_line, result_columns
from lakeview.join.side import Side

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["JoinCounts", "JoinPlan"]

Dialect = Literal["pandas", "pyspark", "sql"]
DIALECTS: tuple[Dialect, ...] = ("pandas", "pyspark", "sql")


class JoinPlan:
    """A left side joined to a right one where the canonical text of two columns is equal.

    Nothing is read before it is asked for. Left rows keep their order (a right join keeps that of the right side);
    the right rows of one left row keep theirs; rows without a key meet none. The result has all left columns, then
    all right ones; where both keys have one name there is one key column; any other name that the left has gets the
    right table's as suffix. A fresh RangeIndex numbers the rows.
    """

    def __init__(self, left: Side, right: Side, left_on: Hashable, right_on: Hashable, how: How,
                 normalize: values.Normalize = "fold") -> None:  # fmt: skip
        self.left, self.right = left, right
        self.left_on, self.right_on = left_on, right_on
        self.how: How = checks.how(how)
        self.normalize: values.Normalize = checks.normalize(normalize)
        self._counts: JoinCounts | None = None

    @property
    def left_name(self) -> str:
        return self.left.name

    @property
    def right_name(self) -> str:
        return self.right.name

    @cached_property
    def columns(self) -> Columns:
        """The columns of the result."""
        return result_columns(self.left.columns, self.right.columns, self.left_on, self.right_on, self.right.stem)

    @property
    def _in_spark(self) -> bool:
        return "spark" in (self.left.kind, self.right.kind)

    @property
    def dialect(self) -> Dialect:
        """That of the code which runs where this plan was made: of a Spark frame "pyspark", else "pandas"."""
        return "pyspark" if self._in_spark else "pandas"

    @property
    def _on_spark(self) -> Any:
        """The module that runs this kind of join on Spark: its `counts`, `pairs` and `to_spark` take the plan."""
        from lakeview.join.spark import run

        return run

    @cached_property
    def keys(self) -> tuple[pa.Array, pa.Array]:
        """The canonical text of both key columns, row by row; null where a row has no key."""
        return self.keys_of("left"), self.keys_of("right")

    def keys_of(self, side: Literal["left", "right"]) -> pa.Array:
        """The canonical text of one key column that does not lie in Spark."""
        checks.choice("side", side, "left", "right")
        return (self._left_keys if side == "left" else self._right_keys).whole

    @cached_property
    def _left_keys(self) -> KeyColumn:
        of_pandas = self.left.kind == "pandas"
        column = self.left.key_series(self.left_on) if of_pandas else self.left.key(self.left_on)
        return KeyColumn(column, self.normalize)

    @cached_property
    def _right_keys(self) -> KeyColumn:
        return KeyColumn(self.right.key(self.right_on), self.normalize)

    @cached_property
    def _matching(self) -> Matching:
        return Matching(self._left_keys, self._right_keys.whole)

    def require_unchanged(self) -> None:
        """Raise LakeChanged where a table of the lake is not as it was indexed; what was read before is no answer."""
        self.left.require_unchanged()
        self.right.require_unchanged()

    def counts(self) -> JoinCounts:
        """The rows that go in, meet and come out, exact, from the keys alone: the join does not run."""
        self.require_unchanged()
        if self._counts is None:
            self._counts = self._on_spark.counts(self) if self._in_spark else self._matching.counts(self.how)
        return self._counts

    @property
    def pairs(self) -> pd.DataFrame:
        """All matching pairs: columns left and right, 0-based row positions; of Spark frames the key values."""
        import pandas as pd

        self.require_unchanged()
        if self._in_spark:
            return self._on_spark.pairs(self)
        left, right = self._matching.pairs()
        return pd.DataFrame({"left": left, "right": right})

    def preview(self, n: int = 20, matched: bool = False) -> pd.DataFrame:
        """The first `n` rows of the result, `matched`: of those that have a match; of a Spark frame, some `n` rows."""
        n, matched = checks.whole("n", n), checks.flag("matched", matched)
        if self._in_spark:
            from lakeview.join.spark import run

            return run.fetched(self, most=n)
        return self._rows(*self._matching.head("inner" if matched else self.how, n))

    def to_pandas(self) -> pd.DataFrame:
        """The whole result."""
        if self._in_spark:
            from lakeview.join.spark import run

            return run.fetched(self)
        return self._rows(*self._matching.rows(self.how))

    def to_spark(self, spark: Any = None) -> Any:
        """The result as a Spark DataFrame, of `spark` or else of the session that runs; one is started if none does."""
        checks.session("spark", spark)
        self.require_unchanged()
        return self._on_spark.to_spark(self, spark)

    def code(self, dialect: Dialect = "pandas") -> str:
        """The join as plain code that needs no lakeview: "pandas", "pyspark" or "sql" (Spark's).

        It carries those canonical steps alone that change this join's result. The rows are those of `to_pandas`; in
        pandas they have its order, too, but that an inner merge may swap the right rows of one key.

        Raises InputError where the dialect lacks a step, or reads a file otherwise than the lake does.
        """
        from lakeview.join.export.common import code

        return code(self, checks.choice("dialect", dialect, *DIALECTS))

    def statements(self, dialect: Dialect = "sql") -> list[str]:
        """The SQL statements of `code`, one by one, without the semicolons."""
        from lakeview.join.export.common import statements

        checks.choice("dialect", dialect, "sql")
        return statements(self, dialect)

    @property
    def summary(self) -> str:
        """One line: what is joined, how, and to how many rows."""
        return self._counted(self.counts())

    def _counted(self, counts: JoinCounts) -> str:
        return f"{self._what}, {counts.rows_out:,} {'row' if counts.rows_out == 1 else 'rows'}"

    @property
    def _what(self) -> str:
        left, right = f"{self.left.stem}.{self.left_on}", f"{self.right.stem}.{self.right_on}"
        return one_line(f"{left} = {right}, {self.how} join")

    def __repr__(self) -> str:
        # Counting may start a Spark job: a repr says what is known.
        return f"JoinPlan({self._what if self._counts is None else self._counted(self._counts)})"

    def _rows(self, left: np.ndarray, right: np.ndarray) -> pd.DataFrame:
        """The result's rows, by position on each side (-1: no row there)."""
        import pandas as pd

        left_frame, right_frame = self.left.to_pandas(self.left_on), self.right.to_pandas(self.right_on)
        parts = _take(left_frame, left)
        if self.columns.one_key and self.how in ("right", "outer"):
            parts = self._keys_in_result(parts, right_frame, left, right)
        others = _take(right_frame[[column for column, _ in self.columns.right]], right)
        others.columns = pd.Index([name for _, name in self.columns.right], dtype=object)
        result = pd.concat([parts, others], axis=1)
        result.columns = pd.Index(self.columns.names, dtype=object)
        return result

    def _keys_in_result(self, parts: pd.DataFrame, right_frame: pd.DataFrame, left: np.ndarray, right: np.ndarray,
                        ) -> pd.DataFrame:  # fmt: skip
        """The left columns of the result, the key column filled from both sides."""
        key = self.left.to_pandas(self.left_on)[self.left_on]
        parts = parts.copy(deep=False)
        parts[self.left_on] = coalesced(key, right_frame[self.right_on], left, right, self.how)
        return parts


def _take(frame: pd.DataFrame, positions: np.ndarray) -> pd.DataFrame:
    if len(positions) == len(frame) and (positions == np.arange(len(frame))).all():
        return frame.reset_index(drop=True)
    if (positions >= 0).all():
        return frame.take(positions).reset_index(drop=True)
    # Position -1 is no label of the fresh index: pandas fills it as a merge would.
    return frame.reset_index(drop=True).reindex(positions).reset_index(drop=True)


def coalesced(left_key: pd.Series, right_key: pd.Series, left: np.ndarray, right: np.ndarray, how: How) -> pd.Series:
    """The single key column of a right or outer join: the right's value, in an outer join the left's where it is."""
    if how == "right":
        return _take(right_key.to_frame(), right).iloc[:, 0]
    if not share_a_column(family_of(left_key), family_of(right_key)):
        left_key, right_key = _as_text(left_key), _as_text(right_key)
    elif "category" in (left_key.dtype, right_key.dtype):  # as merge() does
        left_key, right_key = left_key.astype(object), right_key.astype(object)
    from_left = _take(left_key.to_frame(), left).iloc[:, 0]
    return from_left.where(left >= 0, _take(right_key.to_frame(), right).iloc[:, 0])


def _as_text(series: pd.Series) -> pd.Series:
    """The values printed as the canonical rule prints them; gaps are NaN."""
    import pandas as pd

    if family_of(series) == "text":
        return series.astype(object)
    printed = values.text(values.as_arrow(series)).to_pandas().astype(object)
    return pd.Series(printed.where(printed.notna()).to_numpy(), index=series.index, name=series.name)
