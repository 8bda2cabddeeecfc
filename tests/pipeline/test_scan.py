"""One table, read four ways or split anyhow, is one index: the same tokens, counts and sketches, bit for bit."""

from __future__ import annotations

import datetime
import decimal
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lakeview as lv
from lakeview.store.profiles import KEEP, merge_parts
from lakeview.store.scanning import scan_batches
from lakeview.values.signatures import VALUES

ROWS = 6_000  # more values than are kept one by one, in the first columns


def table() -> pd.DataFrame:
    """Keys and words that become sketches, and few values of each other kind, with nulls and null marks."""
    at = np.arange(ROWS)
    day = datetime.date(2024, 1, 1)
    words = np.array(["Ærø ", " île  de Ré", "NA", "-", "ＡＢＣ", "abc", "007", "7.50", "", "Ωmega"], object)
    return pd.DataFrame(
        {
            "key": at * 7 - 1_000,
            "name": [f"Name {i}é" if i % 11 else None for i in at],
            "price": np.where(at % 9 == 0, np.nan, at / 4),
            "word": words[at % 10],
            "small": at % 100,
            "flag": at % 3 == 0,
            "day": [day + datetime.timedelta(int(i) % 50) for i in at],
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(at % 40 * 6, unit="h"),
            "instant": pd.Timestamp("2024-01-01", tz="Europe/Oslo") + pd.to_timedelta(at % 30 * 6, unit="h"),
            "cost": [decimal.Decimal(int(i) % 70) / 4 for i in at],
        }
    )


def kept(lake: lv.Lake) -> dict[str, list]:
    """By column: type, rows, nulls, whether it has tokens, these and their counts or else its sketch, and its signature
    where that is of all values."""
    snapshot = lake._snapshot
    found = {}
    for name, n in ((name, n) for columns in snapshot.by_table.values() for name, n in columns.items()):
        sketch = snapshot.sketch_of(n) if snapshot.sketched[n] else None
        arrays = [sketch.minima, sketch.registers] if sketch else list(snapshot.tokens_of(n))
        segment, column = snapshot._where(n)
        found[name] = [
            snapshot.types[n],
            int(snapshot.rows[n]),
            int(snapshot.nulls[n]),
            sketch is None,
            *(a.tobytes() for a in arrays),
            segment.signed.of(column).tobytes() if snapshot.distinct[n] <= VALUES else b"",
        ]
    return found


@pytest.mark.spark
def test_pandas_frames_files_and_spark_frames_are_one_index(tmp_path: Path, spark):
    from pyspark.sql.functions import col

    frame = table()
    on_spark = spark.createDataFrame(frame)  # whose plain timestamps are instants; "when" has no zone
    on_spark = on_spark.withColumn("when", col("when").cast("timestamp_ntz")).repartition(5)
    (tmp_path / "files").mkdir()
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "files" / "t.parquet", row_group_size=700)
    ways = {
        "pandas frame": ({"t": frame}, "local"),
        "file, here": (tmp_path / "files", "local"),
        "file, Spark": (tmp_path / "files", "spark"),
        "Spark frame": ({"t": on_spark}, "spark"),
    }
    found = {}
    for way, (data, engine) in ways.items():
        lake = lv.open(data, store=tmp_path / way.replace(" ", "-"), spark=spark)
        lake.index(exact=False, engine=engine)
        found[way] = kept(lake)
    first = found.pop("pandas frame")
    assert [name for name, (*_, tokens, _, _, _) in first.items() if not tokens] == ["key", "name", "price"]
    assert list(first) == list(frame.columns)
    for way, other in found.items():
        assert other == first, way


# The long column becomes minima before its part ends, which then take in more.
@pytest.mark.parametrize("whole", [pa.Table.from_pandas(table()), pa.table({"long": np.arange(90_000)})])
def test_any_split_into_parts_and_batches_gives_the_same_columns(whole: pa.Table):
    rng, rows = np.random.default_rng(3), whole.num_rows

    def built(parts: list[pa.Table], rows_a_batch: int, keep: int | None) -> list:
        scans = [scan_batches(part.to_batches(rows_a_batch), "fold", keep)[1] for part in parts]
        return [merge_parts("t", n, [scan[n] for scan in scans], rows, keep) for n in range(whole.num_columns)]

    for keep in (None, KEEP, 50):
        expected = built([whole], rows, keep)
        for _ in range(2):
            cuts = [0, *sorted(rng.integers(0, rows, 4).tolist()), rows]
            parts = [whole.slice(a, b - a) for a, b in pairwise(cuts)]
            for one, other in zip(expected, built(parts, rows // 7, keep), strict=True):
                assert (one.rows, one.nulls, one.type) == (other.rows, other.nulls, other.type)
                assert np.array_equal(one.tokens, other.tokens) and np.array_equal(one.counts, other.counts)
                assert (one.sketch is None) == (other.sketch is None)
                if one.sketch is not None and other.sketch is not None:
                    assert np.array_equal(one.sketch.minima, other.sketch.minima)
                    assert np.array_equal(one.sketch.registers, other.sketch.registers)


# A table's state: absent, or where its run of numbers starts and how many there are, on both sides of what is kept.
state = st.one_of(st.none(), st.tuples(st.integers(0, 3_000), st.sampled_from([3, 4_000, 5_000, 9_000])))


@settings(max_examples=6)
@given(st.lists(st.tuples(state, state), min_size=2, max_size=3))
def test_what_was_updated_and_read_again_equals_what_is_built_anew(tmp_path_factory: pytest.TempPathFactory, states):
    folder = tmp_path_factory.mktemp("lakes")

    def lake(versions: tuple, store: str) -> lv.Lake:
        runs = {name: version for name, version in zip("ab", versions, strict=True) if version}
        frames = {name: pd.DataFrame({f"{name}_n": np.arange(at, at + n)}) for name, (at, n) in runs.items()}
        return lv.open(frames, store=folder / store)

    for versions in states:
        lake(versions, "changing").index(exact=False)
    fresh = lake(states[-1], "fresh")
    fresh.index(exact=False)
    again = lake(states[-1], "changing")
    assert kept(again) == kept(fresh)
    again.compact()
    assert kept(lake(states[-1], "changing")) == kept(fresh)
