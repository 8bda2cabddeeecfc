"""Tables of several files, and whether an index of them is that of a full reading."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pandas as pd

import lakeview as lv

FRESH = itertools.count()


def write(folder: Path, files: dict[str, pd.DataFrame]) -> None:
    for name, frame in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        frame.to_parquet(path, index=False) if path.suffix == ".parquet" else frame.to_csv(path, index=False)


def read(lake: lv.Lake) -> set[str]:
    """The files that an indexing reads."""
    return {Path(task["path"]).name for task in lake.index(engine="local").tasks}


def everything(lake: lv.Lake) -> list[object]:
    """All that the index holds: of every column what its segment keeps, tokens, counts and signature; problems."""
    held = []
    for segment in lake.store.read()[1]:
        for number in segment.alive.nonzero()[0]:
            column = segment.column(int(number))
            fields = (column.table, column.ordinal, column.name, column.type, column.rows, column.nulls, column.shape)
            arrays = (column.tokens, column.counts, column.signature)
            held.append((*map(repr, fields), *(array.tobytes() for array in arrays), repr(column.sketch)))
    return [*sorted(held), lake.problems.to_dict("list"), lake.tables.to_dict("list")]


def equals_a_fresh_build(lake: lv.Lake, folder: Path) -> bool:
    fresh = lv.open(folder, store=folder.parent / f"fresh{next(FRESH)}")
    fresh.index(engine="local")
    return everything(lake) == everything(fresh)


def day(n: int, rows: int = 30) -> pd.DataFrame:
    rng = np.random.default_rng(n)
    return pd.DataFrame({"id": np.arange(rows) + 10 * n, "town": rng.choice(["Bonn", "Rome", None], rows),
                         "x": rng.random(rows).round(2), "day": f"2024-01-{n:02}"})  # fmt: skip
