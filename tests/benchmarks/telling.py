"""What columns tell of a target: python tests/benchmarks/telling.py [LAKE] [--shuffles 20]

Every foreign key of a lake, a folder of real tables, is joined, and every number of the table that refers is a target.
The columns that are joined are then shuffled among the keys, so that they tell nothing: how often is one said to tell,
by `search(target=)` and by an analysis of variance of the joined rows (scipy's), both at one in a hundred?
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time

import numpy as np
import pandas as pd
from scipy.stats import f_oneway

import lakeview as lv
from lakeview import demo
from lakeview.errors import LakeviewError
from lakeview.estimate.association import associate
from lakeview.search.column_parts import parted
from lakeview.search.target import by_key
from lakeview.search.telling import CHANCE, LEAST

TARGETS = 4  # of a table
COLUMNS = 12  # of a join


def rows_of(target_rows: np.ndarray, codes: np.ndarray, part: np.ndarray) -> float:
    """The p-value of the rows' parts, as if each row were a witness."""
    inside = part[codes]
    groups = [target_rows[inside == p] for p in range(int(part.max()) + 1)]
    return float(f_oneway(*groups).pvalue)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("lake", nargs="?", help="default: the demo lake")
    options.add_argument("--shuffles", type=int, default=20)
    asked = options.parse_args()
    lake = lv.open(asked.lake or demo.demo_lake(), store=tempfile.mkdtemp())
    lake.index(engine="local")
    keys = lake.foreign_keys()
    rng = np.random.default_rng(0)
    counts = {"joins": 0, "columns": 0, "telling": 0, "tries": 0, "ours": 0, "seldom": 0, "rows": 0}
    told_in = plain_in = 0.0
    for key in keys.itertuples():
        left, right = lake.side(key.table), lake.side(key.references_table)
        mine = left.to_pandas((key.column,)) if isinstance(key.column, str) else None
        if mine is None or len(mine) > 500_000:
            continue
        numbers = [name for name in mine.columns if mine[name].dtype.kind in "iuf" and name != key.column]
        frame = right.to_pandas((key.references_column,)).drop_duplicates(key.references_column)
        for label in rng.permutation(numbers)[:TARGETS]:
            try:
                began = time.process_time()
                keyed = by_key(left, (key.column,), label)
            except LakeviewError:
                continue
            joined = keyed.frame[[key.column]].merge(frame, "left", left_on=key.column, right_on=key.references_column)
            columns = [name for name in frame.columns if name != key.references_column and name in joined][:COLUMNS]
            made = {name: parted(joined[name], keyed.target.rows > 0) for name in columns}
            told = [associate(keyed.target, each.codes) for each in made.values() if each is not None]
            told_in += time.process_time() - began
            counts["joins"] += 1
            counts["columns"] += sum(each is not None for each in told)
            counts["telling"] += sum(each is not None and each.chance <= CHANCE and each.explained >= LEAST
                                     for each in told)  # fmt: skip
            began = time.process_time()
            whole = mine[[key.column, label]].merge(frame, "left", left_on=key.column, right_on=key.references_column)
            plain_in += time.process_time() - began
            del whole
            codes = pd.Categorical(mine[key.column], categories=keyed.frame[key.column]).codes
            known = (codes >= 0) & mine[label].notna().to_numpy()
            y = mine[label].to_numpy(float)[known]
            for each in filter(None, made.values()):
                for _ in range(asked.shuffles):
                    part = each.codes.copy()
                    used = np.flatnonzero(part >= 0)
                    part[used] = rng.permutation(part[used])
                    if (found := associate(keyed.target, part)) is None:
                        continue
                    counts["tries"] += 1
                    counts["ours"] += found.chance <= CHANCE
                    counts["seldom"] += found.chance <= CHANCE / 10
                    inside = part[codes[known]] >= 0
                    counts["rows"] += rows_of(y[inside], codes[known][inside], part) <= CHANCE
    tries = max(counts["tries"], 1)
    print(f"{counts['joins']} joins and targets, {counts['columns']} columns, of which {counts['telling']} tell")
    print(f"shuffled among the keys, {counts['tries']:,} tries, called telling at {CHANCE:.0%}:")
    print(f"  by keys (search(target=))       {counts['ours'] / tries:.2%}, at 0.1%: {counts['seldom'] / tries:.2%}")
    print(f"  by rows (scipy's f_oneway)      {counts['rows'] / tries:.2%}")
    print(f"all columns told of in {told_in:.1f} CPU s; pandas' merge of the rows alone {plain_in:.1f}")


if __name__ == "__main__":
    sys.exit(main())
