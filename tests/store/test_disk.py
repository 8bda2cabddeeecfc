"""What is not an index's own is neither deleted nor advised to be; what the disk says is told in one line."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from test_store import contents, publish

import lakeview as lv
from lakeview.errors import StoreError
from lakeview.store import disk
from lakeview.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "store")
    publish(store, {"a": {"x": [1, 2, 3]}})
    return store


def damaged(store: Store) -> str:
    (store.folder / "manifest.json").write_text("{")
    with pytest.raises(StoreError) as error:
        store.read()
    return str(error.value)


def test_an_index_alone_may_be_deleted(store: Store, tmp_path: Path):
    """With all that a lake's life leaves there."""
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake" / "t.csv").write_text("name\n" + "\n".join(f"person {n}" for n in range(50)))
    lake = lv.open(tmp_path / "lake", store=store.folder)
    for touched in (1, 2):
        os.utime(tmp_path / "lake" / "t.csv", (touched, touched))
        lake.index(engine="local")
    lake.search(["person 1"], transform=True)
    lake.publish(str(tmp_path / "url"))
    assert {path.name for path in store.folder.iterdir()} > {"lock", "published.json", "contents.json"}
    (store.folder / "publish-abcdefgh").mkdir()
    assert damaged(store).endswith(f"delete the folder {store.folder} and index the lake again")


@pytest.mark.parametrize("path", ["notes.txt", "segments/notes.txt", "publish-plan", "segments/2024"])
def test_a_folder_that_holds_other_things_is_not_advised_to_be_deleted(store: Store, path: str):
    (store.folder / path).write_text("mine")
    assert "delete" not in (said := damaged(store)) and "open the lake with another store=" in said
    for content in ('{"format": 4, "parameters": {}}', '{"name": "an app", "icons": []}'):
        (store.folder / "manifest.json").write_text(content)
        for ask in (store.read, store.verify, store.writing().__enter__):
            with pytest.raises(StoreError, match="open the lake with another store=") as error:
                ask()
            assert "delete" not in str(error.value)


def test_a_file_is_no_store(tmp_path: Path):
    path = tmp_path / "results.csv"
    path.write_text("x\n1\n")
    for ask in (Store(path).read, Store(path).manifest, Store(path).writing().__enter__):
        with pytest.raises(StoreError, match=r"results\.csv is a file; open the lake with store= a folder") as error:
            ask()
        assert "delete" not in str(error.value)
    assert path.read_text() == "x\n1\n"


def test_a_writer_clears_what_is_left_of_writers_and_nothing_else(store: Store):
    left = ["segments/0123456789ab.tmp/x.npy", "segments/ba9876543210/x.npy", "publish-abc_1234/lock",
            "manifest.json.tmp", "published.json.tmp", "contents.json.tmp"]  # fmt: skip
    left.append(f"segments/{store.manifest().segments[0].id}/transform-12ab.tmp.npz")
    mine = ["segments/results/x.npy", "segments/notes.txt", "publish-plan/x", "data.json.tmp", "x/0123456789ab.tmp/y"]
    for name in [*left, *mine]:
        (store.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (store.folder / name).write_text("x")
    before = contents(store)
    with store.writing():
        pass
    assert not any((store.folder / name).exists() for name in left)
    assert not (store.folder / "publish-abc_1234").exists()
    assert all((store.folder / name).exists() for name in mine)
    assert contents(store) == before


def test_a_file_named_lock_is_not_emptied(tmp_path: Path):
    (tmp_path / "lock").write_text("mine")
    with pytest.raises(StoreError, match="lock is not the lock of an index"), Store(tmp_path).writing():
        pass
    assert (tmp_path / "lock").read_text() == "mine"


def test_a_failure_after_the_manifest_is_in_place_keeps_what_it_names(store: Store, monkeypatch: pytest.MonkeyPatch):
    """The folder's own fsync is the last step, and can fail."""
    failing = os.fsync

    def fsync(descriptor: int) -> None:
        if os.path.isdir(f"/proc/self/fd/{descriptor}"):  # noqa: PTH112
            raise OSError(5, "Input/output error", str(store.folder))
        failing(descriptor)

    monkeypatch.setattr("os.fsync", fsync)
    with pytest.raises(StoreError, match="cannot write the index"):
        publish(store, {"a": {"x": [9]}}, replacing=("a",))
    monkeypatch.undo()
    assert contents(store) == {("a", "x"): [9]}


def test_an_error_of_something_else_is_not_the_stores(store: Store):
    for error in (PermissionError(13, "Permission denied", "/elsewhere/t.csv"), ConnectionError("lost")):
        with pytest.raises(type(error)), store.writing():
            raise error


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM, errno.EROFS, errno.EIO])
def test_an_error_that_names_its_file_in_words_alone_is_known_by_them(store: Store, number: int):
    """As Arrow has it."""
    said = f"cannot write the index to {store.folder} "
    for folder, kind, match in ((store.folder, StoreError, said), (Path("/elsewhere"), OSError, "Failed to open")):
        with pytest.raises(kind, match=match), store.writing():
            raise OSError(number, f"Failed to open local file '{folder}/x'")


def test_a_disk_without_locks_is_told(store: Store, monkeypatch: pytest.MonkeyPatch):
    def acquire(*_: object, **__: object) -> None:
        raise NotImplementedError("FileSystem does not appear to support flock; use SoftFileLock instead")

    monkeypatch.setattr("filelock.FileLock.acquire", acquire)
    with pytest.raises(StoreError, match="does not appear to support flock"), store.writing():
        pass


def test_a_file_that_may_not_be_read_is_not_called_damaged(store: Store, monkeypatch: pytest.MonkeyPatch):
    def refuse(path: Path, *_: object) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    for name in ("read_bytes", "stat"):
        with monkeypatch.context() as patched:
            patched.setattr(Path, name, refuse)
            with pytest.raises(StoreError, match=r"cannot be read \(Permission denied\)") as error:
                store.read()
            assert "delete" not in str(error.value)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_no_room_is_told_as_that_by_disk_and_by_quota(store: Store, number: int):
    with pytest.raises(StoreError, match="is full: free some space"), store.writing():
        raise OSError(number, os.strerror(number))


def test_words_that_numpy_has_for_a_full_disk():
    assert disk.is_full(OSError("100000 requested and 8176 written"))
    assert not disk.is_full(OSError("something else"))
