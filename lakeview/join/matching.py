"""Which rows of two columns meet: equal canonical text, compared as text and never by a hash; nulls meet nothing."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeview.join.key_column import KeyColumn
from lakeview.join.model import How, JoinCounts, rows_out

Positions = tuple[np.ndarray, np.ndarray]
"""Row positions of both sides, int64, one pair an output row; -1 where a side has no row."""


@dataclass(frozen=True)
class Repeated:
    """How many keys several rows of both sides have, and some of them: (key, left rows, right rows)."""

    keys: int
    some: tuple[tuple[str, int, int], ...]


class Matching:
    """The pairs of two columns, left by left, the right ones in order within a left."""

    def __init__(self, left: KeyColumn, right: pa.Array) -> None:
        self._left = left
        encoded = right.dictionary_encode()
        self._keys = encoded.dictionary.cast(pa.large_string())
        self.right_codes = _codes(encoded.indices)

    def only(self, rows: np.ndarray) -> Matching:
        """The pairs that some right rows make; the others meet nothing."""
        made = copy.copy(self)
        made.__dict__.pop("right_groups", None)
        made.right_codes = np.full(len(self.right_codes), -1)
        made.right_codes[rows] = self.right_codes[rows]
        return made

    def left_codes_of(self, start: int, stop: int) -> np.ndarray:
        """Of left rows start to stop, the number of the right key that each equals, -1 for none."""
        return _codes(pc.index_in(self._left.rows(start, stop).cast(pa.large_string()), self._keys))

    @cached_property
    def left_codes(self) -> np.ndarray:
        return self.left_codes_of(0, len(self._left))

    @cached_property
    def right_groups(self) -> Groups:
        return Groups(self.right_codes, len(self._keys))

    def counts(self, how: How) -> JoinCounts:
        fan = self.right_groups.sizes
        met = np.bincount(self.left_codes[self.left_codes >= 0], minlength=len(self._keys))
        left_matched, right_matched = int(met.sum()), int(fan[met > 0].sum())
        left_rows, right_rows = len(self._left), len(self.right_codes)
        out = rows_out(how, int(met @ fan), left_rows - left_matched, right_rows - right_matched)
        return JoinCounts(left_rows, left_matched, right_rows, right_matched, out,
                          int(fan[met > 0].max(initial=0)))  # fmt: skip

    def repeated(self, most: int = 3) -> Repeated:
        """The keys that several rows of both sides have, those that make the most rows first, `most` of them named."""
        met = np.bincount(self.left_codes[self.left_codes >= 0], minlength=len(self._keys))
        fan = self.right_groups.sizes
        found = np.flatnonzero((met > 1) & (fan > 1))
        top = found[np.argsort(-(met[found] * fan[found]), kind="stable")[:most]]
        return Repeated(len(found), tuple((self._keys[int(c)].as_py(), int(met[c]), int(fan[c])) for c in top))

    def pairs(self) -> Positions:
        return self.right_groups.expand(self.left_codes, alone=False)

    def rows(self, how: How) -> Positions:
        """The output rows of a join. A right join keeps the right order, as pandas does; the others the left order,
        with what is left over of the right side at the end."""
        if how == "right":
            right, left = Groups(self.left_codes, len(self._keys)).expand(self.right_codes, alone=True)
            return left, right
        left, right = self.right_groups.expand(self.left_codes, alone=how != "inner")
        if how == "outer":
            rest = self.right_alone()
            left, right = np.concatenate([left, np.full(len(rest), -1)]), np.concatenate([right, rest])
        return left, right

    def right_alone(self) -> np.ndarray:
        """The right rows that meet no left one."""
        met = np.zeros(len(self._keys) + 1, bool)  # the last for code -1
        met[self.left_codes[self.left_codes >= 0]] = True
        return np.flatnonzero(~met[self.right_codes])

    def head(self, how: How, n: int) -> Positions:
        """The first `n` output rows, matching no more left rows than they need where the left order leads."""
        if how == "right":
            left, right = self.rows(how)
            return left[:n], right[:n]
        total, stop = len(self._left), 0
        left = right = np.zeros(0, np.int64)
        while len(left) < n and stop < total:
            start, stop = stop, min(total, max(stop * 4, n))
            more, meets = self.right_groups.expand(self.left_codes_of(start, stop), how != "inner", most=n)
            left, right = np.concatenate([left, more + start]), np.concatenate([right, meets])
        if how == "outer" and len(left) < n:
            rest = self.right_alone()
            left, right = np.concatenate([left, np.full(len(rest), -1)]), np.concatenate([right, rest])
        return left[:n], right[:n]


class Groups:
    """The rows of one side by the number of their key (-1: none), in order within a key."""

    def __init__(self, codes: np.ndarray, keys: int) -> None:
        self.sizes = np.bincount(codes[codes >= 0], minlength=keys)
        order = np.argsort(codes, kind="stable")
        self._rows = order[len(codes) - int(self.sizes.sum()) :]
        self._starts = np.cumsum(self.sizes) - self.sizes

    def expand(self, codes: np.ndarray, alone: bool, most: int | None = None) -> Positions:
        """Each row of the other side, given by its keys' numbers, beside every row here that it meets.

        alone: keep rows that meet none, beside -1. most: stop once there are that many pairs.
        """
        known = codes >= 0
        at = np.where(known, codes, 0)
        fan = np.where(known, self.sizes[at] if len(self.sizes) else 0, 0)
        width = np.maximum(fan, 1) if alone else fan
        if most is not None:  # as many rows as are needed
            enough = int(np.searchsorted(np.cumsum(width), most)) + 1
            fan, width, at = fan[:enough], width[:enough], at[:enough]
        other = np.repeat(np.arange(len(width)), width)
        first = np.cumsum(width) - width
        place = np.arange(len(other)) - first[other]
        here = np.full(len(other), -1)
        meets = fan[other] > 0
        if len(self._rows):
            found = other[meets]
            here[meets] = self._rows[self._starts[at[found]] + place[meets]]
        return other, here


def _codes(indices: pa.Array) -> np.ndarray:
    return pc.fill_null(indices, -1).to_numpy(zero_copy_only=False).astype(np.int64)
