"""Auto-Join measured: web pairs, the four synthetic sets, scale, and tables that have nothing to do with each other.

python tests/benchmarks/auto_join.py web DATA/autojoin
python tests/benchmarks/auto_join.py synthetic
python tests/benchmarks/auto_join.py scale [rows …]          (add --all: no sampling)
python tests/benchmarks/auto_join.py codes DATA/autojoin     (the three codes, executed)
python tests/benchmarks/auto_join.py unrelated DATA/lake/rdatasets [pairs]
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd

import lakeview as lv

Pairs = set[tuple]


def read(path: Path) -> pd.DataFrame:
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False)
    except UnicodeDecodeError:
        return pd.read_csv(path, dtype=str, keep_default_na=False, encoding="latin-1")


def score(found: Pairs, truth: Pairs) -> tuple[float | None, float, float]:
    """Precision (None where nothing was found), recall and F1."""
    hits = len(found & truth)
    precision = hits / len(found) if found else None
    recall = hits / len(truth)
    return precision, recall, 2 * hits / (len(found) + len(truth))


def summary(rows: list[tuple[float | None, float, float]]) -> str:
    """Averages: an empty answer counts in recall and F1, not in precision."""
    precisions = [p for p, _, _ in rows if p is not None]
    p = sum(precisions) / max(1, len(precisions))
    return f"P {p:.4f}  R {sum(r for _, r, _ in rows) / len(rows):.4f}  F1 {sum(f for *_, f in rows) / len(rows):.4f}"


# Rivals, which are told nothing more than Auto-Join but for the oracle's threshold and columns.


def equi_join(source: pd.DataFrame, target: pd.DataFrame) -> list[tuple[int, int]]:
    """The best equi-join of any two columns: most distinct values in common."""
    fold = [[frame.iloc[:, i].str.strip().str.lower() for i in range(frame.shape[1])] for frame in (source, target)]
    best = max(((len(set(a) & set(b) - {""}), i, j) for i, a in enumerate(fold[0]) for j, b in enumerate(fold[1])))
    if not best[0]:
        return []
    rows = defaultdict(list)
    for row, value in enumerate(fold[1][best[2]]):
        if value:
            rows[value].append(row)
    return [(i, j) for i, value in enumerate(fold[0][best[1]]) for j in rows.get(value, ())]


def gram_containment(source: pd.DataFrame, target: pd.DataFrame) -> Iterator[tuple[float, list[tuple[int, int]]]]:
    """3-gram containment, each source row with its best target row, over all columns and thresholds: an oracle may
    take the best of them."""

    def grams(text: str) -> frozenset[str]:
        return frozenset(text[i : i + 3].lower() for i in range(len(text) - 2))

    tables = [[[grams(v) for v in frame.iloc[:, i]] for i in range(frame.shape[1])] for frame in (source, target)]
    for own in tables[0]:
        for other in tables[1]:
            holders = defaultdict(list)
            for row, tokens in enumerate(other):
                for token in tokens:
                    holders[token].append(row)
            ranked = []
            for row, tokens in enumerate(own):
                shared = Counter(place for token in tokens for place in holders[token])
                if shared:
                    best = max(shared, key=lambda p: shared[p] / min(len(tokens), len(other[p])))
                    ranked.append((shared[best] / min(len(tokens), len(other[best])), row, best))
            for tenth in range(3, 11):
                yield tenth / 10, [(i, j) for s, i, j in ranked if s >= tenth / 10]


def web(folder: Path) -> None:
    """Pairs of tables with truth, compared by content as the truth is given."""
    totals: dict[str, list] = defaultdict(list)
    for case in sorted(path for path in folder.iterdir() if path.is_dir()):
        source, target, truth = (read(case / f"{name}.csv") for name in ("source", "target", "ground_truth"))
        wanted: Pairs = set(truth.itertuples(index=False, name=None))
        rows = [list(frame.itertuples(index=False, name=None)) for frame in (source, target)]

        def content(pairs: Iterator[tuple[int, int]], rows: list = rows) -> Pairs:
            return {rows[0][i] + rows[1][j] for i, j in pairs}

        began, cpu = time.perf_counter(), time.process_time()
        plans = lv.auto_join(source, target)
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
        found = content(map(tuple, plans[0].pairs.to_numpy().tolist())) if plans else set()
        equality: Pairs = set()
        if plans:
            alone = type(plans[0])(plans[0].left, plans[0].right, plans[0].programs, plans[0].key,
                                   reverse=plans[0].reverse)  # fmt: skip
            equality = content(map(tuple, alone.pairs.to_numpy().tolist()))
        oracle = max((score(content(pairs), wanted) for _, pairs in gram_containment(source, target)),
                     key=lambda s: s[2])  # fmt: skip
        results = {
            "auto_join": score(found, wanted),
            "equality only": score(equality, wanted),
            "equi-join": score(content(equi_join(source, target)), wanted),
            "3-gram oracle": oracle,
        }
        for name, result in results.items():
            totals[name].append(result)
        p, r, f = results["auto_join"]
        print(f"{case.name:24} P {p if p is None else round(p, 3)!s:6} R {r:.3f} F1 {f:.3f}",
              f"{seconds:.2f} s, {cpu:.2f} CPU s",
              plans[0].program.replace("\n", " ") if plans else "-", sep="  ")  # fmt: skip
    for name, results in totals.items():
        print(f"{name:16} {summary(results)}")


def codes(folder: Path) -> None:
    """The exported codes of every pair's plan, executed, beside the pairs of the plan: pandas, PySpark, SQL."""
    from lakeview.pipeline import session

    spark = session.get()
    wrong = 0
    for case in sorted(path for path in folder.iterdir() if path.is_dir()):
        source, target = (read(case / f"{name}.csv") for name in ("source", "target"))
        source.columns, target.columns = ([f"{side}{i}" for i in range(frame.shape[1])]
                                          for side, frame in (("s", source), ("t", target)))  # fmt: skip
        source["source_row"], target["target_row"] = range(len(source)), range(len(target))
        for plan in lv.auto_join(source, target, how="inner"):
            wanted = sorted(map(tuple, plan.pairs.to_numpy().tolist()))
            scope = {"source": source, "target": target}
            exec(plan.code("pandas"), scope)
            results = {"pandas": scope["source_target"]}
            for name, frame in (("source", source), ("target", target)):
                scope[name] = spark.createDataFrame(frame)
                scope[name].createOrReplaceTempView(name)
            for dialect in ("pyspark", "sql"):
                try:
                    if dialect == "sql":
                        results[dialect] = [spark.sql(statement) for statement in plan.statements()][-1].toPandas()
                    else:
                        exec(plan.code("pyspark"), scope | {"spark": spark})
                        results[dialect] = plan.to_spark(spark).toPandas()
                except lv.InputError as error:
                    print(f"{case.name:24} {dialect}: refused: {error}")
            for dialect, result in results.items():
                got = sorted(zip(result["source_row"].tolist(), result["target_row"].tolist(), strict=True))
                if got != wanted:
                    wrong += 1
                    print(f"{case.name:24} {dialect}: {len(got)} pairs, not the {len(wanted)} of {plan.program!r}")
        print(f"{case.name:24} checked", flush=True)
    print(f"{wrong} differ")
    spark.stop()


# Synthetic sets after Warren and Tompa, as the thesis describes them; seeded, with unique keys.

_SYLLABLES = ("ba", "ri", "ton", "mal", "sen", "dor", "vi", "kel", "ah", "mo", "nes", "gar", "tu", "lin", "os", "per")


def _word(draw: random.Random, least: int = 2, most: int = 3) -> str:
    return "".join(draw.choice(_SYLLABLES) for _ in range(draw.randint(least, most)))


def _unique(make: Callable[[], tuple], key: Callable[[tuple], str], rows: int) -> list[tuple]:
    found: dict[str, tuple] = {}
    while len(found) < rows:
        row = make()
        found.setdefault(key(row), row)
    return list(found.values())


def synthetic(rows: int = 500, seed: int = 7) -> dict[str, tuple[pd.DataFrame, pd.DataFrame, Pairs]]:
    """UserID, Time, NameConcat and Citeseer: source, target, truth as positions."""
    draw = random.Random(seed)
    names = [_word(draw).title() for _ in range(120)]
    lasts = [_word(draw).title() for _ in range(300)]

    def of(columns: list[str], made: list[tuple], key: Callable[[tuple], str], name: str) -> tuple:
        order = list(range(len(made)))
        draw.shuffle(order)
        source = pd.DataFrame(made, columns=columns)
        target = pd.DataFrame({name: [key(made[i]) for i in order]})
        return source, target, {(i, place) for place, i in enumerate(order)}

    def person() -> tuple:
        return draw.choice(names), draw.choice(names), draw.choice(lasts)

    def user(p: tuple) -> str:
        return (p[0][0] + p[1][0] + p[2][:6]).lower()

    def clock(t: tuple) -> str:
        return f"{int(t[2]):02d}:{int(t[1]):02d}:{int(t[0]):02d}"

    def paper(p: tuple) -> str:
        return f"{p[2]}. {p[1]}. {p[0]}."

    def instant() -> tuple:
        return str(draw.randrange(60)), str(draw.randrange(60)), str(draw.randrange(24))

    def citation() -> tuple:
        title = " ".join(_word(draw) for _ in range(draw.randint(3, 7)))
        authors = ", ".join(" ".join(person()) for _ in range(draw.randint(1, 3)))
        return str(draw.randint(1985, 2005)), title, authors

    return {
        "UserID": of(["first", "middle", "last"], _unique(person, user, rows), user, "login"),
        "Time": of(["second", "minute", "hour"], _unique(instant, clock, rows), clock, "time"),
        "NameConcat": of(["first", "middle", "last"], _unique(person, "".join, rows), lambda p: " ".join(p), "name"),
        "Citeseer": of(["year", "title", "authors"], _unique(citation, paper, rows), paper, "citation"),
    }


def run_synthetic() -> None:
    for name, (source, target, truth) in synthetic().items():
        began = time.perf_counter()
        plans = lv.auto_join(source, target)
        found = set(map(tuple, plans[0].pairs.to_numpy().tolist())) if plans else set()
        print(f"{name:12} F1 {score(found, truth)[2]:.4f}  {time.perf_counter() - began:.2f} s",
              plans[0].program.replace("\n", " ") if plans else plans.explain())  # fmt: skip


def bibliography(rows: int, seed: int = 1) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Publications, and the same in one text: authors, title, year; in another order."""
    draw = random.Random(seed)
    people = [f"{_word(draw).title()} {_word(draw).title()}" for _ in range(max(50, rows // 10))]
    words = [_word(draw) for _ in range(4_000)]
    made = [
        (", ".join(draw.choices(people, k=draw.randint(1, 4))),
         " ".join(draw.choices(words, k=draw.randint(4, 10))).capitalize(), str(draw.randint(1960, 2026)))
        for _ in range(rows)
    ]  # fmt: skip
    source = pd.DataFrame(made, columns=["authors", "title", "year"])
    target = pd.DataFrame({"entry": [f"{a}: {t} ({y})" for a, t, y in draw.sample(made, len(made))]})
    return source, target


def scale(sizes: list[int], sampled: bool) -> None:
    for rows in sizes:
        source, target = bibliography(rows)
        began, cpu = time.perf_counter(), time.process_time()
        plans = lv.auto_join(source, target, sampled=sampled)
        print(f"{rows:>9,} rows: {time.perf_counter() - began:6.2f} s, {time.process_time() - cpu:6.2f} CPU s to",
              plans[0].program if plans else "none")  # fmt: skip
        if plans:
            began = time.perf_counter()
            counts = plans[0].counts()
            print(f"{'':>9}  joined {counts.left_matched:,} rows in {time.perf_counter() - began:.2f} s more")


def unrelated(folder: Path, pairs: int, seed: int = 0) -> None:
    """Tables of different packages, without row labels, none of whose columns is half in another."""
    packages: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(folder.rglob("*.csv")):
        packages[path.parent.name].append(path)
    draw = random.Random(seed)
    known: dict[Path, pd.DataFrame] = {}
    values: dict[Path, list[set]] = {}

    def load(path: Path) -> pd.DataFrame:
        if path not in known:
            known[path] = read(path).drop(columns="rownames", errors="ignore")
            values[path] = [set(known[path][c]) - {""} for c in known[path]]
        return known[path]

    seconds, found, sure = [], 0, 0
    while len(seconds) < pairs:
        a, b = (draw.choice(packages[name]) for name in draw.sample(sorted(packages), 2))
        source, target = load(a), load(b)
        if any(x and y and len(x & y) / min(len(x), len(y)) >= 0.5 for x in values[a] for y in values[b]):
            continue
        began = time.process_time()
        plans = lv.auto_join(source, target)
        seconds.append(time.process_time() - began)
        if plans:
            found += 1
            sure += not plans[0].doubtful
            doubt = "doubtful: " if plans[0].doubtful else ""
            both = f"{a.parent.name}/{a.name} and {b.parent.name}/{b.name}"
            print(f"{doubt}{both}: {plans[0].keyed.stem}.{plans[0].key} = "
                  f"{plans[0].program!r}", flush=True)  # fmt: skip
    seconds.sort()
    print(f"{found} of {pairs} pairs got a plan, {sure} one that is not doubtful; median {seconds[pairs // 2]:.3f}, "
          f"p99 {seconds[pairs * 99 // 100]:.2f}, most {seconds[-1]:.2f} CPU s")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("web", "codes", "synthetic", "scale", "unrelated"))
    parser.add_argument("rest", nargs="*")
    parser.add_argument("--all", action="store_true", help="no sampling of rows")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.what == "web":
        web(Path(arguments.rest[0]))
    elif arguments.what == "codes":
        codes(Path(arguments.rest[0]))
    elif arguments.what == "synthetic":
        run_synthetic()
    elif arguments.what == "scale":
        scale([int(n) for n in arguments.rest] or [100, 1_000, 10_000, 100_000, 1_000_000], not arguments.all)
    else:
        unrelated(Path(arguments.rest[0]), int(arguments.rest[1]) if len(arguments.rest) > 1 else 2_000, arguments.seed)


if __name__ == "__main__":
    main()
