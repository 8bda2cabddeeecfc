"""The sides of a join as Spark frames: their columns by number, and the canonical keys as one more.

The keys are made by the same code as everywhere: here for what lies here, in Spark's Python workers for the rows of a
Spark frame and of a large table of the lake.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import wraps
from typing import Any, Literal, TypeVar

import pyarrow as pa

from lakeview import values
from lakeview.catalog.model import TYPED
from lakeview.catalog.sources import read_part, split
from lakeview.guards import checks
from lakeview.join.export import spark_read
from lakeview.join.model import Join
from lakeview.join.side import Side
from lakeview.join.spark.arrow import KEY, TEXT, for_spark, to_frame, typed, with_key
from lakeview.values import Normalize

Found = TypeVar("Found")
Which = Literal["left", "right"]
SIDES: tuple[Which, Which] = ("left", "right")


def session_of(spark: Any, join: Join) -> Any:
    """The session that is given, else that of a side's Spark frame, else the one in use. Raises SparkUnavailable where
    that of a frame was stopped."""
    from lakeview.pipeline import session

    for side in (join.left, join.right):
        if side.kind == "spark":
            own = side.ask(lambda side=side: side.spark_frame.sparkSession)  # type: ignore[misc]
            spark = spark or own
    return session.get(spark)


def on_session(work: Callable[..., Found]) -> Callable[..., Found]:
    """Give `work`, a function of a join, the session that it runs on as `spark`; what fails is told in one line."""

    @wraps(work)
    def run(join: Join, spark: Any = None, **options: Any) -> Found:
        from lakeview.pipeline import session

        spark = session_of(checks.session("spark", spark), join)
        with session.in_one_line(spark):
            return work(join, spark, **options)

    return run


def sent(side: Side, spark: Any) -> Any:
    """A side as a Spark frame of its own columns: itself, or what lies here through Arrow."""
    if side.kind == "spark":
        return side.spark_frame
    arrays = [for_spark(column) for column in side.arrow(side.columns)]
    return to_frame(pa.table(arrays, names=[str(column) for column in side.columns]), spark)


@on_session
def fetched(join: Join, spark: Any = None, *, rows: Callable[[Any], Any], most: int | None = None) -> Any:
    """The rows of the result, or `most` of them, brought here as a pandas frame. rows: their frame, by the session."""
    return (rows(spark) if most is None else rows(spark).limit(most)).toPandas()


def keyed_side(join: Join, which: Which, spark: Any, rows: bool = True) -> Any:
    """One side as a Spark frame of columns c0, c1 … (without `rows` those of the key alone), KEY and, where both
    columns of a key of one end as one of text, TEXT."""
    side: Side = getattr(join, which)
    on: tuple[Hashable, ...] = getattr(join, f"{which}_on")
    columns = side.columns if rows else list(on)
    with_text = rows and join.how == "outer" and len(on) == 1 and bool(join.shared)
    if side.kind != "spark" and (side.kind == "pandas" or side.lake_table.is_small):
        return _of_arrow(join, which, side, columns, on, with_text, spark)
    return _in_workers(join, side, on, columns, with_text, spark)


def _of_arrow(
    join: Join, which: Which, side: Side, columns: list[Hashable], on: tuple[Hashable, ...], with_text: bool, spark: Any
) -> Any:
    arrays = [for_spark(array) for array in side.arrow(columns, on)]
    names = [f"c{place}" for place in range(len(arrays))] + [KEY]
    arrays.append(join.keys_of(which).cast(pa.string()))
    if with_text:
        names.append(TEXT)
        arrays.append(values.text(side.key(on[0])).cast(pa.string()))
    return to_frame(pa.table(arrays, names=names), spark)


def _in_workers(
    join: Join, side: Side, on: tuple[Hashable, ...], columns: list[Hashable], with_text: bool, spark: Any
) -> Any:
    from pyspark.sql import types

    from lakeview.pipeline import workers

    workers.ready(spark)
    rows = _rows(side, on, columns, spark)
    places, normalize = [columns.index(key) for key in on], join.normalize
    drop_na = [not na_is_value(side, key, normalize, rows.select(f"c{place}"))
               for key, place in zip(on, places, strict=True)]  # fmt: skip

    def keyed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield with_key(batch, places, normalize, drop_na, with_text)

    added = [types.StructField(name, types.StringType()) for name in ((KEY, TEXT) if with_text else (KEY,))]
    return rows.mapInArrow(keyed, types.StructType([*rows.schema.fields, *added]))


def _rows(side: Side, on: tuple[Hashable, ...], columns: list[Hashable], spark: Any) -> Any:
    """Columns of a side as c0, c1 …, where it is: a Spark frame's own, those of a large table of the lake as exported
    code reads them, or as the lake does, in Spark's workers: where Spark would read a file otherwise, or take it for
    small by the bytes that it has on disk."""
    from pyspark.sql import functions as F

    if side.kind == "spark":
        whole = side.numbered
    elif side.lake_table.size < side.lake_table.weight:
        return _of_parts(side, on, columns, spark)
    else:
        try:
            whole = read_table(side, on, spark).toDF(*(f"c{place}" for place in range(len(side.columns))))
        except spark_read.CannotRead:
            return _of_parts(side, on, columns, spark)
    return whole.select(*(F.col(f"c{side.columns.index(column)}").alias(f"c{n}") for n, column in enumerate(columns)))


def read_table(side: Side, on: tuple[Hashable, ...], spark: Any) -> Any:
    """A table of the lake read by Spark. Raises CannotRead where that would be something else than the lake reads."""
    source = spark_read.source(side, on)
    reader = spark.read.format(source.format).options(**source.options)
    if source.columns is not None:
        reader = reader.schema(", ".join(f"{spark_read.identifier(name)} {kind}" for name, kind in source.columns))
    return reader.load(source.path)


def _of_parts(side: Side, on: tuple[Hashable, ...], columns: list[Hashable], spark: Any) -> Any:
    """Columns of a table of the lake, its files read by lakeview in Spark's workers.

    A task is asked for by a number, and Spark would take so few for a table that is small enough to be broadcast: they
    are filtered from a range of about as many bytes as the files have, which is what Spark reckons with.
    """
    from pyspark.sql import functions as F
    from pyspark.sql.pandas.types import from_arrow_schema

    parts, numbers, whole = split(side.table), side.lake_table.numbers(on), side.lake_table.schema(on)
    names = [str(column) for column in columns]
    wanted, is_text = pa.schema([whole.field(name) for name in names]), side.table.kind not in TYPED
    schema = from_arrow_schema(pa.schema([(f"c{n}", kind) for n, kind in enumerate(wanted.types)]))
    step = max(side.lake_table.weight // (8 * len(parts)), 1)

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for found in read_part(parts[number // step], [], names):
                    made = typed(found, wanted, numbers, is_text)
                    yield made.rename_columns([f"c{n}" for n in range(len(names))])

    tasks = spark.range(0, len(parts) * step, 1, len(parts)).where(F.col("id") % step == 0)
    return tasks.mapInArrow(read, schema)


def na_is_value(side: Side, on: Hashable, normalize: Normalize, column: Any) -> bool:
    """As `values.na_is_value`, counted by Spark, once, over the distinct keys of a frame of one column; where none is
    "NA", as good as always, nothing is counted."""
    from pyspark.sql import functions as F
    from pyspark.sql import types

    decided = side.na_is_value
    if not isinstance(column.schema.fields[0].dataType, types.StringType):
        return True
    if (on, normalize) not in decided:

        def keyed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                found = values.canonical_part(batch.column(0), normalize).cast(pa.string())
                yield pa.RecordBatch.from_arrays([found.unique()], names=[KEY])

        keys = column.mapInArrow(keyed, f"{KEY} string").where(F.col(KEY).isNotNull())
        is_na = F.lower(KEY) == "na"
        count = keys.distinct().select(F.count_if(~is_na), F.count_if(~is_na & F.col(KEY).rlike("^[A-Za-z]{2}$")))

        some = not keys.where(is_na).isEmpty()
        others, codes = count.first() if some else (0, 0)
        decided[on, normalize] = not some or bool(2 * codes > others)
    return decided[on, normalize]
