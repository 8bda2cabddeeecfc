"""A column of a Spark frame by the values of others: summed or counted where the frame is, one row a key fetched."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from lakeview.join.side import Side

if TYPE_CHECKING:
    import pandas as pd


class Sums(NamedTuple):
    """Of all rows with a finite value: how many, their mean, the least, the greatest. keys: a row for each key, its
    columns as the frame has them in `Side.numbered`, then rows, sum and square: of differences to the mean."""

    rows: int
    mean: float
    least: float
    most: float
    keys: pd.DataFrame


def summed(side: Side, on: Sequence[Hashable], label: Hashable, most: int) -> Sums:
    """A column of numbers or flags by key; rows that lack part of the key are in none. most: keys that are fetched."""
    from pyspark.sql import functions as F

    y = F.col(_name(side, label)).cast("double")
    known = y.isNotNull() & ~F.isnan(y) & (F.abs(y) != float("inf"))
    rows, keyed, keys = _rows(side, on, y, known)
    y = F.col("y")
    count, mean, least, greatest = side.ask(lambda: rows.agg(F.count(y), F.avg(y), F.min(y), F.max(y)).collect()[0])
    away = y - F.lit(mean)
    sums = (F.count(y).alias("rows"), F.sum(away).alias("sum"), F.sum(away * away).alias("square"))
    return Sums(count, mean, least, greatest, side.ask(lambda: keyed.groupBy(*keys).agg(*sums).limit(most).toPandas()))


def counted(side: Side, on: Sequence[Hashable], label: Hashable, most: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """How many rows have each value (y, count), and how many of each key (its columns, y, count); as `summed`."""
    from pyspark.sql import functions as F

    y = F.col(_name(side, label))
    rows, keyed, keys = _rows(side, on, y, y.isNotNull())
    values = side.ask(lambda: rows.groupBy("y").count().orderBy("y").limit(most).toPandas())
    return values, side.ask(lambda: keyed.groupBy(*keys, "y").count().limit(most).toPandas())


def _rows(side: Side, on: Sequence[Hashable], y: Any, known: Any) -> tuple[Any, Any, list[str]]:
    """The rows with a value, as `y` beside the keys; those of them that have a key; the keys' columns."""
    keys = [_name(side, column) for column in on]
    rows = side.numbered.where(known).select(*keys, y.alias("y"))
    return rows, rows.where(" and ".join(f"{key} is not null" for key in keys)), keys


def _name(side: Side, label: Hashable) -> str:
    return f"c{side.columns.index(label)}"
