"""A program judged on the tables: the keys that it meets, those that chance would meet, and what speaks against it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

from lakeview.join.transform.columns import Column, Columns
from lakeview.join.transform.cuts import cuts_fields
from lakeview.join.transform.evidence import Chance, carried, contradicted, one_of_several, said_by_some, tail
from lakeview.join.transform.operators import Piece
from lakeview.join.transform.pairs import PairGroup
from lakeview.join.transform.program import Program

COST = 0.7  # keys that an operator must be worth
WEIGHED = 1_500  # of its outputs, those whose chance is looked at
DENSE_KEYS = 5  # keys that a program must meet at least where chance would meet them, too
HIT = 0.8  # of its outputs, those that must be keys there
WORDS = 3  # letters around the digits that are no chance
SIGNIFICANT = 1e-6  # probability of so few misses by chance
MISSED = 30.0  # what all rows are worth where keys are dense


@dataclass
class Target:
    """The key side of a search: a column of the target, its keys and what chance would meet of them."""

    column: Column
    rate: float = 1.0  # of the target's rows, the share that is here
    _chances: dict[tuple[str, str], Chance] = field(default_factory=dict)

    @property
    def chance(self) -> Chance:
        return self.chance_of("", "")

    def chance_of(self, begin: str, end: str) -> Chance:
        """The chance of what stands between `begin` and `end`, which some keys begin and end with."""
        if (begin, end) not in self._chances:
            keys = self.column.first_row
            inner = list(keys) if not (begin or end) else [
                key[len(begin) : len(key) - len(end)]
                for key in keys
                if key.startswith(begin) and key.endswith(end) and len(key) > len(begin) + len(end)
            ]  # fmt: skip
            self._chances[begin, end] = Chance(inner, min(self.rate, 1.0))
        return self._chances[begin, end]

    @property
    def keys(self) -> dict[str, int]:
        return self.column.first_row


@dataclass
class Candidate:
    """A program with what it does to the rows it was judged on."""

    program: Program
    target: Target
    group: PairGroup
    source: Columns
    outputs: list[str | None]
    met: int  # distinct keys met
    evidence: float
    share: float  # of the keys or of the distinct outputs, whichever are fewer
    distinct: int = 0  # outputs
    examples: list[tuple[int, int]] = field(default_factory=list)

    @property
    def rank(self) -> tuple[bool, float, float]:
        """Coverage of keys first, then complexity; a key more does not buy an operator more. Where keys are dense, what
        meets many may be anything: there a row that meets none counts against a program."""
        cost = self.program.cost
        if self.doubtful:
            read = self.program.reads_meaning and self.rows_met >= HIT  # a date is one, whatever chance meets
            return True, COST * cost - MISSED * (self.rows_met + read) - math.log2(1 + self.met), cost
        return False, COST * cost - self.evidence, cost

    @cached_property
    def rows_met(self) -> float:
        """Share of the rows whose output is a key."""
        keys = self.target.keys
        return sum(text in keys for text in self.outputs) / max(1, len(self.outputs))

    @property
    def columns(self) -> list[Column]:
        return self.source.columns

    @cached_property
    def refusal(self) -> str | None:
        """Why this program is no plan, or None where it is one."""
        for op in self.program.operators:
            if not isinstance(op, Piece) or (op.start, op.stop) == (None, None):
                continue
            read, name = self.columns[op.column], self.program.columns[op.column]
            if read.is_quantity:
                return f"cuts the digits of {name}, a number"
            if read.is_date and cuts_fields(op, list(read.first_row)):
                return f"cuts the dates of {name} within a year, month or day"
        if self.met < 3 or (self.met == 3 and self.share < 0.6):
            return f"joins {self.met} keys only"
        if self.share < 0.08:
            return f"joins {self.share:.0%} of the keys only"
        constant, where = self.too_constant
        if constant:
            return f'always says "{constant}", where {where}'
        if self.doubtful and not (self.met >= DENSE_KEYS and self.is_whole and self.is_telling):
            return f"joins {self.met} keys, of which chance would meet {self.met - self.evidence:.1f}"
        return None

    @cached_property
    def too_constant(self) -> tuple[str, str]:
        """A constant of the program that stands for a part that varies ("": none), and where that shows."""
        of = self.program, self.source, self.outputs
        if constant := one_of_several(*of, self.target.keys):
            return constant, "other keys differ"
        if constant := said_by_some(*of, self.target.keys):
            return constant, "other rows differ"
        return contradicted(*of, list(self.target.keys)), "the rows say something else"

    @property
    def is_whole(self) -> bool:
        """Whether most of what it makes is a key; of dates and amounts, or most keys are made."""
        return self.met >= HIT * self.distinct or (self.program.reads_meaning and self.share >= HIT)

    @property
    def is_telling(self) -> bool:
        """Whether keys that chance would meet are worth a look all the same: a column as it is, and short numbers, are
        not."""
        keys = list(self.target.keys)[:200]
        return not self.program.is_identity and not all(key.isdigit() and len(key) < 4 for key in keys)

    @cached_property
    def doubtful(self) -> str:
        """Why what this program joins may be chance, or ""."""
        operators = len(self.program.operators)
        if self.evidence >= max(2.7, 0.75 * operators + 1, 0.5 * self.met):
            return ""
        if self.met >= DENSE_KEYS and self.met >= HIT * self.distinct:
            missed = self.distinct - self.met
            if carried(self.program, self.source, self.outputs, self.target.keys) >= WORDS:
                return ""
            if self.evidence >= 0.75 * operators + 1 and tail(self.distinct, missed, self.evidence) < SIGNIFICANT:
                return ""
        return (
            f"of the {self.met} keys that it meets, chance would meet {self.met - self.evidence:.0f}: "
            "the keys lie close together"
        )


def judge(program: Program, source: Columns, target: Target, group: PairGroup) -> Candidate:
    """Run a program on all rows of `source` and count."""
    outputs = program.apply(source)
    begin, end = program.frame
    chance = target.chance_of(begin, end)
    distinct = {text for text in outputs if text is not None}
    met = sum(1 for text in distinct if text in target.keys)
    # Constants are no evidence: what they stand around must meet what stands between them in the keys.
    expected = 0.0
    if met:
        some = sorted(distinct)[:: max(1, len(distinct) // WEIGHED)]
        expected = math.fsum(chance(text[len(begin) : len(text) - len(end)]) for text in some)
        expected *= len(distinct) / len(some)
        if met < HIT * len(distinct):
            expected *= 2  # clocks and calendars leave out many numbers: keys are denser than they look
    share = met / max(1.0, min(len(distinct) * target.rate, len(target.keys)))
    return Candidate(program, target, group, source, outputs, met, met - expected, share, len(distinct))
