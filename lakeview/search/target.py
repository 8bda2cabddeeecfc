"""A target: a column of the analyst's that others are to tell of, brought to one number a key."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeview import values
from lakeview.errors import InputError
from lakeview.estimate.association import Target
from lakeview.join.key_column import KeyColumn
from lakeview.join.side import Side

if TYPE_CHECKING:
    import pandas as pd

CLASSES = 10  # of categories that are told of; rarer ones count as none of them


@dataclass(frozen=True)
class Keyed:
    """A frame with one row for each key, its other columns those of the key's first row, and the target by key.

    classes: the categories that its numbers stand for; None where the target is a number.
    """

    frame: pd.DataFrame
    target: Target
    label: Hashable
    classes: Sequence[str] | None

    def of(self, number: int) -> str:
        """What a number of the target is of."""
        return str(self.label) if self.classes is None else f"{self.label} = {self.classes[number]}"


def by_key(side: Side, on: Sequence[Hashable], label: Hashable) -> Keyed:
    """The target of a side that does not lie in Spark by the values of some columns; rows that lack one of these count
    for its mean alone.

    Raises NotFound where there is no such column, InputError where it has one value or one for nearly every row, or
    holds no numbers, flags or text.
    """
    label = side.check(label)
    target, classes = numbers(side.arrow([label], tuple(on))[0], label)
    keys = KeyColumn.of(side, on, "exact").whole.dictionary_encode()
    codes = pc.fill_null(keys.indices, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    first = np.full(len(keys.dictionary), len(codes), np.int64)
    np.minimum.at(first, codes[codes >= 0], np.flatnonzero(codes >= 0))
    return Keyed(side.to_pandas(tuple(on)).take(first).reset_index(drop=True), summed(target, codes, len(first)),
                 label, classes)  # fmt: skip


def numbers(column: pa.Array | pa.ChunkedArray, label: Hashable) -> tuple[np.ndarray, list[str] | None]:
    """A target as float64[numbers, rows], NaN where a row has none; and the categories that the numbers stand for."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_temporal(kind) or pa.types.is_nested(kind) or pa.types.is_binary(kind):
        raise InputError(f"{label} is of type {kind}: a target is a number, a flag or a category")
    if pa.types.is_boolean(kind):
        return _of_numbers(column.cast(pa.int8()), label), ["True"]
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _of_numbers(column, label), None
    return _of_categories(values.as_arrow(column).cast(pa.large_string()), label)


def _of_numbers(column: pa.Array, label: Hashable) -> np.ndarray:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    found = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False).copy()
    found[~np.isfinite(found)] = np.nan
    known = found[~np.isnan(found)]
    require_varying(label, len(known), bool((known != known[:1]).any()))
    return found[None]  # type: ignore[no-any-return]


def _of_categories(column: pa.Array, label: Hashable) -> tuple[np.ndarray, list[str]]:
    encoded = column.dictionary_encode()
    codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
    names, rows = classes_of(encoded.dictionary.to_pylist(), np.bincount(codes[codes >= 0]), label)
    place = np.full(len(encoded.dictionary) + 1, -1)
    place[rows] = np.arange(len(rows))
    own = np.where(codes < 0, -1, place[codes])
    found = (own == np.arange(len(names))[:, None]).astype(float)
    found[:, codes < 0] = np.nan
    return found, names


def classes_of(names: Sequence[str], rows: np.ndarray, label: Hashable) -> tuple[list[str], np.ndarray]:
    """The commonest categories and their places, of two one alone: the other is what it is not."""
    known = int(rows.sum())
    require_varying(label, known, len(names) > 1)
    if len(names) > max(known / 2, CLASSES):
        raise InputError(f"{label} has {len(names):,} different values in {known:,} rows: a target is a number, a flag "
                         "or a category")  # fmt: skip
    order = np.argsort(-rows, kind="stable")[: CLASSES if len(names) > 2 else 1]
    return [str(names[i]) for i in order], order


def require_varying(label: Hashable, rows: int, varies: bool) -> None:
    """Raises InputError where nothing can be told of a target. rows: that have a value."""
    if not varies:
        what = "no values" if not rows else "one value in all rows"
        raise InputError(f"{label} has {what}: nothing can be told of it")


def summed(target: np.ndarray, codes: np.ndarray, keys: int) -> Target:
    """A target by key. target: float64[numbers, rows]; codes: int64[rows], each row's key, -1 where it has none."""
    mean = np.nanmean(target, axis=1)
    used = (codes >= 0) & ~np.isnan(target[0])
    away, codes = target[:, used] - mean[:, None], codes[used]
    sums, squares = (np.stack([np.bincount(codes, row, keys) for row in each]) for each in (away, away * away))
    return Target(np.bincount(codes, minlength=keys), sums, squares, mean)
