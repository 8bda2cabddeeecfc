"""Auto-Join: a join of two tables through a program that lakeview writes (thesis chapter 4)."""

from __future__ import annotations

from typing import Any

from lakeview.join.transform.assemble import Assembly, assemble
from lakeview.join.transform.columns import Columns
from lakeview.join.transform.search import Attempt, search


def assemblies(source: Columns, target: Columns, seed: int = 0) -> tuple[list[tuple[bool, Assembly]], list[Attempt]]:
    found = []
    attempts: list[Attempt] = []
    for reverse, (a, b) in ((False, (source, target)), (True, (target, source))):
        candidates, tried = search(a, b, seed)
        attempts += tried
        families: dict[int, list[Any]] = {}
        for c in candidates:
            families.setdefault(c.target.column.place, []).append(c)
        ranked = sorted(families.values(), key=lambda f: f[0].rank)[:3]
        found += [(reverse, assemble(f, a, b, seed)) for f in ranked]
    found.sort(key=lambda item: (-item[1].score, item[1].cost))
    return found, attempts


def pairs_of(reverse: bool, plan: Assembly) -> list[tuple[int, int]]:
    rows: dict[str, list[int]] = {}
    for r, v in enumerate(plan.target.column.values):
        if v is not None:
            rows.setdefault(v, []).append(r)
    p = [(i, j) for i, k in enumerate(plan.joined) if k is not None for j in rows[k]]
    return sorted((j, i) for i, j in p) if reverse else p
