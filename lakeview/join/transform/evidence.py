"""Is a program's coverage more than chance? Numbers meet numbers and short codes meet short codes for no reason.

The chance that a text which means something else is a key all the same: where keys are digits in a fixed frame (12.5,
2024-03-05, MX-0017) it is the density of the keys around it, else the number of keys of its length by the number of
texts it could have been. Evidence is the number of distinct keys met, less the number that chance would meet.
"""

from __future__ import annotations

import bisect
import re
from collections import Counter
from collections.abc import Sequence

_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"([+-]?)(\d+)(?:\.(\d+))?")
MOST = 5_000  # keys that are looked at
ENOUGH = 24  # characters tell so much that no more need be looked at
NEIGHBOURS = 5  # keys on each side that say how dense keys are here


class Chance:
    """How likely a random text of the same kind is to be one of `keys`."""

    def __init__(self, keys: Sequence[str]) -> None:
        step = max(1, len(keys) // MOST)
        keys, self._scale = keys[::step], step  # a sample tells as much
        frames: dict[str, list[int]] = {}
        for key in keys:
            frame, number = _frame(key)
            frames.setdefault(frame, []).append(number)
        self._numbers = {f: sorted(set(numbers)) for f, numbers in frames.items() if len(numbers) > 1 and "0" in f}
        texts = list(keys)
        # What all keys begin and end with says nothing.
        self._prefix = _common(texts)
        self._suffix = _common([text[self._prefix :][::-1] for text in texts])
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


def _common(texts: Sequence[str]) -> int:
    """Length of what all of several texts begin with."""
    if len(texts) < 2:
        return 0
    low, high = min(texts), max(texts)  # what these two share, all share
    return next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), min(len(low), len(high)))


def _frame(text: str) -> tuple[str, int]:
    """A text as its frame and the number that its digits make; numbers of any length share a frame."""
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
