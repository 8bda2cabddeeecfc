"""XXH64: both kernels equal the xxhash package on every length and layout; numba is loaded late or not at all."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
import xxhash
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeview.errors import InputError
from lakeview.values import hash_strings, xxh64
from lakeview.values.xxh64_numpy import hash_numpy


@pytest.fixture(params=["numpy", "numba"])
def kernel(request, monkeypatch):
    """hash_strings with one kernel throughout."""
    if request.param == "numpy":
        monkeypatch.setattr(xxh64, "_compiled", hash_numpy)
    else:
        numba_kernel = pytest.importorskip("lakeview.values.xxh64_numba", exc_type=ImportError)
        monkeypatch.setattr(xxh64, "_compiled", numba_kernel.hash_numba)
    return request.param


def expected(values: list[str | None]) -> list[int]:
    return [xxhash.xxh64_intdigest(value.encode(), 42) for value in values if value is not None]


def test_known_answers(kernel):
    # from the xxhash package and from Spark's xxhash64('Spark'), a signed 64-bit integer there
    assert hash_strings(pa.array(["", "5"])).tolist() == [11002672306508523268, expected(["5"])[0]]
    assert hash_strings(pa.array(["Spark"])).astype(np.int64).tolist() == [-4294468057691064905]


def test_every_length(kernel):
    values = ["".join(chr(48 + (i * 7 + n) % 70) for i in range(n)) for n in [*range(300), 1023, 1024, 4097, 50_000]]
    assert hash_strings(pa.array(values)).tolist() == expected(values)


def test_many_strings_of_uneven_lengths(kernel):
    random = np.random.default_rng(5)
    values = ["ä" * int(n) for n in random.geometric(0.05, 20_000)] + ["x" * 3_000] * 20
    random.shuffle(values)
    assert hash_strings(pa.array(values)).tolist() == expected(values)


LAYOUTS = st.sampled_from([pa.string(), pa.large_string(), pa.string_view()])
STRINGS = st.lists(st.none() | st.text(max_size=5) | st.text(min_size=25, max_size=80), max_size=20)


@given(before=STRINGS, values=STRINGS, after=STRINGS, layout=LAYOUTS)
@settings(max_examples=200, deadline=None)
def test_slices_nulls_and_layouts(before, values, after, layout):
    sliced = pa.array(before + values + after, layout).slice(len(before), len(values))
    chunked = pa.chunked_array([sliced, sliced.slice(1), sliced.slice(0, 0)])
    for hasher in (hash_numpy, None):
        previous, xxh64._compiled = xxh64._compiled, hasher or xxh64._load_compiled()
        try:
            assert hash_strings(sliced).tolist() == expected(values)
            if layout != pa.string_view():
                assert hash_strings(sliced.dictionary_encode()).tolist() == expected(values)
            assert hash_strings(chunked).tolist() == expected(values + values[1:])
            recast = sliced.cast(pa.large_string() if layout == pa.string() else pa.string())  # a first offset not 0
            assert hash_strings(recast).tolist() == expected(values)
        finally:
            xxh64._compiled = previous


def test_null_slots_with_bytes_of_their_own(kernel):
    offsets = pa.py_buffer(np.array([0, 1, 5, 6], np.int32))
    array = pa.Array.from_buffers(pa.string(), 3, [pa.py_buffer(b"\x05"), offsets, pa.py_buffer(b"aXXXXb")])
    assert hash_strings(array).tolist() == expected(["a", "b"])
    assert hash_strings(array.slice(1)).tolist() == expected(["b"])


def test_nothing_to_hash(kernel):
    for array in (
        pa.array([], pa.string()),
        pa.nulls(3, pa.string()),
        pa.nulls(2),
        pa.chunked_array([], pa.string()),
        pa.array(["a"]).slice(1),
    ):
        hashes = hash_strings(array)
        assert hashes.dtype == np.uint64 and len(hashes) == 0


def test_only_text_is_hashed():
    with pytest.raises(InputError, match="int64"):
        hash_strings(pa.array([5]))
    with pytest.raises(InputError, match="binary"):
        hash_strings(pa.array([b"5"]))


def test_the_kernel_changes_over_once_it_pays(monkeypatch):
    pytest.importorskip("numba")
    array = pa.array(["a", "b"])
    monkeypatch.setattr(xxh64, "_compiled", None)
    monkeypatch.setattr(xxh64, "_spent", 0.0)
    hash_strings(array)
    assert xxh64._compiled is None and 0 < xxh64._spent < 0.1
    monkeypatch.setattr(xxh64, "_spent", 100.0)
    assert hash_strings(array).tolist() == expected(["a", "b"])
    assert xxh64._compiled is not None and xxh64._compiled is not hash_numpy


def test_work_that_is_ahead_counts(monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setattr(xxh64, "_compiled", None)
    monkeypatch.setattr(xxh64, "_spent", 0.0)
    assert not xxh64.is_compiled(0.1) and xxh64.is_compiled(100.0) and xxh64.is_compiled()


def test_without_numba_numpy_goes_on(monkeypatch):
    monkeypatch.setattr(xxh64, "_compiled", None)
    monkeypatch.setattr(xxh64, "_spent", 100.0)
    monkeypatch.setitem(sys.modules, "numba", None)  # as if it were not installed
    monkeypatch.delitem(sys.modules, "lakeview.values.xxh64_numba", raising=False)
    assert hash_strings(pa.array(["a"])).tolist() == expected(["a"])
    assert xxh64._compiled is hash_numpy


def test_importing_values_and_hashing_a_little_loads_no_numba():
    script = (
        "import sys, lakeview.values as v; assert not {'numba', 'pandas', 'pyspark'} & set(sys.modules); "
        "v.distinct_tokens([str(i) for i in range(50_000)] + ['NA']); assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
