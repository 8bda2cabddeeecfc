"""A join whose key a program makes: a JoinPlan like any other, with the program to read."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa

from lakeview.errors import InputError
from lakeview.guards import checks
from lakeview.join.matching import How, Matching
from lakeview.join.naming import Columns as ResultColumns
from lakeview.join.naming import one_line, result_columns
from lakeview.join.plan import DIALECTS, JoinPlan
from lakeview.join.side import Side
from lakeview.join.transform.assemble import derive
from lakeview.join.transform.columns import Columns
from lakeview.join.transform.fuzzy_rest import Rest
from lakeview.join.transform.operators import Piece
from lakeview.join.transform.program import Program
from lakeview.join.transform.second_key import Keys, SecondKey
from lakeview.values import Normalize

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
    key       the column of the key, or the program that makes the key of a composite column
    rest      pairs of near keys that the constrained fuzzy join added
    reverse   the programs read the target, and the key is in the source
    second    what must agree, too, where a key belongs to several rows of one side
    refused   keys that the analyst found to be joined wrongly: they join nothing
    doubtful  why what it joins may be chance ("" where it is not)
    """

    def __init__(self, source: Side, target: Side, programs: tuple[Program, ...], key: Hashable | Program,
                 rest: Rest = NO_REST, reverse: bool = False, how: How = "left", normalize: Normalize = "fold",
                 second: SecondKey | None = None, refused: tuple[str, ...] = (),
                 doubtful: str = "") -> None:  # fmt: skip
        self.programs, self.rest, self.reverse = programs, rest, reverse
        self.second, self.refused, self.doubtful = second, refused, doubtful
        made_from, keyed = (target, source) if reverse else (source, target)
        if not isinstance(key, Program):
            keyed.check(key)
            key = Program((Piece(keyed.columns.index(key)),), tuple(map(str, keyed.columns)))
        self.key_program = key
        self.key = keyed.columns[key.reads[0]]
        more = (second.derived,) if second else ()
        self.reads = tuple(sorted({place for program in (*programs, *more) for place in program.reads}))
        more = (second.keyed,) if second else ()
        self.keyed_reads = tuple(sorted({place for program in (key, *more) for place in program.reads}))
        first = made_from.columns[programs[0].reads[0]]
        super().__init__(source, target, *((self.key, first) if reverse else (first, self.key)), how, normalize)

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
            how = ""
            if self.rest.threshold is not None:
                how = f" ({self.rest.tokens}, {self.rest.distance} of at least {self.rest.threshold:.2f})"
            lines.append(many + how)
        text = "\nelse ".join(lines)
        if not self.key_program.is_identity:
            text += f"\nagainst {self.key_program}"
        if self.second is not None:
            text += f"\nand among namesakes {self.second.derived} is {self.second.keyed}"
        return text

    @cached_property
    def columns(self) -> ResultColumns:
        """The columns of the result: all of both sides, for no two keys are one."""
        both = set(self.left.columns) | set(self.right.columns)
        none = next(name for name in ("", " ", "  ") if name not in both)
        return result_columns(self.left.columns, self.right.columns, none, None, self.right.stem)

    def row_keys(self, derived: Columns, keyed: Columns, rest: Rest | None = None) -> tuple[Keys, Keys]:
        """The keys of the rows of both sides; rows with the same key join."""
        there = [None if key in self.refused else key for key in self.key_program.apply(keyed)]
        made = derive(
            self.programs, derived, {key for key in there if key is not None}, self.rest if rest is None else rest
        )
        return (made, there) if self.second is None else self.second.tell_apart(derived, keyed, made, there)

    @cached_property
    def _both_keys(self) -> tuple[DerivedKeys, DerivedKeys]:
        """The keys made and the keys that they meet."""
        derived = Columns.of(self.derived, self.normalize, self.reads)
        made, there = self.row_keys(derived, Columns.of(self.keyed, self.normalize, self.keyed_reads))
        return DerivedKeys(made), DerivedKeys(there)

    @property
    def _left_keys(self) -> DerivedKeys:  # type: ignore[override]
        return self._both_keys[self.reverse]

    @property
    def _right_keys(self) -> DerivedKeys:  # type: ignore[override]
        return self._both_keys[not self.reverse]

    @cached_property
    def _matching(self) -> Matching:
        return Matching(self._left_keys, self._right_keys.whole)  # type: ignore[arg-type]

    @property
    def _on_spark(self) -> Any:
        from lakeview.join.transform import on_spark

        return on_spark

    @property
    def pairs(self) -> pd.DataFrame:
        """All matching pairs: columns source and target, 0-based row positions."""
        import pandas as pd

        if self._in_spark:
            raise InputError("a Spark frame has no row positions: use to_spark()")
        source, target = self._matching.pairs()
        return pd.DataFrame({"source": source, "target": target})

    def code(self, dialect: Literal["pandas", "pyspark", "sql"] = "pandas") -> str:
        """The join as plain code that needs no lakeview: "pandas", "pyspark" or "sql" (Spark's)."""
        from lakeview.join.transform.code import code

        return code(self, checks.choice("dialect", dialect, *DIALECTS))

    def statements(self, dialect: str = "sql") -> list[str]:
        """The SQL statements of `code`, one by one, without the semicolons."""
        from lakeview.join.transform.code import statements

        return statements(self, checks.choice("dialect", dialect, "sql"))

    @property
    def _what(self) -> str:
        key = f"{self.keyed.stem}.{self.key_program}"
        doubt = f", doubtful: {self.doubtful}" if self.doubtful else ""
        return one_line(f"{key} = {self.programs[0]}, {self.how} join{doubt}")

    def learn_again(self, right: Mapping[int, str], wrong: Collection[int] = ()) -> TransformPlan:
        """The plan learned again from corrections.

        right: rows (0-based, of the side that the programs read) with the key that they should join. wrong: rows that
        join wrongly. A row that no program serves becomes an exception; a wrongly met key joins nothing any more.
        Raises InputError for rows and keys that are not there, and for Spark frames."""
        checks.kind("right", right, Mapping, "a dict of rows and the keys that they should join")
        right = {checks.whole("a row of right", row): checks.text("a key of right", key) for row, key in right.items()}
        wrong = [checks.whole("each of wrong", row) for row in checks.several("wrong", wrong)]
        from lakeview.join.transform.relearn import learn_again

        return learn_again(self, right, wrong)

    def again(self, how: How, left: Side | None = None, right: Side | None = None) -> TransformPlan:
        """The same join of another kind, or of other sides: a left one that has the columns that are read, a right one
        that has the same columns."""
        for side in (left, right):
            if side is not None:
                checks.kind("a side of a join", side, Side, "a Side, as lake.side() gives it")
        programs, key, second = self.programs, self.key_program, self.second
        if left is not None:
            to = {}
            for place in self.keyed_reads if self.reverse else self.reads:
                left.check(self.left.columns[place])
                to[place] = left.columns.index(self.left.columns[place])
            names = tuple(map(str, left.columns))
            if self.reverse:
                key = key.moved(to, names)
                second = second and replace(second, keyed=second.keyed.moved(to, names))
            else:
                programs = tuple(program.moved(to, names) for program in programs)
                second = second and replace(second, derived=second.derived.moved(to, names))
        return TransformPlan(left or self.left, right or self.right, programs, key, self.rest, self.reverse, how,
                             self.normalize, second, self.refused, self.doubtful)  # fmt: skip

    def left_joins(self) -> np.ndarray:
        """bool[left rows]: which of them meet a row."""
        return self._matching.left_codes >= 0

    @property
    def derived_columns(self) -> list[Hashable]:
        """The columns that the first program reads."""
        return [self.derived.columns[place] for place in self.programs[0].reads]
