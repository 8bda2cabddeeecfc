"""A join whose key a program makes: a JoinPlan like any other, with the program to read."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lakeview import values
from lakeview.errors import InputError
from lakeview.guards import checks
from lakeview.join.matching import Matching, Repeated
from lakeview.join.model import How
from lakeview.join.plan import JoinPlan, of_join
from lakeview.join.recipe.drift import Keys
from lakeview.join.side import Side
from lakeview.join.transform.fuzzy_rest import Rest
from lakeview.join.transform.model import NO_REST, TransformJoin, as_program
from lakeview.join.transform.program import Program
from lakeview.join.transform.relearn import learn_again
from lakeview.join.transform.second_key import SecondKey
from lakeview.values import Normalize

if TYPE_CHECKING:
    import pandas as pd


class TransformPlan(JoinPlan):
    """The source joined to the target where a program over the columns of one gives the key of the other; TransformJoin
    says what its attributes are. `key` is the column of the key, or the program that makes that of a composite column.
    """

    join: TransformJoin
    programs: tuple[Program, ...] = of_join("programs")
    program: str = of_join("program")
    key: Hashable = of_join("key")
    key_program: Program = of_join("key_program")
    rest: Rest = of_join("rest")
    reverse: bool = of_join("reverse")
    second: SecondKey | None = of_join("second")
    refused: tuple[str, ...] = of_join("refused")
    doubtful: str = of_join("doubtful")
    derived: Side = of_join("derived")
    keyed: Side = of_join("keyed")
    reads: tuple[int, ...] = of_join("reads")
    keyed_reads: tuple[int, ...] = of_join("keyed_reads")
    derived_columns: list[Hashable] = of_join("derived_columns")

    def __init__(self, source: Side, target: Side, programs: tuple[Program, ...], key: Hashable | Program,
                 rest: Rest = NO_REST, reverse: bool = False, how: How = "left", normalize: Normalize = "fold",
                 second: SecondKey | None = None, refused: tuple[str, ...] = (),
                 doubtful: str = "") -> None:  # fmt: skip
        key = as_program(source if reverse else target, key)
        how, normalize = checks.how(how), checks.normalize(normalize)
        self.join = TransformJoin(left=source, right=target, how=how, normalize=normalize, programs=programs,
                                  key_program=key, rest=rest, reverse=reverse, second=second, refused=refused,
                                  doubtful=doubtful)  # fmt: skip

    @property
    def _on_spark(self) -> Any:
        from lakeview.join.transform import on_spark

        return on_spark

    @property
    def pairs(self) -> pd.DataFrame:
        """All matching pairs: columns source and target, 0-based row positions."""
        import pandas as pd

        if self.join.in_spark:
            raise InputError("a Spark frame has no row positions: use to_spark()")
        source, target = self._matching.pairs()
        return pd.DataFrame({"source": source, "target": target})

    def code(self, dialect: Literal["pandas", "pyspark", "sql"] = "pandas") -> str:
        """The join as plain code that needs no lakeview: "pandas", "pyspark" or "sql" (Spark's)."""
        return super().code(dialect)

    def _written(self, dialect: str) -> str:
        from lakeview.join.transform import pandas_code, spark_code

        if dialect == "sql":
            return super()._written(dialect)
        return pandas_code.write(self.join) if dialect == "pandas" else spark_code.write_pyspark(self.join)

    def _statements(self) -> list[str]:
        from lakeview.join.transform import spark_code

        return spark_code.statements(self.join)

    def heading(self) -> list[str]:
        """What is joined, and the program in words."""
        what = f"lakeview: {self.keyed.stem}.{self.key} is made from {self.derived.stem}:"
        return [what, *(f"  {line}" for line in self.program.split("\n")), *self._warned_of]

    def _repeated(self) -> Repeated:
        return Repeated(0, ()) if self.join.in_spark else super()._repeated()  # no program says it without the join

    def _keys_of(self, join: Any) -> Keys:
        """Of the left the values that the key is made of: what no program makes a key of has none."""
        sides = ((join.left, join.left_on[0]), (join.right, join.right_on[0]))
        left, right = (values.canonical(side.key(column), join.normalize).to_pylist() for side, column in sides)
        met = Matching(join.left_keys, join.right_keys.whole).left_codes >= 0
        held: dict[str, bool] = {}
        for text, is_met in zip(left, met.tolist(), strict=True):
            if text is not None:
                held[text] = held.get(text, False) or is_met
        there = dict.fromkeys(text for text in right if text is not None)
        return Keys(list(held), np.array(list(held.values()), bool), list(there))

    def learn_again(self, right: Mapping[int, str], wrong: Collection[int] = ()) -> TransformPlan:
        """The plan learned again from corrections.

        right: rows (0-based, of the side that the programs read) with the key that they should join. wrong: rows that
        join wrongly. A row that no program serves becomes an exception; a wrongly met key joins nothing any more.
        Raises InputError for rows and keys that are not there, and for Spark frames."""
        checks.kind("right", right, Mapping, "a dict of rows and the keys that they should join")
        right = {checks.whole("a row of right", row): checks.text("a key of right", key) for row, key in right.items()}
        wrong = [checks.whole("each of wrong", row) for row in checks.several("wrong", wrong)]
        return TransformPlan.of(learn_again(self.join, right, wrong))

    def again(self, how: How, left: Side | None = None, right: Side | None = None) -> TransformPlan:
        """The same join of another kind, or of other sides: a left one that has the columns that are read, a right one
        that has the same columns."""
        for side in (left, right):
            if side is not None:
                checks.kind("a side of a join", side, Side, "a Side, as lake.side() gives it")
        join = self.join if left is None else self.join.moved(left)
        return TransformPlan.of(replace(join, how=checks.how(how), right=right or self.right))

    def keys_met(self) -> int:
        """Distinct keys that left rows meet."""
        codes = self._matching.left_codes
        return len(np.unique(codes[codes >= 0]))

    def left_joins(self) -> np.ndarray:
        """bool[left rows]: which of them meet a row."""
        return self._matching.left_codes >= 0

    @property
    def key_codes(self) -> tuple[np.ndarray, np.ndarray]:
        """Of the rows of both sides the number of their key, -1 for none that the right side has."""
        return self._matching.left_codes, self._matching.right_codes
