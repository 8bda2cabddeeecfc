"""A transform plan on Spark: its own PySpark code is run, so what is exported is what runs."""

from __future__ import annotations

from typing import Any

from lakeview.join.export.draft import in_spark, names
from lakeview.join.model import JoinCounts, rows_out
from lakeview.join.spark.sides import on_session, sent
from lakeview.join.transform.model import TransformJoin
from lakeview.join.transform.spark_code import CHANGES, write_keys, write_pyspark


@on_session
def to_spark(join: TransformJoin, spark: Any = None) -> Any:
    """The result as a Spark DataFrame of `spark`, or of the session of the frames, or of lakeview's own."""
    return _run(write_pyspark(join, given=True), join, spark)[names(join).result]


@on_session
def counts(join: TransformJoin, spark: Any = None) -> JoinCounts:
    """The row counts of a join of which one side is a Spark frame: rows are paired by number, and nothing else is."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    code, meets, variables, _ = write_keys(join, given=True)
    scope = _run(code, join, spark)
    left, right = (scope[name].withColumn(number, F.monotonically_increasing_id())
                   for name, number in ((variables.left, "lv l"), (variables.right, "lv r")))  # fmt: skip
    pairs = left.join(right, eval(f"({meets})", scope)).select("lv l", "lv r")
    pairs = pairs.withColumn("lv n", F.count("*").over(Window.partitionBy("lv l")))
    found = pairs.agg(F.count("*"), F.count_distinct("lv l"), F.count_distinct("lv r"), F.max("lv n")).first()
    matches, left_met, right_met, fanout = (int(number or 0) for number in found)
    out = rows_out(join.how, matches, join.left.rows - left_met, join.right.rows - right_met)
    return JoinCounts(join.left.rows, left_met, join.right.rows, right_met, out, fanout)


def _run(code: str, join: TransformJoin, spark: Any) -> dict[str, Any]:
    """The variables that the code sets; it is lakeview's own, every name and text in it a quoted literal."""
    scope: dict[str, Any] = {"spark": spark}
    variables, _ = in_spark(join, CHANGES)
    for side, variable in ((join.left, variables.left), (join.right, variables.right)):
        if side.kind != "lake":
            scope[variable] = sent(side, spark)
    exec(code, scope)
    return scope
