"""The first hits of 100 random columns of a lake, judged by hand: python tests/benchmarks/first_hits.py LAKE

`first_hits.csv` lists them as they were shown above the line, each with a word on whether a person would keep it. Each
column is asked again: is its first hit the one that was judged, and how many of those are kept?
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import pandas as pd

import lakeview as lv

JUDGED = Path(__file__).with_suffix(".csv")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lake", type=Path)
    arguments = parser.parse_args()
    judged = pd.read_csv(JUDGED)
    with tempfile.TemporaryDirectory() as store:
        lake = lv.open(arguments.lake, store=store)
        lake.index()
        now = []
        for query in judged["query"]:
            hits = [hit for hit in lake.search(query, rank="join", k=1) if not hit.accidental]
            now.append(f"{hits[0].table}.{hits[0].column}" if hits else "none")
    judged["now"] = now
    same = judged["now"] == judged["first_hit"]
    print(judged[~same][["query", "first_hit", "now"]].to_string(index=False) if not same.all() else "all as judged")
    kept = judged[same]["keep"]
    print(f"{len(kept)} of {len(judged)} as judged, of which a person would keep {(kept == 'yes').sum()}")


if __name__ == "__main__":
    main()
