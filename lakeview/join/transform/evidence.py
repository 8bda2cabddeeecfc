"""Is a program's coverage more than chance? Numbers meet numbers and short codes meet short codes for no reason.

The chance that a text which means something else is a key all the same: where keys are digits in a fixed frame (12.5,
2024-03-05, MX-0017) it is the density of the keys around it, else the number of keys of its length by the number of
texts it could have been. Evidence is the number of distinct keys met, less the number that chance would meet.
"""

from __future__ import annotations

import bisect
import datetime
import math
import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence

from lakeview.join.transform.columns import Columns
from lakeview.join.transform.operators import Constant
from lakeview.join.transform.program import Program

Outputs = Sequence[str | None]

_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[0-9]+|[^\W\d_]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_NUMBER = re.compile(r"([+-]?)(\d+)(?:\.(\d+))?")
MOST = 100_000  # keys that are looked at; a sample of dates looks sparser than they are
ENOUGH = 24  # characters tell so much that no more need be looked at
SOME = 200  # rows that are looked at
TWINS = 0.5  # share of keys with twins from which a constant is one of several
SOMETIMES = 0.1  # share of the rows that say a constant themselves, and of those that do not
NEIGHBOURS = 5  # keys on each side that say how dense keys are here


class Chance:
    """How likely a random text of the same kind is to be one of some keys.

    keys: they, or a sample of them at that rate."""

    def __init__(self, keys: Sequence[str], rate: float = 1.0) -> None:
        step = max(1, len(keys) // MOST)
        keys, self._scale = keys[::step], step / rate  # a sample tells as much
        frames: dict[str, list[int]] = {}
        for key in keys:
            frame, number = _frame(key)
            frames.setdefault(frame, []).append(number)
        self._numbers = {f: sorted(set(numbers)) for f, numbers in frames.items() if len(numbers) > 1 and "0" in f}
        texts = list(keys)
        # What all keys begin and end with says nothing.
        self._prefix = shared_length(texts)
        self._suffix = shared_length([text[self._prefix :][::-1] for text in texts])
        self._lengths = Counter(map(len, texts))

    def __call__(self, text: str) -> float:
        frame, number = _frame(text)
        numbers = self._numbers.get(frame)
        if numbers:
            return min(1.0, self._scale * _density(numbers, number))
        alike = self._lengths[len(text)]
        if not alike:
            return 0.0
        body = text[self._prefix : len(text) - self._suffix][:ENOUGH]
        return min(1.0, self._scale * alike * 2.0 ** -_bits(body))


def shared_length(texts: Sequence[str]) -> int:
    """Length of what all of several texts begin with."""
    if len(texts) < 2:
        return 0
    low, high = min(texts), max(texts)  # what these two share, all share
    return next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), min(len(low), len(high)))


def _frame(text: str) -> tuple[str, int]:
    """A text as its frame and the number that its digits make; numbers of any length share a frame. Of a date it is the
    number of the day: the last of January is beside the first of February."""
    if _DATE.fullmatch(text):
        try:
            return "0000-00-00", datetime.date.fromisoformat(text).toordinal()
        except ValueError:  # no day of the calendar
            return "day 0", 0
    match = _NUMBER.fullmatch(text)
    if match:
        return f"{match[1]}0.{len(match[3] or '')}", int(match[2] + (match[3] or ""))
    digits = "".join(_DIGIT.findall(text))
    return _DIGIT.sub("0", text), int(digits) if digits else 0


def _density(numbers: list[int], number: int) -> float:
    """Share of the whole numbers around `number` that are in `numbers` (sorted)."""
    if not numbers[0] <= number <= numbers[-1]:
        return 0.0
    at = bisect.bisect_left(numbers, number)
    low, high = max(0, at - NEIGHBOURS), min(len(numbers) - 1, at + NEIGHBOURS)
    return (high - low + 1) / (numbers[high] - numbers[low] + 1)


def _bits(text: str) -> float:
    """What a text tells: 4 bits for each of its first letters, 2 for later ones, 3 for a digit."""
    letters = digits = 0
    for character in text:
        if character.isdigit():
            digits += 1
        elif character.isalpha():
            letters += 1 if character < "\u2e80" else 3  # an ideograph says as much as a few letters
    return 4.0 * min(letters, 3) + 2.0 * max(letters - 3, 0) + 3.0 * digits


def tail(outputs: int, missed: int, evidence: float) -> float:
    """Probability that no more than `missed` of that many outputs are no keys, where each is one by chance as
    often as the evidence leaves open (binomial)."""
    chance = min(1.0, max(0.0, (outputs - missed - evidence) / outputs))
    if not chance or chance == 1.0:
        return chance
    return math.fsum(
        math.exp(
            math.lgamma(outputs + 1) - math.lgamma(k + 1) - math.lgamma(outputs - k + 1)
            + k * math.log1p(-chance) + (outputs - k) * math.log(chance)
        )
        for k in range(missed + 1)
    )  # fmt: skip


def carried(program: Program, source: Columns, outputs: Outputs, keys: Container[str]) -> int:
    """Letters beside digits that the program takes from the source, not from a constant, into every key: of
    "img_00017.jpg" the "img" of "img_00017". An unrelated table would hardly have the same."""
    rows = _met(outputs, keys)
    shared: set[str] | None = None
    for row in rows:
        words = {word for piece in program.pieces(source.row(row)) for word in _LETTERS.findall(piece)}
        shared = words if shared is None else shared & words
        if not shared:
            return 0
    return max(map(len, shared or ()), default=0)


def one_of_several(program: Program, source: Columns, outputs: Outputs, keys: Iterable[str]) -> str:
    """A constant of the program that is but one value of a part that varies: where most of the keys met have twins
    that differ from them there alone ("jan-21" and "jan-22"), something that was not read tells them apart.
    Gives the constant, or ""."""
    keys = list(keys)
    rows = _met(outputs, set(keys))
    for place, operator in enumerate(program.operators):
        if not isinstance(operator, Constant) or not any(map(str.isalnum, operator.text)):
            continue
        size = len(operator.text)
        ends = []
        for row in rows:
            parts = [op(source.row(row)) or "" for op in program.operators]
            ends.append((len("".join(parts[:place])), outputs[row] or ""))
        twins: dict[int, Counter[str]] = {}
        for begin in {begin for begin, _ in ends}:
            twins[begin] = Counter(
                key[:begin] + "\0" + key[begin + size :]
                for key in keys
                if _kind(key[begin : begin + size]) == _kind(operator.text)
            )
        several = sum(twins[begin][text[:begin] + "\0" + text[begin + size :]] > 1 for begin, text in ends)
        if several > TWINS * len(rows):
            return operator.text
    return ""


def said_by_some(program: Program, source: Columns, outputs: Outputs, keys: Container[str]) -> str:
    """A constant of the program that some rows say themselves, where others say something else: one value of a part
    that varies ("198.51.100." of addresses in several networks). Gives the constant, or ""."""
    constants = {op.text: words for op in program.operators if isinstance(op, Constant) if (words := _words(op.text))}
    rows = _met(outputs, keys) if constants else []
    held = [set().union(*(_WORD.findall(text) for text in source.row(row) if text)) for row in rows]
    for constant, words in constants.items():
        said = sum(words <= one for one in held)
        if SOMETIMES * len(rows) <= said <= (1 - SOMETIMES) * len(rows):
            return constant
    return ""


def contradicted(program: Program, source: Columns, outputs: Outputs, keys: Sequence[str]) -> str:
    """A constant of the program where the rows say another of the same words: "ia" beside what says "ky", where rows
    and keys alike have both. Gives the constant, or ""."""
    constants = {op.text: words for op in program.operators if isinstance(op, Constant) if (words := _words(op.text))}
    if not constants:
        return ""
    here = [_said(source, row) for row in range(0, source.rows, max(1, source.rows // SOME))]
    there = [_words(key) for key in keys[:: max(1, len(keys) // SOME)]]
    ours, theirs = (set().union(*side) for side in (here, there))
    both = ours & theirs
    rows = _met(outputs, set(keys)) if any(words & ours for words in constants.values()) else []
    held = [(_said(source, row), _words(outputs[row] or "")) for row in rows]
    for constant, words in constants.items():
        for word in words & ours:
            others = {other for other in both if _kind(other) == _kind(word)}
            if 2 * sum(word not in own and bool(own & others - key) for own, key in held) > len(held):
                return constant
    return ""


def _said(source: Columns, row: int) -> set[str]:
    return set().union(*(_words(text) for text in source.row(row) if text))


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text) if len(word) > 1}


def _met(outputs: Outputs, keys: Container[str]) -> list[int]:
    """Rows whose output is a key, one for each key, and not more than are worth a look."""
    rows = {text: row for row, text in enumerate(outputs) if text is not None and text in keys}
    return list(rows.values())[:: max(1, -(-len(rows) // SOME))]


def _kind(text: str) -> str:
    return "".join("0" if c.isdigit() else "a" if c.isalpha() else c for c in text)
