"""The structure of a segment: what was written holds, and each array that says something else is named."""

from __future__ import annotations

import itertools
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from footers import with_rows

from lakeview.errors import StoreError
from lakeview.store import bounded_parquet, segment_writer
from lakeview.store.foreign import ForeignSegment
from lakeview.store.profiles import Column, Shape
from lakeview.store.segment import DTYPES, SIGNATURES, Segment
from lakeview.store.segment_writer import SegmentWriter
from lakeview.values.signatures import signatures


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A segment of sets of all sizes, one of them large, another large one of which only sketch and filter are kept."""
    rng = np.random.default_rng(1)
    pool = np.unique(rng.integers(0, 1 << 64, 30_000, np.uint64))
    sets = [
        pool[:7_000],
        pool[3_000:9_500],
        pool[:0],
        *(np.sort(rng.choice(pool, n, replace=False)) for n in (1, 9, 99)),
    ]
    columns = [
        Column(
            *("t.csv", f"c{i}", i, "text", len(s), 0, Shape(values=len(s)), s, np.ones(len(s), np.int64)),
            signature=signatures(
                pa.array([f"no. {n:05d}" for n in s.tolist()[:500]], pa.string()), [0, min(500, len(s))]
            )[0],
        )
        for i, s in enumerate(sets)
    ]
    columns += [columns[0].without_tokens(filters=True), columns[1].without_tokens(filters=True)]
    folder = tmp_path_factory.mktemp("written") / "segment"
    writer = SegmentWriter(folder)
    writer.add_table("t.csv", {"kind": "text"}, 7_000, [["t.csv", "uneven", "rows", 3]], columns)
    writer.add_table("empty.csv", {"kind": "text"}, 0, [], [])
    writer.finish()
    return folder


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    """That segment, to be altered."""
    return Path(shutil.copytree(written, tmp_path / "segment"))


def test_what_was_written_holds(folder: Path):
    ForeignSegment(folder, [1]).prove()


def test_signatures_are_inverted_a_part_at_a_time(written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(segment_writer, "_AT_ONCE", 100)
    held = Segment(written)
    writer = SegmentWriter(tmp_path / "again")
    writer.add_table("t.csv", {}, 7_000, [], [held.column(number) for number in range(len(held))])
    writer.finish()
    assert len(held.signed.columns) > 1_000
    for name in SIGNATURES:
        assert np.array_equal(Segment(tmp_path / "again").array(f"signature_{name}"), held.array(f"signature_{name}"))


def test_nothing_at_all_holds(tmp_path: Path):
    SegmentWriter(tmp_path / "segment").finish()
    ForeignSegment(tmp_path / "segment").prove()


def _last(array: np.ndarray) -> np.ndarray:
    array[-1] = np.iinfo(array.dtype).max if array.dtype.kind in "iu" else np.nan
    return array


def _swapped(array: np.ndarray) -> np.ndarray:
    """Two unequal neighbours in the middle of the array, swapped; without such, one more is added to the first."""
    unequal = np.flatnonzero(array[1:] != array[:-1])
    if len(unequal):
        at = unequal[len(unequal) // 2]
        array[[at, at + 1]] = array[[at + 1, at]]
    else:
        array[0] += array.dtype.type(1)
    return array


ALTERED: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "last": _last,
    "swapped": _swapped,
    "shorter": lambda array: array[:-1],
    "longer": lambda array: np.append(array, array[-1:]),
    "zeros": np.zeros_like,
    "another type": lambda array: array.astype(np.int16),
}
# What a segment may as well hold, so far as structure tells: rows of a value, registers, bits of filters, seconds.
FREE = {
    *(("set_counts", kind) for kind in ("last", "swapped")),
    *(("filter_low", kind) for kind in ("last", "swapped", "zeros", "longer")),
    *((name, "swapped") for name in ("costs", "bands_costs", "sketch_registers", "filter_buckets")),
}


@pytest.mark.parametrize("kind", ALTERED)
@pytest.mark.parametrize("name", DTYPES)
def test_an_altered_array_is_named(folder: Path, name: str, kind: str):
    path = folder / f"{name}.npy"
    array = np.load(path)
    altered = ALTERED[kind](array.copy())
    if np.array_equal(array, altered) and array.dtype == altered.dtype:
        pytest.skip("the same")
    np.save(path, altered)
    segment = ForeignSegment(folder)
    if (name, kind) in FREE:
        segment.prove()
        return
    with pytest.raises(StoreError, match=r"\w+\.npy is damaged \(.+\); "):
        segment.prove()
    if kind in ("shorter", "another type"):
        with pytest.raises(StoreError):  # and nothing of it is handed out
            segment.array(name)


def _set(place: int, value: int) -> Callable[[np.ndarray], np.ndarray]:
    def alter(array: np.ndarray) -> np.ndarray:
        array[place] = value
        return array

    return alter


def _emptied(groups: np.ndarray) -> np.ndarray:
    groups[groups == groups.max() - 1] = 0
    return groups


def _last_cut(offsets: np.ndarray) -> np.ndarray:
    offsets[-2] = offsets[-1] - 1
    return offsets


def _moved(groups: np.ndarray) -> np.ndarray:
    groups[np.flatnonzero(groups == 0)[0]] = 1
    return groups


def _another(groups: np.ndarray) -> np.ndarray:
    groups[np.flatnonzero(np.diff(groups.astype(np.int64)) > 1)[0]] += 1
    return groups


# Named by the proof that is about it; without that, later ones find some of these under another name, and some none.
SAID: list[tuple[str, Callable[[np.ndarray], np.ndarray], str]] = [
    ("set_offsets", lambda array: array + 1, "set_offsets.npy is damaged (offsets)"),
    ("postings_offsets", _last_cut, "postings_offsets.npy is damaged (order)"),
    ("postings_groups", _emptied, "postings_groups.npy is damaged (empty groups)"),
    ("postings_groups", _moved, "postings_set_groups.npy is damaged (sizes)"),
    ("postings_set_groups", _another, "postings_set_groups.npy is damaged (sets)"),
    ("sketch_columns", _set(0, -1), "sketch_columns.npy is damaged (numbers)"),
    ("sketch_columns", _set(1, 2), "sketch_columns.npy is damaged (columns)"),
    ("bands_keys", lambda keys: keys[::-1], "bands_keys.npy is damaged (order)"),
    ("bands_rows", lambda rows: rows.max() - rows, "bands_rows.npy is damaged (values)"),
    ("filters", _set(5, 6), "filters.npy is damaged (columns)"),
    ("filters", _set(0, 3), "filters.npy is damaged (columns)"),
    ("filters", _set(1, 1), "filters.npy is damaged (low)"),
    ("filters", lambda filters: filters + np.array([0, 0, 0, 0, 1] * 2), "filters.npy is damaged (bits)"),
    ("filters", lambda filters: filters + np.array([0] * 7 + [32, 1, 0]), "filters.npy is damaged (lengths)"),
    ("filter_buckets", lambda buckets: buckets | np.uint8(1), "filter_buckets.npy is damaged (bits)"),
]


@pytest.mark.parametrize(("name", "alter", "says"), SAID)
def test_what_is_wrong_with_an_array_is_said(
    folder: Path, name: str, alter: Callable[[np.ndarray], np.ndarray], says: str
):
    np.save(folder / f"{name}.npy", alter(np.load(folder / f"{name}.npy")))
    with pytest.raises(StoreError, match=re.escape(says)):
        ForeignSegment(folder).prove()


@pytest.mark.parametrize(
    ("name", "field", "value", "says"),
    [
        *(("tables", "rows", value, "rows") for value in (-1, 1 << 48)),
        ("tables", "spec", "{", "no JSON"),
        ("tables", "spec", "[]", "spec"),
        ("tables", "problems", "]", "no JSON"),
        *(("tables", "problems", value, "problems") for value in ("{}", "[3]", '[["t", "p", "d", "3"]]')),
        *(("columns", "table", value, "table") for value in (-1, 2)),
        ("columns", "ordinal", -1, "ordinal"),
        ("columns", "type", "x", "type"),
        *(("columns", "rows", value, "rows") for value in (-1, 1 << 48)),
        *(("columns", "nulls", value, "nulls") for value in (-1, 7_001)),
        *(("columns", "distinct", value, "distinct") for value in (-1, 7_001)),
        *(("columns", "distinct_error", value, "distinct_error") for value in (-1.0, np.inf, np.nan)),
        *(("columns", "values", value, "values") for value in (-1, 1 << 48)),
        *(("columns", name, np.nan, name) for name in ("low", "high")),
    ],
)
def test_an_altered_field_is_named(folder: Path, name: str, field: str, value: object, says: str):
    _put(folder / f"{name}.parquet", field, value)
    with pytest.raises(StoreError, match=rf"{name}\.parquet is damaged \({says}\)"):
        ForeignSegment(folder)


def test_a_set_of_another_size_than_its_column_says_is_named(folder: Path):
    _put(folder / "columns.parquet", "distinct", 6_999)
    with pytest.raises(StoreError, match=r"set_offsets\.npy is damaged \(sizes\)"):
        ForeignSegment(folder).prove()


def test_a_signature_of_more_hashes_than_one_has_is_named(folder: Path):
    hashes = np.load(folder / "signature_hashes.npy")
    np.save(folder / "signature_lengths.npy", np.ones_like(hashes))
    np.save(folder / "signature_columns.npy", np.zeros_like(hashes))
    with pytest.raises(StoreError, match=r"signature_columns\.npy is damaged \(lengths\)"):
        ForeignSegment(folder).prove()


def test_a_filter_of_no_values_is_named(folder: Path):
    nothing = np.frombuffer(b"\x3f" + b"\xff" * 31, np.uint8)  # two empty buckets, and padding
    made = {"filters": np.array([6, 0, 0, 0, 1]), "filter_low": nothing[:0], "filter_buckets": nothing}
    for name, array in {**made, "filter_ends": np.zeros(1, np.uint32)}.items():
        np.save(folder / f"{name}.npy", array)
    with pytest.raises(StoreError, match=r"filters\.npy is damaged \(bits\)"):
        ForeignSegment(folder).prove()


def test_a_tombstone_of_no_table_is_named(folder: Path):
    with pytest.raises(StoreError, match=r"tables\.parquet is damaged \(tombstones\)"):
        ForeignSegment(folder, [2])


def _put(path: Path, field: str, value: object) -> None:
    """Alter a field of the first row."""
    table = pq.ParquetFile(path).read()
    values = [value, *table[field].to_pylist()[1:]]
    place = table.schema.get_field_index(field)
    pq.write_table(table.set_column(place, field, pa.array(values, table.schema.field(field).type)), path,
                   store_schema=False)  # fmt: skip


def test_a_minimum_of_another_bucket_is_named(folder: Path):
    minima = np.load(folder / "sketch_minima.npy")
    minima[5] = minima[6]
    np.save(folder / "sketch_minima.npy", minima)
    with pytest.raises(StoreError, match=r"sketch_minima\.npy is damaged \(buckets\)"):
        _ = ForeignSegment(folder).sketch_minima


def test_rows_of_a_band_that_are_not_in_their_order_are_named(folder: Path):
    rows, lists = np.load(folder / "bands_rows.npy"), np.load(folder / "bands_lists.npy")
    for start, stop in itertools.pairwise(lists.tolist()):
        rows[start:stop] = rows[start:stop][::-1]
    np.save(folder / "bands_rows.npy", rows)
    with pytest.raises(StoreError, match=r"bands_rows\.npy is damaged \(order\)"):
        ForeignSegment(folder).prove()


def test_the_tables_of_a_segment_are_read_within_bounds(folder: Path):
    for name in ("tables", "columns"):
        path = folder / f"{name}.parquet"
        content = path.read_bytes()
        pq.write_table(pq.ParquetFile(path).read(), path)  # with Arrow's own schema
        with pytest.raises(StoreError, match=rf"{name}\.parquet is damaged \(it says more than its columns\)"):
            ForeignSegment(folder)
        path.write_bytes(content)


SCHEMA = pa.schema([("name", pa.string()), ("n", pa.int64())])


def _buffer(table: pa.Table, **options: object) -> pa.Buffer:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **{"store_schema": False, **options})
    return sink.getvalue()


def test_a_bounded_table_is_read():
    table = pa.table({"name": ["a", "b\u2028", "a"] * 50, "n": range(150)}, SCHEMA)
    for rows in (10, 1_000):
        assert bounded_parquet.read(_buffer(table, row_group_size=rows), SCHEMA, 150).equals(table)
    assert bounded_parquet.read(_buffer(table.slice(0, 0)), SCHEMA, 0).num_rows == 0


@pytest.mark.parametrize(
    ("table", "options", "says"),
    [
        ({"name": ["x" * 100_000] * 1_000, "n": range(1_000)}, {}, "too much text"),
        ({"name": ["a"] * 1_001, "n": range(1_001)}, {}, "1,001 rows"),
        ({"name": ["a"], "n": [1]}, {"compression": "zstd"}, "compression"),
        ({"name": ["a"], "n": [1]}, {"store_schema": True}, "more than its columns"),
        ({"name": ["a"], "n": [None]}, {}, "missing"),
        ({"name": [None], "n": [1]}, {}, "missing"),
    ],
)
def test_what_is_too_much_or_something_else_is_refused(table: dict, options: dict, says: str):
    with pytest.raises(ValueError, match=says):
        bounded_parquet.read(_buffer(pa.table(table, SCHEMA), **options), SCHEMA, 1_000)


def _footed(table: pa.Table, whole: int, group: int, **options: object) -> pa.Buffer:
    """The table's file with other numbers of rows in its footer: of the file, and of its row group."""
    return pa.py_buffer(with_rows(_buffer(table, **options).to_pybytes(), table.num_rows, whole, group))


@pytest.mark.parametrize("options", [{}, {"use_dictionary": False}])
def test_a_footer_that_tells_other_rows_is_refused(options: dict, monkeypatch: pytest.MonkeyPatch):
    table = pa.table({"name": ["a", "b", "a"] * 300, "n": range(900)}, SCHEMA)
    footer = pq.ParquetFile(pa.BufferReader(_footed(table, 10, 901, **options))).metadata
    assert (footer.num_rows, footer.row_group(0).num_rows) == (10, 901)
    assert bounded_parquet.read(_footed(table, 900, 900, **options), SCHEMA, 900).equals(table)
    with pytest.raises(ValueError, match="other rows than it says"):
        bounded_parquet.read(_footed(table, 901, 901, **options), SCHEMA, 1_000)
    with pytest.raises(ValueError, match="Negative size"):  # which Arrow says
        bounded_parquet.read(_footed(table, -900, -900, **options), SCHEMA, 1_000)

    def never(*_: object, **__: object) -> None:
        raise AssertionError("read before its rows are counted")

    monkeypatch.setattr(pq.ParquetFile, "read", never)
    for whole, group in ((10, 900), (900, 10), (899, 900)):
        with pytest.raises(ValueError, match="its parts have other rows"):
            bounded_parquet.read(_footed(table, whole, group, **options), SCHEMA, 1_000)
    with pytest.raises(ValueError, match="900 rows"):
        bounded_parquet.read(_footed(table, 900, 900, **options), SCHEMA, 899)


def test_what_arrow_cannot_read_is_refused_as_anything_else():
    raw = _buffer(pa.table({"name": ["a"], "n": [1]}, SCHEMA)).to_pybytes()
    for damaged in (b"", raw[:4] + bytes(40) + raw[44:]):  # of which the second one is an OSError
        with pytest.raises(ValueError, match=r"\w"):
            bounded_parquet.read(pa.py_buffer(damaged), SCHEMA, 10)


def test_other_columns_are_refused():
    for names in (["name"], ["n", "name"], ["name", "m"]):
        table = pa.table({name: pa.array(["a"] if name == "name" else [1]) for name in names})
        with pytest.raises(ValueError, match=r"\w"):
            bounded_parquet.read(_buffer(table), SCHEMA, 10)
    with pytest.raises(ValueError, match="columns"):
        bounded_parquet.read(_buffer(pa.table({"name": ["a"], "n": [1.0]})), SCHEMA, 10)
