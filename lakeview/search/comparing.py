"""Two columns side by side: how many values they share, and what share of each that is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lakeview import values
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


def compare(a: Any, b: Any, normalize: Normalize = "fold") -> Comparison:
    """Two columns (Series, lists or arrays) side by side, exactly."""
    normalize = checks.normalize(normalize)
    found = compare_columns(*(values.distinct_tokens(values.as_arrow(data), normalize)[0] for data in (a, b)))
    return named(found, a, b)


def compare_in(view: View, a: Any, b: Any) -> Comparison:
    """As `Lake.compare`."""
    return named(compare_columns(_held(view, a), _held(view, b)), a, b)


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
