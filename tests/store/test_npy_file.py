"""Files of numbers that are written piece by piece hold what an array would."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeview.store import npy_file
from lakeview.store.npy_file import NpyFile

TYPES = ["uint8", "uint32", "uint64", "int64"]
pieces = st.lists(st.lists(st.integers(0, 2**40), max_size=9), max_size=6)


@pytest.fixture(autouse=True, scope="module")
def few_at_once():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(npy_file, "_AT_ONCE", 4)
        yield


def expected(numbers: list[int], dtype: str) -> list[int]:
    return np.minimum(np.array(numbers, np.int64), min(np.iinfo(dtype).max, 2**62)).tolist()


@given(given=pieces, dtype=st.sampled_from(TYPES))
def test_what_is_appended_lies_end_to_end(tmp_path_factory: pytest.TempPathFactory, given, dtype: str):
    path = tmp_path_factory.mktemp("npy") / "a.npy"
    file = NpyFile(path, dtype)
    for piece in given:
        file.append(np.array(piece, np.int64))
    file.close()
    found = np.load(path)
    assert found.dtype == dtype and found.tolist() == expected([*chain.from_iterable(given)], dtype)


@given(given=pieces, data=st.data())
def test_pieces_are_put_in_any_order(tmp_path_factory: pytest.TempPathFactory, given, data: st.DataObject):
    path = tmp_path_factory.mktemp("npy") / "a.npy"
    file = NpyFile(path, np.uint64)
    ends = np.cumsum([0, *map(len, given)]).tolist()
    for i in data.draw(st.permutations(range(len(given)))):
        file.put(ends[i], np.array(given[i], np.uint64))
    n = data.draw(st.integers(0, ends[-1]))  # what is beyond is cut off
    found = file.whole(n)
    assert found.tolist() == np.load(path).tolist() == [*chain.from_iterable(given)][:n]


def test_what_lies_there_is_appended_without_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = NpyFile(tmp_path / "a.npy", np.uint64)
    file.append(np.arange(3, dtype=np.uint64))
    file.put(3, np.arange(10, 20, dtype=np.uint64))
    laid = file.part(3, 13)
    assert laid.tolist() == list(range(10, 20)) and not laid.flags.writeable
    with monkeypatch.context() as patch:
        patch.setattr(file, "put", lambda *_: pytest.fail("it is there already"))
        file.append(laid)
    file.put(13, np.arange(50, 60, dtype=np.uint64))
    file.append(file.part(13, 23)[::2].copy())  # some of it alone: the rest goes
    file.append(np.array([7], np.uint64))
    file.close()
    assert np.load(tmp_path / "a.npy").tolist() == [0, 1, 2, *range(10, 20), *range(50, 60, 2), 7]
