"""Recipes: a chain made again in a fresh process elsewhere, and forty drifts of keys to be named.

    python tests/benchmarks/recipes.py [--chain]

Drifts are injected into keys of eight kinds (ids with letters, padded codes, names, mail addresses, towns, plain
numbers, days, months), each with some keys that met none before; what is told is compared with what was done, and of as
many that did not change (rows in another order, more keys on the right) nothing may be told. --chain (starts Spark):
three joins, one through a program, one fuzzy, one of what SQL made, replayed at another path.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd

import lakeview as lv
from lakeview.join.plan import equi_join
from lakeview.join.recipe.drift import Drift, drift
from lakeview.join.side import Side

SYLLABLES = ["ka", "lo", "mi", "ren", "tas", "vol", "pet", "shu", "gar", "ney", "ba", "do", "fi", "zu", "wen", "hal"]


def word(rng: random.Random, parts: int = 3) -> str:
    return "".join(rng.choice(SYLLABLES) for _ in range(parts)).capitalize()


def kinds_of_keys(rng: random.Random) -> dict[str, list[str]]:
    n = 300
    return {
        "ids": [f"A-{number:05d}" for number in rng.sample(range(1, 90_000), n)],
        "codes": [f"{number:06d}" for number in rng.sample(range(1, 90_000), n)],
        "names": [f"{word(rng)} {word(rng, 2)}" for _ in range(n)],
        "mail": [f"{word(rng).lower()}.{number}@{word(rng, 2).lower()}.example" for number in range(n)],
        "towns": [f"{word(rng)}-{word(rng, 2)}" for _ in range(n)],
        "numbers": [str(number) for number in rng.sample(range(1_000, 99_999), n)],
        "days": [f"{2012 + number // 28}-{number % 12 + 1:02d}-{number % 28 + 1:02d}" for number in range(n)],
        "months": [f"{year}-{month:02d}" for year in range(1998, 2023) for month in range(1, 13)],
    }


def injected(rng: random.Random, keys: list[str], name: str) -> dict[str, tuple[list[str], list[str]]]:
    """What is done: both sides later. Some two fifths of the keys, or a tenth more, are concerned."""
    some = set(rng.sample(keys, 2 * len(keys) // 5))

    def changed(how: Callable[[str], str]) -> list[str]:
        return [how(key) if key in some else key for key in keys]

    done = {
        "prefix": (changed(lambda key: f"ZZ-{key}"), keys),
        "keys gone": (keys, [key for key in keys if key not in some]),
        "new keys": ([*keys, *(f"{word(rng, 4)}{i}" for i in range(60))], keys),
    }
    if name in ("ids", "names", "mail", "towns"):
        done["case"] = (changed(str.swapcase), keys)
    if name in ("ids", "numbers", "towns", "mail"):
        done["prefix "] = (changed(lambda key: f"{key}-EU"), keys)
    if name in ("codes",):
        done["padding"] = (changed(lambda key: key.lstrip("0")), keys)
    if name in ("numbers", "codes"):
        done["padding "] = (changed(lambda key: f"00{key}"), keys)
    if name in ("ids", "names", "towns", "days", "months"):
        done["signs"] = (changed(lambda key: key.replace("-", "/").replace(" ", "_")), keys)
    if name in ("days", "months"):
        later = [f"{year}{key[4:]}" for year in (2025, 2026) for key in keys[:30]]
        done["new years"] = ([*keys, *later], keys)
    return done


def told(then: tuple[list[str], list[str]], now: tuple[list[str], list[str]]) -> Drift:
    plans = [equi_join(*(Side.frame(pd.DataFrame({"k": side}), which) for side, which in zip(sides, "lr", strict=True)),
                       "k", "k", normalize="exact") for sides in (then, now)]  # fmt: skip
    return drift(plans[0].keys_seen.profile(), plans[1].keys_seen)


def drifts(seed: int) -> tuple[int, int, int, int]:
    """Injected, named rightly, unchanged, alarms."""
    rng, named, tried, unchanged, alarms = random.Random(seed), 0, 0, 0, 0
    for name, keys in kinds_of_keys(rng).items():
        keys = list(dict.fromkeys(keys))
        strangers = [f"{word(rng, 5)}?{i}" for i in range(rng.choice([0, 15, 60]))]
        then = [*keys, *strangers], keys
        for kind, (left, right) in injected(rng, keys, name).items():
            found = told(then, ([*left, *strangers], right))
            tried += 1
            named += found.kind == kind.strip()
            if found.kind != kind.strip():
                print(f"  {name}: {kind} told as {found.kind or 'nothing'}: {found}")
        shuffled = rng.sample(then[0], len(then[0]))
        for now in ((shuffled, keys), (then[0], [*keys, "another"]), (then[0] * 2, keys), (then[0][:-1], keys)):
            unchanged += 1
            alarms += bool(told(then, now))
    return tried, named, unchanged, alarms


LAKE = """
import random, sys
import pandas as pd
import lakeview as lv
from pathlib import Path
folder = Path(sys.argv[1])
rng = random.Random(5)
first = [f"{a}{b}" for a in ("An", "Bo", "Cy", "Di", "Ed") for b in ("ka", "lo", "mi", "ren", "tas")]
last = ["Doe", "Roe", "Poe", "Moe", "Loe"]
people = [(f, l) for f in first for l in last]
cities = ["Berlin", "Lisbon", "Madrid", "Prague", "Vienna", "Warsaw", "Dublin", "Athens"]
if not folder.exists():
    folder.mkdir(parents=True)
    pd.DataFrame({"person": [f"{f} {l}" for f, l in people], "city": [rng.choice(cities) for _ in people]}).to_csv(
        folder / "people.csv", index=False)
    pd.DataFrame({"town": [f"{c} City" for c in cities], "region": [f"R{i % 3}" for i in range(8)]}).to_csv(
        folder / "towns.csv", index=False)
    pd.DataFrame({"region": [f"R{i}" for i in range(3)] * 2, "tax": range(6)}).to_csv(
        folder / "regions.csv", index=False)
lake = lv.open(folder, store=folder / ".store")
lake.index(engine="local")
who = pd.DataFrame({"name": [f"{l}, {f}" for f, l in people], "n": range(len(people))})
"""
THEN = """
from lakeview.notebook.sql import run_sql
from lakeview.notebook import state
state.set_lake(lake)
first = lv.auto_join(who, lake.side("people.csv").to_pandas())[0].to_pandas()
second = lv.fuzzy_join(first, lake.side("towns.csv").to_pandas(), "city", "town", threshold=0.3).to_pandas()
names = {"second": second}
run_sql("SELECT region, count(*) AS people, sum(n) AS n FROM second GROUP BY region", "by_region", names)
by_region = names["by_region"]
from lakeview.join.plan import equi_join
from lakeview.join.side import Side
plan = equi_join(Side.frame(by_region, "by_region"), lake.side("regions.csv"), "region", "region")
last = plan.with_many({"tax": "sum"}).to_pandas()
lv.recipe(sys.argv[2], of=last, lake=lake)
"""
NOW = """
last = lv.replay(sys.argv[2], lake, frames={"who": who}, sql=True)
print("changes:", last.changes)
last = last.to_pandas()
"""
SAVE = "last.sort_values(list(last.columns)).reset_index(drop=True).astype(str).to_csv(sys.argv[3], index=False)\n"


def chain(folder: Path) -> bool:
    """Whether the chain's table is the same in a fresh process at another path."""
    for what, place, out in ((THEN, "then", "a.csv"), (NOW, "deep/elsewhere", "b.csv")):
        subprocess.run([sys.executable, "-c", LAKE + what + SAVE, str(folder / place), str(folder / "recipe.json"),
                        str(folder / out)], check=True)  # fmt: skip
    print(f"recipe of {(folder / 'recipe.json').stat().st_size:,} bytes")
    return (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--chain", action="store_true")
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    assert lv.__file__
    for seed in range(options.seeds):
        tried, named, unchanged, alarms = drifts(seed)
        print(f"seed {seed}: {named} of {tried} drifts named; {alarms} alarms of {unchanged} unchanged")
    if options.chain:
        with tempfile.TemporaryDirectory() as folder:
            print("chain made again, equal:", chain(Path(folder)))


if __name__ == "__main__":
    main()
