"""A transform plan on Spark: its own PySpark code is run, so what is exported is what runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakeview.join.export.draft import in_spark, names
from lakeview.join.matching import JoinCounts, rows_out
from lakeview.join.spark.sides import on_session, sent
from lakeview.join.transform.spark_code import CHANGES, write_keys, write_pyspark

if TYPE_CHECKING:
    from lakeview.join.transform.plan import TransformPlan


@on_session
def to_spark(plan: TransformPlan, spark: Any = None) -> Any:
    """The result as a Spark DataFrame of `spark`, or of the session of the frames, or of lakeview's own."""
    return _run(write_pyspark(plan, given=True), plan, spark)[names(plan).result]


@on_session
def counts(plan: TransformPlan, spark: Any = None) -> JoinCounts:
    """The row counts of a join of which one side is a Spark frame: rows are paired by number, and nothing else is."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    code, meets, variables = write_keys(plan, given=True)
    scope = _run(code, plan, spark)
    left, right = (scope[name].withColumn(number, F.monotonically_increasing_id())
                   for name, number in ((variables.left, "lv l"), (variables.right, "lv r")))  # fmt: skip
    pairs = left.join(right, eval(f"({meets})", scope)).select("lv l", "lv r")
    pairs = pairs.withColumn("lv n", F.count("*").over(Window.partitionBy("lv l")))
    found = pairs.agg(F.count("*"), F.count_distinct("lv l"), F.count_distinct("lv r"), F.max("lv n")).first()
    matches, left_met, right_met, fanout = (int(number or 0) for number in found)
    out = rows_out(plan.how, matches, plan.left.rows - left_met, plan.right.rows - right_met)
    return JoinCounts(plan.left.rows, left_met, plan.right.rows, right_met, out, fanout)


def _run(code: str, plan: TransformPlan, spark: Any) -> dict[str, Any]:
    """The variables that the code sets; it is lakeview's own, every name and text in it a quoted literal."""
    scope: dict[str, Any] = {"spark": spark}
    variables, _ = in_spark(plan, CHANGES)
    for side, variable in ((plan.left, variables.left), (plan.right, variables.right)):
        if side.kind != "lake":
            scope[variable] = sent(side, spark)
    exec(code, scope)
    return scope
