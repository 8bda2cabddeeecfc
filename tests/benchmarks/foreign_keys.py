"""Foreign keys found, beside those declared, and the join graph they make.

python tests/benchmarks/foreign_keys.py [FOLDER]   a folder with foreign_keys.json (default: chinook)
python tests/benchmarks/foreign_keys.py --tpch     TPC-H at scale 0.1, made by tpchgen-cli
python tests/benchmarks/foreign_keys.py --lake [FOLDER]   a lake without declared keys: counts, and a sample to judge
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd
from columns import LAKE, table
from real_lake import row

import lakeview as lv

TPCH = {
    ("nation", "n_regionkey", "region", "r_regionkey"),
    ("supplier", "s_nationkey", "nation", "n_nationkey"),
    ("customer", "c_nationkey", "nation", "n_nationkey"),
    ("partsupp", "ps_partkey", "part", "p_partkey"),
    ("partsupp", "ps_suppkey", "supplier", "s_suppkey"),
    ("orders", "o_custkey", "customer", "c_custkey"),
    ("lineitem", "l_orderkey", "orders", "o_orderkey"),
    ("lineitem", "l_partkey", "part", "p_partkey"),
    ("lineitem", "l_suppkey", "supplier", "s_suppkey"),
}
SAMPLE = 40


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--tpch", action="store_true")
    parser.add_argument("--lake", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        if options.tpch:
            folder = Path(work) / "tpch"
            tool = Path(sys.executable).with_name("tpchgen-cli")
            subprocess.run([tool, "parquet", "-s", "0.1", "--output-dir", folder], check=True, capture_output=True)
            declared = TPCH
        elif options.lake:
            folder, declared = Path(options.folder or LAKE), None
        else:
            folder = Path(options.folder or LAKE.parent / "fk" / "chinook")
            declared = set(map(tuple, pd.read_json(folder / "foreign_keys.json").iloc[:, :4].itertuples(index=False)))
        lake = lv.open(folder, store=Path(work) / "store")
        lake.index(engine="local")
        started = time.process_time()
        found = lake.foreign_keys()
        row("foreign_keys()", f"{time.process_time() - started:.1f} CPU s", f"{len(found)} keys")
        graph(lake)
    if declared is None:
        found = found.sample(min(SAMPLE, len(found)), random_state=1).sort_index()
    judge(found, declared or set())


def graph(lake: lv.Lake) -> None:
    started = time.process_time()
    figure = lake.graph()
    row("graph()", f"{time.process_time() - started:.1f} CPU s", f"{len(figure.to_json()) / 1e3:.0f} KB as JSON")
    row("", figure.layout.title.text)


def judge(found: pd.DataFrame, declared: set[tuple[str, ...]]) -> None:
    rows, single, right = [], 0, set()
    for key in found.itertuples(index=False):
        name = (stem(key.table), key.column, stem(key.references_table), key.references_column)
        single += isinstance(key.column, str)
        right |= {name} & declared
        said = "no" if declared and isinstance(key.column, str) and name not in declared else ""
        rows.append([f"{key.table}: {key.column}", f"{key.references_table}: {key.references_column}",
                     key.containment, key.score, said])  # fmt: skip
    table(["column", "references", "containment", "score", "declared"], rows)
    if declared:
        print(f"single columns: recall {len(right) / len(declared):.3f}, precision {len(right) / max(single, 1):.3f}")
        print("missed:", declared - right)


def stem(name: str) -> str:
    return name.rsplit("/", 1)[-1].split(".", 1)[0]


if __name__ == "__main__":
    main()
