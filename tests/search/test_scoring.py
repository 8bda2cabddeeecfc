"""What a search gathers for a score: the same however a column was read, without its nulls, by the tokens shared."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lakeview as lv
from lakeview.catalog.reading import parquet_reader
from lakeview.store import scanning

CODES = ["".join(letters) for letters in product("ABCDEFGHIJKLMNOP", repeat=3)][:3_000]


def by_chance(hit: lv.Hit) -> int:
    found = re.search(r"About ([\d,]+) of them would match", hit.reason)
    assert found, hit.reason
    return int(found[1].replace(",", ""))


@pytest.mark.parametrize(("values", "expected"), [(CODES, 17), (list(range(1, 15_000, 5)), 20)])
def test_a_column_in_many_batches_meets_as_much_by_chance_as_in_one(
    tmp_path: Path, values: list, expected: int, monkeypatch: pytest.MonkeyPatch
):
    """Shapes are counted batch by batch, so a value that is in several of them is counted several times."""
    monkeypatch.setattr(scanning, "GATHERED", 1 << 16)  # bytes: small batches are counted together
    monkeypatch.setattr(parquet_reader, "BATCH_ROWS", 1 << 16)
    few = values[:400:4]
    for name, rows in (("one", 1), ("many", 150_000)):
        for file, held in ((name, values), (f"{name}-few", few)):
            table = pa.table({"v": held * max(1, rows // len(held))})
            pq.write_table(table, tmp_path / f"{file}.parquet")
    lake = lv.open(tmp_path)
    lake.index(engine="local")
    snapshot = lake._snapshot
    counted = dict(zip(snapshot.tables, snapshot.array("values").tolist(), strict=True))
    assert counted["many.parquet"] > 3_000 and counted["many-few.parquet"] > 100
    for query in (pd.Series(few, name="q"), "one-few.parquet.v", "many-few.parquet.v"):
        hits = {hit.table: hit for hit in lake.search(query)}
        assert by_chance(hits["one.parquet"]) == by_chance(hits["many.parquet"]) == expected


def test_nulls_are_no_rows_of_a_value(tmp_path: Path):
    codes = [f"k{i}" for i in range(50)]
    without = pd.DataFrame({"k": codes * 2})
    with_nulls = pd.DataFrame({"k": [*codes * 2, *[None] * 500]})
    scores = set()
    for table in (without, with_nulls):
        for query in (without, with_nulls):
            lake = lv.open({"t": pd.concat([table] * 4)}, store=tmp_path / f"{len(table)}-{len(query)}")
            lake.index(engine="local")
            scores.add(lake.search(query, "k")[0].score)
    assert len(scores) == 1


def test_columns_that_share_rare_values_come_before_those_that_share_common_ones(tmp_path: Path):
    common, rare = [f"common {i}" for i in range(4)], [f"rare {i}" for i in range(4)]
    tables = {f"t{i:03d}": pd.DataFrame({"x": [*common, *(f"{i}-{j}" for j in range(4))]}) for i in range(300)}
    tables["z"] = pd.DataFrame({"x": [*rare, *(f"z-{j}" for j in range(4))]})
    lake = lv.open(tables, store=tmp_path)
    lake.index(engine="local")
    hits = lake.search(pd.Series([*common, *rare], name="x"), rank="join", k=5)
    assert hits[0].table == "z" and hits[0].overlap == hits[1].overlap == 4
    assert hits[0].score > hits[1].score
