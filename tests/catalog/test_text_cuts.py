"""Text files in pieces: together they are what a whole reading gives."""

from __future__ import annotations

import gzip
import random
from collections.abc import Sequence

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakeview.catalog.model import Part, Problem, ReadError
from lakeview.catalog.reading import findings, text_cuts
from lakeview.catalog.sources import read_part, split
from lakeview.pipeline.reading import listed

pieces = ["a", '"', '""', ",", "\n", "\r\n", "\r", " ", "é", "1", ',"x\ny",', ",\n", "b,1\n", "b,1\n", '"c,""d"""\n']
texts = st.lists(st.sampled_from(pieces), min_size=4, max_size=60).map("".join)


def read(parts: Sequence[Part]) -> tuple[list[dict], list]:
    """Rows, and problems put together."""
    rows: list[dict] = []
    met: list[tuple[str, int, list[Problem]]] = []
    for part in parts:
        problems: list[Problem] = []
        batches = list(read_part(part, problems))
        met.append((part.file.path, sum(batch.num_rows for batch in batches), problems))
        rows += [row for batch in batches for row in batch.to_pylist()]
    return rows, listed(findings.of_parts(met))


def in_pieces(lake, name: str, target: int) -> list[Part]:
    return split(lake.tables()[name], target)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(text=texts, target=st.integers(4, 40), blocks=st.integers(8, 64))
def test_any_text_is_the_same_in_pieces(lake, monkeypatch, text, target, blocks):
    monkeypatch.setattr(text_cuts, "_BLOCK", blocks)
    lake.write("x.csv", "name,n\n" + text)
    try:
        whole = read(split(lake.tables()["x.csv"]))
    except ReadError:
        return
    assert read(in_pieces(lake, "x.csv", target)) == whole


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    cells=st.lists(st.tuples(st.text("ab\n\r,\" é'", max_size=6), st.integers(0, 99)), min_size=8, max_size=60),
    target=st.integers(16, 100),
    mark=st.booleans(),
    total=st.booleans(),
)
def test_quoted_line_ends_are_no_cuts(lake, monkeypatch, cells, target, mark, total):
    monkeypatch.setattr(text_cuts, "_BLOCK", 50)
    quoted = ['"' + cell.replace('"', '""') + f'",{n}\n' for cell, n in cells]
    text = ("\ufeff" if mark else "") + "name,n\n" + "".join(quoted) + ("Total,17\n" if total else "")
    lake.write("x.csv", text)
    parts = in_pieces(lake, "x.csv", target)
    if len(text) > 6 * target and "'" not in text:  # which may be told to be quotes
        assert len(parts) > 1
    assert read(parts) == read(split(lake.tables()["x.csv"]))


def rows(n: int) -> list[str]:
    rng = random.Random(5)
    return [f"{rng.randrange(1000)},{'x' * rng.randrange(9)}\n" for _ in range(n)]


def test_uneven_rows_are_told_once_with_the_first(lake):
    lines = rows(400)
    lines[150], lines[151], lines[390] = "7\n", "7,x,9\n", "8\n"
    lake.write("x.csv", "id,name\n" + "".join(lines))
    parts = in_pieces(lake, "x.csv", 500)
    assert len(parts) > 4
    found, problems = read(parts)
    assert len(found) == 400
    told = "2 with too few cells, padded with nulls; 1 with too many, the excess dropped (the first is row 151)"
    assert problems == [["x.csv", "uneven rows", f"3 uneven: {told}", 3]]


@pytest.mark.parametrize(
    "why, text",
    [
        ("a quote in a cell", 'id,name\n' + '1,5" pipe\n' * 50),
        ("a quote that never closes", "id,name\n" + "1,x\n" * 50 + '2,"y\n' + "1,x\n" * 50),
        ("comments", "# made by hand\nid,name\n" + ("1,x\n" * 9 + "# a note\n") * 9),
        ("old Macs", "id,name\r" + "1,x\r" * 100),
        ("another encoding", ("id,name\n" + "1,\xe9t\xe9\n" * 50).encode("latin-1")),
        ("UTF-16", ("id,name\n" + "1,x\n" * 50).encode("utf-16")),
        ("NULs", b"id,name\n" + b"1,x\0y\n" * 50),
    ],
)  # fmt: skip
def test_not_cut(lake, why, text):
    lake.write("x.csv", text)
    assert len(in_pieces(lake, "x.csv", 50)) == 1, why


def test_a_very_long_row_is_not_cut(lake, monkeypatch):
    monkeypatch.setattr(text_cuts, "MAX_ROW", 100)
    lake.write("x.csv", "id,name\n" + "1,x\n" * 50 + '2,"' + "y\n" * 60 + '"\n' + "1,x\n" * 50)
    assert len(in_pieces(lake, "x.csv", 50)) == 1


def test_chosen_columns_and_keys(lake):
    lake.write("t/year=2020/x.csv", "id,name\n" + "".join(rows(100)))
    lake.write("t/year=2021/x.csv", "id,name\n" + "".join(rows(100)))
    parts = split(lake.tables()["t"], 200)
    assert len(parts) > 4
    batches = [batch for part in parts for batch in read_part(part, [], ["name", "year"])]
    table = pa.Table.from_batches(batches)
    assert table.column_names == ["name", "year"]
    assert table["year"].to_pylist() == ["2020"] * 100 + ["2021"] * 100


def test_a_file_that_shrank_meanwhile_is_read_as_far_as_it_goes(lake):
    path = lake.write("x.csv", "id,name\n" + "".join(rows(100)))
    parts = in_pieces(lake, "x.csv", 200)
    path.write_text("id,name\n1,x\n")
    assert sum(batch.num_rows for batch in read_part(parts[-1], [])) == 0


def test_a_file_that_nothing_can_read_is_left_to_the_reading(lake, monkeypatch):
    lake.write("x.csv", "id,name\n" + "".join(rows(100)))
    lake.write("y.csv", "id,name\n1,x\n")
    with monkeypatch.context() as patch:
        patch.setattr(text_cuts, "cuts", lambda *_: 1 / 0)
        assert len(in_pieces(lake, "x.csv", 50)) == 1
    (lake.folder / "x.csv").write_bytes(b"PK\x03\x04" + b"\0" * 1000)
    [part] = in_pieces(lake, "x.csv", 50)
    with pytest.raises(ReadError, match="zip"):
        list(read_part(part, []))


def test_a_compressed_file_is_not_unpacked_to_be_cut(lake, monkeypatch):
    lake.write("x.csv.gz", gzip.compress(("id,name\n" + "".join(rows(1000))).encode()))
    monkeypatch.setattr("lakeview.catalog.sources.sniff_sample", lambda *_: pytest.fail("it was read"))
    assert len(in_pieces(lake, "x.csv.gz", 50)) == 1
