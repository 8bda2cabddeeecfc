"""A join whose key a program makes: a JoinPlan like any other, with the program to read."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from lakeview.errors import InputError
from lakeview.join.equi import How, Matching
from lakeview.join.naming import Columns as ResultColumns
from lakeview.join.naming import one_line, result_columns
from lakeview.join.plan import JoinPlan
from lakeview.join.side import Side
from lakeview.join.transform.assemble import derive
from lakeview.join.transform.columns import Columns
from lakeview.join.transform.fuzzy_rest import Rest
from lakeview.join.transform.program import Program
from lakeview.values import Normalize, canonical

if TYPE_CHECKING:
    import pandas as pd


NO_REST = Rest()


class DerivedKeys:
    """The keys that programs give, one a row; it stands in for KeyColumn."""

    def __init__(self, keys: list[str | None]) -> None:
        self.whole = pa.array(keys, pa.large_string())

    def __len__(self) -> int:
        return len(self.whole)

    def rows(self, start: int, stop: int) -> pa.Array:
        return self.whole.slice(start, stop - start)


class TransformPlan(JoinPlan):
    """The source joined to the target where a program over the columns of one gives the key of the other.

    programs  applied in order: a row joins by the first whose result is a key
    rest      pairs of near keys that the constrained fuzzy join added
    reverse   the programs read the target, and the key is in the source
    """

    def __init__(self, source: Side, target: Side, programs: tuple[Program, ...], key: Hashable, rest: Rest = NO_REST,
                 reverse: bool = False, how: How = "left", normalize: Normalize = "fold") -> None:  # fmt: skip
        self.programs, self.rest, self.reverse, self.key = programs, rest, reverse, key
        made_from = (target if reverse else source).columns
        self.reads = tuple(sorted({place for program in programs for place in program.reads}))
        first = made_from[self.reads[0]]
        super().__init__(source, target, *((key, first) if reverse else (first, key)), how, normalize)

    @property
    def derived(self) -> Side:
        """The side whose columns the programs read."""
        return self.right if self.reverse else self.left

    @property
    def keyed(self) -> Side:
        """The side whose column is the key."""
        return self.left if self.reverse else self.right

    @property
    def program(self) -> str:
        """The programs as text to read, one a line."""
        lines = list(map(str, self.programs))
        if self.rest.matches:
            many = "1 near key" if len(self.rest.matches) == 1 else f"{len(self.rest.matches)} near keys"
            lines.append(f"{many} ({self.rest.tokens}, {self.rest.distance} of at least {self.rest.threshold:.2f})")
        return "\nelse ".join(lines)

    @cached_property
    def columns(self) -> ResultColumns:
        """The columns of the result: all of both sides, for no two keys are one."""
        both = set(self.left.columns) | set(self.right.columns)
        none = next(name for name in ("", " ", "  ") if name not in both)
        return result_columns(self.left.columns, self.right.columns, none, None, self.right.stem)

    @cached_property
    def _key_texts(self) -> pa.Array:
        return canonical(self.keyed.key(self.key), self.normalize)

    @cached_property
    def _derived_keys(self) -> DerivedKeys:
        keys = set(self._key_texts.to_pylist()) - {None}
        return DerivedKeys(derive(self.programs, Columns.of(self.derived, self.normalize, self.reads), keys, self.rest))

    @cached_property
    def _plain_keys(self) -> DerivedKeys:
        return DerivedKeys(self._key_texts.to_pylist())

    @property
    def _left_keys(self) -> DerivedKeys:  # type: ignore[override]
        return self._plain_keys if self.reverse else self._derived_keys

    @property
    def _right_keys(self) -> DerivedKeys:  # type: ignore[override]
        return self._derived_keys if self.reverse else self._plain_keys

    @cached_property
    def _matching(self) -> Matching:
        return Matching(self._left_keys, self._right_keys.whole)  # type: ignore[arg-type]

    @property
    def pairs(self) -> pd.DataFrame:
        """All matching pairs: columns source and target, 0-based row positions."""
        import pandas as pd

        if self._in_spark:
            raise InputError("a Spark frame has no row positions: use to_spark()")
        source, target = self._matching.pairs()
        return pd.DataFrame({"source": source, "target": target})

    def to_spark(self, spark: Any = None) -> Any:
        """The result as a Spark DataFrame: the PySpark code of this plan, run."""
        from lakeview.join.transform.on_spark import run

        return run(self, spark)

    def code(self, dialect: Literal["pandas", "pyspark", "sql"] = "pandas") -> str:
        """The join as plain code that needs no lakeview: "pandas", "pyspark" or "sql" (Spark's)."""
        from lakeview.join.transform.code import code

        return code(self, dialect)

    def statements(self, dialect: str = "sql") -> list[str]:
        """The SQL statements of `code`, one by one, without the semicolons."""
        from lakeview.join.transform.code import statements

        return statements(self, dialect)

    @property
    def _what(self) -> str:
        key = f"{self.keyed.stem}.{self.key}"
        return one_line(f"{key} = {self.programs[0]}, {self.how} join")
