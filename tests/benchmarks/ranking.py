"""Is the first hit the right one, and does the score mean what it says?

python tests/benchmarks/ranking.py [SCHEMAS DISTRACTORS]

SCHEMAS: folders of tables, each with _keys.json (table, columns, references_table, references_columns); DISTRACTORS:
tables that refer to none of them. For each declared key of one column, alone in its schema's lake and in a lake of
everything: the place of the column referred to, by one-liners, by the weights that ship, and by weights fitted to the
schemas of four folds where the fifth is judged (a conditional logit with L2, by scipy; how strong the L2 is, the
likelihood of each of the four folds decides, fitted on the other three). Columns that refer to nothing are asked, too:
others of the schemas, of the distractors, and the distractors' as frames in a lake of the schemas.
Calibration is the expected error over ten bins of the first hits' scores.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from columns import LAKE
from scipy.optimize import minimize

import lakeview as lv
from lakeview.evidence import evidence
from lakeview.evidence.evidence import WEIGHTS, Evidence
from lakeview.join.side import Side
from lakeview.search import approximate, scoring
from lakeview.search.query import Query

KEYS = LAKE.parent / "keys"
FOLDS = 5
L2S = (2.0, 0.5, 0.125)
NULLS = {"other columns": 0.2, "row numbers and measures": 0.3, "unrelated frames": 0.5}  # weights in the fit
MOST = 400  # rivals of a query that are fitted on, the strongest


@dataclass
class Asked:
    """A query with its rivals. right: bool[n], which of them the key refers to."""

    schema: str
    found: Evidence
    right: np.ndarray

    @property
    def parts(self) -> np.ndarray:
        return np.column_stack([self.found.parts[name] / (WEIGHTS[name] or 1) for name in WEIGHTS])


class Asker:
    """A lake, and what its columns say to a query."""

    def __init__(self, *roots: Path):
        self.lake = lv.open([str(r) for r in roots] if len(roots) > 1 else str(roots[0]), store=tempfile.mkdtemp())
        self.lake.index(engine="local")
        self.snapshot = self.lake._snapshot

    def ask(self, query: Query, schema: str, leave: str | None = None, right: tuple[str, str] | None = None):
        s = self.snapshot
        overlap, frequency = s.overlaps(query.tokens)
        if query.number is not None:
            overlap[query.number] = 0
        for number in s.by_table.get(leave or "", {}).values():
            overlap[number] = 0
        columns = np.flatnonzero(overlap)
        nothing = approximate.Estimates(np.zeros(len(s), bool))
        found = scoring._gathered(query, s, columns, overlap, frequency, nothing)
        return Asked(schema, found, np.array([(s.tables[c], s.names[c]) == right for c in columns], bool))

    def keys(self, keys: list[dict], schema: str) -> list[Asked]:
        """The declared keys of one column that have data on both sides; hits in the own table are left out."""
        found = []
        for key in keys:
            child, parent = (key["table"], key["columns"][0]), (key["references_table"], key["references_columns"][0])
            numbers = [self.snapshot.by_table.get(t, {}).get(c) for t, c in (child, parent)]
            if len(key["columns"]) > 1 or None in numbers or not all(self.snapshot.distinct[n] for n in numbers):
                continue
            query = Query.of_lake(self.snapshot, numbers[0])
            found.append(self.ask(query, schema, None if child[0] == parent[0] else child[0], parent))
        return found

    def others(self, keys: list[dict], schema: str, most: int, rng: np.random.Generator) -> list[Asked]:
        """Columns that no key names, which refer to nothing (most of them: keys are left undeclared, too)."""
        named = {(k["table"], c) for k in keys for c in k["columns"]}
        numbers = [n for t, columns in self.snapshot.by_table.items() for c, n in columns.items()
                   if (t, c) not in named and self.snapshot.distinct[n]]  # fmt: skip
        chosen = rng.choice(numbers, min(most, len(numbers)), replace=False)
        return [self.ask(Query.of_lake(self.snapshot, int(n)), schema, self.snapshot.tables[n]) for n in chosen]

    def measures(self, most: int, rng: np.random.Generator) -> list[Asked]:
        """Columns of which no rival's name or rare values speak."""
        numbers = [n for columns in self.snapshot.by_table.values() for n in columns.values()]
        asked = (self.ask(Query.of_lake(self.snapshot, int(n)), f"*{n}", self.snapshot.tables[n])
                 for n in rng.permutation(numbers)[: 2 * most] if self.snapshot.distinct[n])  # fmt: skip
        return [a for a in asked if len(a.right) and not ((a.found.agreement >= 0.8) | (a.found.bits > 24)).any()]

    def frames(self, folder: Path, most: int, rng: np.random.Generator) -> list[Asked]:
        files = sorted(folder.rglob("*.csv"))
        found = []
        for path in rng.permutation(files)[:most]:
            frame = pd.read_csv(
                path, dtype=str, keep_default_na=False, na_values=["", "NA"], nrows=20_000, encoding_errors="replace"
            )
            for column in rng.choice(frame.columns, min(2, len(frame.columns)), replace=False):
                if frame[column].nunique() >= 3:
                    side = Side.frame(frame[[column]], "frame")
                    query = Query.of(side.key(column), f"frame.{column}", str(column), "fold")
                    found.append(self.ask(query, f"*{path}"))
        return [a for a in found if len(a.right)]


def declared(folder: Path, prefix: str = "") -> list[dict]:
    keys = json.loads((folder / "_keys.json").read_text())
    return [{**k, **{t: prefix + k[t] for t in ("table", "references_table")}} for k in keys]


def likelihood(asked: list[tuple[Asked, float]], weights: np.ndarray) -> float:
    """The log-likelihood of what is right, in nats."""
    total = 0.0
    for a, weight in asked:
        share = evidence.among_rivals(a.parts @ weights[:-1] + weights[-1])
        total += weight * np.log(max(share[a.right].sum() if a.right.any() else 1 - share.sum(), 1e-12))
    return total


def fit_of(folds: list[list[tuple[Asked, float]]]) -> tuple[np.ndarray, float]:
    """Weights of some folds, and the L2 that was best for each of them by the others."""

    def left_out(l2: float) -> float:
        return sum(likelihood(one, fit([a for other in folds if other is not one for a in other], l2)) for one in folds)

    best = max(L2S, key=left_out)
    return fit([a for one in folds for a in one], best), best


def fit(asked: list[tuple[Asked, float]], l2: float) -> np.ndarray:
    """Weights, and the prior, of the largest likelihood."""
    packed = []
    for a, weight in asked:
        parts, odds = a.parts, a.found.odds
        chosen = np.argsort(-np.where(a.right, np.inf, odds))[:MOST]
        packed.append((parts[chosen], a.right[chosen], weight))

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        total, slope = l2 * (w[:-1] @ w[:-1]) / 2, np.append(l2 * w[:-1], 0.0)
        for parts, right, weight in packed:
            share = evidence.among_rivals(parts @ w[:-1] + w[-1])
            total -= weight * np.log(max(share[right].sum() if right.any() else 1 - share.sum(), 1e-12))
            off = weight * (share - right)
            slope += np.append(parts.T @ off, off.sum())
        return total, slope

    start = np.array([*WEIGHTS.values(), evidence.PRIOR])
    return minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 200}).x


def judged(asked: list[Asked], score) -> dict[str, float]:
    """Mean reciprocal rank, first places, accidents among the right ones, calibration of the first hits."""
    at, first, accidents = [], [], 0
    for a in asked:
        s = score(a)
        right = s[a.right][0] if a.right.any() else -np.inf
        at.append(1 + (s > right).sum() + ((s == right) & ~a.right).sum() / 2 if a.right.any() else np.inf)
        if len(s):
            first.append((float(s.max()), bool(a.right[s.argmax()])))
        accidents += bool(a.right.any() and (evidence.probability(a.found.odds)[a.right] < evidence.LINE)[0]
                          and not a.found.tells[a.right][0])  # fmt: skip
    said, true = np.array(first).T
    if said.max(initial=0.0) > 1:
        return {"MRR": (1 / np.array(at)).mean(), "P@1": (np.array(at) <= 1).mean()}  # no probabilities
    bins = np.minimum((said * 10).astype(int), 9)
    error = sum(abs(said[bins == b].mean() - true[bins == b].mean()) * (bins == b).mean() for b in np.unique(bins))
    places = np.array(at)
    return {"MRR": (1 / places).mean(), "P@1": (places <= 1).mean(), "accident": accidents / len(asked), "ECE": error}


def one_liners(a: Asked) -> dict[str, np.ndarray]:
    f = a.found
    within = (f.contained >= 0.9) & f.unique
    return {
        "overlap": f.contained,
        "KeyNames x containment x unique": f.agreement * f.contained * f.unique + 1e-3 * f.contained,
        "contained in a unique column, then name + coverage": within * 10 + f.agreement + f.overlap / f.distinct,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="*", type=Path, default=[KEYS, LAKE])
    schemas, distractors = parser.parse_args().folders
    rng = np.random.default_rng(7)
    folders = sorted(p for p in schemas.iterdir() if (p / "_keys.json").is_file())
    sets: dict[str, list[Asked]] = {"single": [], "merged": [], **{name: [] for name in NULLS}}
    for folder in folders:
        lake, keys = Asker(folder), declared(folder)
        sets["single"] += lake.keys(keys, folder.name)
        sets["other columns"] += [a for a in lake.others(keys, folder.name, 6, rng) if len(a.right)]
    merged = Asker(*folders, distractors)
    for folder in folders:
        sets["merged"] += merged.keys(declared(folder, f"{folder.name}/"), folder.name)
    sets["row numbers and measures"] = Asker(distractors).measures(500, rng)
    sets["unrelated frames"] = Asker(*folders).frames(distractors, 300, rng)
    print({name: len(asked) for name, asked in sets.items()})

    fold = {
        schema: i % FOLDS
        for i, schema in enumerate(rng.permutation(sorted({a.schema for s in sets.values() for a in s})))
    }
    folded = [[(a, NULLS.get(name, 1.0)) for name, asked in sets.items() for a in asked if fold[a.schema] == i]
              for i in range(FOLDS)]  # fmt: skip
    weights, strengths = zip(*(fit_of(folded[:i] + folded[i + 1 :]) for i in range(FOLDS)), strict=True)
    print("L2 of each fold's weights:", *strengths)
    print(
        pd.DataFrame(weights, columns=[*WEIGHTS, "prior"]).T.assign(ships=[*WEIGHTS.values(), evidence.PRIOR]).round(2)
    )

    def left_out(a: Asked) -> np.ndarray:
        w = weights[fold[a.schema]]
        return evidence.among_rivals(a.parts @ w[:-1] + w[-1])

    for name in ("single", "merged"):
        rows = {
            line: judged(sets[name], lambda a, line=line: one_liners(a)[line]) for line in one_liners(sets[name][0])
        }
        rows["ships"] = judged(sets[name], lambda a: evidence.among_rivals(a.found.odds))
        rows["fitted on other schemas"] = judged(sets[name], left_out)
        print(f"\n{name}, {len(sets[name])} keys\n{pd.DataFrame(rows).T.round(3).to_string()}")
    for name in NULLS:
        for label, score in (("ships", lambda a: evidence.among_rivals(a.found.odds)), ("fitted", left_out)):
            sure = np.mean([score(a).max() >= 0.3 for a in sets[name]])
            print(f"{name}: first hit of .3 and more in {sure:.3f} ({label})")


if __name__ == "__main__":
    main()
