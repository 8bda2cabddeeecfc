"""A fuzzy join where a side is a Spark frame: the same kernel on every partition, by mapInArrow.

The reference travels to the tasks as its distinct texts; a worker cuts and indexes them once and probes its rows batch
by batch. So the left side may be of any size, and the reference have as many distinct texts as a worker's memory holds
(about 500 bytes each). DataFrame functions alone: it runs on Spark Connect as well.

Of equally good rows the first wins, as it does here: the first in the order of the frame's partitions. That is the
order of a pandas frame that Spark was given; rows that came out of a shuffle have none that lasts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa

from lakeview.errors import InputError, SparkUnavailable
from lakeview.estimate.curve import Curve
from lakeview.estimate.join_size import THRESHOLDS, as_frame
from lakeview.estimate.sampling import sample_rows
from lakeview.estimate.similarity.texts import Distinct
from lakeview.guards import checks
from lakeview.join.fuzzy.edit import EDITS
from lakeview.join.fuzzy.plan import FuzzyPlan
from lakeview.join.fuzzy.reference import pack, reference
from lakeview.join.matching import JoinCounts
from lakeview.join.naming import free
from lakeview.join.spark.sides import KEY, keyed_side, on_session

if TYPE_CHECKING:
    import pandas as pd

_SAMPLE = 100_000  # left texts that the advisor, the candidates and the curve look at
_PARTNER, _SIMILARITY, _ACCEPTED = "partner", "similarity", "accepted"
_INTERPRETED = 4_000_000  # pairs of texts that workers without numba are asked for: seconds to a minute
_PLACE = "place"  # of a row in the order of its frame


class SparkFuzzyPlan(FuzzyPlan):
    """A fuzzy plan whose rows stay in Spark. `matched` looks at a sample of the left texts; `to_spark`, `pairs` and
    `counts` at all rows."""

    left_texts: int

    @property
    def scale(self) -> float:
        return max(self.left_texts / _SAMPLE, 1.0)

    @on_session
    def texts(self, spark: Any = None) -> tuple[Distinct, Distinct]:
        """Up to 100,000 distinct texts of the left, chosen by their hash, and all of the right, both by appearance."""
        from pyspark.sql import functions as F

        found = []
        sides: tuple[tuple[Literal["left", "right"], int | None], ...] = (("left", _SAMPLE), ("right", None))
        for which, most in sides:
            rows = self._placed(which, spark, rows=False)
            counted = rows.groupBy(KEY).agg(F.count("*").alias("count"), F.min(_PLACE).alias(_PLACE))
            if most is not None:
                self.left_texts = counted.count()
                counted = counted.orderBy(F.xxhash64(KEY)).limit(most)
            table = counted.orderBy(_PLACE).select(KEY, "count").toArrow()
            texts = table[KEY].combine_chunks().cast(pa.large_string())
            counts = table["count"].to_numpy().astype(np.int64)
            found.append(Distinct(texts, np.zeros(0, np.int64), counts))
        return found[0], found[1]

    @on_session
    def to_spark(self, spark: Any = None) -> Any:
        """The result as a Spark DataFrame."""
        return self._result_frame(spark, matched=False)

    def _result_frame(self, spark: Any, matched: bool) -> Any:
        """matched: the rows alone that have a match."""
        from pyspark.sql import functions as F

        left, right = self._matched_frames(spark)
        if matched:
            left = left.where(F.col(f"l_{_PARTNER}").isNotNull())
        joined = left.join(right, left[f"l_{_PARTNER}"] == right[f"r_{KEY}"], self.how)
        places = [{column: f"{mark}_c{place}" for place, column in enumerate(side.columns)}
                  for mark, side in (("l", self.left), ("r", self.right))]  # fmt: skip
        chosen = [(places[0][column], name) for column, name in self.columns.left]
        chosen += [(places[1][column], name) for column, name in self.columns.right]
        out = [F.col(column).alias(str(name)) for column, name in chosen]
        return joined.select(*out, F.col(f"l_{_SIMILARITY}").alias(free("similarity", map(str, self.columns.names))))

    @property
    def pairs(self) -> pd.DataFrame:
        """The joined pairs: the key values of left and right, and their similarity."""
        return self._pairs()

    @on_session
    def _pairs(self, spark: Any = None) -> pd.DataFrame:
        from pyspark.sql import functions as F

        left, right = self._matched_frames(spark)
        joined = left.join(right, left[f"l_{_PARTNER}"] == right[f"r_{KEY}"], "inner")
        of_left = f"l_c{self.left.columns.index(self.left_on)}"
        of_right = f"r_c{self.right.columns.index(self.right_on)}"
        return joined.select(
            F.col(of_left).alias("left"), F.col(of_right).alias("right"), F.col(f"l_{_SIMILARITY}").alias("similarity")
        ).toPandas()

    @on_session
    def counts(self, spark: Any = None) -> JoinCounts:
        """The rows that go in, meet and come out; runs the join."""
        from pyspark.sql import functions as F

        if self._counts is None:
            left = self._probed(spark)
            rows, met, used = left.select(F.count("*"), F.count(_PARTNER), F.count_distinct(_PARTNER)).first()
            others = keyed_side(self, "right", spark, rows=False).count()
            out = rows if self.how == "left" else met
            self._counts = JoinCounts(rows, met, others, used, out, int(met > 0))
        return self._counts

    def preview(self, n: int = 20, matched: bool = False) -> pd.DataFrame:
        """Some `n` rows of the result, `matched`: of those that have a match."""
        n, matched = checks.whole("n", n), checks.flag("matched", matched)
        return self._fetched(matched=matched, most=n)

    def to_pandas(self) -> pd.DataFrame:
        """The whole result, brought here."""
        return self._fetched()

    @on_session
    def _fetched(self, spark: Any = None, matched: bool = False, most: int | None = None) -> pd.DataFrame:
        rows = self._result_frame(spark, matched)
        return (rows if most is None else rows.limit(most)).toPandas()

    def curve_at(self, thresholds: Sequence[float] | None = None) -> pd.DataFrame:
        """`curve`; an estimate where the left has more texts than the sample."""
        if self.left_texts <= len(self.matched.left.text):
            return super().curve_at(thresholds)
        if self.measure in EDITS:
            raise InputError(f"the curve counts pairs of token sets; {self.measure} has none")
        at = np.array(THRESHOLDS if thresholds is None else checks.numbers_of("thresholds", thresholds), np.float64)
        found: Curve = sample_rows(self.matched.tokens, self.measure, at, 0.1, population=self.left_texts)
        return as_frame(found)

    def _has(self, text: str, texts: Distinct) -> bool:
        is_sample = texts is self.matched.left and self.left_texts > len(texts.text)
        return is_sample or super()._has(text, texts)

    @cached_property
    def _payload(self) -> bytes:
        return pack(self.matched.right.text)

    def _check_workers(self, spark: Any) -> None:
        """Raises SparkUnavailable where the workers lack what this join needs, or what it needs to end."""
        from lakeview.pipeline import failures, workers

        ready = workers.ready(spark)
        if self.measure in EDITS and "rapidfuzz" not in ready.has:
            raise SparkUnavailable(failures.workers_lack(["rapidfuzz"], ready.python, ready.version))
        left, right = self.left_texts, len(self.matched.right.text)
        if self.measure not in EDITS and "numba" not in ready.has and left * right > _INTERPRETED:
            lack = failures.workers_lack(["numba"], ready.python, ready.version)
            raise SparkUnavailable(
                f"without numba, comparing {left:,} texts with {right:,} may take hours. {lack}; or join frames that "
                "are here, as df.toPandas() is"
            )

    def _placed(self, which: Literal["left", "right"], spark: Any, rows: bool = True) -> Any:
        """The rows of a side that have a key, and the place of each in the order of the frame."""
        from pyspark.sql import functions as F

        keyed = keyed_side(self, which, spark, rows).withColumn(_PLACE, F.monotonically_increasing_id())
        return keyed.where(F.col(KEY).isNotNull())

    def _probed(self, spark: Any) -> Any:
        """The left side with the canonical text of each row's partner, and their similarity."""
        from pyspark.sql import Window, types
        from pyspark.sql import functions as F

        self._check_workers(spark)
        left = keyed_side(self, "left", spark)
        payload, how, joins, judgements = self._payload, self.configuration, self._joins, self.judgements

        def probed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                keys = batch.column(batch.schema.get_field_index(KEY))
                found = reference(payload, how).match(keys, judgements, joins)
                yield pa.RecordBatch.from_arrays([*batch.columns, *found],
                                                 names=[*batch.schema.names, *names])  # fmt: skip

        names = (_PARTNER, _SIMILARITY, _ACCEPTED)
        kinds = (types.StringType(), types.DoubleType(), types.BooleanType())
        added = [types.StructField(name, kind) for name, kind in zip(names, kinds, strict=True)]
        found = left.mapInArrow(probed, types.StructType([*left.schema.fields, *added]))
        if self.cardinality == "1:1":
            found = found.withColumn(_PLACE, F.monotonically_increasing_id())
            # A row without a partner is a group of its own, or one task had all of them.
            alone = F.when(F.col(_PARTNER).isNull(), F.col(_PLACE))
            best = Window.partitionBy(_PARTNER, alone).orderBy(F.desc(_ACCEPTED), F.desc(_SIMILARITY), _PLACE)
            found = found.withColumn("nth", F.row_number().over(best))
            for name in (_PARTNER, _SIMILARITY):
                found = found.withColumn(name, F.when(F.col("nth") == 1, F.col(name)))
        return found

    def _matched_frames(self, spark: Any) -> tuple[Any, Any]:
        from pyspark.sql import Window
        from pyspark.sql import functions as F

        left = self._probed(spark)
        first = F.row_number().over(Window.partitionBy(KEY).orderBy(_PLACE))
        right = self._placed("right", spark).withColumn("nth", first).where(F.col("nth") == 1)
        return (left.select(*(left[name].alias(f"l_{name}") for name in left.columns)),
                right.select(*(right[name].alias(f"r_{name}") for name in right.columns)))  # fmt: skip
