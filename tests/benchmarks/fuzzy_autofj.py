"""Fuzzy joins without labels: precision and recall at a target, on the sets of AutoFJ.

    python tests/benchmarks/fuzzy_autofj.py DATA/autofj [--autofj SETS]

Each folder has left.csv (the reference), right.csv and gt.csv. Beside the advised join: one 3-gram Jaccard threshold
for all sets, and the best threshold of each set at the target, which only an oracle knows.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from pathlib import Path

import numpy as np
import pandas as pd

import lakeview as lv

TARGET = 0.9
FIXED = 0.5


def read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def score(found: set, truth: set) -> tuple[float, float]:
    hits = len(found & truth)
    return (hits / len(found) if found else float("nan")), hits / len(truth)


def oracle(pairs: pd.DataFrame, right: np.ndarray) -> float:
    """The largest recall of a threshold whose precision reaches the target; `right` tells which pairs are."""
    order = np.argsort(-pairs.similarity.to_numpy(), kind="stable")
    values, hits = pairs.similarity.to_numpy()[order], np.cumsum(right[order])
    last = np.append(values[1:] != values[:-1], True)
    good = last & (hits / np.arange(1, len(hits) + 1) >= TARGET)
    return float(hits[good].max(initial=0))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--autofj", type=int, default=0, help="run autofj itself on the smallest so many sets")
    given = arguments.parse_args()
    lv.fuzzy_join(["dune hotel"], ["dune hotex"], precision=TARGET)  # compile
    rows = {}
    for folder in sorted(path for path in given.folder.iterdir() if path.is_dir()):
        reference, left, truth_rows = (read(folder / f"{name}.csv") for name in ("left", "right", "gt"))
        truth = set(zip(truth_rows.id_r, truth_rows.id_l, strict=True))

        def ids(pairs: pd.DataFrame, left: pd.DataFrame = left, reference: pd.DataFrame = reference) -> list:
            return list(zip(left.id.to_numpy()[pairs.left], reference.id.to_numpy()[pairs.right], strict=True))

        started = time.process_time()
        plan = lv.fuzzy_join(left, reference, "title", "title", precision=TARGET)
        found = plan.pairs
        seconds = time.process_time() - started
        precision, recall = score(set(ids(found)), truth)
        every = lv.fuzzy_join(left, reference, "title", "title", threshold=0.2)
        fixed = score(set(ids(every.at(FIXED).pairs)), truth)
        right = np.array([pair in truth for pair in ids(every.pairs)])
        advice = plan.advice
        within = plan.threshold is None or advice.low <= precision <= advice.high
        advised = (advice.precision * advice.matches + advice.identical) / max(1, advice.matches + advice.identical)
        rows[folder.name] = {"P": precision, "R": recall, "advised P": advised, "s": seconds,
                             "fixed P": fixed[0], "fixed R": fixed[1],
                             "oracle R": oracle(every.pairs, right) / len(truth), "in interval": within,
                             "how": plan.explain()}  # fmt: skip
    table = pd.DataFrame(rows).T
    print(table.to_string(float_format="{:.2f}".format, max_colwidth=90))
    numbers = table.drop(columns="how").astype(float)
    print(numbers.mean().to_string(float_format="{:.4f}".format))
    for name in numbers.s.index[np.argsort([len(read(given.folder / name / "left.csv")) for name in numbers.index])]:
        if given.autofj <= 0:
            break
        given.autofj -= 1
        run_autofj(given.folder / name, numbers.s[name])


def run_autofj(folder: Path, ours: float) -> None:
    """autofj's own result and CPU seconds, those of its worker processes included, beside ours."""
    from autofj import AutoFJ

    reference, left, truth_rows = (read(folder / f"{name}.csv") for name in ("left", "right", "gt"))
    started = cpu_seconds()
    found = AutoFJ(precision_target=TARGET, verbose=False).join(reference, left, id_column="id")
    multiprocessing.active_children()  # what has ended is counted once it is waited for
    seconds = cpu_seconds() - started
    truth = set(zip(truth_rows.id_r, truth_rows.id_l, strict=True))
    precision, recall = score(set(zip(found.id_r, found.id_l, strict=True)), truth)
    print(f"autofj {folder.name}: P {precision:.2f} R {recall:.2f} {seconds:.0f} CPU s, "
          f"ours {ours:.2f} CPU s: {ours / seconds:.3f} of it", flush=True)  # fmt: skip


def cpu_seconds() -> float:
    """Of this process and its children."""
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in spent)


if __name__ == "__main__":
    main()
