"""Files of very many columns: the first are given, and Arrow makes no more than these."""

from __future__ import annotations

import io
from collections.abc import Callable

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from pyarrow import orc

from lakeview.catalog.reading import text_reader
from lakeview.catalog.sources import read_part, split, text_format

WIDTH = 300
# A name comes twice, first and last: what its columns are called depends on all names.
NAMES = ["x", *(f"c{place}" for place in range(1, WIDTH - 1)), "x_2"]
WIDE = pa.table([pa.array([f"{place}-{row}" for row in range(3)]) for place in range(WIDTH)], names=NAMES)


def csv(table: pa.Table) -> bytes:
    rows = [table.column_names, *zip(*(column.to_pylist() for column in table.columns), strict=True)]
    return "\n".join(",".join(row) for row in rows).encode()


def uneven(table: pa.Table) -> bytes:
    return csv(table) + b"\n" + b",".join([b"y"] * (WIDTH + 3)) + b"\ny,y\n"


def unquoted(table: pa.Table) -> bytes:
    return csv(table).replace(b"5-1", b'"5-1')  # Arrow gives up


def written(write: Callable) -> Callable[[pa.Table], bytes]:
    def to_bytes(table: pa.Table) -> bytes:
        sink = io.BytesIO()
        write(table, sink)
        return sink.getvalue()

    return to_bytes


def stream(table: pa.Table, sink: io.BytesIO) -> None:
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


FILES = {
    "x.csv": csv,
    "uneven/x.csv": uneven,
    "unquoted/x.csv": unquoted,
    "x.parquet": written(pa.parquet.write_table),
    "x.feather": written(pa.feather.write_feather),
    "x.arrow": written(stream),
    "x.orc": written(orc.write_table),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("most", [1, 2, 150, WIDTH, WIDTH + 1, None])
def test_the_first_columns_are_given_as_among_all(lake, name, most):
    lake.write(name, FILES[name](WIDE))
    [part] = split(lake.tables()[name])
    whole = pa.Table.from_batches(list(read_part(part, [])))
    told: list = []
    given = pa.Table.from_batches(list(read_part(part, told, most=most)))
    assert given == whole.select(range(min(most or WIDTH, WIDTH)))
    wide = [problem for problem in told if problem.problem == "many columns"]
    assert [problem.count for problem in wide] == ([WIDTH - most] if most and most < WIDTH else [])
    assert {problem.table for problem in told} <= {name}


def test_partition_keys_are_among_them(lake):
    lake.write("t/year=2020/x.csv", csv(WIDE))
    [part] = split(lake.tables()["t"])
    [batch] = read_part(part, [], most=4)
    assert batch.schema.names == ["x", "c1", "c2", "year"]


def test_arrow_makes_the_columns_that_are_wanted(lake, monkeypatch):
    """Each costs microseconds a block, wanted or not; those by which rows of totals are told come always."""
    lake.write("x.csv", csv(pa.concat_tables([WIDE] * 20)))  # more than the sample that tells the format
    [part] = split(lake.tables()["x.csv"])
    widths = []
    fast = text_reader.arrow_batches

    def counted(*at: object) -> object:
        for batch, met in fast(*at):
            widths.append(batch.num_columns)
            yield batch, met

    monkeypatch.setattr(text_reader, "arrow_batches", counted)
    [batch] = read_part(part, [], ["c200"])
    assert batch.schema.names == ["c200"]
    assert set(widths) == {text_reader.JUDGED + 2}


@pytest.mark.parametrize("columns", [["c0"], ["c250", "c299"], None])
def test_a_row_of_totals_is_one_whatever_is_wanted(lake, columns):
    names = [f"c{place}" for place in range(WIDTH)]
    body = [[f"name {row}", *(str(row + place) for place in range(WIDTH - 1))] for row in range(3)]
    lines = [names, *body, ["Total", *["7"] * (WIDTH - 1)]]
    lake.write("x.csv", "\n".join(map(",".join, lines)))
    [part] = split(lake.tables()["x.csv"])
    assert sum(batch.num_rows for batch in read_part(part, [], columns)) == 3
    assert text_format(part.file.path).total_rows == 1
