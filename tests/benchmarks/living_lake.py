"""A lake of which a quarter changes: python tests/benchmarks/living_lake.py FOLDER

Of the text files 10 % lose a row, 5 % are removed, 5 % renamed, 5 % added. CPU seconds of bringing the index up to
that, of a full build, and whether both answer alike: the columns as they are listed, and 100 searches.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

import lakeview as lv

SEED, SEARCHES = 5, 100
TEXT = {".csv", ".tsv", ".txt", ".jsonl"}


def change(folder: Path) -> dict[str, int]:
    """Change the files of a lake; how many in which way."""
    draw = random.Random(SEED)
    files = sorted(p for p in folder.rglob("*") if p.suffix in TEXT and ".lakeview" not in p.parts and p.stat().st_size)
    draw.shuffle(files)
    tenth, twentieth = len(files) // 10, len(files) // 20
    changed, rest = files[:tenth], files[tenth:]
    removed, moved, copied = (rest[n * twentieth : (n + 1) * twentieth] for n in range(3))
    for path in changed + copied:
        lines = path.read_bytes().splitlines(keepends=True)
        target = path if path in changed else path.with_name(f"new_{path.name}")
        target.write_bytes(b"".join(lines[:-1] if len(lines) > 2 else lines + lines[-1:]))
    for path in removed:
        path.unlink()
    for path in moved:
        path.rename(path.with_name(f"moved_{path.name}"))
    return {"changed": len(changed), "removed": len(removed), "renamed": len(moved), "added": len(copied)}


def indexed(folder: Path, store: Path) -> tuple[lv.Lake, float, str]:
    lake = lv.open(folder, store=store)
    started = time.process_time()
    report = lake.index(engine="local")
    said = f"{report.added} added, {report.changed} changed, {report.removed} removed, {report.skipped} skipped"
    return lake, time.process_time() - started, f"{said}, {len(report.tasks)} parts read"


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "lake"
        shutil.copytree(sys.argv[1], folder, ignore=shutil.ignore_patterns(".lakeview"))
        warm = Path(scratch) / "warm"
        warm.mkdir()
        (warm / "a.csv").write_text("a,b\n1,2\n")
        indexed(warm, Path(scratch) / "warm-store")  # kernels are compiled or loaded
        _, full, said = indexed(folder, Path(scratch) / "store")
        print(f"first build: {full:.2f} CPU s ({said})")
        print(change(folder))
        lake, again, said = indexed(folder, Path(scratch) / "store")
        print(f"brought up to date: {again:.2f} CPU s ({said})")
        fresh, whole, said = indexed(folder, Path(scratch) / "fresh")
        print(f"built anew: {whole:.2f} CPU s ({said}); {again / whole:.1%} of that")
        print(
            "columns equal:",
            lake.columns.equals(fresh.columns),
            "problems equal:",
            lake.problems.equals(fresh.problems),
        )
        names = [f"{row.table}.{row.column}" for row in lake.columns.sample(SEARCHES, random_state=SEED).itertuples()]
        same = sum(lake.search(name).to_pandas().drop(columns="method").equals(
            fresh.search(name).to_pandas().drop(columns="method")) for name in names)  # fmt: skip
        print(f"searches equal: {same} of {len(names)}")


if __name__ == "__main__":
    main()
