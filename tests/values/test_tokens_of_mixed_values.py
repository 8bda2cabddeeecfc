"""Mixed, nested and extension values, and text: the same token wherever they come from."""

from __future__ import annotations

import math
from datetime import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scalar_rule
from agreeing import agree, column, few
from hypothesis import given
from hypothesis import strategies as st

from lakeview.errors import InputError
from lakeview.values import as_arrow, canonical, text

MIXED = st.one_of(
    st.text(st.characters(codec="ascii"), max_size=5),
    st.integers(),
    st.booleans(),
    st.floats(),
    st.dates(),
    st.datetimes(),
    st.decimals(-(10**6), 10**6, places=3),
    st.times(),
)


@given(column(MIXED), st.sampled_from([None, float("nan"), pd.NA, pd.NaT]))
@few
def test_mixed_objects_print_by_their_own_types(values, missing):
    want = scalar_rule.canonical(values)
    spoilt = [missing if value is None else value for value in values]
    assert canonical(spoilt).to_pylist() == want
    assert canonical(pd.Series(spoilt, dtype=object)).to_pylist() == want


def test_numbers_of_five_kinds_and_text_are_one_token():
    agree(
        ["5"] * 8 + ["true", "005"], [5, "5", "+5", 5.0, "5.00", Decimal("5.0"), np.int8(5), np.float32(5), True, "005"]
    )


def test_pandas_types_that_arrow_lacks():
    agree(["2024-01", None], pd.Series(pd.PeriodIndex(["2024-01", None], freq="M")))
    agree(["(0.0, 1.0]", None], pd.Series(pd.arrays.IntervalArray.from_breaks([0, 1, 2])).where([True, False]))
    agree(["0", "0", "1"], pd.Series(pd.arrays.SparseArray([0, 0, 1])))
    agree(
        ["a", "b", None, "a"],
        pd.Series(["a", "B", None, "A "], dtype="category"),
        pd.array(["a", "b", None, "a"]),
        pd.Series(["a", "b", None, "a"], dtype="string"),
        pd.Series(["a", "b", None, "a"], dtype=pd.ArrowDtype(pa.string())),
    )
    agree(["1", "x"], pd.Series([1, "x"], dtype="category"))
    agree(["2024-03", None], np.array(["2024-03", "NaT"], "M8[M]"))
    agree(["2024-03-01 05:00:00", None], np.array(["2024-03-01T05", "NaT"], "M8[h]"))
    agree(["2024-03-04"], np.array(["2024-03-04"], "M8[W]") + np.timedelta64(4, "D"))
    agree(["1", None], np.ma.array([1, 2], mask=[False, True]))
    agree(["1.5"], np.array([1.5], np.longdouble))
    agree(["a", "b"], np.array(["a", "b"]), np.array([b"a", b"b"]), {"a": 0, "b": 1}.keys(), (x for x in "ab"))


NESTED = pa.struct([("n", pa.int8()), ("s", pa.string())])


@pytest.mark.parametrize(
    ("array", "want"),
    [
        (pa.array([[1, None], [], None, [5]]), ["[1,null]", "[]", None, "[5]"]),
        (pa.array([[1, None], [], None, [5]], pa.list_view(pa.int8())), ["[1,null]", "[]", None, "[5]"]),
        (pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int8(), 2)), ["[1,2]", None, "[3,4]"]),
        (pa.array([['a"b', "É"]], pa.large_list(pa.string())), ['["a\\"b","é"]']),
        (pa.array([{"n": 1, "s": "x"}, {"n": None, "s": "y"}, None], NESTED), ['{"n":1,"s":"x"}', '{"s":"y"}', None]),
        (
            pa.array([[("l", None), ("k", 2), ("j", 3), ("k", 1)], None], pa.map_(pa.string(), pa.int8())),
            ['{"j":3,"k":1}', None],
        ),
        (pa.array([[datetime(2024, 3, 1)], [None]], pa.list_(pa.timestamp("ns"))), ['["2024-03-01"]', "[null]"]),
        (
            pa.array([[0.1, 1e22, math.nan, math.inf]], pa.list_(pa.float32())),
            ['[0.1,10000000000000000000000,null,"inf"]'],
        ),
        (pa.array([[[1]], [[], [2, 3]]]), ["[[1]]", "[[],[2,3]]"]),
        (pa.array([{}], pa.struct([])), ["{}"]),
    ],
)
def test_nested_values_are_json(array, want):
    assert canonical(array).to_pylist() == want
    assert canonical(array.slice(1)).to_pylist() == want[1:]
    assert canonical(pa.concat_arrays([array, array]).slice(len(array))).to_pylist() == want


def test_nested_python_objects_are_the_same_json():
    agree(["[1,2]", None, "[3]"], [[1, 2], None, [3]], pd.Series([[1, 2], None, [3]]))
    agree(['{"a":1}', '{"b":"x"}'], [{"a": 1}, {"b": "x"}])
    assert canonical([{"a": 1}, {"a": "x"}]).to_pylist() == ['{"a":1}', '{"a":"x"}']


def test_extension_types():
    uuids = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"\0" * 15 + b"\5", None], pa.binary(16)))
    assert canonical(uuids).to_pylist() == ["00000000-0000-0000-0000-000000000005", None]
    bools = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0, None], pa.int8()))
    assert canonical(bools).to_pylist() == ["true", "false", None]
    runs = pa.RunEndEncodedArray.from_arrays([2, 3], ["A", "b"])
    assert canonical(runs).to_pylist() == ["a", "a", "b"]


def test_text_is_never_cast():
    assert text(["00501", "1e5", "2024-3-1", "TRUE", "5.0"]).to_pylist() == ["00501", "1e5", "2024-3-1", "TRUE", "5.0"]
    assert as_arrow(["00501"]).type == pa.string()
    array = pa.array(["x"])
    assert as_arrow(array) is array


TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=3), max_size=9)


@given(TEXTS)
@few
def test_text_alone_is_as_arrow_has_it(texts):
    want = pa.array(texts, pa.string())
    assert as_arrow(texts).equals(want)
    assert as_arrow(np.array([*texts, None], object)[:-1]).equals(want)


def test_a_value_may_have_a_nul():
    assert as_arrow(["a\0b", "", "c"]).to_pylist() == ["a\0b", "", "c"]
    assert as_arrow(["\0", "\0"]).to_pylist() == ["\0", "\0"]


@pytest.mark.parametrize(
    "data",
    ["abc", b"abc", 5, None, {"a": 1}, pd.DataFrame({"a": [1]}), pa.table({"a": [1]}), np.zeros((2, 2)), np.array(5)],
    ids=lambda data: type(data).__name__,
)
def test_what_is_not_a_column_is_refused(data):
    with pytest.raises(InputError, match="one column"):
        as_arrow(data)
