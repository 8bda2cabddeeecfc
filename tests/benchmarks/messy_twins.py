"""Messy text files beside their clean twins, by lakeview, duckdb and polars: python tests/benchmarks/messy_twins.py

The files are those of tests/catalog/test_messy_text.py. A reading is right where its columns and its cells, as text,
are those of the twin that a careful person made; how many of them lakeview reported besides.
"""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from lakeview.catalog.sources import list_tables, read_part, read_table, split

TESTS = Path(__file__).parents[1] / "catalog"
Rows = tuple[list[str], list[tuple]]


class Twins:
    """A plugin of pytest that keeps what the tests call `same` with."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, bytes, str], str] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for module in {item.module for item in items}:  # type: ignore[attr-defined]
            module.same = self._keep

    def _keep(self, lake: object, messy: str | bytes, clean: str, told: str | None, name: str = "messy.csv") -> None:
        data = messy.encode() if isinstance(messy, str) else messy
        self.found[name, data, clean] = told or ""


def texts(columns: list[str], rows: list[tuple]) -> Rows:
    """Cells as text; an empty one and none at all are one."""
    return columns, [tuple("" if cell is None else str(cell) for cell in row) for row in rows]


def by_lakeview(path: Path) -> Rows:
    [table] = list_tables([path]).tables
    found = read_table(table)
    return texts(found.column_names, [tuple(row.values()) for row in found.to_pylist()])


def by_duckdb(path: Path) -> Rows:
    import duckdb

    found = duckdb.connect().read_csv(str(path), all_varchar=True)
    return texts(found.columns, found.fetchall())


def by_polars(path: Path) -> Rows:
    import polars

    found = polars.read_csv(path, infer_schema=False, truncate_ragged_lines=True)
    return texts(found.columns, found.rows())


def reports(path: Path) -> bool:
    problems: list = []
    for table in list_tables([path]).tables:
        for part in split(table):
            list(read_part(part, problems))
    return bool(problems)


def main() -> None:
    twins = Twins()
    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main(
            ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(TESTS / "test_messy_text.py")], plugins=[twins]
        )
    readers: dict[str, Callable[[Path], Rows]] = {"lakeview": by_lakeview, "duckdb": by_duckdb, "polars": by_polars}
    right: dict[str, Counter] = {name: Counter() for name in readers}
    kinds: Counter = Counter()
    unreported = 0
    with tempfile.TemporaryDirectory() as scratch:
        for number, ((name, data, clean), told) in enumerate(twins.found.items()):
            path, twin = Path(scratch) / f"{number}_{name}", Path(scratch) / f"{number}_clean.csv"
            path.write_bytes(data)
            twin.write_text(clean, newline="")
            wanted = by_lakeview(twin)
            kinds[told or "other"] += 1
            for reader, read in readers.items():
                with contextlib.suppress(Exception):  # it reads nothing, which is not right
                    right[reader][told or "other"] += read(path) == wanted
            unreported += bool(told) and not reports(path)
    print(f"{'kind':24}{'files':>6}" + "".join(f"{reader:>10}" for reader in readers))
    for kind, files in [*sorted(kinds.items()), ("all", sum(kinds.values()))]:
        counts = [sum(of.values()) if kind == "all" else of[kind] for of in right.values()]
        print(f"{kind:24}{files:>6}" + "".join(f"{count:>10}" for count in counts))
    print(f"unreported by lakeview: {unreported}")


if __name__ == "__main__":
    main()
