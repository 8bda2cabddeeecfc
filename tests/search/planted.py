"""A lake of random tables with planted joins and decoys, from a seed. Nothing in it is taken from real data.

300 tables: 20 pairs that share a planted key, the rest noise. Decoys meet everything by accident: ids 1..n, years,
booleans, row numbers, single letters, small counts.
"""

from __future__ import annotations

import random
import string
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

TABLES, PLANTED, DECOYS = 300, 20, 200


@dataclass(frozen=True)
class Planted:
    """A join that must be found: the query table's column, and the column that it joins with."""

    table: str
    column: str
    other_table: str
    other_column: str


class Generator:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.numpy = np.random.default_rng(seed)
        self.names: set[str] = set()

    def name(self) -> str:
        """A name that was not used before."""
        while True:
            name = "".join(self.random.choices(string.ascii_lowercase, k=self.random.randint(4, 9)))
            if self.random.random() < 0.3:
                name += "_" + "".join(self.random.choices(string.ascii_lowercase, k=3))
            if name not in self.names:
                self.names.add(name)
                return name

    def keys(self, n: int) -> list[str]:
        """n different values of one random form."""
        form = self.random.choice(["word", "code", "number", "mail", "dashed", "hex"])
        made: dict[str, None] = {}
        while len(made) < n:
            letters = "".join(self.random.choices(string.ascii_lowercase, k=self.random.randint(6, 11)))
            made.setdefault(
                {
                    "word": letters.capitalize(),
                    "code": f"{letters[:2].upper()}{self.random.randrange(10**5):05d}",
                    "number": str(self.random.randrange(10**6, 10**9)),
                    "mail": f"{letters}@{letters[:3]}.example",
                    "dashed": f"{letters[:3]}-{self.random.randrange(10**4):04d}-{letters[3:5]}",
                    "hex": f"{self.random.getrandbits(40):010x}",
                }[form]
            )
        return list(made)

    def decoy(self, rows: int) -> list:
        """A column that overlaps with hundreds of others by accident."""
        kind = self.random.choice(["ids", "years", "booleans", "rownumbers", "letters", "counts"])
        if kind == "ids":
            ids = list(range(1, rows + 1))
            self.random.shuffle(ids)
            return ids
        if kind == "years":
            return [self.random.randint(1950, 2025) for _ in range(rows)]
        if kind == "booleans":
            flags = self.random.choice([["true", "false"], ["yes", "no"], ["Y", "N"], ["0", "1"]])
            return [self.random.choice(flags) for _ in range(rows)]
        if kind == "rownumbers":
            return list(range(rows))
        if kind == "letters":
            return [self.random.choice(string.ascii_uppercase) for _ in range(rows)]
        return [self.random.randint(0, 40) for _ in range(rows)]

    def noise(self, rows: int) -> list:
        """A column that meets nothing."""
        kind = self.random.choice(["float", "text", "money"])
        if kind == "float":
            return [round(float(x), 6) for x in self.numpy.normal(size=rows)]
        if kind == "money":
            return [f"{x:.2f}" for x in self.numpy.lognormal(8, 2, rows)]
        return [
            " ".join("".join(self.random.choices(string.ascii_lowercase, k=5)) for _ in range(3)) for _ in range(rows)
        ]


def write_lake(folder: Path, seed: int) -> list[Planted]:
    """Write the lake as CSV files, and say what was planted."""
    g = Generator(seed)
    tables = [f"{g.name()}.csv" for _ in range(TABLES)]
    rows = [g.random.randint(20, 800) for _ in tables]
    columns: list[dict[str, list]] = [{} for _ in tables]
    where = g.random.sample(range(TABLES), 2 * PLANTED)
    planted = []
    for fact, dimension in zip(where[::2], where[1::2], strict=True):
        keys = g.keys(rows[dimension])
        used = g.random.sample(keys, max(5, int(len(keys) * g.random.uniform(0.3, 1))))
        strangers = g.keys(max(1, len(used) // 10)) if g.random.random() < 0.5 else []
        columns[dimension][g.name()] = keys
        columns[fact][g.name()] = [g.random.choice(used + strangers) for _ in range(rows[fact])]
        planted.append(
            Planted(tables[fact], next(iter(columns[fact])), tables[dimension], next(iter(columns[dimension])))
        )
    for _ in range(DECOYS):
        t = g.random.randrange(TABLES)
        columns[t][g.name()] = g.decoy(rows[t])
    for t, name in enumerate(tables):
        for _ in range(g.random.randint(1, 4)):
            columns[t][g.name()] = g.noise(rows[t])
        order = list(columns[t])
        g.random.shuffle(order)
        pd.DataFrame({c: columns[t][c] for c in order}).to_csv(folder / name, index=False)
    return planted
