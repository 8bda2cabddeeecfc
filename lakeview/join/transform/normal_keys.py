"""Programs that need no examples: both columns hold dates, amounts or numbered codes, each in its own writing.

They are tried before any are learned, and cost next to nothing. What a column holds is told by its values: a format
that reads most of them, a mark before the fraction of amounts, or digits with the same text before and behind. Where
the keys are uneven, or amounts themselves, both sides are read: the key program says how.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from lakeview.join.transform import amounts, dates
from lakeview.join.transform.candidate import Candidate, Target, judge
from lakeview.join.transform.columns import Column, Columns
from lakeview.join.transform.operators import Constant, Operator, Piece, Split
from lakeview.join.transform.pairs import PairGroup
from lakeview.join.transform.program import Program
from lakeview.join.transform.shapes import WIDEST, date_shape

SOME = 200  # values that are looked at
SAME = 0.7  # of them, those that have the same text around their digits
LEAST = 5  # values of a column that says anything
KEYED = 0.7  # distinct values by rows of a column of keys, which amounts may be here
ISO = "%Y-%m-%d"
_LETTERS = re.compile(r"[^\W\d_]{3}")
_NUMBERED = re.compile(r"([^0-9]*)([0-9]+)([^0-9]*)")


@dataclass
class Writing:
    """How the values of a column are written."""

    column: Column

    @cached_property
    def some(self) -> list[str]:
        values = list(self.column.first_row)
        return values[:: max(1, len(values) // SOME)][:SOME]

    @cached_property
    def dates(self) -> list[tuple[tuple[Split, ...], str]]:
        """The formats of its dates, each with what takes them out of times."""
        cuts: list[tuple[Split, ...]] = [()]
        if sum(":" in value for value in self.some) > SAME * len(self.some):
            cuts = [(Split(" ", 0),), (Split("t", 0),)]
        found = []
        for cut in cuts:
            texts = [text for value in self.some if (text := Piece(0, cut).value(value))]
            found += [(cut, format) for format in dates.formats_of(texts)]
        return found

    @cached_property
    def mark(self) -> str | None:
        return None if self.dates or self.numbered else amounts.mark_of(self.some)

    @cached_property
    def is_plain(self) -> bool:
        return amounts.is_plain(self.some)

    @cached_property
    def numbered(self) -> tuple[str, str, int] | None:
        """What stands before and behind the digits of most values, and how many digits those have that have zeros in
        front of them (0: none has)."""
        matches = [match for value in self.some if (match := _NUMBERED.fullmatch(value))]
        around = Counter((match[1], match[3]) for match in matches).most_common(1)
        if not around or around[0][1] < SAME * len(self.some):
            return None
        (before, behind), _ = around[0]
        digits = [match[2] for match in matches if (match[1], match[3]) == (before, behind)]
        padded = {len(text) for text in digits if text[0] == "0" and len(text) > 1}
        if not padded:
            return before, behind, 0
        width = max(padded)
        even = all(len(text) == width or (len(text) > width and text[0] != "0") for text in digits)
        return (before, behind, width) if even and width <= WIDEST else None


Proposed = tuple[tuple[Operator, ...], str]  # what makes the key, and the shape of the key's column ("" as it is)


def proposed(source: Writing, target: Writing) -> Iterator[Proposed]:
    """The programs that the writings of two columns suggest."""
    yield from _of_dates(source, target)
    place = source.column.place
    if source.mark and (target.is_plain or target.mark):
        yield (Piece(place, (), f"number {source.mark}"),), f"number {target.mark}" if target.mark else ""
    if source.numbered and target.numbered and not source.dates:
        yield from _of_codes(place, source.numbered, target.numbered)


def _of_dates(source: Writing, target: Writing) -> Iterator[Proposed]:
    place = source.column.place
    for cut, format in source.dates[:3]:
        for there, other in target.dates[:3]:
            if there or (dates.has_day(other) and not dates.has_day(format)):
                continue
            to = dates.writing_of(target.some, other)
            if to is None:
                yield (Piece(place, cut, date_shape(format, ISO)),), date_shape(other, ISO)
            elif cut or format != other or dates.writing_of(source.some, format) != to:
                yield (Piece(place, cut, date_shape(format, to)),), ""


def _of_codes(place: int, source: tuple[str, str, int], target: tuple[str, str, int]) -> Iterator[Proposed]:
    before, behind, width = target
    if source == target:
        return
    splits = tuple(split for split in (Split(source[0], 1, "after"), Split(source[1], -1, "before")) if split.sep)
    shape = f"pad{width}" if width else "unpad" if source[2] else ""
    if shape == f"pad{source[2]}":
        shape = ""
    piece = Piece(place, splits, shape)
    yield (*([Constant(before)] if before else []), piece, *([Constant(behind)] if behind else [])), ""


class Found(NamedTuple):
    """Candidates, best first; the key table, the columns that hold keys read behind its own; and by the place of such
    a column the program that makes it."""

    candidates: list[Candidate]
    keyed: Columns
    parts: dict[int, Program]


def normal_candidates(source: Columns, keyed: Columns, rate: float = 1.0) -> Found:
    """The programs over `source` that give keys of `keyed`, both as far as they are to be judged on."""
    made_of = [Writing(c) for c in source.columns if len(c.first_row) >= LEAST]
    aims = [Writing(c) for c in keyed.columns if len(c.first_row) >= LEAST and c.key_share >= KEYED]
    columns = list(keyed.columns)
    parts: dict[int, Program] = {}
    targets: dict[int, Target] = {}
    found: list[Candidate] = []
    for target in aims:
        for own in made_of:
            for operators, shape in proposed(own, target):
                place = target.column.place
                if shape:
                    program = Program((Piece(place, (), shape),), keyed.names)
                    at = next((n for n, known in parts.items() if known == program), len(columns))
                    if at == len(columns):
                        parts[at] = program
                        columns.append(Column(str(program), at, program.apply(keyed)))
                    place = at
                aim = targets.setdefault(place, Target(columns[place], rate))
                group = PairGroup(own.column.place, place)
                found.append(judge(Program(operators, source.names), source, aim, group))
    kept = sorted((c for c in found if c.refusal is None), key=lambda c: c.rank)
    return Found(kept, Columns(columns, keyed.rows, keyed.labels), parts)


def _has_words(column: Column) -> bool:
    """Whether most values hold a word: dates and numbers are told by what they mean."""
    some = list(column.first_row)[:SOME]
    return sum(bool(_LETTERS.search(value)) for value in some) >= SAME * len(some)


def uneven_candidates(source: Columns, keyed: Columns, rate: float = 1.0) -> Found:
    """As `normal_candidates`, of texts in whatever writing: their letters and digits, or their words in order, agree.
    For what no program makes evenly."""
    columns, parts = list(keyed.columns), {}
    found: list[Candidate] = []
    for shape in ("letters", "sorted"):
        made = {c.place: set(filter(None, map(Piece(0, (), shape).value, c.first_row))) for c in source.columns}
        for key in [
            c for c in keyed.columns if len(c.first_row) >= LEAST and c.key_share >= KEYED and not c.is_measure
        ]:
            program = Program((Piece(key.place, (), shape),), keyed.names)
            column = Column(str(program), len(columns), program.apply(keyed))
            target = Target(column, rate)
            for own in source.columns:
                if not _has_words(own):
                    continue
                if len(made[own.place] & target.keys.keys()) >= LEAST:
                    group = PairGroup(own.place, column.place)
                    one = judge(Program((Piece(own.place, (), shape),), source.names), source, target, group)
                    if one.refusal is None and not one.doubtful:
                        found.append(one)
                        if column.place == len(columns):
                            columns.append(column)
                            parts[column.place] = program
    kept = sorted(found, key=lambda c: c.rank)
    return Found(kept, Columns(columns, keyed.rows, keyed.labels), parts)
