"""Held files: what was opened stays, whatever becomes of its name, and a cut is noticed before it is touched."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lakeview.catalog.blocks import checksums
from lakeview.errors import StoreError
from lakeview.store import held as held_files
from lakeview.store.held import READ, Held

SMALL, LARGE = 10, READ // 8 + 10  # int64 numbers: read at the opening, later


@pytest.fixture(params=["read by blocks", "mapped"])
def large(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """What becomes of files that are not read at once, by their size."""
    if request.param == "mapped":
        monkeypatch.setattr(held_files, "LATER", 0)
    return request.param


def made(folder: Path, numbers: int, name: str = "a.npy") -> Path:
    np.save(folder / name, np.arange(numbers))
    return folder / name


@pytest.mark.parametrize("numbers", [0, SMALL, LARGE])
@pytest.mark.parametrize("name", ["a.npy", os.fsdecode(b"\xff.npy")])
def test_what_was_opened_stays_when_the_file_goes(tmp_path: Path, numbers: int, name: str, large: str):
    held = Held(path := made(tmp_path, numbers, name))
    path.unlink()
    held.check()
    assert held.array().tolist() == list(range(numbers))
    assert not held.array().flags.writeable


def test_holding_takes_no_descriptors(tmp_path: Path, large: str):
    held = [Held(made(tmp_path, LARGE, f"{i}.npy")) for i in range(50)]
    opened = [each.readlink() for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
    assert [path for path in opened if path.is_relative_to(tmp_path)] == []
    assert all(file.mapped == (large == "mapped") for file in held)


def test_of_what_size_one_is_read_its_reader_may_say(tmp_path: Path):
    path = made(tmp_path, LARGE)
    assert Held(path, later=0).mapped and not Held(path).mapped
    assert Held(path, later=0).array().tolist() == list(range(LARGE))


def test_what_is_cut_is_told_before_it_is_touched(tmp_path: Path, large: str):
    held = Held(path := made(tmp_path, LARGE))
    held.check()
    os.truncate(path, 4096)
    with pytest.raises(StoreError, match="was cut short since the lake was opened; open the lake again"):
        held.check() if large == "mapped" else held.array()


def test_what_is_cut_before_its_first_use_is_told(tmp_path: Path, large: str):
    path = made(tmp_path, LARGE)
    held = Held(path, (path.stat().st_size, checksums(path)))
    os.truncate(path, 100)
    with pytest.raises(StoreError, match="was cut short since the lake was opened"):
        held.array()


def test_what_was_read_no_cut_takes_away(tmp_path: Path, small_blocks: int):
    held = Held(path := made(tmp_path, LARGE))
    assert held.array(np.int64, 0, 100).tolist() == list(range(100))
    os.truncate(path, 100)
    assert held.array(np.int64, 0, 900).tolist() == list(range(900))
    with pytest.raises(StoreError, match="was cut short"):
        held.array(np.int64, 0, 1100)


def test_what_is_small_was_read(tmp_path: Path):
    held = Held(path := made(tmp_path, SMALL))
    os.truncate(path, 0)
    held.check()
    assert held.array().tolist() == list(range(SMALL))


def test_a_file_that_took_the_name_is_another(tmp_path: Path, large: str):
    held = Held(path := made(tmp_path, LARGE))
    made(tmp_path, SMALL, "b.npy").replace(path)
    held.check()
    assert len(held.array()) == LARGE


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY", b"\x93NUMPY\x01\x00\xff\xff{", b"no array at all"])
def test_what_is_no_array_is_named(tmp_path: Path, content: bytes):
    path = tmp_path / "a.npy"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"a\.npy is damaged"):
        Held(path).array()


def test_another_version_of_the_format_is_named(tmp_path: Path):
    path = made(tmp_path, SMALL)
    content = path.read_bytes()
    path.write_bytes(content[:6] + b"\x02" + content[7:])
    with pytest.raises(StoreError, match=r"a\.npy is damaged \(another version of \.npy\)"):
        Held(path).array()


def test_an_array_of_another_type_or_shape_is_named(tmp_path: Path):
    numbers = np.arange(SMALL)
    for array, says in ((numbers * 1.0, "another type or length"), (numbers.reshape(2, -1), "another shape")):
        np.save(tmp_path / "a.npy", array)
        with pytest.raises(StoreError, match=rf"a\.npy is damaged \({says}\)"):
            Held(tmp_path / "a.npy").array()


def test_an_array_longer_than_its_file_is_named(tmp_path: Path):
    path = made(tmp_path, LARGE)
    os.truncate(path, READ + 8)
    with pytest.raises(StoreError, match=r"a\.npy is damaged"):
        Held(path).array()


def test_an_array_of_objects_is_never_unpickled(tmp_path: Path):
    np.save(tmp_path / "a.npy", np.array([{}], object), allow_pickle=True)
    with pytest.raises(StoreError, match=r"a\.npy is damaged"):
        Held(tmp_path / "a.npy").array()


_SEARCH = """
import os, sys
import lakeview.store.held
lakeview.store.held.LATER = 0
import numpy as np
from lakeview.store.snapshot import Snapshot
from lakeview.store.store import Store
from lakeview.errors import StoreError
store = Store(sys.argv[1])
snapshot = Snapshot(*store.read())
query = np.arange(20_000, dtype=np.uint64)
snapshot.top_k(query.copy(), 3)
for path in store.folder.rglob("*.npy"):
    os.truncate(path, min(path.stat().st_size, 200))
for ask in (lambda: snapshot.top_k(query.copy(), 3), lambda: snapshot.overlaps(query.copy()),
            lambda: snapshot.tokens_of(0)[0].sum(), lambda: snapshot.sketch_of(0), lambda: list(snapshot.searchable())):
    try:
        ask()
        sys.exit("nothing was noticed")
    except StoreError as error:
        print(error)
"""


def test_an_index_cut_short_under_a_reader_does_not_end_it(tmp_path: Path):
    from test_store import publish

    from lakeview.store.store import Store

    publish(Store(tmp_path / "store"), {"a": {"x": list(range(20_000))}})
    done = subprocess.run(
        [sys.executable, "-c", _SEARCH, tmp_path / "store"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("was cut short") == 5


_CUT = """
import os, sys, threading
import numpy as np
from lakeview.store.snapshot import Snapshot
from lakeview.store.store import Store
from lakeview.errors import StoreError
query = np.sort(np.arange(200_000, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))  # spread as hashes are
told = same = 0
for attempt in range(int(sys.argv[2])):
    store = Store(sys.argv[1])
    snapshot = Snapshot(*store.read())
    contents = {path: path.read_bytes() for path in store.folder.rglob("*.npy")}
    usual = snapshot.top_k(query.copy(), 3) if attempt % 2 else None  # every other time nothing was read before
    begun = threading.Event()

    def cut():
        begun.wait()
        for path in contents:
            os.truncate(path, min(path.stat().st_size, 200 + 4096 * attempt))

    thread = threading.Thread(target=cut)
    thread.start()
    for _ in range(6):
        begun.set()
        try:
            found = snapshot.top_k(query.copy(), 3)
            assert usual is None or found[0].tolist() == usual[0].tolist()
            same += 1
        except StoreError as error:
            assert "cut short" in str(error) or "damaged" in str(error), error
            told += 1
            break
    thread.join()
    for path, content in contents.items():
        path.write_bytes(content)
print(told, same)
"""


def test_an_index_cut_short_during_a_search_does_not_end_it(tmp_path: Path):
    from test_store import publish

    from lakeview.store.store import Store

    tokens = sorted(i * 0x9E3779B97F4A7C15 % 2**64 for i in range(200_000))
    publish(Store(tmp_path / "store"), {"a": {"x": tokens}})
    done = subprocess.run(
        [sys.executable, "-c", _CUT, tmp_path / "store", "4"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    told, same = map(int, done.stdout.split())
    assert told + same >= 4 and same >= 2 * 6


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> int:
    for module in ("catalog.blocks", "store.held"):
        monkeypatch.setattr(f"lakeview.{module}.BLOCK", 8192)
    return 8192


@pytest.mark.parametrize("numbers", [0, 1000, 1024 - 16, LARGE])
def test_a_part_of_an_array_is_handed_out_where_its_own_blocks_are_whole(
    tmp_path: Path, small_blocks: int, numbers: int
):
    path = made(tmp_path, numbers)
    told = path.stat().st_size, checksums(path)
    content = path.read_bytes()
    assert Held(path, told).array().tolist() == list(range(numbers))
    for place in range(0, len(content), small_blocks // 2):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        held, broken = Held(path, told), place // small_blocks
        for start in range(0, numbers, 512):
            blocks = {0, *((128 + 8 * at) // small_blocks for at in range(start, min(start + 100, numbers)))}
            if broken in blocks:
                with pytest.raises(StoreError, match=r"a\.npy is damaged; index the lake again"):
                    held.array(np.int64, start, start + 100)
            else:
                assert held.array(np.int64, start, start + 100).tolist() == list(
                    range(start, min(start + 100, numbers))
                )
        with pytest.raises(StoreError, match=r"a\.npy is damaged"):
            held.array()
    path.write_bytes(content)


@pytest.mark.parametrize("more", [-1, 1])
def test_another_size_shows_at_the_opening(tmp_path: Path, more: int):
    path = made(tmp_path, LARGE)
    with pytest.raises(StoreError, match=r"a\.npy is damaged"):
        Held(path, (path.stat().st_size + more, checksums(path)))


def test_a_block_is_hashed_once(tmp_path: Path, small_blocks: int, monkeypatch: pytest.MonkeyPatch):
    path = made(tmp_path, LARGE)
    held = Held(path, (path.stat().st_size, checksums(path)))
    hashed = []
    monkeypatch.setattr("lakeview.store.held.checksum", lambda block: hashed.append(len(block)))  # None: cannot tell
    held.array(np.int64, 0, 1)
    assert hashed == [small_blocks]
    held.array(), held.array()
    assert sum(hashed) == held.size
