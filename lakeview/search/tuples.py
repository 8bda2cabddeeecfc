"""Rows of several columns together: one token for the values that stand side by side in a row."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeview import values
from lakeview.join.side import Side
from lakeview.search.query import Query
from lakeview.store.shapes import Shape
from lakeview.values import Normalize


@dataclass(frozen=True)
class Tuples:
    """The distinct tuples of a table's rows.

    tokens  uint64[n], sorted, distinct
    counts  int64[n], rows of each
    parts   per column the tokens of the tuples' values, uint64[n]
    first   int64[n], a row that holds each
    rows    of the table; `nulls` of them miss a value, and make no tuple
    """

    tokens: np.ndarray
    counts: np.ndarray
    parts: tuple[np.ndarray, ...]
    first: np.ndarray
    rows: int
    nulls: int


def tuple_tokens(parts: Sequence[np.ndarray]) -> np.ndarray:
    """One token for the tuple of each row: from uint64[n] a column to uint64[n]; the order of the columns counts."""
    mixed = parts[0]
    with np.errstate(over="ignore"):
        for part in parts[1:]:
            mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15) + part
            mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
            mixed = mixed ^ (mixed >> np.uint64(32))
    return mixed


def part_tokens(columns: Sequence[pa.Array | pa.ChunkedArray], normalize: Normalize) -> tuple[list[np.ndarray], Any]:
    """Tokens of the rows in which no column is null, uint64[n] a column, and the positions of these rows, int64[n]."""
    texts = [values.canonical(column, normalize) for column in columns]
    whole = texts[0].is_valid()
    for text in texts[1:]:
        whole = pc.and_(whole, text.is_valid())
    tokens = [values.hash_strings(text.filter(whole)) for text in texts]
    return tokens, np.flatnonzero(np.asarray(whole.to_numpy(zero_copy_only=False), bool))


def tuples(columns: Sequence[pa.Array | pa.ChunkedArray], normalize: Normalize) -> Tuples:
    """The distinct tuples of columns of one length."""
    parts, places = part_tokens(columns, normalize)
    tokens, first, counts = np.unique(tuple_tokens(parts), return_index=True, return_counts=True)
    rows = len(columns[0])
    return Tuples(tokens, counts, tuple(part[first] for part in parts), places[first], rows, rows - len(places))


def fetched(side: Side, columns: Sequence[Hashable]) -> list[pa.Array | pa.ChunkedArray]:
    """Columns of a side, one value a row; those of a Spark frame come here."""
    if side.kind != "spark":
        return [side.key(column) for column in columns]
    picked = side.numbered.select(*(f"c{side.columns.index(column)}" for column in columns))
    return list(side.ask(picked.toArrow).columns)


def spelled(name: str, columns: Sequence[Hashable], found: Tuples, data: Sequence[Any]) -> Query:
    """The tuples as one query: each is spelled as its values, a middle dot between them."""
    texts = [values.text(column) for column in data]

    def spell() -> pa.Array:
        parts = (text.take(pa.array(found.first)).to_pylist() for text in texts)
        return pa.array([" · ".join(map(str, row)) for row in zip(*parts, strict=True)], pa.string())

    label = ", ".join(map(str, columns))
    return Query(f"{name}.({label})", label, found.rows, found.nulls, found.tokens, found.counts, Shape(), spell)
