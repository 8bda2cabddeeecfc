"""A fuzzy join where a side is a Spark frame: the same kernel on every partition, by mapInArrow.

The reference travels to the tasks as its distinct texts; a worker cuts and indexes them once and probes its rows batch
by batch. So the left side may be of any size, and the reference have as many distinct texts as a worker's memory holds
(about 500 bytes each). DataFrame functions alone: it runs on Spark Connect as well.

Of equally good rows the first wins, as it does here: the first in the order of the frame's partitions. That is the
order of a pandas frame that Spark was given; rows that came out of a shuffle have none that lasts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lakeview.errors import SparkUnavailable
from lakeview.estimate.similarity.texts import Distinct
from lakeview.join.fuzzy.edit import EDITS
from lakeview.join.fuzzy.model import FuzzyJoin
from lakeview.join.fuzzy.reference import reference
from lakeview.join.model import Join, JoinCounts, rows_out
from lakeview.join.spark.sides import KEY, Which, keyed_side, on_session

if TYPE_CHECKING:
    import pandas as pd

_SAMPLE = 100_000  # left texts that the advisor, the candidates and the curve look at
_PARTNER, _SIMILARITY, _ACCEPTED = "partner", "similarity", "accepted"
_INTERPRETED = 4_000_000  # pairs of texts that workers without numba are asked for: seconds to a minute
_PLACE = "place"  # of a row in the order of its frame


@on_session
def texts(join: Join, spark: Any = None) -> tuple[Distinct, Distinct, int]:
    """Up to 100,000 distinct texts of the left, chosen by their hash, and all of the right, both by appearance; how
    many the left has."""
    from pyspark.sql import functions as F

    found, left_texts = [], 0
    sides: tuple[tuple[Which, int | None], ...] = (("left", _SAMPLE), ("right", None))
    for which, most in sides:
        rows = _placed(join, which, spark, rows=False)
        counted = rows.groupBy(KEY).agg(F.count("*").alias("count"), F.min(_PLACE).alias(_PLACE))
        if most is not None:
            left_texts = counted.count()
            counted = counted.orderBy(F.xxhash64(KEY)).limit(most)
        table = counted.orderBy(_PLACE).select(KEY, "count").toArrow()
        keys = table[KEY].combine_chunks().cast(pa.large_string())
        found.append(Distinct(keys, np.zeros(0, np.int64), table["count"].to_numpy().astype(np.int64)))
    return found[0], found[1], left_texts


@on_session
def to_spark(join: FuzzyJoin, spark: Any = None, matched: bool = False) -> Any:
    """The result as a Spark DataFrame, `matched`: the rows alone that have a match."""
    from pyspark.sql import functions as F

    left, right = _matched_frames(join, spark)
    if matched:
        left = left.where(F.col(f"l_{_PARTNER}").isNotNull())
    joined = left.join(right, left[f"l_{_PARTNER}"] == right[f"r_{KEY}"], join.how)
    places = [{column: f"{mark}_c{place}" for place, column in enumerate(side.columns)}
              for mark, side in (("l", join.left), ("r", join.right))]  # fmt: skip
    chosen = [(places[0][column], name) for column, name in join.columns.left]
    chosen += [(places[1][column], name) for column, name in join.columns.right]
    out = [F.col(column).alias(str(name)) for column, name in chosen]
    return joined.select(*out, F.col(f"l_{_SIMILARITY}").alias(join.similarity_column))


@on_session
def pairs(join: FuzzyJoin, spark: Any = None) -> pd.DataFrame:
    """The joined pairs: the key values of left and right, and their similarity."""
    from pyspark.sql import functions as F

    left, right = _matched_frames(join, spark)
    joined = left.join(right, left[f"l_{_PARTNER}"] == right[f"r_{KEY}"], "inner")
    of_left = f"l_c{join.left.columns.index(join.left_on[0])}"
    of_right = f"r_c{join.right.columns.index(join.right_on[0])}"
    return joined.select(
        F.col(of_left).alias("left"), F.col(of_right).alias("right"), F.col(f"l_{_SIMILARITY}").alias("similarity")
    ).toPandas()


@on_session
def counts(join: FuzzyJoin, spark: Any = None) -> JoinCounts:
    """The rows that go in, meet and come out; runs the join."""
    from pyspark.sql import functions as F

    if join.cardinality == "N:M":
        return _counts_of_every_pair(join, spark)
    left = _probed(join, spark)
    rows, met, used = left.select(F.count("*"), F.count(_PARTNER), F.count_distinct(_PARTNER)).first()
    others = keyed_side(join, "right", spark, rows=False).count()
    return JoinCounts(rows, met, others, used, rows if join.how == "left" else met, int(met > 0))


def _counts_of_every_pair(join: FuzzyJoin, spark: Any) -> JoinCounts:
    from pyspark.sql import functions as F

    others = keyed_side(join, "right", spark, rows=False)
    fans = others.groupBy(F.col(KEY).alias("held")).agg(F.count("*").alias("fan"))
    pairs = _probed(join, spark).groupBy(KEY, _PARTNER).agg(F.count("*").alias("rows"))
    met = pairs.join(fans, pairs[_PARTNER] == fans["held"], "left").fillna(0, ["fan"])
    texts = met.groupBy(KEY).agg(F.max("rows").alias("rows"), F.sum("fan").alias("fan"))
    matched = F.when(F.col("fan") > 0, F.col("rows"))
    sums = (F.sum("rows"), F.sum(matched), F.sum(F.col("rows") * F.col("fan")), F.max("fan"))
    rows, left, out, fan = (int(value or 0) for value in texts.select(*sums).first())
    used = met.select(_PARTNER, "fan").distinct().agg(F.sum("fan")).first()[0]
    return JoinCounts(rows, left, others.count(), int(used or 0), rows_out(join.how, out, rows - left, 0), fan)


def _check_workers(join: FuzzyJoin, spark: Any) -> None:
    """Raises SparkUnavailable where the workers lack what this join needs, or what it needs to end."""
    from lakeview.pipeline import failures, workers

    ready = workers.ready(spark)
    if join.configuration.measure in EDITS and "rapidfuzz" not in ready.has:
        raise SparkUnavailable(failures.workers_lack(["rapidfuzz"], ready.python, ready.version))
    left, right = join.left_texts, len(join.matched.right.text)
    if join.configuration.measure not in EDITS and "numba" not in ready.has and left * right > _INTERPRETED:
        lack = failures.workers_lack(["numba"], ready.python, ready.version)
        raise SparkUnavailable(
            f"without numba, comparing {left:,} texts with {right:,} may take hours. {lack}; or join frames that "
            "are here, as df.toPandas() is"
        )


def _placed(join: Join, which: Which, spark: Any, rows: bool = True) -> Any:
    """The rows of a side that have a key, and the place of each in the order of the frame."""
    from pyspark.sql import functions as F

    keyed = keyed_side(join, which, spark, rows).withColumn(_PLACE, F.monotonically_increasing_id())
    return keyed.where(F.col(KEY).isNotNull())


def _probed(join: FuzzyJoin, spark: Any) -> Any:
    """The left side with the canonical text of each row's partner, and their similarity; a row for each partner, where
    all pairs join."""
    from pyspark.sql import Window, types
    from pyspark.sql import functions as F

    _check_workers(join, spark)
    left = keyed_side(join, "left", spark)
    payload, how, joins, judgements = join.reference, join.configuration, join.joins, join.judgements

    def probed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            keys = batch.column(batch.schema.get_field_index(KEY))
            if every:
                rows, *found = reference(payload, how).match_all(keys, judgements, joins)
                batch = batch.take(rows)
            else:
                found = [*reference(payload, how).match(keys, judgements, joins)]
            yield pa.RecordBatch.from_arrays([*batch.columns, *found], names=[*batch.schema.names, *names])

    every = join.cardinality == "N:M"
    names = (_PARTNER, _SIMILARITY) if every else (_PARTNER, _SIMILARITY, _ACCEPTED)
    kinds = [types.StringType(), types.DoubleType(), types.BooleanType()][: len(names)]
    added = [types.StructField(name, kind) for name, kind in zip(names, kinds, strict=True)]
    found = left.mapInArrow(probed, types.StructType([*left.schema.fields, *added]))
    if join.cardinality == "1:1":
        found = found.withColumn(_PLACE, F.monotonically_increasing_id())
        # A row without a partner is a group of its own, or one task had all of them.
        alone = F.when(F.col(_PARTNER).isNull(), F.col(_PLACE))
        best = Window.partitionBy(_PARTNER, alone).orderBy(F.desc(_ACCEPTED), F.desc(_SIMILARITY), _PLACE)
        found = found.withColumn("nth", F.row_number().over(best))
        for name in (_PARTNER, _SIMILARITY):
            found = found.withColumn(name, F.when(F.col("nth") == 1, F.col(name)))
    return found


def _matched_frames(join: FuzzyJoin, spark: Any) -> tuple[Any, Any]:
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    left, right = _probed(join, spark), _placed(join, "right", spark)
    if join.cardinality != "N:M":
        first = F.row_number().over(Window.partitionBy(KEY).orderBy(_PLACE))
        right = right.withColumn("nth", first).where(F.col("nth") == 1)
    return (left.select(*(left[name].alias(f"l_{name}") for name in left.columns)),
            right.select(*(right[name].alias(f"r_{name}") for name in right.columns)))  # fmt: skip
