"""Two columns side by side: how many values they share, and what share of each that is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from lakeview import values
from lakeview.errors import LakeviewError
from lakeview.estimate import joint
from lakeview.estimate.coupled import Comparison
from lakeview.estimate.interval import Estimate
from lakeview.estimate.joint import Sketch
from lakeview.guards import checks
from lakeview.index.postings import intersect
from lakeview.search.query import Query
from lakeview.search.view import View
from lakeview.store.profiles import sketch_of
from lakeview.values import Normalize

APART = 5  # values of either side that the other lacks, that are shown; one more is kept where there are more


def compare(a: Any, b: Any, normalize: Normalize = "fold") -> Comparison:
    """Two columns (Series, lists or arrays) side by side, exactly."""
    normalize = checks.normalize(normalize)
    found = compare_columns(*(values.distinct_tokens(values.as_arrow(data), normalize)[0] for data in (a, b)))
    return named(found, a, b)


def compare_in(view: View, a: Any, b: Any) -> Comparison:
    """As `Lake.compare`."""
    held = [_held(view, data) for data in (a, b)]
    found = named(compare_columns(*held), a, b)
    if any(isinstance(side, Sketch) for side in held):
        return found
    one, other = (side for side in held if not isinstance(side, Sketch))
    return replace(found, apart=(_alone(view, a, other), _alone(view, b, one)))


def _alone(view: View, data: Any, others: np.ndarray) -> tuple[str, ...]:
    """The first values of a column whose tokens are not among others (uint64, sorted), as they are spelled; none where
    that would take reading a large table."""
    column = _spelled(view, data)
    if column is None:
        return ()
    canonical = values.canonical(column, view.normalize)
    rows = np.flatnonzero(canonical.is_valid().to_numpy(zero_copy_only=False))
    tokens = values.hash_strings(canonical.drop_null())
    places = np.minimum(np.searchsorted(others, tokens), max(len(others) - 1, 0))
    alone = np.flatnonzero(others[places] != tokens) if len(others) else np.arange(len(tokens))
    _, first = np.unique(tokens[alone], return_index=True)
    return tuple(_said(column, canonical, int(rows[alone[place]])) for place in np.sort(first)[: APART + 1])


def _said(column: pa.Array | pa.ChunkedArray, canonical: pa.Array, row: int) -> str:
    try:
        return str(column[row].as_py())
    except Exception:  # times that Python has none of, zones that nobody knows
        return str(canonical[row].as_py())


def _spelled(view: View, data: Any) -> pa.Array | pa.ChunkedArray | None:
    if isinstance(data, Query):
        if data.number is None:
            return data.spell() if data.spell is not None else None
        data = f"{view.snapshot.tables[data.number]}.{view.snapshot.names[data.number]}"
    if not isinstance(data, str):
        return values.as_arrow(data)
    try:
        table, column = view.resolve(data)
        side = view.side(table)
        if side.kind == "spark" or (side.kind == "lake" and not side.lake_table.is_small):
            return None
        return side.key(column)
    except LakeviewError:  # it changed, or means several: the comparison stands without
        return None


def _held(view: View, data: Any) -> np.ndarray | Sketch:
    """The tokens of a column, or the sketch that is kept of it."""
    if isinstance(data, Query):
        return data.tokens if data.sketch is None else data.sketch
    if isinstance(data, str):
        table, column = view.resolve(data)
        s, number = view.snapshot, view.snapshot.by_table[table][column]
        return s.sketch_of(number) if s.sketched[number] else np.asarray(s.tokens_of(number)[0])
    return values.distinct_tokens(values.as_arrow(data), view.normalize)[0]


def named(comparison: Comparison, a: Any, b: Any) -> Comparison:
    """The comparison under the names of its columns: "table.column" as it was given, a Series' own name."""
    names = [data if isinstance(data, str) else getattr(data, "name", None) for data in (a, b)]
    first, second = (str(other if name is None else name) for name, other in zip(names, "ab", strict=True))
    return replace(comparison, names=(first, second))


def compare_columns(a: np.ndarray | Sketch, b: np.ndarray | Sketch) -> Comparison:
    """The comparison of two token sets (uint64, sorted and distinct), or of sketches where one is all that is kept."""
    if isinstance(a, Sketch) or isinstance(b, Sketch):
        return joint.compare(*(side if isinstance(side, Sketch) else sketch_of(side) for side in (a, b)))
    overlap = len(intersect(a, b)[0])

    def share(of: int) -> Estimate:
        return Estimate.exactly(overlap / of if of else 0.0)

    return Comparison(Estimate.exactly(overlap), share(len(a)), share(len(b)), share(len(a) + len(b) - overlap))
