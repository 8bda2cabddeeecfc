"""Shapes: the same counts as Python's regular expressions give, one text at a time."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeview.store.shapes import LETTERS, Shape, shape_of, shapes_of
from lakeview.values import xxh64

PATTERNS = {
    "numbers": r"-?(0|[1-9][0-9]*)(\.[0-9]+)?",
    "integers": r"-?(0|[1-9][0-9]*)",
    "exponents": r"[+-]?(0|[1-9][0-9]*)(\.[0-9]*)?e[+-]?[0-9]+",
    "dates": r"[0-9]{4}-[0-9]{2}-[0-9]{2}",
    "timestamps": r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ t][0-9]{2}:[0-9]{2}.*",
    "booleans": r"true|false",
}

odd = """
a abcd abcde é true false tru - -0 1.50 +1e5 1e-5 1e 12 007 1. .5
2024-02-03 2024-02-3 x2024-02-03 2024-02-03t04:05:06z
"""

texts = st.one_of(
    st.sampled_from(["", "2024-02-03 04:05", "2024-02-03 04:0", *odd.split()]),
    st.text("0123456789-+.eE", max_size=8),
    *[st.from_regex(f"({pattern})\\Z", fullmatch=True) for pattern in PATTERNS.values()],
)


@pytest.fixture(scope="module", params=["by arrays", "compiled"])
def kernel(request):
    """How shapes are counted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(xxh64, "is_compiled", lambda: request.param == "compiled")
        yield


@given(st.lists(texts, max_size=30), st.integers(0, 3))
def test_counts_are_those_of_regular_expressions(kernel, found, skipped):
    array = pa.array(["left out"] * skipped + found, pa.string())[skipped:]  # whose first offset is not 0
    shape = shape_of(array)
    assert shape.values == len(found)
    for name, pattern in PATTERNS.items():
        assert getattr(shape, name) == sum(bool(re.fullmatch(pattern, text, re.DOTALL)) for text in found), name
    letters = [sum(bool(re.fullmatch(f"[A-Za-z]{{{n}}}", text)) for text in found) for n in range(1, LETTERS + 1)]
    assert shape.letters == tuple(letters)
    numbers = [text for text in found if re.fullmatch(PATTERNS["numbers"], text)]
    if numbers:
        assert (shape.low, shape.high) == (min(map(float, numbers)), max(map(float, numbers)))
        assert shape.decimals == max(len(text.partition(".")[2]) for text in numbers)
    assert shape_of(array.cast(pa.large_string())) == shape


@given(st.lists(st.one_of(texts, st.from_regex(r"-?[1-9][0-9]{10,25}(\.[0-9]{1,12})?", fullmatch=True)), max_size=30),
       st.data())  # fmt: skip
def test_many_columns_are_counted_at_once(kernel, found, data):
    column = np.sort(
        np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(found), max_size=len(found))), np.int32)
    )
    parts = [[text for text, of in zip(found, column, strict=True) if of == number] for number in range(4)]
    shapes = shapes_of(pa.array(found, pa.string()), column, 4)
    assert shapes == [shape_of(pa.array(part, pa.string())) for part in parts]
    assert sum(shapes, Shape()) == (shape_of(pa.array(found, pa.string())) if found else Shape())
