"""Looking up sketches beside scanning them, by number of large columns: python tests/benchmarks/large_columns.py

Seeded columns of 5,000 to 2,000,000 tokens, made as sketches, without scanning values. For each number of columns: what
scan and index cost a query (CPU ms, candidates to first signs), what the costs measured on these columns expect, which
way is chosen, and how much of what the scan finds the index finds (at the threshold; without one: at containment .1).
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from columns import table

sys.path.append(str(Path(__file__).resolve().parents[1] / "index"))

from unions import Unions

from lakeview.index import sketched
from lakeview.index.sketched import SCAN, Sketched


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--columns", type=int, nargs="+", default=[50, 122, 400, 1_000, 4_000, 20_000])
    parser.add_argument("--queries", type=int, default=60)
    options = parser.parse_args()
    lake = Unions(max(options.columns))
    rows = []
    for count in options.columns:
        start = time.process_time()
        part = lake.sketches(part=slice(count))
        building = time.process_time() - start
        costs = sketched.fit(part)
        ways = {
            "scan": replace(costs, lazo=np.inf, ensemble=np.inf),
            "index": replace(costs, column=1.0, lazo=0.0, ensemble=0.0),
            "chosen": costs,
        }
        queries = np.random.default_rng(3).choice(count, min(options.queries, count), replace=False)
        for least in (0.0, 0.5, 0.8, 0.95):
            spent, found, chosen = {}, {}, []
            for way, these in ways.items():
                part.costs = these
                asked(part, int(queries[0]), least)
                start = time.process_time()
                answers = [asked(part, int(q), least) for q in queries]
                spent[way] = (time.process_time() - start) / len(queries) * 1e3
                found[way] = [places[values >= max(least, 0.1) * part.sizes[q]]
                              for (places, values, _), q in zip(answers, queries, strict=True)]  # fmt: skip
                chosen = [choice for _, _, choice in answers]
            both = sum(len(np.intersect1d(a, b)) for a, b in zip(found["scan"], found["index"], strict=True))
            rows.append([
                count, least, spent["scan"], spent["index"], spent["chosen"],
                1e3 * float(np.mean([c.scan for c in chosen])), 1e3 * float(np.mean([c.look_up for c in chosen])),
                float(np.mean([c.method != SCAN for c in chosen])),
                both / max(sum(map(len, found["scan"])), 1), building,
            ])  # fmt: skip
    table(["columns", "t", "scan ms", "index ms", "chosen ms", "scan expected", "index expected", "by index", "found",
           "build s"], rows)  # fmt: skip


def asked(part: Sketched, query: int, least: float):
    """The places at hand after the first look, their likeliest overlaps, and the choice."""
    signature, size = part.minima[query], float(part.sizes[query])
    registers = part.registers(np.array([query]))[0]
    places, choice = part.candidates(signature, size, least)
    places, signs = part.signs(signature, registers, size, places, least)
    return places, np.maximum(signs.by_tokens, signs.by_registers), choice


if __name__ == "__main__":
    main()
