"""Frames of Spark beside a lake, and a search on Spark that is stopped: on the session that lakeview starts."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import lakeview as lv
from lakeview.notebook.widgets.stoppable import Stoppable
from lakeview.pipeline import scan

pytestmark = pytest.mark.spark

ROWS = {
    "code": ["A1", "b 2", None, "NA", "A1"],
    "whole": [1, 2, None, 4, 1],
    "part": [1.5, -0.0, float("nan"), 1e22, 1.5],
    "price": [Decimal("5.00"), Decimal("0.10"), None, Decimal("5.00"), Decimal("7.25")],
    "day": [date(2024, 3, 1), None, date(1969, 12, 31), date(2024, 3, 1), date(2024, 3, 2)],
    "at": [datetime(2024, 3, 1, 5, tzinfo=UTC), None, *[datetime(2024, 3, 1, 5, 0, 0, 250_000, tzinfo=UTC)] * 3],
    "yes": [True, False, None, True, True],
    "many": [["x", None], [], None, ["x"], ["x", None]],
    "deep": [{"n": 1, "s": "x"}, {"n": None, "s": "y"}, None, {"n": 1, "s": "x"}, {"n": 2, "s": "z"}],
}
DEEP = pa.struct([("n", pa.int32()), ("s", pa.string())])
KINDS = [pa.string(), pa.int64(), pa.float64(), pa.decimal128(9, 2), pa.date32(), pa.timestamp("us", "UTC")]
TYPES = pa.schema(zip(ROWS, [*KINDS, pa.bool_(), pa.list_(pa.string()), DEEP], strict=True))


def known(lake: lv.Lake) -> dict[str, Any]:
    """What the lake knows of each column of `added`."""
    snapshot = lake._snapshot
    return {
        name: (snapshot.types[n], int(snapshot.rows[n]), int(snapshot.nulls[n]),
               *(array.tolist() for array in snapshot.tokens_of(n)))
        for name, n in snapshot.by_table["added"].items()
    }  # fmt: skip


@pytest.fixture
def lake(tmp_path: Path, spark: Any) -> lv.Lake:
    opened = lv.open({f"t{n}": pd.DataFrame({"key": ["A1", "b 2", f"c{n}"]}) for n in range(4)},
                     store=tmp_path / "store", spark=spark)  # fmt: skip
    opened.index(engine="local")
    return opened


def test_an_added_frame_of_spark_is_known_as_one_of_pandas(lake: lv.Lake, spark: Any) -> None:
    table = pa.table(ROWS, TYPES)
    lake.add(spark.createDataFrame(table), name="added")
    there = known(lake)
    assert lake.search(pd.Series(["a1", "B 2"], name="q"))[0].containment == 1.0
    lake.add(table.to_pandas(types_mapper=pd.ArrowDtype), name="added")
    assert there == known(lake) and list(there) == list(ROWS)
    lake.remove("added")
    assert "added" not in lake._snapshot.by_table


def test_a_search_on_spark_is_stopped_as_the_widget_does(
    lake: lv.Lake, spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = pd.Series(["a1", "c2"], name="q")
    expected = [(hit.table, hit.overlap) for hit in lake.search(query)]
    run_tasks, begun = scan.run_tasks, threading.Event()

    def slow(spark: Any, n: int, work: Any, schema: pa.Schema) -> pa.Table:
        def sleeping(number: int) -> Iterator[pa.RecordBatch]:
            time.sleep(60)
            yield from work(number)

        begun.set()
        return run_tasks(spark, n, sleeping, schema)

    def active() -> list[int]:
        return list(spark.sparkContext.statusTracker().getActiveJobsIds())

    told: list[Any] = []
    with monkeypatch.context() as patch:
        patch.setattr(scan, "run_tasks", slow)
        searching = Stoppable("searching", lambda: lake.search(query, engine="spark"), lambda *said: told.append(said))
        searching.start()
        assert begun.wait(60)
        while not active():
            time.sleep(0.05)
        searching.stop()
        searching._thread.join(8)  # after 10 seconds it is given up
        assert not searching._thread.is_alive() and not told
    until = time.monotonic() + 5
    while (left := active()) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left
    assert [(hit.table, hit.overlap) for hit in lake.search(query, engine="spark")] == expected
