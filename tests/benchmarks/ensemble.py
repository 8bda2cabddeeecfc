"""Containment search beside `datasketch.MinHashLSHEnsemble`: recall, precision before verification, build, query.

    python tests/benchmarks/ensemble.py [folder] [--large] [--queries 300]

256 hashes, 16 partitions, columns with at least 10 distinct values, thresholds .5, .8 and .95. Both sides start from
the same tokens, so datasketch is spared its own hashing of values. All seconds are of the CPU; those of `filters`
include making the filters. Both sides answer a query before their time is taken, in which ours loads its compiled
kernel: numba is imported here, as a process that hashed for a second has it. Rows:

raw       256 minima and the distinct count of each column, nothing else; both sides
shipped   the default store: exact token sets of all columns verify what the sketches find, large columns that are
          only possible among them
sketches  a sketch-only store: exact sets up to 4,096 values, sketches above; a large column is answered where the
          sketch's interval lies above the threshold, else it is possible and counts as not found
filters   the same with a membership filter for each large column, which decides small queries; two large columns are
          decided by their sketches' most likely containment
late      raw, with half of the columns inserted after the first build
search    `lake.search(..., threshold=t)` on the folder's index, whole answers with scores and reasons; `by sketches`:
          with exact=False; build s is all of `lake.index(engine="local")`, reading and parsing included; `late`: half
          of the files came after the first build. Truth are the columns but the query itself, which is left out
--large   a seeded lake of sets of 1e4 to 1e7 values instead of a folder
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from functools import cache
from pathlib import Path

import numpy as np
from columns import LAKE, Overlaps, Windows, lake_columns, table

import lakeview as lv
from lakeview.estimate.joint import Sketch, compare
from lakeview.estimate.members import containment
from lakeview.index import ensemble_kernels
from lakeview.index.ensemble import LshEnsemble
from lakeview.index.runs import Runs
from lakeview.sketch.membership import Membership
from lakeview.sketch.minhash import one_permutation
from lakeview.sketch.minima import bucket_minima

assert ensemble_kernels.COMPILED
K, PARTITIONS, THRESHOLDS, EXACT = 256, 16, (0.5, 0.8, 0.95), 4096


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", default=str(LAKE))
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--columns", type=int, default=24, help="of --large: datasketch hashes for five seconds each")
    options = parser.parse_args()
    if options.large:
        windows = Windows(options.columns, 1e4, 1e7)
        sizes, column, overlap = windows.sizes, windows.column, windows.overlap
    else:
        columns = lake_columns(options.folder, least=10)
        sizes, column, overlap = np.array([len(c) for c in columns]), columns.__getitem__, Overlaps(columns).of
    n = len(sizes)
    queries = np.random.default_rng(0).choice(n, min(options.queries, n), replace=False)
    truth = {q: overlap(q) for q in queries}
    least, median, most = (int(part(sizes)) for part in (np.min, np.median, np.max))
    print(f"{n} columns of {least:,} to {most:,} distinct values, median {median:,}; {len(queries)} queries")
    if options.large:
        print("sizes:", *(f"{size:,}" for size in sorted(sizes.tolist())))

    start = time.process_time()
    ours = np.array([one_permutation(bucket_minima(column(i)), K) for i in range(n)])
    sketching = time.process_time() - start
    start = time.process_time()
    runs = Runs(PARTITIONS)
    runs.insert(np.arange(n), ours, sizes)
    building = time.process_time() - start
    late = Runs(PARTITIONS)
    late.insert(np.arange(0, n, 2), ours[::2], sizes[::2])
    late.insert(np.arange(1, n, 2), ours[1::2], sizes[1::2])
    theirs, their_sketching = datasketch_sketches(column, n)

    @cache
    def sketched(i: int):
        tokens = column(i)
        large = len(tokens) > EXACT
        return Sketch.of(bucket_minima(tokens), None if large else len(tokens)), Membership.of(
            tokens
        ) if large else None

    rows = []
    for threshold in THRESHOLDS:
        answers = {}
        for name, index in (("raw", LshEnsemble(runs)), ("late", LshEnsemble(late))):
            index.query(ours[0], sizes[0], threshold)
            start = time.process_time()
            found = [index.query(ours[q], sizes[q], threshold) for q in queries]
            answers[name] = ([a.ids for a in found], sketching + building, time.process_time() - start)
            if name == "raw":
                both = list(zip(found, queries, strict=True))
                for kind, decide in (
                    ("shipped", lambda a, q, t: exactly(a, q, sizes, truth[q], t)),
                    ("sketches", lambda a, q, t: by_sketches(a, q, sizes, truth[q], t)),
                    ("filters", lambda a, q, t: by_filters(a, q, sizes, truth[q], t, sketched, column)),
                ):
                    began = time.process_time()
                    ids = [decide(a, q, threshold) for a, q in both]
                    answers[kind] = (ids, sketching + building, answers[name][2] + time.process_time() - began)
        index, their_building = datasketch_index(theirs, sizes, threshold)
        list(index.query(theirs[0], int(sizes[0])))
        start = time.process_time()
        found = [np.array(sorted(index.query(theirs[q], int(sizes[q]))), int) for q in queries]
        answers["datasketch"] = (found, their_sketching + their_building, time.process_time() - start)
        for name in ("shipped", "sketches", "filters", "raw", "late", "datasketch"):
            ids, build, query = answers[name]
            rows.append(
                [threshold, name, *scores(ids, queries, sizes, truth, threshold), build, query / len(queries) * 1e3]
            )
    if not options.large:
        for late in (False, True):
            rows += searched(options.folder, options.queries, late)
    rows.sort(key=lambda row: row[0])
    table(["t", "index", "recall", "|X|<=50|Q|", "precision", "F1", "build s", "query ms"], rows)


def searched(folder: str, count: int, late: bool) -> list[list]:
    """Rows of `lake.search`, exact and by sketches."""
    with tempfile.TemporaryDirectory() as here:
        files = sorted(path for path in Path(folder).rglob("*") if path.is_file() and ".lakeview" not in path.parts)
        lake = lv.open(here, store=Path(here) / ".lakeview")
        building = 0.0
        for part in (files[::2], files[1::2]) if late else (files,):
            for path in part:
                copy = Path(here) / path.relative_to(folder)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, copy)
            start = time.process_time()
            lake.index(engine="local")
            building += time.process_time() - start
        snapshot = lake._snapshot
        counted = snapshot.alive & (snapshot.distinct >= 10)
        sizes = np.where(counted, snapshot.distinct, 0).astype(float)
        columns = np.flatnonzero(counted)
        queries = np.random.default_rng(0).choice(columns, min(count, len(columns)), replace=False)
        truth = {}
        for q in queries:
            truth[q] = np.where(counted, snapshot.overlaps(np.asarray(snapshot.tokens_of(q)[0]))[0], -1)
            truth[q][q] = -1
        names = [f"{snapshot.tables[q]}.{snapshot.names[q]}" for q in queries]
        rows = []
        for threshold in THRESHOLDS:
            for exact in (True, False):
                start = time.process_time()
                answers = [lake.search(name, threshold=threshold, exact=exact) for name in names]
                spent = time.process_time() - start
                ids = [np.array([h.number for h in hits if counted[h.number]], int) for hits in answers]
                name = ("search" if exact else "by sketches") + (" late" if late else "")
                rows.append([threshold, name, *scores(ids, queries, sizes, truth, threshold), building,
                             spent / len(names) * 1e3])  # fmt: skip
        return rows


def exactly(answer, query: int, sizes: np.ndarray, overlap: np.ndarray, threshold: float) -> np.ndarray:
    """Found and possible columns, verified by their exact sets."""
    asked = np.concatenate([answer.ids, answer.possible])
    return asked[overlap[asked] >= threshold * sizes[query] - 1e-9]


def by_sketches(answer, query: int, sizes: np.ndarray, overlap: np.ndarray, threshold: float) -> np.ndarray:
    """Exact where both have at most 4,096 values; else found if the interval lies above the threshold."""
    if sizes[query] <= EXACT:
        small = exactly(answer, query, sizes, overlap, threshold)
        small = small[sizes[small] <= EXACT]
    else:
        small = np.zeros(0, int)
    undecided = np.flatnonzero((answer.sizes > EXACT) | (sizes[query] > EXACT))
    _, low, _ = answer.containment(undecided)
    return np.union1d(small, answer.ids[undecided[low >= threshold]])


def by_filters(answer, query: int, sizes, overlap, threshold: float, sketched, column) -> np.ndarray:
    """As `by_sketches`, with filters and the joint likelihood for what is large."""
    asked = np.concatenate([answer.ids, answer.possible])
    found = exactly(answer, query, sizes, overlap, threshold)
    found = found[(sizes[found] <= EXACT) & (sizes[query] <= EXACT)].tolist()
    for other in asked.tolist():
        if sizes[query] <= EXACT < sizes[other]:
            members = sketched(other)[1]
            passed = int(members.contains(column(query)).sum())
            estimate = containment(passed, int(sizes[query]), members.false_positives)
        elif sizes[query] > EXACT:
            estimate = compare(sketched(query)[0], sketched(other)[0]).containment
        else:
            continue
        if estimate.value >= threshold:
            found.append(other)
    return np.array(found, int)


def scores(ids: list[np.ndarray], queries, sizes, truth, threshold: float) -> list[float]:
    """Recall, recall of columns at most 50 times the query, precision, F1; over all pairs of all queries."""
    right = wanted = returned = near_right = near_wanted = 0
    for found, q in zip(ids, queries, strict=True):
        want = truth[q] >= threshold * sizes[q] - 1e-9
        near = want & (sizes <= 50 * sizes[q])
        hit = np.zeros(len(sizes), bool)
        hit[found] = True
        right, wanted, returned = right + (want & hit).sum(), wanted + want.sum(), returned + hit.sum()
        near_right, near_wanted = near_right + (near & hit).sum(), near_wanted + near.sum()
    recall, precision = right / wanted, right / max(returned, 1)
    return [
        float(v) for v in (recall, near_right / near_wanted, precision, 2 * recall * precision / (recall + precision))
    ]


def datasketch_sketches(column, n: int):
    import datasketch

    start = time.process_time()
    sketches = []
    for i in range(n):
        sketch = datasketch.MinHash(K, hashfunc=int)
        sketch.update_batch((column(i) & np.uint64(0xFFFFFFFF)).tolist())
        sketches.append(sketch)
    return sketches, time.process_time() - start


def datasketch_index(sketches, sizes: np.ndarray, threshold: float):
    import datasketch

    start = time.process_time()
    index = datasketch.MinHashLSHEnsemble(threshold=threshold, num_perm=K, num_part=PARTITIONS)
    index.index((i, sketch, int(sizes[i])) for i, sketch in enumerate(sketches))
    return index, time.process_time() - start


if __name__ == "__main__":
    main()
