"""Signatures: both kernels give the same hashes, and many columns at once what each gives by itself."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeview.values.signatures import CLASSES, LIMITS, NO_SIGNATURE, hashes, merged, signatures
from lakeview.values.signatures_numpy import GRAM, LONGEST, keys_numpy

WORDS = "may sept september monday thu 2010 20100501 1905 19 200 0 00 12 5 1,200.50 . , - é 漢 😀 a bcd"
PIECES = st.sampled_from([*WORDS.split(), " ", "\0", "x" * LONGEST])
TEXTS = st.one_of(st.text(max_size=8), st.lists(PIECES, max_size=6).map("".join))
COLUMNS = st.lists(st.lists(TEXTS, max_size=5, unique=True), max_size=4)


def flat(columns: list[list[str]]) -> tuple[list[str], np.ndarray]:
    return [text for column in columns for text in column], np.cumsum([0, *map(len, columns)])


@given(COLUMNS)
def test_both_kernels_give_the_same(columns: list[list[str]]) -> None:
    numba_kernel = pytest.importorskip("lakeview.values.signatures_numba", exc_type=ImportError)
    texts, bounds = flat(columns)
    raw = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, raw)], dtype=np.int64)
    of = np.repeat(np.arange(len(columns), dtype=np.uint64), np.diff(bounds))
    found = [np.unique(kernel(np.frombuffer(b"".join(raw), np.uint8), offsets, of))
             for kernel in (keys_numpy, numba_kernel.keys_numba)]  # fmt: skip
    assert np.array_equal(*found)


@given(COLUMNS)
def test_many_columns_at_once_are_each_by_itself(columns: list[list[str]]) -> None:
    texts, bounds = flat(columns)
    for kind in (pa.string(), pa.large_string()):
        together = signatures(pa.array(["left out", *texts], kind)[1:], bounds)
        assert len(together) == max(1, len(columns)) and all(one.dtype == np.uint32 for one in together)
        for column, found in zip(columns, together, strict=False):
            assert found.tolist() == sorted(int(one) for kind in hashes(column) for one in kind)


def test_the_least_of_each_class_are_kept_whoever_has_seen_them() -> None:
    texts = [f"{n * 7919 % 100_003:06d} of {n}, abc{n}" for n in range(4_000)]
    [whole] = signatures(pa.array(texts), np.array([0, len(texts)]))
    every = hashes(texts)
    for kinds, limit in zip(CLASSES, LIMITS, strict=True):
        wanted = np.sort(np.concatenate([every[kind] for kind in kinds]))[:limit]
        assert np.array_equal(whole[np.isin(whole & 7, kinds)], wanted)
        assert len(wanted) == limit or kinds == (GRAM,)
    parts = signatures(pa.array(texts), np.array([0, 900, 900, 4_000]))
    assert np.array_equal(merged(parts), whole) and not len(parts[1])
    assert merged([whole]) is whole and merged([]) is NO_SIGNATURE


def test_a_little_is_done_without_numba() -> None:
    script = (
        "import sys; from lakeview.values.signatures import hashes; "
        "assert hashes(['may 1, 2010'])[4].tolist() == hashes(['2010-05-01'])[4].tolist() != []; "
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
