"""Nested values have one text, whichever way they come: one printer, beside a plain one of this file's own."""

from __future__ import annotations

import io
import json
import tempfile
import uuid
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scalar_rule
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeview.catalog.reading.json_lines import read_json
from lakeview.errors import InputError
from lakeview.values import as_arrow, canonical, text
from lakeview.values.objects import DEEPEST, json_of


def plain(value: Any) -> str:
    """The rule, as plainly as can be."""
    if value is None or value != value:
        return "null"
    if isinstance(value, list):
        return "[" + ",".join(map(plain, value)) + "]"
    if isinstance(value, dict):
        kept = sorted((key, item) for key, item in value.items() if item is not None and item == item)
        return "{" + ",".join(f"{json.dumps(key, ensure_ascii=False)}:{plain(item)}" for key, item in kept) + "}"
    if isinstance(value, str | date):
        return json.dumps(str(value), ensure_ascii=False)
    printed = scalar_rule.number(scalar_rule.printed(value))
    return json.dumps(printed) if printed in ("inf", "-inf") else printed


some = settings(max_examples=25, deadline=None)
strings = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
LEAVES = {
    "floats": st.floats(width=64),
    "integers": st.integers(-(2**63), 2**63 - 1),
    "strings": strings,
    "booleans": st.booleans(),
    "decimals": st.decimals(-(10**6), 10**6, places=3),
    "dates": st.dates(),
}


def columns_of(leaf: st.SearchStrategy) -> st.SearchStrategy[list]:
    maybe = st.none() | leaf
    record = st.fixed_dictionaries({"b": maybe, "a": maybe, 'q"\\': st.none() | st.lists(maybe, max_size=3)})
    return st.one_of(
        *(st.lists(st.none() | value, min_size=1, max_size=6)
          for value in (st.lists(maybe, max_size=4), st.lists(st.none() | st.lists(maybe, max_size=3), max_size=3),
                        record, st.lists(st.none() | record, max_size=3)))
    )  # fmt: skip


@pytest.mark.parametrize("kind", LEAVES)
@given(data=st.data())
@some
def test_equal_values_have_one_text_from_everywhere(kind, data):
    values = data.draw(columns_of(LEAVES[kind]))
    array = pa.array(values)
    want = [None if value is None else plain(value) for value in values]
    assert text(array).to_pylist() == want
    assert [json_of(value) for value in values] == want
    assert text(pa.concat_arrays([array, array]).slice(1, len(array))).to_pylist() == [*want[1:], want[0]]
    assert text(pd.Series(values, dtype=object)).to_pylist() == want
    if not pa.types.is_null(array.type) and array.type.num_fields:
        file = io.BytesIO()
        pq.write_table(pa.table({"x": array}), file)
        assert text(pq.read_table(file)["x"]).to_pylist() == want
        if kind != "integers":  # which pandas makes floats of where a key is missing
            assert text(pq.read_table(file)["x"].to_pandas()).to_pylist() == want


@given(columns_of(LEAVES["floats"]))
@some
def test_json_lines_print_as_parquet_does(values):
    lists = [{"x": [value], "n": 1} for value in values]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "x.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in lists), encoding="utf-8")
        found = [cell for batch in read_json(str(file), print) for cell in batch.column("x").to_pylist()]
    assert found == text(pa.array([row["x"] for row in lists])).to_pylist()


def test_every_shape_of_list_and_the_pandas_way_back():
    want = ["[1.5,2]", "[3]", None]
    values = [[1.5, 2.0], [3.0], None]
    for kind in (pa.list_, pa.large_list, pa.list_view, pa.large_list_view):
        array = pa.array(values, kind(pa.float64()))
        assert text(array).to_pylist() == want, kind
        assert text(array.slice(1)).to_pylist() == want[1:], kind
    assert text(pd.Series([np.array([1.5, 2.0]), np.array([3.0]), None])).to_pylist() == want
    assert text(pd.Series([(1.5, 2), [3], None])).to_pylist() == want
    assert text([[Decimal("1.50"), 2], [3.00], None]).to_pylist() == want
    # a slot that is null may have room for items, which are none of its own
    offsets, mask = pa.array([0, 2, 4], pa.int32()), pa.array([False, True])
    assert text(pa.ListArray.from_arrays(offsets, pa.array([1, 2, 3, 4]), mask=mask)).to_pylist() == ["[1,2]", None]


def test_keys_are_sorted_and_the_last_of_two_counts():
    maps = pa.array([[("b", 1.0), ("a", 2.5), ("b", 3.0)], [], None, [("c", None)]], pa.map_(pa.string(), pa.float64()))
    want = ['{"a":2.5,"b":3}', "{}", None, "{}"]
    assert text(maps).to_pylist() == want
    assert text(maps.slice(1)).to_pylist() == want[1:]
    assert text(pa.array([[(2, "x"), (10, "y")]], pa.map_(pa.int8(), pa.string()))).to_pylist() == [
        '{"10":"y","2":"x"}'
    ]
    assert text([{"b": 3.0, "a": 2.5}, {"a": 2.5, "b": 3}]).to_pylist() == ['{"a":2.5,"b":3}'] * 2


def test_mixed_objects_print_as_arrow_would():
    values = [[1.0, "a", {"k": date(2024, 3, 1), "j": None}], {"x": np.float32(0.1), "y": {2, 1}}, [b"ok", b"\xff"]]
    want = ['[1,"a",{"k":"2024-03-01"}]', '{"x":0.1,"y":[1,2]}', '["ok",null]']
    assert [json_of(value) for value in values] == want
    assert text(values).to_pylist() == want


def test_uuids_of_every_source_are_one():
    ids = [uuid.UUID("12345678-90AB-CDEF-1234-567890ABCDE0"), None]
    want = ["12345678-90ab-cdef-1234-567890abcde0", None]
    raw = pa.array([ids[0].bytes, None], pa.binary(16))
    assert canonical(pa.ExtensionArray.from_storage(pa.uuid(), raw)).to_pylist() == want
    assert canonical(ids).to_pylist() == want
    assert canonical(pd.Series(ids)).to_pylist() == want
    assert canonical([str(ids[0]).upper(), None]).to_pylist() == want
    assert json_of([ids[0]]) == f'["{want[0]}"]'
    storage = pa.array([[ids[0].bytes]], pa.list_(pa.binary(16)))
    nested = pa.ListArray.from_arrays(storage.offsets, pa.ExtensionArray.from_storage(pa.uuid(), storage.values))
    assert text(nested).to_pylist() == [f'["{want[0]}"]']


def test_a_list_of_many_takes_no_python_object_each():
    """A million coordinates print in about a second; value by value they took four times as long."""
    array = pa.array([list(range(20))] * 50_000, pa.list_(pa.float64()))
    assert text(as_arrow(array))[0].as_py() == f"[{','.join(map(str, range(20)))}]"


def test_arrow_lists_that_are_nested_too_deep_are_refused() -> None:
    array = pa.array(["x"])
    for _ in range(DEEPEST):
        array = pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), array)
    assert text(array).to_pylist() == ["[" * DEEPEST + '"x"' + "]" * DEEPEST]
    with pytest.raises(InputError, match="nested more than"):
        as_arrow(pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), array))
