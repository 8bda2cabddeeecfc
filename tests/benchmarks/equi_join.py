"""An equi-join beside a plain pandas merge of the same keys: CPU seconds, the best of three.

python tests/benchmarks/equi_join.py [left rows] [right rows]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
import pandas as pd

from lakeview import values
from lakeview.join.plan import JoinPlan, equi_join
from lakeview.join.side import Side


def best(call: Callable[[], object], times: int = 3) -> float:
    taken = []
    for _ in range(times):
        start = time.process_time()
        call()
        taken.append(time.process_time() - start)
    return min(taken)


def main(left_rows: int = 1_000_000, right_rows: int = 100_000) -> None:
    chance = np.random.default_rng(0)
    keys = np.array([f"Key-{number:07d}" for number in range(right_rows)], dtype=object)
    right = pd.DataFrame({"k": chance.permutation(keys), "v": chance.random(right_rows)})
    left = pd.DataFrame({"q": keys[chance.integers(0, right_rows, left_rows)], "n": np.arange(left_rows)})

    def plan() -> JoinPlan:
        return equi_join(Side.frame(left, "left"), Side.frame(right, "right"), "q", "k")

    measured = {
        "canonical text of both keys": lambda: [values.canonical(side) for side in (left["q"], right["k"])],
        "pandas merge of the raw keys": lambda: left.merge(right, how="left", left_on="q", right_on="k"),
        "plan.preview(20)": lambda: plan().preview(20),
        "plan.counts()": lambda: plan().counts(),
        "plan.to_pandas()": lambda: plan().to_pandas(),
        'plan.code("pandas")': lambda: plan().code("pandas"),
        'plan.code("sql")': lambda: plan().code("sql"),
    }
    print(f"{left_rows:,} left rows, {right_rows:,} right rows")
    for name, call in measured.items():
        print(f"{best(call):8.2f} s  {name}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
