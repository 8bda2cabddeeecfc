"""A join that Spark runs: both sides with their canonical keys as a column, made by the same code as everywhere.

The DataFrame API alone, so that it works on Spark Connect too. Sides that lie here get their keys here; the rows of a
Spark frame and the files of a large table get them in Spark's Python workers.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from lakeview.join.export.grain_code import NTH, PLACE, expressions, nth_of_key
from lakeview.join.matching import Repeated
from lakeview.join.model import Join, JoinCounts, rows_out
from lakeview.join.spark.sides import KEY, SIDES, TEXT, keyed_side, on_session

if TYPE_CHECKING:
    import pandas as pd

_NUMERIC = {"tinyint", "smallint", "int", "bigint", "float", "double"}


@on_session
def to_spark(join: Join, spark: Any = None) -> Any:
    """The join's rows as a Spark DataFrame."""
    from pyspark.sql import functions as F

    joined = _joined(join, spark, join.how)
    types = dict(joined.dtypes)
    of_left = {column: f"l_c{place}" for place, column in enumerate(join.left.columns)}
    of_right = {column: f"r_c{place}" for place, column in enumerate(join.right.columns)}
    of_right |= {made.name: f"r_m{place}" for place, made in enumerate(join.made)}
    of_none = [made.name for made in join.made if made.how == "rows"]

    def shared(column: Hashable) -> Any:
        """A key column that a right or outer join has once."""
        mine, other = of_left[column], of_right[column]
        if join.how == "right":
            return F.col(other)
        kinds = {types[mine], types[other]}
        if len(kinds) > 1 and not kinds <= _NUMERIC and f"l_{TEXT}" in types:
            mine, other = f"l_{TEXT}", f"r_{TEXT}"
        return F.coalesce(F.col(mine), F.col(other))

    once = join.shared if join.how in ("right", "outer") else ()
    out = [(shared(column) if column in once else F.col(of_left[column])).alias(str(name))
           for column, name in join.columns.left]  # fmt: skip
    for column, name in join.columns.right:
        found = F.col(of_right[column])
        out.append((F.coalesce(found, F.lit(0)) if column in of_none else found).alias(str(name)))
    return joined.select(*out)


@on_session
def counts(join: Join, spark: Any = None) -> JoinCounts:
    """The row counts of a join of which one side is a Spark frame, from the rows of each key."""
    from pyspark.sql import functions as F

    left, right = (keyed_side(join, side, spark, rows=False).groupBy(KEY).count() for side in SIDES)
    left, right = left.withColumnRenamed("count", "l"), right.withColumnRenamed("count", "r")
    both = left.join(right, KEY, "outer")
    met = both["l"].isNotNull() & both["r"].isNotNull()
    found = both.select(
        F.sum("l"), F.sum(F.when(met, both["l"])), F.sum("r"), F.sum(F.when(met, both["r"])),
        F.sum(both["l"] * both["r"]), F.max(F.when(met, both["r"])),
    ).first()  # fmt: skip
    left_rows, left_met, right_rows, right_met, matches, fanout = (int(number or 0) for number in found)
    out = rows_out(join.how, matches, left_rows - left_met, right_rows - right_met)
    return JoinCounts(left_rows, left_met, right_rows, right_met, out, fanout)


@on_session
def repeated(join: Join, spark: Any = None, most: int = 3) -> Repeated:
    """As `Matching.repeated`."""
    from pyspark.sql import functions as F

    left, right = (keyed_side(join, side, spark, rows=False).groupBy(KEY).count().where("count > 1") for side in SIDES)
    both = left.withColumnRenamed("count", "l").join(right.withColumnRenamed("count", "r"), KEY).dropna().cache()
    some = both.orderBy(F.desc(F.col("l") * F.col("r")), KEY).limit(most).collect()
    found = Repeated(both.count(), tuple((row[KEY], int(row["l"]), int(row["r"])) for row in some))
    both.unpersist()
    return found


@on_session
def pairs(join: Join, spark: Any = None) -> pd.DataFrame:
    """The key values of all matching rows, as tuples where they are several: columns left and right."""
    import pandas as pd

    parts = [[f"{mark}_c{place}" for place in range(len(join.left_on))] for mark in "lr"]
    met = _joined(join, spark, "inner", rows=False).select(*parts[0], *parts[1]).toPandas()
    if len(join.left_on) == 1:
        return met.set_axis(["left", "right"], axis=1)
    return pd.DataFrame({side: list(met[part].itertuples(index=False, name=None))
                         for side, part in zip(SIDES, parts, strict=True)})  # fmt: skip


def _joined(join: Join, spark: Any, how: str, rows: bool = True) -> Any:
    """Both sides joined by their keys: columns l_c0, l_c1 … and l_key, and r_ likewise (`keyed_side`)."""
    left, right = (keyed_side(join, side, spark, rows) for side in SIDES)
    if join.grain is not None and rows:
        right = _one_each(join, right)
    left, right = (frame.select(*(frame[name].alias(f"{mark}_{name}") for name in frame.columns))
                   for mark, frame in (("l", left), ("r", right)))  # fmt: skip
    return left.join(right, left[f"l_{KEY}"] == right[f"r_{KEY}"], how)


def _one_each(join: Join, right: Any) -> Any:
    """The right side brought to one row a key: its columns, or m0, m1 … for those that are made, and the key."""
    from pyspark.sql import functions as F

    grain, columns = join.grain, {column: f"c{place}" for place, column in enumerate(join.right.columns)}
    right = right.where(F.col(KEY).isNotNull()).withColumn(PLACE, F.monotonically_increasing_id())
    if grain is not None and grain.picks:
        right = right.withColumn(NTH, F.expr(nth_of_key(join, [KEY], columns.get(grain.when, ""))))
        return right.where(F.col(NTH) == 1).drop(PLACE, NTH)
    if join.right.kind != "spark":  # what was sent from here has NaN where a number is missing
        floats = [name for name, kind in right.dtypes if kind in ("float", "double")]
        right = right.withColumns({name: F.expr(f"nullif({name}, double('NaN'))") for name in floats})
    made = [F.expr(how).alias(f"m{place}") for place, (_, how) in enumerate(expressions(join, columns))]
    return right.groupBy(KEY).agg(*made)
