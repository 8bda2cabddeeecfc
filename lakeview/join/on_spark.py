"""A join that Spark runs: both sides with their canonical keys as a column, made by the same code as everywhere.

The DataFrame API alone, so that it works on Spark Connect too. Sides that lie here get their keys here; the rows of a
Spark frame and the files of a large table get them in Spark's Python workers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from lakeview import values
from lakeview.catalog.sources import read_part, split
from lakeview.join.equi import How, JoinCounts, rows_out
from lakeview.join.spark_arrow import for_spark, to_frame, typed, with_key
from lakeview.values import Normalize

if TYPE_CHECKING:
    import pandas as pd

    from lakeview.join.plan import JoinPlan
    from lakeview.join.side import Side

KEY, TEXT = "key", "text"
"""The columns beside a side's own, which are numbered c0, c1 …: the canonical key and the key printed as text."""

Which = Literal["left", "right"]
SIDES: tuple[Which, Which] = ("left", "right")
_NUMERIC = {"tinyint", "smallint", "int", "bigint", "float", "double"}


def to_spark(plan: JoinPlan, spark: Any = None) -> Any:
    """The join's rows as a Spark DataFrame."""
    from pyspark.sql import functions as F

    spark = session_of(spark, plan)
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


def counts(plan: JoinPlan) -> JoinCounts:
    """The row counts of a join of which one side is a Spark frame, from the rows of each key."""
    spark = session_of(None, plan)
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


def pairs(plan: JoinPlan) -> pd.DataFrame:
    """The key values of all matching rows: columns left and right."""
    spark = session_of(None, plan)
    left, right = (keyed_side(plan, side, spark, rows=False) for side in SIDES)
    left, right = left.withColumnRenamed("c0", "left"), right.withColumnRenamed("c0", "right")
    return left.join(right, KEY, "inner").select("left", "right").toPandas()


def session_of(spark: Any, plan: JoinPlan) -> Any:
    """The session that is given, else that of a side's Spark frame, else the one in use."""
    for side in (plan.left, plan.right):
        if spark is None and side.kind == "spark":
            spark = side.spark_frame.sparkSession
    if spark is None:
        from lakeview.pipeline import session

        spark = session.get()
    return spark


def sent(side: Side, spark: Any) -> Any:
    """A side as a Spark frame of its own columns: itself, or what lies here through Arrow."""
    if side.kind == "spark":
        return side.spark_frame
    arrays = [for_spark(column) for column in side.arrow(side.columns, None)]
    return to_frame(pa.table(arrays, names=[str(column) for column in side.columns]), spark)


def keyed_side(plan: JoinPlan, which: Which, spark: Any, rows: bool = True) -> Any:
    """One side as a Spark frame of columns c0, c1 … (without `rows` the key column alone), KEY and, where both key
    columns end as one of text, TEXT."""
    side: Side = getattr(plan, which)
    on: Hashable = getattr(plan, f"{which}_on")
    columns = side.columns if rows else [on]
    with_text = rows and plan.columns.one_key and plan.how == "outer"
    if side.kind == "spark":
        return _of_frame(side, on, columns, plan.normalize, with_text)
    if side.kind == "lake" and rows and not side.is_small:
        return _of_parts(side, on, plan.keys_of(which), plan.normalize, with_text, spark)
    return _of_arrow(side, on, columns, plan.keys_of(which), with_text, spark)


def _of_arrow(side: Side, on: Hashable, columns: list[Hashable], keys: pa.Array, with_text: bool, spark: Any) -> Any:
    arrays = [for_spark(array) for array in side.arrow(columns, on)]
    names = [f"c{place}" for place in range(len(arrays))] + [KEY]
    arrays.append(keys)
    if with_text:
        names.append(TEXT)
        arrays.append(values.text(side.key(on)))
    return to_frame(pa.table(arrays, names=names), spark)


def _of_frame(side: Side, on: Hashable, columns: list[Hashable], normalize: Normalize, with_text: bool) -> Any:
    """A Spark frame with its keys. Whether "NA" is a value shows in the whole column, which takes a job, once."""
    from lakeview.pipeline.scan import ship_code

    frame = side.spark_frame
    ship_code(frame.sparkSession)
    picked = frame.select(*(frame[quoted(column)].alias(f"c{place}") for place, column in enumerate(columns)))
    place = columns.index(on)
    drop_na = not na_is_value(side, on, normalize)

    def keyed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield with_key(batch, place, normalize, drop_na, with_text)

    return picked.mapInArrow(keyed, _with_key_fields(picked, with_text))


def na_is_value(side: Side, on: Hashable, normalize: Normalize) -> bool:
    """As `values.na_is_value`, counted by Spark over the distinct keys of a frame."""
    from pyspark.sql import functions as F

    decided = side.na_is_value
    if (on, normalize) not in decided:
        column = side.spark_frame.select(side.spark_frame[quoted(on)].alias("c0"))

        def keyed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                found = values.canonical_part(batch.column(0), normalize).cast(pa.string())
                yield pa.RecordBatch.from_arrays([found.unique()], names=[KEY])

        keys = column.mapInArrow(keyed, f"{KEY} string").distinct().where(F.col(KEY).isNotNull())
        is_na = F.lower(KEY) == "na"
        found = keys.select(
            F.max(is_na), F.count_if(~is_na), F.count_if(~is_na & F.col(KEY).rlike("^[A-Za-z]{2}$"))
        ).first()
        decided[on, normalize] = not found[0] or 2 * found[2] > found[1]
    return decided[on, normalize]


def _of_parts(side: Side, on: Hashable, keys: pa.Array, normalize: Normalize, with_text: bool, spark: Any) -> Any:
    """A table of the lake, its files read in Spark's workers. `keys` was made here and tells what "NA" is."""
    from lakeview.pipeline.scan import ship_code

    ship_code(spark)
    parts, numbers, wanted = split(side.table), side.numbers(on), side.schema(on)
    is_text = side.table.kind != "parquet"
    place = [str(column) for column in side.columns].index(str(on))
    drop_na = not pc.any(pc.equal(pc.ascii_lower(keys), "na")).as_py()
    names = [f"c{n}" for n in range(len(wanted))]
    empty = to_frame(pa.table([pa.array([], kind) for kind in wanted.types], names=names), spark)

    def keyed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for read in read_part(parts[number], []):
                    whole = typed(read, wanted, numbers, is_text).rename_columns(names)
                    yield with_key(whole, place, normalize, drop_na, with_text)

    return spark.range(0, len(parts), 1, len(parts)).mapInArrow(keyed, _with_key_fields(empty, with_text))


def _with_key_fields(frame: Any, with_text: bool) -> Any:
    from pyspark.sql import types

    added = [types.StructField(name, types.StringType()) for name in ((KEY, TEXT) if with_text else (KEY,))]
    return types.StructType([*frame.schema.fields, *added])


def quoted(column: Hashable) -> str:
    return f"`{str(column).replace('`', '``')}`"
