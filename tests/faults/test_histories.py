"""Tables that change: what lakeview sees is what the format's own reader sees, after any history, or it is named."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from writers import NAMES, WRITERS, Writer

import lakeview as lv
from lakeview import values
from lakeview.catalog.sources import list_tables, read_table

EVENTS = 5


def texts(columns: list[list]) -> Counter:
    """The rows of some columns as canonical texts, counted."""
    return Counter(zip(*map(canonical, columns), strict=True))


def canonical(cells: list) -> list[str | None]:
    return values.canonical(pa.array(values.text(cells).to_pylist(), pa.string())).to_pylist()


def transposed(rows: list[tuple]) -> list[list]:
    return [[row[place] for row in rows] for place in range(len(NAMES))]


def check(lake: lv.Lake, writer: Writer, told: str) -> None:
    """The table as it is now is what its own reader sees, in the files and in the index."""
    wanted = writer.truth()
    [table] = list_tables([writer.folder], skip=[str(lake.store.folder)]).tables or [None]
    named = set(lake.problems["table"])
    if table is None or table.name not in set(lake.tables["table"]):
        assert named and not wanted, told
        return
    assert wanted is not None or named, told
    if wanted is None:
        return
    found = read_table(table)
    columns = [found[name].to_pylist() if name in found.schema.names else [None] * found.num_rows for name in NAMES]
    assert texts(columns) == texts(transposed(wanted)), told
    indexed = lake.columns.set_index("column")
    for name, cells in zip(NAMES, transposed(wanted), strict=True):
        if name in indexed.index:
            assert indexed.rows[name] == len(wanted), told
            assert indexed.distinct[name] == len(set(canonical(cells)) - {None}), told


@pytest.mark.parametrize("format_", WRITERS)
def test_a_table_is_what_its_own_reader_sees(format_: str, tmp_path: Path, rounds):
    for seed in range(rounds(3, 200)):
        draw = random.Random(f"{format_} {seed}")
        folder = tmp_path / str(seed)
        folder.mkdir()
        writer = WRITERS[format_](folder, draw)
        lake = lv.open(folder, store=tmp_path / f"store{seed}")
        done = ["create"]
        try:
            lake.index(engine="local")
            check(lake, writer, f"{format_} {seed}: {done}")
            for _ in range(EVENTS):
                done.append(writer.step())
                if draw.random() < 0.7:
                    lake.index(engine="local")
                    check(lake, writer, f"{format_} {seed}: {done}")
        finally:
            writer.close()
