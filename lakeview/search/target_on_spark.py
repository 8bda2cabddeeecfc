"""A target of a Spark frame by key, from what Spark summed up."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lakeview.errors import InputError
from lakeview.estimate.association import Target
from lakeview.join.grain import kinds
from lakeview.join.side import Side
from lakeview.join.spark.by_key import counted, summed
from lakeview.search.target import Keyed, classes_of, require_varying

if TYPE_CHECKING:
    import pandas as pd

MOST_KEYS = 2_000_000  # that are fetched


def by_key(side: Side, on: Sequence[Hashable], label: Hashable) -> Keyed:
    """As `target.by_key`. Raises InputError for more keys than are fetched."""
    label = side.check(label)
    kind = kinds(side, on)[label]
    if kind in ("number", "decimal", "flag"):
        found = summed(side, on, label, MOST_KEYS + 1)
        require_varying(label, found.rows, found.rows > 0 and found.least < found.most)
        rows, sums, squares = (found.keys[name].to_numpy() for name in ("rows", "sum", "square"))
        target = Target(rows.astype(np.int64), sums[None], squares[None], np.array([found.mean]))
        classes = ["True"] if kind == "flag" else None
        return Keyed(_beside_hers(found.keys, side, on, label), target, label, classes)
    if kind != "text":
        raise InputError(f"{label} has values of the kind {kind}: a target is a number, a flag or a category")
    values, pairs = counted(side, on, label, MOST_KEYS + 1)
    counts = values["count"].to_numpy(np.int64)
    classes, places = classes_of(values["y"].tolist(), counts, label)
    keys = pairs.groupby([name for name in pairs.columns if name not in ("y", "count")], sort=False)
    codes = keys.ngroup().to_numpy()
    rows = np.bincount(codes, pairs["count"]).astype(np.int64)
    held = np.stack([np.bincount(codes, pairs["count"] * (pairs["y"] == name), len(rows)) for name in classes])
    mean = counts[places] / counts.sum()
    share = mean[:, None]
    target = Target(rows, held - rows * share, held * (1 - share) ** 2 + (rows - held) * share**2, mean)
    return Keyed(_beside_hers(keys.head(1), side, on, label), target, label, classes)


def _beside_hers(keys: pd.DataFrame, side: Side, on: Sequence[Hashable], label: Hashable) -> pd.DataFrame:
    """The keys beside her other columns, empty: what a join brings is called as beside these."""
    if len(keys) > MOST_KEYS:
        raise InputError(f"{side.name} has more than {MOST_KEYS:,} keys: look at what tells of {label} in a part of it")
    hers = keys.iloc[:, : len(on)].set_axis(list(on), axis=1)
    return hers.reset_index(drop=True).reindex(columns=side.columns)
