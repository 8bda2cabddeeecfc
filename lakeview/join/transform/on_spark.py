"""A transform plan on Spark: its own PySpark code is run, so what is exported is what runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lakeview.join.side import Side
    from lakeview.join.transform.plan import TransformPlan


def run(plan: TransformPlan, spark: Any = None) -> Any:
    """The result as a Spark DataFrame of `spark`, or of the session of the frames, or of lakeview's own."""
    from lakeview.join.code import names
    from lakeview.join.transform.spark_code import write_pyspark

    spark = spark or _session(plan)
    variables = names(plan)
    scope: dict[str, Any] = {"spark": spark}
    for side, variable in ((plan.left, variables.left), (plan.right, variables.right)):
        if side.kind != "lake":
            scope[variable] = _frame(side, spark)
    exec(write_pyspark(plan), scope)  # the code is lakeview's own; every name and text in it is a quoted literal
    return scope[variables.result]


def _frame(side: Side, spark: Any) -> Any:
    if side.kind == "spark":
        return side._frame
    import pyarrow as pa

    from lakeview.join.spark_arrow import to_frame

    return to_frame(pa.Table.from_pandas(side.to_pandas(), preserve_index=False), spark)


def _session(plan: TransformPlan) -> Any:
    for side in (plan.left, plan.right):
        if side.kind == "spark":
            return side._frame.sparkSession
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    from lakeview.pipeline import session

    return session.get()
