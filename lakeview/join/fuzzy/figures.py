"""The numbers in texts: where those of two texts contradict each other, they mean two things, however alike they look.

4th Street is not 5th Street, and the games of 2016 are not those of 2012. Numbers agree where one text has all that the
other has: a year that is left out is no other year. Leading zeros say nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from lakeview.estimate.similarity.compiled import compiled

NUMBER = "[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+"  # 386,088 is 386088
_NUMBER = re.compile(NUMBER)
_DIGITS = 18  # last digits that tell long numbers apart


@dataclass(frozen=True)
class Figures:
    """The numbers of each text, end to end: those of text i are ids[offsets[i]:offsets[i + 1]], ascending, distinct."""

    offsets: np.ndarray
    ids: np.ndarray

    @classmethod
    def of(cls, texts: pa.Array) -> Figures:
        """The same number has the same id in every column."""
        found = [sorted({_id(number) for number in _NUMBER.findall(text)}) for text in texts.to_pylist()]
        offsets = np.cumsum([0, *map(len, found)])
        return cls(offsets, np.array([number for numbers in found for number in numbers], np.int64))


def _id(number: str) -> int:
    return int(number.replace(",", "")[-_DIGITS:])


def agree(left: Figures, right: Figures, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """bool: whether the numbers of left text a[i] and right text b[i], if any (b[i] >= 0), do not contradict each
    other."""
    found = np.ones(len(a), bool)
    there = np.flatnonzero(b >= 0)
    found[there] = _agree(left.offsets, left.ids, right.offsets, right.ids, a[there], b[there])
    return found


@compiled
def _agree(left_offsets, left, right_offsets, right, a, b):  # type: ignore[no-untyped-def]
    found = np.ones(len(a), np.bool_)
    for k in range(len(a)):
        i, end = left_offsets[a[k]], left_offsets[a[k] + 1]
        j, stop = right_offsets[b[k]], right_offsets[b[k] + 1]
        own = other = False  # whether either has a number that the other lacks
        while i < end and j < stop:
            if left[i] == right[j]:
                i += 1
                j += 1
            elif left[i] < right[j]:
                own = True
                i += 1
            else:
                other = True
                j += 1
        found[k] = not ((own or i < end) and (other or j < stop))
    return found
