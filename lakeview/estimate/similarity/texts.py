"""The distinct texts of one or two columns as collections of token sets, with how many rows have each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeview.estimate.similarity.collection import Collection, collections
from lakeview.estimate.similarity.tokens import Tokeniser, tokenise, tokeniser


@dataclass(frozen=True)
class Distinct:
    """The distinct texts of a column in order of first appearance.

    text: the texts, without null. codes: of each row, which text it has, -1 for none. counts: rows of each text.
    """

    text: pa.Array
    codes: np.ndarray
    counts: np.ndarray

    @property
    def first_rows(self) -> np.ndarray:
        """Of each text, the first row that has it."""
        first = np.full(len(self.text), -1, np.int64)
        rows = np.flatnonzero(self.codes >= 0)[::-1]
        first[self.codes[rows]] = rows
        return first


def distinct_texts(text: pa.Array) -> Distinct:
    """The distinct texts of canonical text; a null and the empty text are no text."""
    if isinstance(text, pa.ChunkedArray):
        text = text.combine_chunks()
    encoded = text.cast(pa.large_string()).dictionary_encode()
    found = encoded.dictionary
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return Distinct(found, codes, np.bincount(codes[codes >= 0], minlength=len(found)))


def identical(left: Distinct, right: Distinct) -> np.ndarray:
    """int64: of each left text, the place of the same text on the right, -1 for none."""
    return pc.index_in(left.text, right.text).fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)


@dataclass(frozen=True)
class Texts:
    """Both sides of a join cut into tokens. A self-join has no `right`.

    left_counts, right_counts: rows of each text. same: of each left text, the same one on the right, -1 for none.
    """

    left: Collection
    right: Collection | None
    left_counts: np.ndarray
    right_counts: np.ndarray
    tokens: int
    same: np.ndarray

    @property
    def largest(self) -> int:
        return max(self.left.largest, self.right.largest if self.right is not None else 1)

    @property
    def other(self) -> Collection:
        """The side that is indexed: the right one, or the only one."""
        return self.left if self.right is None else self.right


def token_sets(left: Distinct, right: Distinct | None, kind: str | Tokeniser) -> Texts:
    """The texts of one column, or of two, as collections over one order of tokens."""
    kind = tokeniser(kind)
    sides = [tokenise(left.text, kind)]
    if right is not None:
        sides.append(tokenise(right.text, kind))
    made, tokens = collections(*sides)
    if right is None:
        return Texts(made[0], None, left.counts, left.counts, tokens, np.arange(len(left.text)))
    return Texts(made[0], made[1], left.counts, right.counts, tokens, identical(left, right))
