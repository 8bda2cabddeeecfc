"""A program: operators whose results are concatenated. It is data: text to read, JSON to keep, a function to apply."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lakeview.errors import InputError
from lakeview.join.transform.columns import Columns
from lakeview.join.transform.dates import printed
from lakeview.join.transform.operators import Constant, Operator, Piece, Split, from_json, to_json
from lakeview.join.transform.shapes import formats_of, mark_of, width_of

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


@dataclass(frozen=True)
class Program:
    """Concat of operators over the columns of one table; `columns` are that table's column names."""

    operators: tuple[Operator, ...]
    columns: tuple[str, ...]

    @property
    def cost(self) -> float:
        return sum(operator.cost for operator in self.operators)

    @property
    def reads(self) -> tuple[int, ...]:
        """Places of the columns that it reads, in order."""
        return tuple(sorted({op.column for op in self.operators if isinstance(op, Piece)}))

    @property
    def is_identity(self) -> bool:
        """Whether it gives a column as it is."""
        return len(self.operators) == 1 and self.operators[0] == Piece(self.reads[0] if self.reads else -1)

    @property
    def reads_meaning(self) -> bool:
        """Whether it is one date or amount, read as what it says."""
        only = self.operators[0] if len(self.operators) == 1 else None
        return isinstance(only, Piece) and only.shape.startswith(("date ", "number "))

    @property
    def frame(self) -> tuple[str, str]:
        """The constants that it begins and ends with ("" where there is none)."""
        first, last = self.operators[0], self.operators[-1]
        if len(self.operators) == 1:
            return "", ""
        return tuple(op.text if isinstance(op, Constant) else "" for op in (first, last))  # type: ignore[return-value]

    def apply(self, table: Columns) -> list[str | None]:
        """One key, or None, for each row of `table`."""
        parts: list[list[str | None]] = [
            [op.text] * table.rows if isinstance(op, Constant) else list(map(op.value, table.columns[op.column].values))
            for op in self.operators
        ]
        if len(parts) == 1:
            return parts[0]
        return [None if None in row else "".join(row) for row in zip(*parts, strict=True)]

    def __call__(self, row: Sequence[str | None]) -> str | None:
        parts = [op(row) for op in self.operators]
        return None if None in parts else "".join(parts)  # type: ignore[arg-type]

    def moved(self, to: Mapping[int, int], columns: tuple[str, ...]) -> Program:
        """The same program over another table, whose columns `to` has the places of."""
        moved = (replace(op, column=to[op.column]) if isinstance(op, Piece) else op for op in self.operators)
        return Program(tuple(moved), columns)

    def pieces(self, row: Sequence[str | None]) -> tuple[str, ...]:
        """What it takes from a row, constants left out."""
        return tuple(text for op in self.operators if isinstance(op, Piece) and (text := op(row)) is not None)

    def __str__(self) -> str:
        return " + ".join(describe(op, self.columns) for op in self.operators)

    def to_json(self) -> str:
        return json.dumps({"columns": self.columns, "operators": [to_json(op) for op in self.operators]},
                          ensure_ascii=False)  # fmt: skip

    @classmethod
    def from_json(cls, text: str) -> Program:
        """The program that `to_json` wrote.

        Raises InputError where the text is no program."""
        try:
            data = json.loads(text)
            operators = tuple(from_json(op) for op in data["operators"])
            return cls(operators, tuple(data["columns"]))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"not a program: {error}") from None


def describe(operator: Operator, columns: Sequence[str]) -> str:
    """An operator in words: "last word of name"."""
    if isinstance(operator, Constant):
        return f'"{operator.text}"'
    name = columns[operator.column]
    words = name
    for split in operator.splits:
        words = _describe_split(split, words)
    words = _describe_shape(operator.shape, words)
    return _describe_slice(operator.start, operator.stop, words)


def _describe_split(split: Split, of: str) -> str:
    if split.take == "before":
        last = "the last" if split.index == -1 else f"the last {-split.index}"
        return f"{of} without {last} word{'s' * (split.index < -1)}" if split.sep == " " else (
            f'{of} before {last} "{split.sep}"')  # fmt: skip
    if split.take == "after":
        first = "the first" if split.index == 1 else f"the first {split.index}"
        return f"{of} without {first} word{'s' * (split.index > 1)}" if split.sep == " " else (
            f'{of} after {first} "{split.sep}"')  # fmt: skip
    if split.sep == " ":
        return f"{_ordinal(split.index)} word of {of}"
    if split.index == 0:
        return f'{of} before "{split.sep}"'
    if split.index == -1:
        return f'{of} after the last "{split.sep}"'
    return f'{_ordinal(split.index)} part of {of} at "{split.sep}"'


def _ordinal(index: int) -> str:
    if index >= 0:
        return _ORDINALS[index] if index < len(_ORDINALS) else f"{index + 1}th"
    return "last" if index == -1 else f"{_ORDINALS[-index - 1] if -index <= len(_ORDINALS) else f'{-index}th'} to last"


_SHAPES = {
    "": "{}",
    "bare": "{} without outer punctuation",
    "letters": "letters and digits of {}",
    "plain": "{} without diacritics",
    "initials": "initials of {}",
    "sorted": "sorted words of {}",
    "unpad": "{} without leading zeros",
    "month_number": "month number of {}",
    "month_name": "month name of {}",
    "digits": "digits of {}",
    "digits0": "digits of {} without leading zeros",
}
_SHOWN = datetime.date(2024, 12, 31)  # a day that shows which number is the month


def _describe_shape(name: str, of: str) -> str:
    if name in _SHAPES:
        return _SHAPES[name].format(of)
    if width := width_of(name, "pad"):
        return f"{of} in {width} digits"
    if width := width_of(name, "digits"):
        return f"digits of {of} in {width} digits"
    if mark := mark_of(name):
        return f"number in {of}" + (", decimal comma" if mark == "comma" else "")
    source, to = formats_of(name) or ("", "")
    read, shown = (printed(_SHOWN, format) for format in (source, to))
    return f"date in {of}, {read} as {shown}" if read != shown else f"date in {of}, such as {shown}"


def _describe_slice(start: int | None, stop: int | None, of: str) -> str:
    match start, stop:
        case None, None:
            return of
        case ((None | 0), int()) if stop > 0:
            return f"first letter of {of}" if stop == 1 else f"first {stop} letters of {of}"
        case None, int():
            return f"{of} without its last {_letters(-stop)}"
        case int(), None if start < 0:
            return f"last {_letters(-start)} of {of}"
        case int(), None:
            return f"{of} without its first {_letters(start)}"
        case int(), int() if start >= 0 and stop == start + 1:
            return f"letter {stop} of {of}"
        case int(), int() if start >= 0 and stop > 0:
            return f"letters {start + 1} to {stop} of {of}"
        case _:
            return f"letters {start} to {stop} of {of}"


def _letters(number: int) -> str:
    return "letter" if number == 1 else f"{number} letters"
