"""Profiles of columns by their canonical texts, many columns at once.

Each step over one small column costs some twenty microseconds, whatever it holds, and there are sixty steps: so the
columns of a batch, and of many small tables, take each step together. Their texts lie in one array, a column's number
beside each; all are canonicalised, hashed and sorted in one go, and counted by column. A column by itself is such a
batch of one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeview import values
from lakeview.store.profiles import NO_COUNTS, NO_TOKENS, Profile, has_signature
from lakeview.store.shapes import Shape, shapes_of
from lakeview.values import Normalize
from lakeview.values.printing import concat
from lakeview.values.signatures import NO_SIGNATURE, signatures

MANY = 4096  # values of an array from which it may be coded, or be profiled by itself
_SAMPLE = 1024  # of them that are looked at


def profiles_of_texts(arrays: Sequence[pa.Array], normalize: Normalize, unsigned: Sequence[int]) -> list[Profile]:
    """The profiles of arrays by their canonical texts."""
    n = len(arrays)
    texts, column, rows = _texts(arrays, normalize)
    if not len(texts):
        return [(NO_TOKENS, NO_COUNTS, Shape(), NO_SIGNATURE)] * n
    tokens = values.hash_strings(texts)
    order, column = _ordered(tokens, column, n)
    tokens = tokens[order]
    is_first = np.ones(len(tokens), np.bool_)
    is_first[1:] = (tokens[1:] != tokens[:-1]) | (column[1:] != column[:-1])
    first = np.flatnonzero(is_first)
    counts = np.diff(first, append=len(tokens)) if rows is None else np.add.reduceat(rows[order], first)
    tokens, column, order = tokens[first], column[first], order[first]
    proper = ~values.is_na(tokens)  # "NA" may yet turn out to be no value
    if proper.all():
        at, of = order, column
    else:
        at, of = order[proper], column[proper]
    shapes = _shapes(texts, at, of, n)
    bounds = np.searchsorted(column, np.arange(n + 1))
    held = np.diff(np.concatenate(([0], np.cumsum(counts * proper)))[bounds])
    signed = _signed(texts, at, np.searchsorted(of, np.arange(n + 1)), held, shapes, unsigned)
    spans = pairwise(bounds.tolist())
    return [
        (tokens[a:b], counts[a:b], shape, signature)
        for (a, b), shape, signature in zip(spans, shapes, signed, strict=True)
    ]


def _ordered(tokens: np.ndarray, column: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Where the tokens lie in order of their columns, and of themselves within each; and the columns in that order.
    column: int32, of each token; those of one column stand together."""
    if n == 1:
        return np.argsort(tokens), column
    if len(tokens) >= n * MANY:  # each by itself: what is sorted lies in the processor's cache
        starts = np.flatnonzero(np.diff(column, prepend=-1))
        ends = np.append(starts[1:], len(column))
        runs = sorted(zip(column[starts].tolist(), starts.tolist(), ends.tolist(), strict=True))
        order = np.concatenate([np.argsort(tokens[a:b]) + a for _, a, b in runs])
        return order, np.repeat(np.array([c for c, *_ in runs], np.int32), [b - a for _, a, b in runs])
    order = np.argsort(tokens)
    number = column[order]  # by column, then: of 16 bits, so by radix
    order = order[np.argsort(number.astype(np.uint16) if n <= 1 << 16 else number, kind="stable")]
    return order, column[order]


def _shapes(texts: pa.Array, at: np.ndarray, column: np.ndarray, n: int) -> list[Shape]:
    """The shapes of the columns' distinct texts, which are at some places. They are looked at where they lie: texts of
    a column stand together, in whatever order."""
    of = np.empty(len(texts), np.int32)
    of[at] = column
    if len(at) == len(texts):
        return shapes_of(texts, of, n)
    is_one = np.zeros(len(texts), np.bool_)
    is_one[at] = True
    return shapes_of(texts.filter(pa.array(is_one)), of[is_one], n)


def _signed(
    texts: pa.Array,
    at: np.ndarray,
    bounds: np.ndarray,
    rows: np.ndarray,
    shapes: Sequence[Shape],
    unsigned: Sequence[int],
) -> list[np.ndarray]:
    """The signature of each column, of so many of its values as are `unsigned`: those with the least tokens, a sample.

    at: places of distinct texts, by column and token; bounds: int64[n + 1], where in `at` each column's are;
    rows: int64[n], those with a value."""
    sizes = np.diff(bounds)
    worth = [has_signature(shape.type, int(d), int(r)) for shape, d, r in zip(shapes, sizes, rows, strict=True)]
    sizes = np.minimum(sizes, np.where(worth, unsigned, 0))
    ends = np.cumsum(sizes)
    some = np.arange(ends[-1]) + np.repeat(bounds[:-1] - (ends - sizes), sizes)
    return signatures(texts.take(pa.array(at[some])), np.append(0, ends))


def _texts(arrays: Sequence[pa.Array], normalize: Normalize) -> tuple[pa.Array, np.ndarray, np.ndarray | None]:
    """The canonical texts of arrays, nulls left out, the number of each one's array (int32), and the rows of each
    (int64; None: one). The texts of an array stand together, but not in the order of the arrays."""
    coded = [pa.types.is_dictionary(array.type) and len(array.dictionary) <= len(array) for array in arrays]
    by_type: dict[pa.DataType, list[int]] = defaultdict(list)
    for number, array in enumerate(arrays):
        by_type[array.type.value_type if coded[number] else array.type].append(number)
    texts: list[pa.Array] = []
    columns: list[np.ndarray] = []
    rows: list[np.ndarray] = []
    for kind, numbers in by_type.items():
        chunks = [arrays[n].dictionary if coded[n] else arrays[n] for n in numbers]
        found = values.canonical_part(pa.chunked_array(chunks, kind) if len(chunks) > 1 else chunks[0], normalize)
        of = np.repeat(np.array(numbers, np.int32), [len(chunk) for chunk in chunks])
        held = found.is_valid().to_numpy(zero_copy_only=False) if found.null_count else None
        if any(coded):
            of_each = [_rows(arrays[n]) if coded[n] else np.ones(len(arrays[n]), np.int64) for n in numbers]
            counts = np.concatenate(of_each)
            held = counts > 0 if held is None else held & (counts > 0)
            rows.append(counts[held])
        if held is not None:
            of, found = of[held], found.filter(pa.array(held))
        texts.append(found)
        columns.append(of)
    if not texts:
        return pa.array([], pa.string()), np.zeros(0, np.int32), None
    return concat(texts), np.concatenate(columns), np.concatenate(rows) if rows else None


def coded(array: pa.Array) -> pa.Array:
    """An array whose values are likely to occur twice on average as a dictionary of them: each is canonicalised once.

    Of n values of d distinct ones some n^2 / 2d pairs are equal (the birthday paradox); so many repeat in a sample.
    """
    if not (pa.types.is_string(array.type) or values.is_settled(array.type)):
        return array
    sample = array.take(pa.array(np.linspace(0, len(array) - 1, _SAMPLE).astype(np.int64))).drop_null()
    repeated = len(sample) - pc.count_distinct(sample).as_py()
    return array.dictionary_encode() if repeated * len(array) >= len(sample) ** 2 else array


def _rows(array: pa.DictionaryArray) -> np.ndarray:
    """How many rows have each value of the dictionary: int64."""
    indices = array.indices.drop_null() if array.indices.null_count else array.indices
    return np.bincount(indices.to_numpy(), minlength=len(array.dictionary))
