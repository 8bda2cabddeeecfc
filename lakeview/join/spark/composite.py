"""A join on several columns that Spark runs: each side with its composite key as one more column (DataFrame API)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakeview.join.matching import JoinCounts
from lakeview.join.spark import run
from lakeview.join.spark.sides import KEY, SIDES, keyed_side, on_session

if TYPE_CHECKING:
    import pandas as pd

    from lakeview.join.composite import CompositePlan


@on_session
def to_spark(plan: CompositePlan, spark: Any = None) -> Any:
    """The join's rows as a Spark DataFrame."""
    from pyspark.sql import functions as F

    left, right = _both(plan, spark)
    joined = left.join(right, left[f"l_{KEY}"] == right[f"r_{KEY}"], plan.how)
    of_left = {column: f"l_c{place}" for place, column in enumerate(plan.left.columns)}
    of_right = {column: f"r_c{place}" for place, column in enumerate(plan.right.columns)}

    def value(column: Any) -> Any:
        if column not in plan.shared or plan.how in ("left", "inner"):
            return F.col(of_left[column])
        right_value = F.col(of_right[column])
        return right_value if plan.how == "right" else F.coalesce(F.col(of_left[column]), right_value)

    out = [value(column).alias(str(name)) for column, name in plan.columns.left]
    out += [F.col(of_right[column]).alias(str(name)) for column, name in plan.columns.right]
    return joined.select(*out)


@on_session
def counts(plan: CompositePlan, spark: Any = None) -> JoinCounts:
    """The row counts of a join of which one side is a Spark frame, from the rows of each key."""
    left, right = (keyed_side(plan, which, spark, rows=False).select(KEY) for which in SIDES)
    return run.counted(left, right, plan.how)


@on_session
def pairs(plan: CompositePlan, spark: Any = None) -> pd.DataFrame:
    """The key values of all matching rows, as tuples: columns left and right."""
    import pandas as pd

    left, right = _both(plan, spark)
    joined = left.join(right, left[f"l_{KEY}"] == right[f"r_{KEY}"], "inner")
    names = [[f"{mark}_c{side.columns.index(column)}" for column in on]
             for mark, side, on in (("l", plan.left, plan.left_on), ("r", plan.right, plan.right_on))]  # fmt: skip
    found = joined.select(*names[0], *names[1]).toPandas()
    tuples = [list(found[part].itertuples(index=False, name=None)) for part in names]
    return pd.DataFrame({"left": tuples[0], "right": tuples[1]})


def _both(plan: CompositePlan, spark: Any) -> tuple[Any, Any]:
    """Both sides as Spark frames of l_c0, l_c1 … and l_key, and r_ likewise."""
    out = []
    for which in SIDES:
        mark, keyed = which[0], keyed_side(plan, which, spark)
        out.append(keyed.select(*(keyed[name].alias(f"{mark}_{name}") for name in keyed.columns)))
    return out[0], out[1]
