"""Lakes whose tables say which lake they are of, and the verbs of the plans that join them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import lakeview as lv

ROWS = 40
LEFT = pd.DataFrame({"key": [f"k{i}" for i in range(ROWS)]})
TABLES = ["deep/t.csv", "p.parquet", "sales", "u.jsonl"]


def write(folder: Path, mark: str) -> None:
    """A lake of which each table has a column that says which lake it is of."""
    shutil.rmtree(folder / "deep", ignore_errors=True)
    (folder / "deep").mkdir(parents=True)
    keys = [f"k{i}" for i in range(ROWS)]
    pd.DataFrame({"k": keys, "of": mark}).to_csv(folder / "deep" / "t.csv", index=False)
    pq.write_table(pa.table({"k": keys, "of": [mark] * ROWS}), folder / "p.parquet", row_group_size=10)
    for half in (0, 1):
        (folder / "sales" / f"half={half}").mkdir(parents=True, exist_ok=True)
        some = pd.DataFrame({"k": keys[half * 20 : half * 20 + 20], "of": mark})
        some.to_csv(folder / "sales" / f"half={half}" / "part-0.csv", index=False)
    lines = [json.dumps({"k": key, "of": mark}) for key in keys]
    (folder / "u.jsonl").write_text("\n".join(lines))


def indexed(folder: Path, **options: Any) -> lv.Lake:
    lake = lv.open(folder, **options)
    lake.index(engine="local")
    return lake


def plans(lake: lv.Lake, left: Any = LEFT, **options: Any) -> dict[str, Any]:
    hits = lake.search(left, "key", **options)
    found = {hit.table: hit.join("inner") for hit in hits if hit.column == "k"}
    assert sorted(found) == TABLES
    return found


def marks(plan: Any) -> set[str]:
    """The lakes whose rows a plan gives."""
    joined = plan.to_pandas()
    assert len(joined) == ROWS and plan.counts().rows_out == ROWS and len(plan.preview(5)) == 5
    return set(joined["of"])


VERBS: dict[str, Callable[[Any], Any]] = {
    "counts": lambda plan: plan.counts(),
    "pairs": lambda plan: plan.pairs,
    "preview": lambda plan: plan.preview(),
    "to_pandas": lambda plan: plan.to_pandas(),
    "to_spark": lambda plan: plan.to_spark(),
    "pandas code": lambda plan: plan.code(),
    "pyspark code": lambda plan: plan.code("pyspark"),
    "sql code": lambda plan: plan.code("sql"),
    "statements": lambda plan: plan.statements(),
}
