"""A target of a Spark frame by key: summed where the frame is; one row a key is fetched."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lakeview.errors import InputError
from lakeview.estimate.association import Target
from lakeview.join.side import Side
from lakeview.search.target import MOST_KEYS, Keyed, classes_of, require_varying

if TYPE_CHECKING:
    import pandas as pd

_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "boolean")


def by_key(side: Side, on: Sequence[Hashable], label: Hashable) -> Keyed:
    """As `target.by_key`. Raises InputError for more keys than are fetched."""
    from pyspark.sql import functions as F

    kinds = dict(side.numbered.dtypes)
    kind = kinds[f"c{side.columns.index(label)}"]
    keys = [f"c{side.columns.index(column)}" for column in on]
    y = F.col(f"c{side.columns.index(label)}")
    if kind.split("(")[0] not in (*_NUMBERS, "string"):
        raise InputError(f"{label} is of type {kind}: a target is a number, a flag or a category")
    is_number = kind != "string"
    y = y.cast("double") if is_number else y
    known = y.isNotNull() & (~F.isnan(y) & (F.abs(y) != float("inf")) if is_number else F.lit(True))
    rows = side.numbered.select(*keys, y.alias("y")).where(known)
    keyed = rows.where(" and ".join(f"{key} is not null" for key in keys))
    make = _of_numbers if is_number else _of_categories
    frame, target, classes = make(side, rows, keyed, keys, label)
    frame = frame[keys].set_axis(list(on), axis=1)
    return Keyed(_as_hers(frame, side.columns), target, label, ["True"] if kind == "boolean" else classes)


def _of_numbers(side: Side, rows: Any, keyed: Any, keys: list[str], label: Hashable) -> Any:
    from pyspark.sql import functions as F

    y = F.col("y")
    known, mean, least, most = side.ask(lambda: rows.agg(F.count(y), F.avg(y), F.min(y), F.max(y)).collect()[0])
    require_varying(label, known, 0 if not known else 1 + (least < most))
    away = y - F.lit(mean)
    sums = keyed.groupBy(*keys).agg(F.count(y).alias("rows"), F.sum(away).alias("sum"),
                                    F.sum(away * away).alias("square"))  # fmt: skip
    frame = _fetched(side, sums, label)
    target = Target(frame["rows"].to_numpy(np.int64), frame["sum"].to_numpy(float)[None],
                    frame["square"].to_numpy(float)[None], np.array([mean]))  # fmt: skip
    return frame, target, None


def _of_categories(side: Side, rows: Any, keyed: Any, keys: list[str], label: Hashable) -> Any:
    counted = side.ask(lambda: rows.groupBy("y").count().orderBy("y").limit(MOST_KEYS).toPandas())
    counts = counted["count"].to_numpy(np.int64)
    classes, places = classes_of(counted["y"].tolist(), counts, label)
    pairs = _fetched(side, keyed.groupBy(*keys, "y").count(), label)
    groups = pairs.groupby(keys, sort=False)
    codes = groups.ngroup().to_numpy()
    inside = np.bincount(codes, pairs["count"]).astype(np.int64)
    mean = counts[places] / counts.sum()
    held = np.stack([np.bincount(codes, pairs["count"] * (pairs["y"] == name), len(inside)) for name in classes])
    sums = held - inside * mean[:, None]
    squares = held * (1 - mean[:, None]) ** 2 + (inside - held) * mean[:, None] ** 2
    return groups.head(1), Target(inside, sums, squares, mean), classes


def _fetched(side: Side, frame: Any, label: Hashable) -> pd.DataFrame:
    found = side.ask(lambda: frame.limit(MOST_KEYS + 1).toPandas())
    if len(found) > MOST_KEYS:
        raise InputError(f"{side.name} has more than {MOST_KEYS:,} keys: look at what tells of {label} in a part of it")
    return found  # type: ignore[no-any-return]


def _as_hers(keys: pd.DataFrame, columns: Sequence[Hashable]) -> pd.DataFrame:
    """The keys beside her other columns, empty: what a join brings is called as beside these."""
    return keys.reset_index(drop=True).reindex(columns=list(columns))
