"""What is joined through programs, as data: the programs, the key that they make, and what else has to hold."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import pyarrow as pa

from lakeview.join.key_column import KeyColumn
from lakeview.join.model import Join
from lakeview.join.naming import one_line
from lakeview.join.side import Side
from lakeview.join.transform.assemble import derive
from lakeview.join.transform.columns import Columns
from lakeview.join.transform.fuzzy_rest import Rest
from lakeview.join.transform.operators import Piece
from lakeview.join.transform.program import Program
from lakeview.join.transform.second_key import Keys, SecondKey

NO_REST = Rest()


class DerivedKeys(KeyColumn):
    """The keys that programs give, one a row."""

    def __init__(self, keys: list[str | None]) -> None:
        self.whole = pa.array(keys, pa.large_string())

    def __len__(self) -> int:
        return len(self.whole)


@dataclass(frozen=True, eq=False, kw_only=True)
class TransformJoin(Join):
    """The left side, the source, joined to the right one, the target, where a program over the columns of one gives
    the key of the other.

    programs     applied in order: a row joins by the first whose result is a key
    key_program  the column of the key, or how the key of a composite column is made
    rest         pairs of near keys that the constrained fuzzy join added
    reverse      the programs read the target, and the key is in the source
    second       what must agree, too, where a key belongs to several rows of one side
    refused      keys that the analyst found to be joined wrongly: they join nothing
    doubtful     why what it joins may be chance ("" where it is not)
    """

    left_on: tuple[Hashable, ...] = field(init=False)
    right_on: tuple[Hashable, ...] = field(init=False)
    programs: tuple[Program, ...]
    key_program: Program
    rest: Rest = NO_REST
    reverse: bool = False
    second: SecondKey | None = None
    refused: tuple[str, ...] = ()
    doubtful: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        on = (self.derived_columns[0],), (self.key,)
        for name, columns in zip(("left_on", "right_on"), on[::-1] if self.reverse else on, strict=True):
            object.__setattr__(self, name, columns)

    @property
    def shared(self) -> tuple[Hashable, ...]:
        """None: no two keys are one."""
        return ()

    @property
    def derived(self) -> Side:
        """The side whose columns the programs read."""
        return self.right if self.reverse else self.left

    @property
    def keyed(self) -> Side:
        """The side whose column is the key."""
        return self.left if self.reverse else self.right

    @property
    def key(self) -> Hashable:
        """The column that the key is, or is made of."""
        return self.keyed.columns[self.key_program.reads[0]]

    @property
    def derived_columns(self) -> list[Hashable]:
        """The columns that the first program reads."""
        return [self.derived.columns[place] for place in self.programs[0].reads]

    @property
    def reads(self) -> tuple[int, ...]:
        """The places of the columns that are read to make keys."""
        more = (self.second.derived,) if self.second else ()
        return tuple(sorted({place for program in (*self.programs, *more) for place in program.reads}))

    @property
    def keyed_reads(self) -> tuple[int, ...]:
        """The places of the columns that are read on the side of the key."""
        more = (self.second.keyed,) if self.second else ()
        return tuple(sorted({place for program in (self.key_program, *more) for place in program.reads}))

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

    @property
    def what(self) -> str:
        key = f"{self.keyed.stem}.{self.key_program}"
        doubt = f", doubtful: {self.doubtful}" if self.doubtful else ""
        return one_line(f"{key} = {self.programs[0]}, {self.how} join{self.of_each}{doubt}")

    def row_keys(self, derived: Columns, keyed: Columns, rest: Rest | None = None) -> tuple[Keys, Keys]:
        """The keys of the rows of both sides; rows with the same key join."""
        there = [None if key in self.refused else key for key in self.key_program.apply(keyed)]
        made = derive(
            self.programs, derived, {key for key in there if key is not None}, self.rest if rest is None else rest
        )
        return (made, there) if self.second is None else self.second.tell_apart(derived, keyed, made, there)

    @cached_property
    def both_keys(self) -> tuple[DerivedKeys, DerivedKeys]:
        """The keys made and the keys that they meet."""
        derived = Columns.of(self.derived, self.normalize, self.reads)
        made, there = self.row_keys(derived, Columns.of(self.keyed, self.normalize, self.keyed_reads))
        return DerivedKeys(made), DerivedKeys(there)

    @property
    def left_keys(self) -> KeyColumn:
        return self.both_keys[self.reverse]

    @property
    def right_keys(self) -> KeyColumn:
        return self.both_keys[not self.reverse]

    def moved(self, left: Side) -> Self:
        """The same join of another left side, which has the columns that are read, wherever they stand there."""
        to = {}
        for place in self.keyed_reads if self.reverse else self.reads:
            left.check(self.left.columns[place])
            to[place] = left.columns.index(self.left.columns[place])
        names, second = tuple(map(str, left.columns)), self.second
        if self.reverse:
            second = second and replace(second, keyed=second.keyed.moved(to, names))
            return replace(self, left=left, key_program=self.key_program.moved(to, names), second=second)
        second = second and replace(second, derived=second.derived.moved(to, names))
        return replace(self, left=left, programs=tuple(p.moved(to, names) for p in self.programs), second=second)


def as_program(side: Side, key: Hashable | Program) -> Program:
    """The program that makes the key of a side: of a column, that column as it is. Raises NotFound where there is no
    such one."""
    if isinstance(key, Program):
        return key
    side.check(key)
    return Program((Piece(side.columns.index(key)),), tuple(map(str, side.columns)))
