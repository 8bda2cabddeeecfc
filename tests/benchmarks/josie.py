"""Exact top-k search: the plans of JOSIE among themselves and beside two peers.

    python tests/benchmarks/josie.py LAKE                       a folder of tables, every column a query
    python tests/benchmarks/josie.py --zipf 100000 50000000     a seeded lake of so many sets and postings
    python tests/benchmarks/josie.py --series                   what a Series of texts takes beyond its tokens
    python tests/benchmarks/josie.py --tpch FOLDER              TPC-H's tables: the key of partsupp, by both its columns

Prints, for each class of queries, what each plan reads (as figures 4 and 5 of the paper), the price of these reads in
milliseconds a query (lists and sets at l0 and s0, their numbers at l1 and s1 of the fitted costs), that over the best
plan's, and CPU milliseconds a query. The peers: a Python dictionary of posting lists, and SetSimilaritySearch's
containment query (pip install SetSimilaritySearch), which needs a threshold and is given one of half the query.
"""

from __future__ import annotations

import argparse
import mmap
import os
import resource
import statistics
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path

import josie_d
import numpy as np

import lakeview as lv
from lakeview import values
from lakeview.index import josie, josie_kernels
from lakeview.index.josie_cost import fit
from lakeview.index.postings import Postings
from lakeview.search import sampled
from lakeview.search.hits import Hits
from lakeview.search.query import Query
from lakeview.search.ranking import refined, search
from lakeview.store.manifest import Manifest, parameters
from lakeview.store.profiles import Column, Shape
from lakeview.store.segment import Segment
from lakeview.store.segment_writer import SegmentWriter
from lakeview.store.snapshot import Snapshot

assert josie_kernels.COMPILED
PLANS: dict[str, josie.Plan] = {"merge": "merge", "probe": "probe", "josie": josie_d.josie, "auto": "auto"}
TABLE = 50  # columns to a table of the Zipf lake


def cpu(work: Callable[[], object], rounds: int = 3) -> float:
    """CPU milliseconds of a warm call: the median."""
    work()
    times = []
    for _ in range(rounds):
        started = time.process_time()
        work()
        times.append(1e3 * (time.process_time() - started))
    return statistics.median(times)


def compare(title: str, ask: Callable[[int, josie.Plan], tuple], queries: Sequence[int], rounds: int = 3) -> dict:
    """Run all plans on some queries; returns plan → CPU milliseconds of each query."""
    taken: dict[str, list[float]] = {plan: [] for plan in PLANS}
    read: dict[str, list[josie.Statistics]] = {plan: [] for plan in PLANS}
    for query in queries:
        answers = set()
        for plan in PLANS:
            numbers, overlaps, told = ask(query, PLANS[plan])
            answers.add((tuple(numbers.tolist()), tuple(overlaps.tolist())))
            read[plan].append(told)
            taken[plan].append(cpu(lambda query=query, plan=PLANS[plan]: ask(query, plan), rounds))
        assert len(answers) == 1, "the plans disagree"
    least = min(sum(s.expected for s in read[plan]) for plan in PLANS if plan != "auto")
    for plan in PLANS:
        told = read[plan]
        cost = sum(s.expected for s in told)
        chosen = Counter(s.plan for s in told).most_common() if plan == "auto" else ""
        print(
            f"{title:>16} {plan:>6} {np.mean([s.lists for s in told]):11,.1f} {np.mean([s.sets for s in told]):9,.1f}"
            f" {np.mean([s.bytes for s in told]):14,.0f} {1e3 * cost / len(told):10.4f} {cost / max(least, 1e-12):6.2f}"
            f" {statistics.median(taken[plan]):9.3f} {np.mean(taken[plan]):9.3f}  {chosen}",
            flush=True,
        )
    return taken


HEAD = (
    f"{'':>16} {'plan':>6} {'lists':>11} {'sets':>9} {'bytes':>14} {'priced ms':>10} {'/best':>6} {'median ms':>9}"
    f" {'mean ms':>9}  chosen"
)


def real(folder: Path) -> None:
    """Every column of a folder of tables as a query."""
    with tempfile.TemporaryDirectory() as store:
        lake = lv.open(folder, store=store)
        print(lake.index(engine="local"))
        snapshot = lake._snapshot
        sets = [snapshot.tokens_of(number)[0] for number in range(len(snapshot))]
        asked = [number for number in range(len(sets)) if len(sets[number])]
        lists = defaultdict(list)
        for number in asked:
            for token in sets[number].tolist():
                lists[token].append(number)
        lists = dict(lists)
        rank = snapshot.rank.tolist()

        def by_dictionary(number: int, k: int) -> list[tuple[int, int]]:
            found: Counter[int] = Counter()
            for token in plain[number]:
                found.update(lists[token])
            del found[number]
            return sorted(found.items(), key=lambda item: (-item[1], rank[item[0]]))[:k]

        plain = {number: sets[number].tolist() for number in asked}
        peer = [cpu(lambda number=number: by_dictionary(number, 10), 1) for number in asked]
        print(f"Python dictionary merge: median {statistics.median(peer):.3f} ms, mean {np.mean(peer):.3f}")
        _set_similarity(plain, asked)
        print(HEAD)
        skip = {number: np.arange(len(snapshot)) == number for number in asked}
        for k in (1, 5, 10, 20):

            def ask(number: int, plan: josie.Plan, k: int = k) -> tuple:
                return snapshot.top_k(sets[number].view(), k, skip[number], plan)

            taken = compare(f"k={k}", ask, asked, 1)
            ratio = statistics.median(taken["auto"]) / statistics.median(peer)
            print(f"{'':>16} auto / dictionary, medians: {ratio:.3f}")
            for number in asked:
                numbers, overlaps, _ = ask(number, "auto")
                assert list(zip(numbers.tolist(), overlaps.tolist(), strict=True)) == by_dictionary(number, k)
        print("every answer is the dictionary's")


def _set_similarity(sets: dict[int, list[int]], asked: list[int]) -> None:
    try:
        from SetSimilaritySearch import SearchIndex
    except ImportError:
        print("SetSimilaritySearch is not installed")
        return
    started = time.process_time()
    index = SearchIndex(list(sets.values()), similarity_func_name="containment", similarity_threshold=0.5)
    print(f"SetSimilaritySearch, containment >= 0.5: built in {time.process_time() - started:.1f} CPU s", end="")
    taken = [cpu(lambda number=number: index.query(sets[number]), 1) for number in asked[::10]]
    print(f"; median {statistics.median(taken):.3f} ms, mean {np.mean(taken):.3f}")


def zipf(n_sets: int, n_postings: int, folder: Path) -> None:
    """A lake of Zipf set sizes and token frequencies: build, then queries of 10 to 1e6 tokens."""
    if not folder.exists():
        _write(n_sets, n_postings, folder)
    segment = Segment(folder)
    p, sizes = segment.postings, np.diff(segment.set_offsets)
    bytes_ = sum(path.stat().st_size for path in folder.iterdir())
    print(
        f"{n_sets:,} sets, {sizes.sum():,} postings, {len(p.tokens):,} tokens, {len(p.offsets) - 1:,} groups, "
        f"largest set {sizes.max():,}: {bytes_ / sizes.sum():.2f} bytes a posting"
    )
    print(f"costs kept: {segment.costs}, fitted again: {fit(p, 1)}")
    print(HEAD)
    rank, skip = np.arange(n_sets), np.zeros(n_sets, bool)
    rng = np.random.default_rng(7)
    for n, count in ((10, 40), (1_000, 40), (100_000, 12), (1_000_000, 3)):
        large = np.flatnonzero(sizes >= n)
        near = large[np.argsort(sizes[large], kind="stable")[: max(count, len(large) // 20)]]
        queries = {}
        for i, column in enumerate(rng.choice(near, min(count, len(near)), replace=False).tolist()):
            tokens = segment.tokens_of(column)[0]
            queries[i] = np.sort(rng.choice(tokens, min(n, len(tokens)), replace=False))
        for k in (1, 10, 20) if queries else ():

            def ask(i: int, plan: josie.Plan, k: int = k, queries: dict = queries) -> tuple:
                return josie.top_k(p, queries[i], k, plan, segment.costs, skip, rank)

            compare(f"{n:,}, k={k}", ask, list(queries))
            if k != 20 and hasattr(os, "posix_fadvise"):

                def ask_fresh(fresh: Postings, plan: josie.Plan, k: int = k, query: np.ndarray = queries[0]) -> tuple:
                    return josie.top_k(fresh, query, k, plan, segment.costs, skip, rank)

                cold(segment, ask_fresh, f"cold {n:,}, k={k}")
    first_rows(segment)


def tpch(folder: Path) -> None:
    """lineitem's two columns that refer to partsupp's key: partsupp comes first."""
    import pandas as pd

    lineitem = pd.read_parquet(folder / "lineitem.parquet", columns=["l_partkey", "l_suppkey"])
    with tempfile.TemporaryDirectory() as store:
        lake = lv.open(folder, store=store, exclude=["lineitem*"])
        print(lake.index(engine="local"))
        hits = lake.search(lineitem, ["l_partkey", "l_suppkey"], k=3)
        print(f"l_partkey + l_suppkey, {hits.seconds:.2f} s:")
        print(hits)
        assert (hits[0].table, hits[0].column) == ("partsupp.parquet", ("ps_partkey", "ps_suppkey"))


def series() -> None:
    """A whole search from a pandas Series of texts, beside the same one from its tokens."""
    import pandas as pd

    rng = np.random.default_rng(1)
    texts = np.array([f"item {i} of {i * 7919 % 10007}" for i in range(2_000_000)], object)
    frames = {f"t{j}": pd.DataFrame({"k": rng.choice(texts, 150_000, replace=False)}) for j in range(20)}
    with tempfile.TemporaryDirectory() as store:
        lake = lv.open(frames, store=store)
        lake.index(engine="local")
        snapshot, none = lake._snapshot, np.zeros(20, bool)
        print(f"{'values':>20} {'from a Series':>14} {'from tokens':>12} {'more, per 1e5':>14}   CPU ms, medians")
        # strings lie in memory one after the other, as a file's do once read, or scattered, as after a shuffle
        for n, memory in product((10_000, 100_000, 1_000_000), ("in order", "scattered")):
            picked = rng.choice(texts, n, replace=False)
            asked = pd.Series(picked.astype(str) if memory == "in order" else picked)
            tokens = values.distinct_tokens(values.as_arrow(asked))[0]
            for _ in range(3_000_000 // n):  # the compiled kernels come in once they pay
                lake.search(asked, k=10)
            whole = cpu(lambda asked=asked: lake.search(asked, k=10), 9)
            exact = cpu(lambda tokens=tokens: snapshot.top_k(tokens.view(), 10, none), 9)  # a view: looked up anew
            print(f"{n:>10,} {memory} {whole:14.2f} {exact:12.2f} {(whole - exact) * 1e5 / n:14.2f}", flush=True)


def cold(segment: Segment, ask: Callable[[Postings, josie.Plan], tuple], title: str) -> None:
    """One query by each plan with the lists and sets driven out of the page cache before: milliseconds and bytes that
    came from the disk."""
    for plan in PLANS:
        for array in vars(segment.postings).values():  # what a process maps stays in the cache
            while not isinstance(array, mmap.mmap):
                array = array.base
            array.madvise(mmap.MADV_DONTNEED)
        for path in segment.folder.glob("postings_*.npy"):
            with path.open("rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        fresh = Segment(segment.folder).postings
        before, started = _from_disk(), time.perf_counter()
        _, _, told = ask(fresh, PLANS[plan])
        taken = 1e3 * (time.perf_counter() - started)
        del fresh
        print(
            f"{title:>16} {plan:>6} {taken:9.1f} ms {(_from_disk() - before) / 2**20:8.1f} MB from disk; lists "
            f"{told.lists:,}, sets {told.sets:,}, {told.bytes / 2**20:.1f} MB looked at  {told.plan}",
            flush=True,
        )


def _from_disk() -> int:
    """Bytes that this process had read from storage (Linux)."""
    fields = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(fields["read_bytes"])


def first_rows(segment: Segment) -> None:
    """Milliseconds from a query's tokens to the first rows of a stream, and to the exact answer; the first search of
    each size apart, as it maps the arrays."""
    snapshot = Snapshot(Manifest(parameters("fold")), [segment])
    sizes, hidden = snapshot.distinct, np.zeros(len(snapshot), bool)
    print(f"{'':>16} {'first rows':>12} {'CPU':>8} {'exact':>10} {'CPU':>8}   ms, medians")
    for n in (1_000, 10_000, 100_000, 1_000_000):
        near = np.argsort(np.abs(np.log(sizes / n)))[:7]
        taken: list[list[float]] = []
        for number in near.tolist():
            query = Query.of_lake(snapshot, number)
            query.number = None

            def answer(exact: bool, sample: bool = False, query: Query = query) -> Hits:
                return search(Hits(query, snapshot, 0, None), 10, None, "overlap", hidden, exact, sample)

            sample = partial(answer, True, True) if sampled.serves(query, snapshot) else None
            started, work = time.perf_counter(), time.process_time()
            times = []
            for _ in refined(answer, True, sample):
                times.append((1e3 * (time.perf_counter() - started), 1e3 * (time.process_time() - work)))
            taken.append([*times[0], *times[-1]])
        first, first_cpu, exact, exact_cpu = np.median(taken[1:], axis=0)
        print(f"{n:>16,} {first:12.1f} {first_cpu:8.1f} {exact:10.1f} {exact_cpu:8.1f}")


def _write(n_sets: int, n_postings: int, folder: Path) -> None:
    """Write the lake as one segment, and print the CPU seconds of that, generating left out."""
    rng = np.random.default_rng(1)
    weight = 1 / np.arange(1, n_sets + 1) ** 0.9
    wanted = np.maximum(2, weight / weight.sum() * n_postings * 1.25).astype(int)
    rng.shuffle(wanted)
    universe, generating = n_postings, 0.0
    started = time.process_time()
    writer = SegmentWriter(folder)
    columns: list[Column] = []
    for number, size in enumerate(wanted.tolist()):
        began = time.process_time()
        drawn = (universe * rng.random(size) ** 4).astype(np.uint64)  # frequency falls with the 3/4th power of the rank
        tokens = np.unique(drawn * np.uint64(0x9E3779B97F4A7C15))  # one to one, and spread
        counts = rng.integers(1, 5, len(tokens))
        generating += time.process_time() - began
        shape = Shape(values=len(tokens))
        columns.append(Column("", f"c{number}", 0, "text", 4 * size, 0, shape, tokens, counts))
        if len(columns) == TABLE or number == n_sets - 1:
            writer.add_table(f"t{number // TABLE}", {}, 4 * size, [], columns)
            columns = []
    adding = time.process_time() - started - generating
    writer.finish()
    taken = time.process_time() - started - generating
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"written in {taken:.1f} CPU s, {adding:.1f} of them for columns and sketches; peak {peak:.2f} GB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lake", nargs="?", type=Path)
    parser.add_argument("--zipf", nargs=2, type=int, metavar=("SETS", "POSTINGS"))
    parser.add_argument("--folder", type=Path, help="where the Zipf lake is written and kept, or was before")
    parser.add_argument("--series", action="store_true")
    parser.add_argument("--tpch", type=Path, help="a folder of TPC-H's tables as Parquet (tpchgen-cli)")
    arguments = parser.parse_args()
    if arguments.lake:
        real(arguments.lake)
    if arguments.series:
        series()
    if arguments.tpch:
        tpch(arguments.tpch)
    if arguments.zipf:
        with tempfile.TemporaryDirectory() as temporary:
            zipf(*arguments.zipf, arguments.folder or Path(temporary) / "segment")
