"""A join on several columns that Spark runs: each side with its composite key as one more column (DataFrame API)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from lakeview import values
from lakeview.join import on_spark
from lakeview.join.equi import JoinCounts
from lakeview.join.spark_arrow import composite_key, for_spark, to_frame
from lakeview.values import Normalize

if TYPE_CHECKING:
    import pandas as pd

    from lakeview.join.composite import CompositePlan
    from lakeview.join.side import Side

KEY = on_spark.KEY


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


def counts(plan: CompositePlan) -> JoinCounts:
    """The row counts of a join of which one side is a Spark frame, from the rows of each key."""
    left, right = (side.select(side.columns[-1]) for side in _both(plan, None))
    return on_spark.counted(left, right, plan.how)


def pairs(plan: CompositePlan) -> pd.DataFrame:
    """The key values of all matching rows, as tuples: columns left and right."""
    import pandas as pd

    left, right = _both(plan, None)
    joined = left.join(right, left[f"l_{KEY}"] == right[f"r_{KEY}"], "inner")
    names = [[f"{mark}_c{side.columns.index(column)}" for column in on]
             for mark, side, on in (("l", plan.left, plan.left_on), ("r", plan.right, plan.right_on))]  # fmt: skip
    found = joined.select(*names[0], *names[1]).toPandas()
    tuples = [list(found[part].itertuples(index=False, name=None)) for part in names]
    return pd.DataFrame({"left": tuples[0], "right": tuples[1]})


def _both(plan: CompositePlan, spark: Any) -> tuple[Any, Any]:
    """Both sides as Spark frames of l_c0, l_c1 … and l_key, and r_ likewise."""
    spark = on_spark.session_of(spark, plan)
    out = []
    for mark, side, on in (("l", plan.left, plan.left_on), ("r", plan.right, plan.right_on)):
        keyed = _of_frame(side, on, plan.normalize) if side.kind == "spark" else _of_arrow(plan, side, on, mark, spark)
        out.append(keyed.select(*(keyed[name].alias(f"{mark}_{name}") for name in keyed.columns)))
    return out[0], out[1]


def _of_arrow(plan: CompositePlan, side: Side, on: Sequence[Any], mark: str, spark: Any) -> Any:
    arrays = [for_spark(array) for array in side.arrow(side.columns, on)]
    arrays.append(plan.keys_of("left" if mark == "l" else "right").cast(pa.string()))
    names = [f"c{place}" for place in range(len(side.columns))] + [KEY]
    return to_frame(pa.table(arrays, names=names), spark)


def _of_frame(side: Side, on: Sequence[Any], normalize: Normalize) -> Any:
    from pyspark.sql import types

    from lakeview.pipeline.scan import ship_code

    frame = side.spark_frame
    ship_code(frame.sparkSession)
    picked = frame.select(*(frame[on_spark.quoted(column)].alias(f"c{n}") for n, column in enumerate(side.columns)))
    places = [side.columns.index(column) for column in on]
    drop_na = [not on_spark.na_is_value(side, column, normalize) for column in on]

    def keyed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            texts = []
            for place, drops in zip(places, drop_na, strict=True):
                text = values.canonical_part(batch.column(place), normalize)
                if drops:
                    text = pc.if_else(pc.equal(pc.ascii_lower(text), "na"), pa.scalar(None, text.type), text)
                texts.append(text)
            arrays = [*batch.columns, composite_key(texts).cast(pa.string())]
            yield pa.RecordBatch.from_arrays(arrays, names=[*batch.schema.names, KEY])

    fields = [*picked.schema.fields, types.StructField(KEY, types.StringType())]
    return picked.mapInArrow(keyed, types.StructType(fields))
