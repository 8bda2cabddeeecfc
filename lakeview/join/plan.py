"""A join before it runs: what it does to the rows, a look at it, its result, and the code that makes it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, Self

import pyarrow as pa

from lakeview.errors import InputError
from lakeview.guards import checks
from lakeview.join.export.draft import finished
from lakeview.join.matching import Matching
from lakeview.join.model import How, Join, JoinCounts
from lakeview.join.naming import Columns, comment
from lakeview.join.result import require_one_kind, result
from lakeview.join.side import Side
from lakeview.values import Normalize

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CompositePlan", "JoinCounts", "JoinPlan", "equi_join"]

Dialect = Literal["pandas", "pyspark", "sql"]
DIALECTS: tuple[Dialect, ...] = ("pandas", "pyspark", "sql")


def equi_join(left: Side, right: Side, left_on: Hashable, right_on: Hashable, how: How = "left",
              normalize: Normalize = "fold") -> JoinPlan:  # fmt: skip
    """The plan that joins two sides where the canonical text of two columns is equal. Reads no row yet.

    Raises InputError for another `how` or `normalize`, NotFound for a column that is not there.
    """
    left.check(left_on)
    right.check(right_on)
    return JoinPlan(left, right, left_on, right_on, how, normalize)


def of_join(name: str) -> Any:
    """A plan's attribute that is one of what it joins."""
    return property(attrgetter(f"join.{name}"))


class JoinPlan:
    """A left side joined to a right one where the canonical text of two columns is equal.

    Nothing is read before it is asked for. Left rows keep their order (a right join keeps that of the right side);
    the right rows of one left row keep theirs; rows without a key meet none. The result has all left columns, then
    all right ones; where both keys have one name there is one key column; any other name that the left has gets the
    right table's as suffix. A fresh RangeIndex numbers the rows.
    """

    join: Join
    left: Side = of_join("left")
    right: Side = of_join("right")
    how: How = of_join("how")
    normalize: Normalize = of_join("normalize")
    columns: Columns = of_join("columns")
    left_name: str = of_join("left.name")
    right_name: str = of_join("right.name")
    _counts: JoinCounts | None = None

    def __init__(self, left: Side, right: Side, left_on: Hashable, right_on: Hashable, how: How,
                 normalize: Normalize = "fold") -> None:  # fmt: skip
        self.join = Join(left, right, (left_on,), (right_on,), checks.how(how), checks.normalize(normalize))

    @classmethod
    def of(cls, join: Join) -> Self:
        """The plan of what is joined."""
        plan = cls.__new__(cls)
        plan.join = join
        return plan

    @property
    def left_on(self) -> Hashable:
        return self.join.left_on[0]

    @property
    def right_on(self) -> Hashable:
        return self.join.right_on[0]

    @property
    def dialect(self) -> Dialect:
        """That of the code which runs where this plan was made: of a Spark frame "pyspark", else "pandas"."""
        return "pyspark" if self.join.in_spark else "pandas"

    @property
    def _on_spark(self) -> Any:
        """The module that runs this kind of join on Spark: its `counts`, `pairs` and `to_spark` take what is joined."""
        from lakeview.join.spark import run

        return run

    @property
    def keys(self) -> tuple[pa.Array, pa.Array]:
        """The canonical text of both keys, row by row; null where a row has no key."""
        return self.keys_of("left"), self.keys_of("right")

    def keys_of(self, side: Literal["left", "right"]) -> pa.Array:
        """The canonical text of the key of one side that does not lie in Spark."""
        return self.join.keys_of(side)

    @cached_property
    def _matching(self) -> Matching:
        return Matching(self.join.left_keys, self.join.right_keys.whole)

    def require_unchanged(self) -> None:
        """Raise LakeChanged where a table of the lake is not as it was indexed; what was read before is no answer."""
        self.join.require_unchanged()

    def counts(self) -> JoinCounts:
        """The rows that go in, meet and come out, exact, from the keys alone: the join does not run."""
        self.require_unchanged()
        if self._counts is None:
            in_spark = self.join.in_spark
            self._counts = self._on_spark.counts(self.join) if in_spark else self._matching.counts(self.how)
        return self._counts

    @property
    def pairs(self) -> pd.DataFrame:
        """All matching pairs: columns left and right, 0-based row positions; of Spark frames the key values."""
        import pandas as pd

        self.require_unchanged()
        if self.join.in_spark:
            return self._on_spark.pairs(self.join)
        left, right = self._matching.pairs()
        return pd.DataFrame({"left": left, "right": right})

    def preview(self, n: int = 20, matched: bool = False) -> pd.DataFrame:
        """The first `n` rows of the result, `matched`: of those that have a match; of a Spark frame, some `n` rows."""
        n, matched = checks.whole("n", n), checks.flag("matched", matched)
        if self.join.in_spark:
            return self._fetched(most=n)
        return result(self.join, *self._matching.head("inner" if matched else self.how, n))

    def to_pandas(self) -> pd.DataFrame:
        """The whole result."""
        if self.join.in_spark:
            return self._fetched()
        return result(self.join, *self._matching.rows(self.how))

    def to_spark(self, spark: Any = None) -> Any:
        """The result as a Spark DataFrame, of `spark` or else of the session that runs; one is started if none does."""
        checks.session("spark", spark)
        require_one_kind(self.join)
        self.require_unchanged()
        return self._on_spark.to_spark(self.join, spark)

    def _fetched(self, most: int | None = None) -> pd.DataFrame:
        """The rows of the result, or `most` of them, brought here from Spark."""
        from lakeview.join.spark.sides import fetched

        return fetched(self.join, rows=self.to_spark, most=most)

    def code(self, dialect: Dialect = "pandas") -> str:
        """The join as plain code that needs no lakeview: "pandas", "pyspark" or "sql" (Spark's).

        It carries those canonical steps alone that change this join's result. The rows are those of `to_pandas`; in
        pandas they have its order, too, but that an inner merge may swap the right rows of one key.

        Raises InputError where the dialect lacks a step, or reads a file otherwise than the lake does.
        """
        return self._code(checks.choice("dialect", dialect, *DIALECTS))

    def _code(self, dialect: str) -> str:
        require_one_kind(self.join)
        written = self._written(dialect)
        head = "".join(f"{comment(line, '--' if dialect == 'sql' else '#')}\n" for line in self._heading())
        return head + written if dialect == "sql" else finished(self.join, head + written)

    def draft(self, dialect: str) -> str:
        """The code under its heading, as if the analyst had no variables (`export.fitted`)."""
        return self._written(dialect)

    def _written(self, dialect: str) -> str:
        if dialect == "pandas":
            from lakeview.join.export import pandas_code

            return pandas_code.write(self.join)
        if dialect == "pyspark":
            from lakeview.join.export import pyspark_code

            return pyspark_code.write(self.join)
        return "".join(f"{statement};\n" for statement in self._statements())

    def _heading(self) -> list[str]:
        """What the first lines of the code say, in words."""
        return [f"lakeview: {self.summary}"]

    def statements(self, dialect: Dialect = "sql") -> list[str]:
        """The SQL statements of `code`, one by one, without the semicolons."""
        checks.choice("dialect", dialect, "sql")
        require_one_kind(self.join)
        return self._statements()

    def _statements(self) -> list[str]:
        from lakeview.join.export import sql_code

        return sql_code.statements(self.join)

    @property
    def summary(self) -> str:
        """One line: what is joined, how, and to how many rows."""
        return self._counted(self.counts())

    def _counted(self, counts: JoinCounts) -> str:
        return f"{self.join.what}, {counts.rows_out:,} {'row' if counts.rows_out == 1 else 'rows'}"

    def __repr__(self) -> str:
        # Counting may start a Spark job: a repr says what is known.
        return f"JoinPlan({self.join.what if self._counts is None else self._counted(self._counts)})"


class CompositePlan(JoinPlan):
    """As JoinPlan, on several columns: `left_on` and `right_on` are tuples, in one order.

    Of a pair of one name the result has one column, as where one column is joined.
    """

    left_on: tuple[Hashable, ...] = of_join("left_on")
    right_on: tuple[Hashable, ...] = of_join("right_on")

    def __init__(
        self, left: Side, right: Side, left_on: Sequence[Hashable], right_on: Sequence[Hashable], how: How,
        normalize: Normalize = "fold",
    ) -> None:  # fmt: skip
        """Raises InputError unless each column has its own counterpart, NotFound for one that is not there."""
        if len(left_on) != len(right_on) or len(set(left_on)) < len(left_on) or len(set(right_on)) < len(right_on):
            raise InputError("give as many columns of one side as of the other, each once")
        for side, columns in ((left, left_on), (right, right_on)):
            for column in columns:
                side.check(column)
        how, normalize = checks.how(how), checks.normalize(normalize)
        self.join = Join(left, right, tuple(left_on), tuple(right_on), how, normalize)
