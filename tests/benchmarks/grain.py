"""Every declared key of many schemas, joined from both sides with many="aggregate".

    python tests/benchmarks/grain.py FOLDER [--spark N]

FOLDER holds a folder of CSV files a schema, with `_keys.json` (table, columns, references_table, references_columns).
What declared keys refer to is unique; joins of many to many are those of two columns that refer to the same one, of
which each schema gives up to SIBLINGS. Right is: as many rows as the left side has, each measure of the left with the
same sum, pandas code that gives the same rows, a warning for each join of many to many and none for another. --spark N:
N of the joins alone, evenly spaced, in PySpark and SQL, too; Ctrl-C ends it with what was seen so far.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import warnings
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import lakeview as lv
from lakeview.join.key_column import KeyColumn
from lakeview.join.plan import CompositePlan, JoinPlan, equi_join

sys.path.insert(0, str(Path(__file__).parents[1] / "join"))
from joining import in_order, rows, run_pandas, run_sql

SIBLINGS = 12
# Every join is another query of a few rows: compiling each costs more than it saves.
UNCOMPILED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN",
              "spark.sql.adaptive.enabled": "false", "spark.sql.shuffle.partitions": "1"}  # fmt: skip


def plans(folder: Path, store: Path) -> list[tuple[str, JoinPlan]]:
    lake = lv.open(folder, store=store, exclude=())
    lake.index(engine="local")
    known, found = set(lake.tables["table"]), []
    alike: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for key in json.loads((folder / "_keys.json").read_text()):
        ends = [(key["table"], key["columns"]), (key["references_table"], key["references_columns"])]
        ends = [(name if name in known else f"{name}.csv", columns) for name, columns in ends]
        if not all(name in known for name, _ in ends):
            continue
        if len(key["columns"]) == 1:
            alike[ends[1][0], ends[1][1][0]].append((ends[0][0], ends[0][1][0]))
        for left, right in (ends, ends[::-1]):
            sides = lake.side(left[0]), lake.side(right[0])
            if len(left[1]) == 1:
                plan: JoinPlan = equi_join(*sides, left[1][0], right[1][0])
            else:
                plan = CompositePlan(*sides, left[1], right[1], "left")
            found.append((f"{folder.name}: {plan.join.what}", plan))
    pairs = [pair for some in alike.values() for pair in combinations(some, 2) if pair[0][0] != pair[1][0]]
    for (left_table, left_on), (right_table, right_on) in pairs[:SIBLINGS]:
        plan = equi_join(lake.side(left_table), lake.side(right_table), left_on, right_on)
        found.append((f"{folder.name}: {plan.join.what}, siblings", plan))
    return found


def repeats(plan: JoinPlan) -> bool:
    """Whether keys repeat on both sides, counted by pandas."""
    join = plan.join
    sides = [KeyColumn.of(side, on, "fold").whole.to_pandas().dropna().value_counts()
             for side, on in ((join.left, join.left_on), (join.right, join.right_on))]  # fmt: skip
    return bool({*sides[0][sides[0] > 1].index} & {*sides[1][sides[1] > 1].index})


def rounded(frame: pd.DataFrame) -> list[tuple]:
    return in_order([tuple(round(v, 6) if isinstance(v, float) else v for v in row) for row in rows(frame)])


def check(plan: JoinPlan, spark: Any) -> list[str]:
    """What was wrong."""
    each, wrong = plan.with_many("aggregate"), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = each.to_pandas()
        left = plan.left.to_pandas(plan.join.left_on)
        if not len(made) == len(left) == each.counts().rows_out:
            wrong.append("rows")
        numbers = left.select_dtypes("number").columns
        if not all(np.isclose(left[c].sum(), made[c].sum(), rtol=1e-9, equal_nan=True) for c in numbers):
            wrong.append("sums")
        try:
            if rounded(run_pandas(each)) != rounded(made):
                wrong.append("pandas code")
        except lv.InputError as error:
            wrong.append(f"refused in pandas: {error}")
        if spark is not None:
            for dialect in ("sql", "pyspark"):
                try:
                    found = run_sql(each, spark) if dialect == "sql" else _pyspark(each, spark)
                    if rounded(found) != rounded(made):
                        wrong.append(f"{dialect} code")
                except lv.InputError:
                    wrong.append(f"refused in {dialect}")
    said = any("many-to-many" in line for line in plan.warnings)
    if repeats(plan) and not said:
        wrong.append("m:n unnamed")
    if plan.warnings and not repeats(plan):
        wrong.append("harmless warned")
    if repeats(plan):
        wrong.append("(many to many)")
    return wrong


def _pyspark(plan: JoinPlan, spark: Any) -> pd.DataFrame:
    from joining import run_pyspark

    return run_pyspark(plan, spark)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--spark", type=int, default=0)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    os.chdir(options.folder)
    with tempfile.TemporaryDirectory() as stores:
        every = [one for folder in sorted(options.folder.iterdir())
                 if (folder / "_keys.json").exists() and options.only in folder.name
                 for one in plans(folder, Path(stores) / folder.name)]  # fmt: skip
        spark = None
        if options.spark:
            from lakeview.pipeline import session

            spark, every = session.get(), every[:: max(1, len(every) // options.spark)]
            for name, value in UNCOMPILED.items():
                spark.conf.set(name, value)
        tally: Counter[str] = Counter()
        try:
            for what, plan in every:
                wrong = check(plan, spark)
                tally["joins"] += 1
                tally.update(one.split(":")[0] for one in wrong)
                if set(wrong) - {"(many to many)"}:
                    print(what, wrong, flush=True)
        except KeyboardInterrupt:
            print(f"stopped, of {len(every)} joins")
    print(dict(tally))
    if spark is not None:
        spark.stop()


if __name__ == "__main__":
    main()
