"""A join through maps: rows that share no value with a table meet it by what their values stand for elsewhere.

Each map adds its column to the left rows, as an ordinary left join that never multiplies them; the last join is one of
that column. So all that a join can do, a bridge can: its steps are plans themselves.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from lakeview.errors import InputError
from lakeview.guards import checks
from lakeview.join.grain import Grain, grain_of
from lakeview.join.lookup import Lookup, MapSide
from lakeview.join.model import How, Join, require_left_rows
from lakeview.join.naming import free, one_line
from lakeview.join.plan import JoinPlan
from lakeview.join.side import Side
from lakeview.values import Normalize

if TYPE_CHECKING:
    import pandas as pd


_KNOWN = ("steps", "_counts", "_joining", "_made", "_warned", "keys_seen", "warnings")
"""What a plan keeps of itself."""

Learned = Callable[[Side, Side, Hashable, Hashable, How], JoinPlan]
"""The plan of a step through a program, of its sides, their columns, and how."""


@dataclass(frozen=True)
class Map:
    """One map of a bridge: in `table`, `source` stands for `target`.

    coverage: the share of the values that come in which it knows. functional: the share of its rows that say what most
    rows of their value say, 1 where it is a function.
    """

    table: str
    source: str
    target: str
    coverage: float
    functional: float

    def __str__(self) -> str:
        return one_line(f"{self.table}: {self.source} → {self.target}")


class BridgePlan(JoinPlan):
    """The left side joined to the right one through one map, or two in a row.

    A JoinPlan like any other, of the left side's rows; beside their columns the result has what the maps gave.
    `maps`: what they are; `steps`: the plans of which it consists; `hops`: of each join the share of the values that
    come in which meet something; `coverage`: of the whole way; `score`, 0 to 1, ranks bridges; `reason` is a sentence.
    """

    _grain: Grain | None = None

    def __init__(
        self,
        left: Side,
        right: Side,
        left_on: Hashable,
        right_on: Hashable,
        lookups: Sequence[Lookup],
        how: How = "left",
        normalize: Normalize = "fold",
        *,
        maps: Sequence[Map] = (),
        hops: Sequence[float] = (),
        coverage: float = 0.0,
        score: float = 0.0,
        reason: str = "",
        learned: Mapping[int, Learned] | None = None,
    ) -> None:
        """learned: of the steps, by number, whose keys a program makes, what makes their plans."""
        left.check(left_on)
        right.check(right_on)
        self._left, self._right, self._on = left, right, (left_on, right_on)
        self.lookups, self._how, self._normalize = list(lookups), checks.how(how), checks.normalize(normalize)
        self._learned = dict(learned or {})
        self.maps, self.hops, self.coverage, self.score, self.reason = list(maps), list(hops), coverage, score, reason

    @property
    def left(self) -> Side:  # type: ignore[override]
        return self._left

    @property
    def right(self) -> Side:  # type: ignore[override]
        return self._right

    @property
    def left_name(self) -> str:  # type: ignore[override]
        return self._left.name

    @property
    def how(self) -> How:  # type: ignore[override]
        return self._how

    @property
    def normalize(self) -> Normalize:  # type: ignore[override]
        return self._normalize

    @property
    def starts_on(self) -> tuple[Hashable, ...]:
        return self._on[:1]

    @property
    def left_on(self) -> Hashable:
        return self._on[0]

    @property
    def right_on(self) -> Hashable:
        return self._on[1]

    @property
    def through(self) -> str:
        """The maps in words: "states.csv: name → code"."""
        return ", ".join(map(str, self.maps)) or ", ".join(lookup.what for lookup in self.lookups)

    @cached_property
    def steps(self) -> list[JoinPlan]:
        """The plans that run one after the other, the last one to the right side. Each starts from the rows of the one
        before, which are those of the left side, in its order."""
        left, on = self._left, self._on[0]
        taken = {self._left.stem, self._right.stem, *(lookup.side.stem for lookup in self.lookups)}
        plans: list[JoinPlan] = []
        for number, lookup in enumerate(self.lookups):
            name = free(lookup.variable, taken)
            taken.add(name)
            source, target = lookup.labels(None if number in self._learned else on)
            right = MapSide.of(lookup, (source, target), name)
            plan = self._step(number, left, right, on, source, "left")
            plans.append(plan)
            on = dict(plan.columns.right)[target]
            left = _Rows(plan)
        return [*plans, self._step(len(plans), left, self._right, on, self._on[1], self._how)]

    def _step(self, number: int, left: Side, right: Side, left_on: Hashable, right_on: Hashable, how: How) -> JoinPlan:
        if number in self._learned:
            plan = self._learned[number](left, right, left_on, right_on, how)
        else:
            plan = JoinPlan(left, right, left_on, right_on, how, self._normalize)
        if number < len(self.lookups) or self._grain is None:
            return plan
        return type(plan).of(plan.join.brought(self._grain))

    @property
    def join(self) -> Join:  # type: ignore[override]
        return self.steps[-1].join

    @property
    def _matching(self) -> Any:  # type: ignore[override]
        return self.steps[-1]._matching

    def require_unchanged(self) -> None:
        self._left.require_unchanged()
        for lookup in self.lookups:
            lookup.side.require_unchanged()
        self._right.require_unchanged()

    def preview(self, n: int = 20, matched: bool = False) -> pd.DataFrame:
        """The first `n` rows of the result, `matched`: of those that have a match; of a Spark frame, some `n` rows."""
        self.require_unchanged()
        return super().preview(n, matched)

    def to_pandas(self) -> pd.DataFrame:
        """The whole result."""
        self.require_unchanged()
        return super().to_pandas()

    @property
    def pairs(self) -> pd.DataFrame:
        """All matching pairs: columns source and target, 0-based row positions; of Spark frames the values of both
        keys."""
        import pandas as pd

        self.require_unchanged()
        if not self.join.in_spark:
            source, target = self._matching.pairs()
            return pd.DataFrame({"source": source, "target": target})
        met = self.with_many().again("inner")
        columns = dict(met.columns.right)
        target = columns.get(self._on[1], self._on[1])
        keys = met.to_spark().toDF(*(f"c{place}" for place in range(len(met.columns.names))))
        places = [list(map(str, met.columns.names)).index(str(label)) for label in (self._on[0], target)]
        return keys.select(*(f"c{place}" for place in places)).toPandas().set_axis(["source", "target"], axis=1)

    def again(self, how: How, left: Side | None = None) -> BridgePlan:
        """The same join of another kind, or of another left side that has the column."""
        require_left_rows(self._grain, checks.how(how))
        made = self._copy()
        made._left, made._how = left or self._left, how
        return made

    def with_many(self, many: str | Mapping[Hashable, str] = "all", when: Hashable = None) -> BridgePlan:
        """The same join in which each left row stays one, as `JoinPlan.with_many` has it; the maps multiply none, so
        that the rows of the right side alone are brought to one a key."""
        grain = grain_of(many, when, self._right, self._on[1:])
        require_left_rows(grain, self._how)
        if grain == self._grain:
            return self
        made = self._copy()
        made._grain = grain
        if "steps" in self.__dict__:
            made.__dict__["steps"] = [*self.steps[:-1], self.steps[-1].with_many(many, when)]
        return made

    def _copy(self) -> BridgePlan:
        """The same, of which nothing is known yet."""
        made = copy.copy(self)
        for name in _KNOWN:
            made.__dict__.pop(name, None)
        return made

    def check(self, form: Any = "sql") -> str:
        """Raises InputError: what holds of each step is that step's to check."""
        raise InputError("a bridge has no check of its own: write one of each step, plan.steps[0].check(…)")

    def left_joins(self) -> np.ndarray:
        """bool[left rows]: which of them meet a row."""
        return np.asarray(self._matching.left_codes >= 0)

    def to_spark(self, spark: Any = None) -> Any:
        """The result as a Spark DataFrame, of `spark` or else of the session that runs; one is started if none does."""
        checks.session("spark", spark)
        self.require_unchanged()
        left, made = self._left, None
        for number, step in enumerate(self.steps):
            on = step.left_on, step.right_on
            made = self._step(number, left, step.right, *on, step.how).to_spark(spark)
            left = Side.frame(made, "rows")
        return made

    def _written(self, dialect: str) -> str:
        from lakeview.join.export import bridge_code

        if dialect == "sql":
            return super()._written(dialect)
        return bridge_code.write(self.steps, dialect)

    def _code(self, dialect: str) -> str:
        from lakeview.join.export import bridge_code

        head = [f"lakeview: {self.summary}"]
        return bridge_code.headed(head, self._written(dialect), self.steps, self.lookups, dialect)

    def _statements(self) -> list[str]:
        from lakeview.join.export import bridge_code

        return bridge_code.statements(self.steps)

    @property
    def _what(self) -> str:
        sides = (f"{side.stem}.{on}" for side, on in zip((self._left, self._right), self._on, strict=True))
        by = "".join(f" by {self.steps[number].program}" for number in self._learned)  # type: ignore[attr-defined]
        each = f" with {self._grain.said}" if self._grain else ""
        return one_line(f"{' = '.join(sides)} through {self.through}{by}, {self._how} join{each}")

    def _counted(self, counts: Any) -> str:
        return f"{self._what}, {counts.rows_out:,} {'row' if counts.rows_out == 1 else 'rows'}"

    def __repr__(self) -> str:
        return f"BridgePlan({self._what if self._counts is None else self._counted(self._counts)})"


class _Rows(Side):
    """The rows of a step as the left side of the next, made when they are asked for; their columns are known before."""

    def __init__(self, plan: JoinPlan) -> None:
        from lakeview.join.export.draft import names
        from lakeview.join.export.fitted import bare

        super().__init__(bare(names(plan.join).result), "spark" if plan.join.in_spark else "pandas")
        del self._frame
        self._plan, self.held, self.columns = plan, self, plan.columns.names

    @cached_property
    def _frame(self) -> Any:
        return self._plan.to_spark() if self.kind == "spark" else self._plan.to_pandas()
