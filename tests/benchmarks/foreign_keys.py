"""Foreign keys found, beside those declared.

python tests/benchmarks/foreign_keys.py [FOLDER]   a folder with foreign_keys.json (default: chinook)
python tests/benchmarks/foreign_keys.py --tpch FOLDER   Parquet files of `tpchgen-cli parquet -s 0.1`
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from columns import LAKE, Overlaps, table

from lakeview.index.foreign_keys import KeyColumn, composite_keys, foreign_keys, pair_tokens

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


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", default=str(LAKE.parent / "fk" / "chinook"))
    parser.add_argument("--tpch", action="store_true")
    options = parser.parse_args()
    columns, tokens, by_row = read(options.folder)
    if options.tpch:
        declared = TPCH
    else:
        keys = json.loads((Path(options.folder) / "foreign_keys.json").read_text())
        declared = {(k["table"], k["column"], k["references_table"], k["references_column"]) for k in keys}
    overlaps = Overlaps(tokens)
    inclusions = []
    for i in range(len(columns)):
        share = overlaps.of(i) / len(tokens[i])
        inclusions += [(i, int(j), float(share[j])) for j in np.flatnonzero(share >= 0.95) if i != j]
    rows, right = [], set()
    for key in foreign_keys(columns, inclusions):
        source, target = columns[key.columns[0]], columns[key.references[0]]
        name = (stem(source.table), source.name, stem(target.table), target.name)
        right |= {name} & declared
        rows.append(
            [
                f"{name[0]}.{name[1]}",
                f"{name[2]}.{name[3]}",
                key.containment,
                key.score,
                "" if name in declared else "no",
            ]
        )
    table(["column", "references", "containment", "score", "declared"], rows)
    print(
        f"{len(inclusions)} inclusions; recall {len(right) / len(declared):.3f}, precision {len(right) / len(rows):.3f}"
    )
    print("missed:", declared - right)
    for key in composite_keys(columns, inclusions, lambda a, b: pair_tokens(by_row(a), by_row(b))):
        print(
            [f"{stem(columns[c].table)}.{columns[c].name}" for c in key.columns + key.references],
            key.containment,
            key.score,
        )


def stem(name: str) -> str:
    return name.rsplit("/", 1)[-1].split(".", 1)[0]


def read(folder: str):
    from lakeview.catalog import sources
    from lakeview.catalog.listing import list_tables
    from lakeview.values import canonical, distinct_tokens, hash_strings

    columns, tokens, arrays = [], [], []
    for source in list_tables([folder]).tables:
        if source.name.endswith("foreign_keys.json"):
            continue
        content = sources.read_table(source)
        for name, array in zip(content.column_names, content.columns, strict=True):
            found, counts = distinct_tokens(array)
            if not len(found):
                continue
            sample = [v for v in canonical(array.slice(0, 1000)).to_pylist() if v is not None]
            integer = all(v.lstrip("-").isdigit() for v in sample)
            columns.append(
                KeyColumn(source.name, name, len(array), len(array) - int(counts.sum()), len(found), integer)
            )
            tokens.append(found)
            arrays.append(array)
    return columns, tokens, lambda number: hash_strings(canonical(arrays[number]))


if __name__ == "__main__":
    main()
