"""Stacked tables on Spark: the frame's rows and those of the tables, by names."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pyarrow as pa

from lakeview.join.side import Side
from lakeview.join.spark.arrow import for_spark, to_frame
from lakeview.join.stacked import Stack, as_text


def to_spark(plan: Stack, spark: Any = None) -> Any:
    """The result as a Spark DataFrame of `spark`, or of the session of the frame, or of the one in use."""
    from pyspark.sql import functions as F

    from lakeview.pipeline import session

    own = plan.left.ask(lambda: plan.left.spark_frame.sparkSession) if plan.left.kind == "spark" else None
    spark = session.get(spark or own)
    with session.in_one_line(spark):
        made = _frame(plan.left, (), spark).toDF(*map(str, plan.left.columns))
        labels = [str(label) for label in plan.left.columns]
        for piece in plan.pieces:
            rows = _frame(piece.side, as_text(piece, plan.left), spark)
            place = {str(name): number for number, name in enumerate(piece.side.columns)}
            columns = [F.col(f"c{place[name]}").alias(str(label)) for label, name in piece.columns.items()]
            made = made.unionByName(rows.select(*columns), allowMissingColumns=True)
        return made.select(*(F.col(f"`{label.replace('`', '``')}`") for label in labels))


def _frame(side: Side, as_text: tuple[Hashable, ...], spark: Any) -> Any:
    """A side with its columns named c0, c1 …"""
    if side.kind == "spark":
        return side.numbered
    arrays = [for_spark(column) for column in side.arrow(side.columns, as_text)]
    return to_frame(pa.table(arrays, names=[f"c{place}" for place in range(len(arrays))]), spark)
