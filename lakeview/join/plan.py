"""A join before it runs: what it does to the rows, a look at it, its result, and the code that makes it."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import pyarrow as pa

from lakeview.errors import InputError, JoinWarning
from lakeview.guards import checks
from lakeview.join.export.draft import finished
from lakeview.join.grain import grain_of
from lakeview.join.matching import Matching, Repeated
from lakeview.join.model import How, Join, JoinCounts
from lakeview.join.naming import Columns, comment
from lakeview.join.one_each import aggregated, counted, picked
from lakeview.join.recipe.drift import Drift, Keys, drift
from lakeview.join.recipe.journal import note
from lakeview.join.result import require_one_kind, result
from lakeview.join.side import Side
from lakeview.join.warned import dropping, many_to_many
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
    _warned = False

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
    def starts_on(self) -> tuple[Hashable, ...]:
        """The left columns from which it starts: its keys, but where a plan goes through other tables first."""
        return self.join.left_on

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

    @cached_property
    def _joining(self) -> Matching:
        """The matching of the rows that come out."""
        return self._matching if self.join.grain is None else picked(self.join, self._matching)

    @cached_property
    def _made(self) -> pd.DataFrame | None:
        """What is made of the right side, a row a key, where its rows are aggregated."""
        return aggregated(self.join, self._matching.right_codes) if self.join.made else None

    def with_many(self, many: str | Mapping[Hashable, str] = "all", when: Hashable = None) -> Self:
        """The same join in which each left row stays one, whatever the right side holds; or, "all", meets all its rows.

        many: which right row of a key joins, "first", "last" or "latest"; "aggregate" makes one row of them by the
        types of the columns (how many rows, sums of amounts, means of rates and prices, first and last times, how many
        distinct values of text and ids), "list" keeps all values; a dict says which columns become what: {"amount":
        "sum", "day": "max"}, of sum, mean, min, max, count, distinct, first, last, list. Columns that are made are
        called `amount_sum`. when: the column that says which row is the latest; may be left out where one alone does.

        Raises InputError for another word, for how="right" and "outer", and where the values do not bear it; NotFound
        for a column that is not there.
        """
        grain = grain_of(many, when, self.join.right, self.join.right_on)
        if grain == self.join.grain:
            return self
        plan = type(self).of(self.join.brought(grain))
        if "_matching" in self.__dict__:
            plan.__dict__["_matching"] = self._matching
        return plan

    @property
    def many(self) -> str | dict[Hashable, str]:
        """What becomes of several right rows of a key, as `with_many` takes it."""
        grain = self.join.grain
        return "all" if grain is None else dict(grain.hows) if grain.hows else grain.many

    @property
    def when(self) -> Hashable:
        """The column that says which right row is the latest; None where nothing asks for it."""
        return None if self.join.grain is None else self.join.grain.when

    def require_unchanged(self) -> None:
        """Raise LakeChanged where a table of the lake is not as it was indexed; what was read before is no answer."""
        self.join.require_unchanged()

    def counts(self) -> JoinCounts:
        """The rows that go in, meet and come out, exact, from the keys alone: the join does not run."""
        self.require_unchanged()
        if self._counts is None:
            in_spark = self.join.in_spark
            counts = self._on_spark.counts(self.join) if in_spark else self._matching.counts(self.how)
            self._counts = counts if self.join.grain is None else counted(counts, self.how)
        return self._counts

    @cached_property
    def warnings(self) -> list[str]:
        """What the join does to rows that is seldom wanted, a sentence each: keys that repeat on both sides (m:n), and
        left rows that drop. That one left row meets several right ones (1:n) is no fault."""
        said = [] if self.join.grain is not None else many_to_many(self.join, self._repeated(), self.counts())
        return [*said, *dropping(self.join, self.counts(), self._alone)]

    def _repeated(self) -> Repeated:
        return self._on_spark.repeated(self.join) if self.join.in_spark else self._matching.repeated()

    def _alone(self) -> list[str]:
        """Some left keys that meet none."""
        if self.join.in_spark:
            return []
        found = np.flatnonzero(self._matching.left_codes < 0)[:1000]
        return [key for key in self.join.left_keys.whole.take(pa.array(found)).to_pylist() if key is not None]

    def _warn(self) -> None:
        """Say once what `warnings` has. Of Spark frames nothing is: finding out is a job of its own."""
        if not self.join.in_spark and not self._warned:
            self._warned = True
            for said in self.warnings:
                warnings.warn(said, JoinWarning, stacklevel=3)

    @property
    def pairs(self) -> pd.DataFrame:
        """All matching pairs: columns left and right, 0-based row positions; of Spark frames the key values. Those of
        which `many` makes one row are among them."""
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
        return self._result(*self._joining.head("inner" if matched else self.how, n))

    def to_pandas(self) -> pd.DataFrame:
        """The whole result."""
        if self.join.in_spark:
            return self._noted(self._fetched())
        self._warn()
        return self._noted(self._result(*self._joining.rows(self.how)))

    def _result(self, left: np.ndarray, right: np.ndarray) -> pd.DataFrame:
        """The rows of the result, by position on each side (-1: no row there)."""
        if self._made is not None:
            right = np.append(self._matching.right_codes, -1)[right]  # the last for -1
        return result(self.join, left, right, self._made)

    def to_spark(self, spark: Any = None) -> Any:
        """The result as a Spark DataFrame, of `spark` or else of the session that runs; one is started if none does."""
        checks.session("spark", spark)
        require_one_kind(self.join)
        self.require_unchanged()
        self._warn()
        return self._noted(self._on_spark.to_spark(self.join, spark))

    def _noted(self, made: Any) -> Any:
        """A result, remembered for `lv.recipe()`."""
        note(made, self.join)
        return made

    def recheck(self) -> Drift:
        """What changed in the keys since this plan was made: their sides are read anew, whatever was indexed.

        The answer shows as a sentence: "98% of the keys matched then, 81% now; …", with the kind of the change where it
        has one (case, padding, signs, prefix, new years, keys gone, new keys) and samples; it is false where nothing
        changed. Raises InputError for a Spark frame, LakeChanged where the plan had not looked at its keys before.
        """
        if self.join.in_spark:
            raise InputError("the keys of a side lie in Spark: take its to_pandas()")
        then = self.keys_seen.profile()
        now = replace(self.join, left=self.join.left.again(), right=self.join.right.again())
        return drift(then, self._keys_of(now))

    @cached_property
    def keys_seen(self) -> Keys:
        """The distinct keys of both sides, and which of the left meet one."""
        return self._keys_of(self.join)

    def _keys_of(self, join: Any) -> Keys:
        return Keys.of(join.left_keys.whole, join.right_keys.whole)

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
        head = "".join(f"{comment(line, '--' if dialect == 'sql' else '#')}\n" for line in self.heading())
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

    def heading(self) -> list[str]:
        """What the first lines of the code say, in words."""
        return [f"lakeview: {self.summary}", *self._warned_of]

    @property
    def _warned_of(self) -> list[str]:
        """What the code says of rows; of Spark frames nothing, as finding out is a job of its own."""
        return [] if self.join.in_spark else self.warnings

    def check(self, form: Literal["sql", "pyspark", "pandera", "dbt", "datacontract"] = "sql") -> str:
        """What holds of this join today as a check for tomorrow: how often keys of the right side repeat, rows without
        a key, left rows that meet none (or the match rate, where some do), and how many rows there are.

        form: "sql" (Spark's: a SELECT of what is amiss), "pyspark", "pandera" (a function: `check(left, right,
        joined)`), "dbt" (a singular test, for tests/), "datacontract". Raises InputError where keys do not meet by
        being equal, a side lies in Spark, or, of the last two, keys are not equal as they lie.
        """
        from lakeview.join.check import facts, write

        checks.choice("form", form, *write.FORMATS)
        self.require_unchanged()
        found = facts.facts(self.join, self._matching)
        if form == "sql":
            return "".join(f"{statement};\n" for statement in write.sql(self.join, found))
        return str(getattr(write, form)(self.join, found))

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
