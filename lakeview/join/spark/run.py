"""A join that Spark runs: both sides with their canonical keys as a column, made by the same code as everywhere.

The DataFrame API alone, so that it works on Spark Connect too. Sides that lie here get their keys here; the rows of a
Spark frame and the files of a large table get them in Spark's Python workers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakeview.join.matching import How, JoinCounts, rows_out
from lakeview.join.spark.sides import KEY, SIDES, TEXT, keyed_side, on_session

if TYPE_CHECKING:
    import pandas as pd

    from lakeview.join.plan import JoinPlan

_NUMERIC = {"tinyint", "smallint", "int", "bigint", "float", "double"}


@on_session
def to_spark(plan: JoinPlan, spark: Any = None) -> Any:
    """The join's rows as a Spark DataFrame."""
    from pyspark.sql import functions as F

    left, right = (keyed_side(plan, side, spark) for side in SIDES)
    left = left.select(*(left[name].alias(f"l_{name}") for name in left.columns))
    right = right.select(*(right[name].alias(f"r_{name}") for name in right.columns))
    joined = left.join(right, left[f"l_{KEY}"] == right[f"r_{KEY}"], plan.how)
    of_left = {column: f"l_c{place}" for place, column in enumerate(plan.left.columns)}
    of_right = {column: f"r_c{place}" for place, column in enumerate(plan.right.columns)}
    chosen = [(of_left[column], name) for column, name in plan.columns.left]
    chosen += [(of_right[column], name) for column, name in plan.columns.right]
    out = [F.col(column).alias(str(name)) for column, name in chosen]
    if plan.columns.one_key and plan.how in ("right", "outer"):
        place, key = plan.left.columns.index(plan.left_on), F.col(of_right[plan.right_on])
        if plan.how == "outer":
            types = dict(joined.dtypes)
            kinds = {types[of_left[plan.left_on]], types[of_right[plan.right_on]]}
            if len(kinds) == 1 or kinds <= _NUMERIC:
                key = F.coalesce(F.col(of_left[plan.left_on]), key)
            else:
                key = F.coalesce(F.col(f"l_{TEXT}"), F.col(f"r_{TEXT}"))
        out[place] = key.alias(str(plan.left_on))
    return joined.select(*out)


@on_session
def counts(plan: JoinPlan, spark: Any = None) -> JoinCounts:
    """The row counts of a join of which one side is a Spark frame, from the rows of each key."""
    left, right = (keyed_side(plan, side, spark, rows=False).select(KEY) for side in SIDES)
    return counted(left, right, plan.how)


def counted(left: Any, right: Any, how: How) -> JoinCounts:
    """The row counts of a join of two frames of one column, the key of each row."""
    from pyspark.sql import functions as F

    left, right = left.toDF(KEY).groupBy(KEY).count(), right.toDF(KEY).groupBy(KEY).count()
    left, right = left.withColumnRenamed("count", "l"), right.withColumnRenamed("count", "r")
    both = left.join(right, KEY, "outer")
    met = both["l"].isNotNull() & both["r"].isNotNull()
    found = both.select(
        F.sum("l"), F.sum(F.when(met, both["l"])), F.sum("r"), F.sum(F.when(met, both["r"])),
        F.sum(both["l"] * both["r"]), F.max(F.when(met, both["r"])),
    ).first()  # fmt: skip
    left_rows, left_met, right_rows, right_met, matches, fanout = (int(number or 0) for number in found)
    out = rows_out(how, matches, left_rows - left_met, right_rows - right_met)
    return JoinCounts(left_rows, left_met, right_rows, right_met, out, fanout)


@on_session
def pairs(plan: JoinPlan, spark: Any = None) -> pd.DataFrame:
    """The key values of all matching rows: columns left and right."""
    left, right = (keyed_side(plan, side, spark, rows=False) for side in SIDES)
    left, right = left.withColumnRenamed("c0", "left"), right.withColumnRenamed("c0", "right")
    return left.join(right, KEY, "inner").select("left", "right").toPandas()


@on_session
def fetched(plan: JoinPlan, spark: Any = None, most: int | None = None) -> pd.DataFrame:
    """The join's rows, or `most` of them, brought here."""
    rows = plan.to_spark(spark)
    return (rows if most is None else rows.limit(most)).toPandas()
