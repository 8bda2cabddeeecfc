from __future__ import annotations

import datetime as dt
import decimal
import gzip
import io
import uuid

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from footers import with_rows

from lakeview.catalog.reading import compressed, parquet_reader
from lakeview.catalog.sources import ReadError, read_part, split


def parquet(table: pa.Table, **options) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return sink.getvalue()


def test_types_are_kept(lake):
    table = pa.table(
        {
            "n": [1, None],
            "x": [0.5, 2.0],
            "price": [decimal.Decimal("1.10"), None],
            "day": [dt.date(2024, 3, 1), None],
            "at": pa.array([1, 2], pa.timestamp("ns")),
            "zoned": pa.array([1, 2], pa.timestamp("us", "Europe/Oslo")),
            "code": ["007", ""],
        }
    )
    lake.write("x.parquet", parquet(table))
    assert lake.table("x.parquet").equals(table)
    assert lake.problems() == []


def test_structs_become_flat_and_all_else_keeps_its_type(lake):
    table = pa.table(
        {
            "s": pa.array([{"a": 1, "b": {"c": "x"}}, None]),
            "list": pa.array([[1, None], None]),
            "map": pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64())),
            "bytes": pa.array([b"ok", None]),
            "words": pa.array(["x", "y"]).dictionary_encode(),
            "days": pa.array([[{"q": dt.date(2020, 1, 1)}], None]),
            "s.a": ["literal", "name"],
        }
    )
    lake.write("x.parquet", parquet(table))
    assert lake.table("x.parquet").to_pylist() == [
        {"s.a": 1, "s.b.c": "x", "list": [1, None], "map": [("k", 1)], "bytes": b"ok", "words": "x",
         "days": [{"q": dt.date(2020, 1, 1)}], "s.a_2": "literal"},
        {"s.a": None, "s.b.c": None, "list": None, "map": [], "bytes": None, "words": "y", "days": None,
         "s.a_2": "name"},
    ]  # fmt: skip
    assert lake.problems() == []


def test_bytes_that_are_no_text_are_reported_once_a_column(lake):
    spoilt = pa.array([b"ok", b"\xff\xfe", None] * 50_000)
    as_text = pa.Array.from_buffers(pa.string(), len(spoilt), spoilt.buffers())
    lake.write("x.parquet", parquet(pa.table({"b": spoilt, "s": as_text, "n": range(150_000)})))
    assert lake.rows("x.parquet")[:3] == [(b"ok", "ok", 0), (b"\xff\xfe", None, 1), (None, None, 2)]
    assert [(problem.detail, problem.count) for problem in lake.problems()] == [
        ("50,000 values of 'b' are not text: nothing joins by them", 50_000),
        ("50,000 values of 's' are not text: nothing joins by them", 50_000),
    ]


def test_a_uuid_is_a_uuid(lake):
    ids = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"\x12" * 16, None], pa.binary(16)))
    lake.write("x.parquet", parquet(pa.table({"id": ids})))
    assert lake.table("x.parquet").to_pylist() == [{"id": uuid.UUID(bytes=b"\x12" * 16)}, {"id": None}]
    assert lake.problems() == []


def test_files_of_one_table_whose_types_have_none_in_common_are_text(lake):
    lake.write("t/day=1/x.parquet", parquet(pa.table({"a": [[1.0]], "n": [1]})))
    lake.write("t/day=2/x.parquet", parquet(pa.table({"a": ["x"], "n": [2.5]})))
    assert lake.table("t").to_pylist() == [{"a": "[1]", "n": 1.0, "day": "1"}, {"a": "x", "n": 2.5, "day": "2"}]


def test_repeated_and_empty_names(lake):
    lake.write("x.parquet", parquet(pa.table([pa.array([1]), pa.array([2]), pa.array([3])], names=["a", "a", ""])))
    assert lake.table("x.parquet").to_pylist() == [{"a": 1, "a_2": 2, "column_3": 3}]


@pytest.mark.parametrize("columns", [["s.a_2"], ["s.b.c", "n"], ["n"], ["nothing"]])
def test_chosen_columns(lake, columns):
    table = pa.table({"n": [1], "s": pa.array([{"a": 1, "b": {"c": "x"}}]), "s.a": ["y"]})
    lake.write("x.parquet", parquet(table))
    [part] = split(lake.tables()["x.parquet"])
    whole = lake.table("x.parquet").to_pylist()[0]
    batches = list(read_part(part, [], columns=columns))
    assert [batch.to_pylist() for batch in batches if batch.num_columns] == (
        [[{name: whole[name] for name in whole if name in columns}]] if set(columns) & set(whole) else []
    )


def test_no_rows_but_columns(lake):
    lake.write("x.parquet", parquet(pa.table({"a": pa.array([], pa.int64()), "s": pa.array([], pa.string())})))
    [batch] = lake.read("x.parquet")[0]
    assert (batch.schema.names, batch.num_rows) == (["a", "s"], 0)
    assert lake.problems() == []


def test_zipped_once_more(lake):
    lake.write("x.parquet.gz", gzip.compress(parquet(pa.table({"a": [1]}))))
    assert lake.rows("x.parquet.gz") == [(1,)]
    lake.write("x.parquet.gz", gzip.compress(parquet(pa.table({"a": [1]})))[:-9])
    assert "damaged gzip" in lake.problems()[0].detail


@pytest.mark.parametrize("damage", ["cut", "garbage", "middle"])
def test_damage_is_named(lake, damage):
    data = parquet(pa.table({"a": list(range(1000))}), compression="snappy")
    spoilt = {"cut": data[:-10], "garbage": b"PAR1 and nothing else", "middle": data[:4] + b"\xff" * 400 + data[404:]}
    lake.write("x.parquet", spoilt[damage])
    [problem] = lake.problems()
    assert problem.table == "x.parquet"
    assert problem.detail.startswith("damaged Parquet: ")
    with pytest.raises(ReadError):
        lake.read("x.parquet")


def test_large_values_come_a_few_at_a_time(lake, monkeypatch):
    monkeypatch.setattr(parquet_reader, "BATCH_BYTES", 1 << 20)
    picture = b"\xff" + bytes(1 << 14)
    lake.write("x.parquet", parquet(pa.table({"n": range(200), "picture": [picture] * 200}), use_dictionary=False,
                                    compression="none"))  # fmt: skip
    batches, problems = lake.read("x.parquet")
    assert sum(batch.num_rows for batch in batches) == 200
    assert max(batch.nbytes for batch in batches) < 2 << 20
    assert [problem.detail for problem in problems] == ["200 values of 'picture' are not text: nothing joins by them"]


def test_what_a_file_claims_is_weighed(lake, monkeypatch):
    monkeypatch.setattr(compressed, "MAX_INFLATED", 1 << 20)
    lake.write("x.parquet", parquet(pa.table({"a": ["x" * (1 << 16)] * 80}), use_dictionary=False, compression="zstd"))
    [problem] = lake.problems()
    assert "unpacks to more than 100 times its size" in problem.detail
    monkeypatch.setattr(parquet_reader, "MAX_CELLS", 1000)
    monkeypatch.setattr(parquet_reader, "MAX_CELLS_TO_A_BYTE", 10)
    lake.write("x.parquet", parquet(pa.table({"a": [1] * 100_000})))
    [problem] = lake.problems()
    assert problem.detail.startswith("claims 100,000 cells in ")
    raw = parquet(pa.table({"a": list(range(900))}))
    for whole, group in ((900, 10**9), (10, 10**9), (10**9, 10**9)):
        lake.write("x.parquet", with_rows(raw, 900, whole, group))
        [problem] = lake.problems()
        assert problem.detail.startswith("claims 1,000,000,000 cells in ")
    lake.write("x.parquet", with_rows(raw, 900, 10**9, 900))  # what is read goes by the row groups
    assert lake.problems() == [] and len(lake.rows("x.parquet")) == 900


def test_rows_larger_than_a_batch_are_read(lake, monkeypatch):
    monkeypatch.setattr(parquet_reader, "BATCH_BYTES", 10)
    lake.write("x.parquet", parquet(pa.table({"a": [str(n) * 40 for n in range(50)]})))
    batches, _ = lake.read("x.parquet")
    assert [len(batch) for batch in batches] == [16, 16, 16, 2]


class TestSplit:
    @pytest.fixture
    def table(self, lake):
        numbers = pa.table({"n": list(range(400_000)), "text": [f"value {n * 7919 % 400_000}" for n in range(400_000)]})
        lake.write("x.parquet", parquet(numbers, row_group_size=50_000))
        return lake.tables()["x.parquet"]

    @pytest.mark.parametrize(("target", "expected"), [(1, [8]), (3 << 20, range(2, 8)), (1 << 40, [1])])
    def test_parts_hold_every_row_once(self, table, target, expected):
        parts = split(table, target)
        assert len(parts) in expected
        found = [n for part in parts for batch in read_part(part, [], ["n"]) for n in batch.column("n").to_pylist()]
        assert found == list(range(400_000))

    def test_a_small_file_is_not_opened(self, lake):
        lake.write("y.parquet", b"PAR1 no Parquet at all")
        [part] = split(lake.tables()["y.parquet"])
        assert part.row_groups is None

    def test_a_damaged_file_is_one_part(self, lake):
        lake.write("z.parquet", b"PAR1" + b"\0" * (2 << 20))
        [part] = split(lake.tables()["z.parquet"], 1)
        with pytest.raises(ReadError):
            list(read_part(part, []))
