"""Nearly equal, and why: where a join meets part of the values, what would meet more of them, counted.

Leading zeros, punctuation, accents, what stands before or behind, dates and amounts in other writings. Each is a way to
write the values of either side; that one is told which joins most of them, and the values that match as they are stay
matched. Keys that a way makes one of two are no keys any more, so such a way is none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lakeview.guards import checks
from lakeview.join.model import How
from lakeview.join.plan import JoinPlan
from lakeview.join.side import Side
from lakeview.join.transform.affixes import beginning, ending
from lakeview.join.transform.columns import Column, Columns
from lakeview.join.transform.normal_keys import Writing, proposed
from lakeview.join.transform.operators import Constant, Operator, Piece, Split
from lakeview.join.transform.plan import TransformPlan
from lakeview.join.transform.program import Program
from lakeview.join.transform.shapes import WIDEST
from lakeview.join.variable import variable_name
from lakeview.values import Normalize

ROWS = 2_000_000  # of a side that is looked at
GAINED = 2  # values that a way must meet beyond those that match
SHARE = 0.05  # of the values that do not match, those that it must meet
APART = 0.98  # of the keys, those that must stay apart
DIGITS = 0.7  # of the values, those that must be digits for zeros to be told of
SHOWN = 4


@dataclass(frozen=True)
class Nearly:
    """What would find more.

    what      "leading zeros", "punctuation", "accents", "what stands around", "dates" or "amounts"
    now       values of the query that match as they are
    found     values that match then
    of        values of the query
    examples  pairs of values that match then, (the query's, the key's)
    plan      the left join that does so
    """

    what: str
    how: str
    now: int
    found: int
    of: int
    examples: list[tuple[str, str]] = field(repr=False)
    plan: TransformPlan = field(repr=False)

    @property
    def why(self) -> str:
        """In a sentence."""
        of = f"{self.now:,} of {self.of:,} values match as they are"
        return f"{of}, {'all' if self.found == self.of else f'{self.found:,}'} once {self.how}"

    def __str__(self) -> str:
        return self.why

    def join(self, how: How = "left", left: Any = None) -> TransformPlan:
        """The plan that joins so; `left` stands for the table of the query."""
        if left is not None and not isinstance(left, Side):
            left = Side.frame(left, variable_name(left) or "left")
        return self.plan if left is None and how == self.plan.how else self.plan.again(checks.how(how), left)


@dataclass(frozen=True)
class _Way:
    what: str
    how: str
    programs: tuple[Program, ...]  # over the left side
    key: Program


def nearly_equal(plan: JoinPlan) -> Nearly | None:
    """What would find more than a join of one column with one, or None: also where a side lies in Spark, or is long."""
    join = plan.join
    if len(join.left_on) != 1 or any(side.kind == "spark" or side.rows > ROWS for side in (join.left, join.right)):
        return None
    left = _distinct(join.left, join.left_on[0], join.normalize)
    right = _distinct(join.right, join.right_on[0], join.normalize)
    own, there = _column(left), _column(right)
    missed = [value for value in own.values if value not in there.first_row]
    now = len(own.values) - len(missed)
    best: tuple[int, _Way, list[tuple[str, str]]] | None = None
    for way in _ways(left, right, missed) if now and missed else ():
        keys = way.key.apply(right)
        met = {key: value for key, value in zip(keys, there.values, strict=True) if key is not None}
        if len(met) < APART * sum(key is not None for key in keys):
            continue
        outputs = zip(own.values, *(program.apply(left) for program in way.programs), strict=True)
        pairs = [(value, met[text]) for value, *made in outputs if (text := _first(made, met)) is not None]
        gained = [(a, b) for a, b in pairs if a not in there.first_row]
        if len(gained) >= max(GAINED, SHARE * len(missed)) and len(pairs) > max(now, best[0] if best else 0):
            best = len(pairs), way, gained[:SHOWN]
    if best is None:
        return None
    found, way, examples = best
    made = TransformPlan(join.left, join.right, way.programs, way.key, how="left", normalize=join.normalize)
    return Nearly(way.what, way.how, now, found, len(own.values), examples, made)


def _first(made: list[str | None], keys: dict[str, str]) -> str | None:
    return next((text for text in made if text in keys), None)


def _distinct(side: Side, label: Any, normalize: Normalize) -> Columns:
    """The distinct values of a side's key, the other columns empty."""
    place = side.columns.index(label)
    table = Columns.of(side, normalize, [place])
    values: list[str | None] = list(table.columns[place].first_row)
    table.columns[place] = Column(str(label), place, values)
    table.rows = len(values)
    return table


def _column(table: Columns) -> Any:
    return next((column for column in table.columns if column.values), table.columns[0])


def _ways(left: Columns, right: Columns, missed: list[str]) -> Iterator[_Way]:
    """The ways to write both sides, the plainest first."""
    own, there = _column(left), _column(right)
    name, key = own.name, Program((Piece(there.place),), right.names)
    same = Program((Piece(own.place),), left.names)

    def over(*operators: Any) -> tuple[Program, ...]:
        """A program, and for what it does not meet the values as they are."""
        return Program(operators, left.names), same

    if _are_digits(missed) and _are_digits(there.values):
        padded = Counter(len(value) for value in there.values if value.isdigit() and value[0] == "0")
        for width, _ in padded.most_common(2):
            if 1 < width <= WIDEST:
                shape = f"pad{width}"
                how = f"{name} is written in {width} digits"
                yield _Way("leading zeros", how, over(Piece(own.place, (), shape)), key)
        bare = Program((Piece(there.place, (), "unpad"),), right.names)
        how = "leading zeros are left out"
        yield _Way("leading zeros", how, over(Piece(own.place, (), "unpad")), key)
        yield _Way("leading zeros", f"{how} on both sides", over(Piece(own.place, (), "unpad")), bare)
    source = Writing(Column(name, own.place, list(missed)))
    for operators, shape in proposed(source, Writing(there)):
        program = Program(operators, left.names)
        if program.reads_meaning:
            what = "dates" if source.dates else "amounts"
            read = Program((Piece(there.place, (), shape),), right.names) if shape else key
            yield _Way(what, f"{what} are read: {program}", over(*operators), read)
    for what, shape in (("punctuation", "letters"), ("accents", "plain")):
        changed = Program((Piece(there.place, (), shape),), right.names)
        yield _Way(what, f"{what} {'is' if shape == 'letters' else 'are'} left out of {name}",
                   over(Piece(own.place, (), shape)), key)  # fmt: skip
        how = f"{what} {'is' if shape == 'letters' else 'are'} left out on both sides"
        yield _Way(what, how, over(Piece(own.place, (), shape)), changed)
    begin, end = beginning(missed), ending(missed)
    splits = tuple(split for split in (Split(begin, 1, "after"), Split(end, -1, "before")) if split.sep)
    held = [value for value in there.values if value not in own.first_row]
    before, behind = beginning(held), ending(held)
    around = " and ".join(f'"{text}"' for text in (begin, end) if text)
    added = " and ".join(f'"{text}"' for text in (before, behind) if text)

    def within(piece: Piece) -> list[Operator]:
        return [*([Constant(before)] if before else []), piece, *([Constant(behind)] if behind else [])]

    if splits:
        yield _Way("what stands around", f"{around} is left out of {name}", over(Piece(own.place, splits)), key)
    if before or behind:
        yield _Way("what stands around", f"{added} is written around {name}", over(*within(Piece(own.place))), key)
        if splits:
            how = f"{added} stands for {around} around {name}"
            yield _Way("what stands around", how, over(*within(Piece(own.place, splits))), key)


def _are_digits(values: list[str]) -> bool:
    return bool(values) and sum(map(str.isdigit, values)) >= DIGITS * len(values)
