"""A disk that is full at any moment: one line says so, nothing is left lying, the index is the old one or the new."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import growing
import pytest

import lakeview as lv
from lakeview.errors import StoreError
from lakeview.pipeline import build_parts

ROOM = 2 << 20  # bytes that any of the steps can do with
STEPS = ("index", "index in parts", "compact", "pull", "publish", "publish in parts")


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, of three times the room."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={3 * ROOM}", "none", str(folder)]
    if os.name != "posix" or os.getuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root mounts a file system")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@contextlib.contextmanager
def ballast(disk: Path, room: int) -> Iterator[None]:
    """Leave but some room on a disk."""
    path = disk / "ballast"
    with path.open("wb") as file, contextlib.suppress(OSError):
        left = os.statvfs(disk)
        os.posix_fallocate(file.fileno(), 0, max(1, left.f_bavail * left.f_frsize - room))
    try:
        yield
    finally:
        path.unlink()


@contextlib.contextmanager
def short_files(room: int) -> Iterator[None]:
    """No file may grow beyond `room`, as under a quota."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """A lake, its index of two segments, and what another published of it."""
    tmp_path = tmp_path_factory.mktemp("prepared")
    lake, store, url = tmp_path / "lake", tmp_path / "made", tmp_path / "published"
    growing.write(lake, 3)
    lv.open(lake, store=tmp_path / "other").index(engine="local")
    lv.open(lake, store=tmp_path / "other").publish(str(url))
    for generation in (1, 2):
        growing.write(lake, generation)
        lv.open(lake, store=store).index(engine="local")
    return lake, store, url


def fails_well(
    step: str, lake: Path, store: Path, url: Path, cramped: Callable[[], contextlib.AbstractContextManager[None]]
) -> bool:
    """Do a step where there is not room enough, perhaps; whether it failed, and then as it should."""
    before, published = growing.expected(growing.state(2)), growing.expected(growing.state(3))
    growing.write(lake, 4 if step.startswith("index") else 2)
    opened = lv.open(lake, store=store)
    after = growing.expected(growing.state({"pull": 3}.get(step, 4 if step.startswith("index") else 2)))
    do = {
        "compact": opened.compact,
        "pull": lambda: opened.pull(str(url)),
        "publish": lambda: opened.publish(str(url)),
        "publish in parts": lambda: opened.publish(str(url), partitions=3),
    }.get(step, lambda: opened.index(engine="local"))
    failed = False
    with cramped():
        try:
            do()
        except StoreError as error:
            failed = True
            assert "\n" not in str(error)
            at_url = "cannot publish the index to" in str(error) and "publish" in step
            assert at_url or "is full: free some space" in str(error), str(error)
        assert growing.answer(opened) == (before if failed else after)  # while there is no room
    again = lv.open(lake, store=store)
    again.store.verify()
    assert growing.answer(again) in (before, after)
    assert growing.leftovers(store) == []
    probe = lv.open(lake, store=store.parent / "probe")
    probe.pull(str(url))
    assert growing.answer(probe) in (published, before)
    shutil.rmtree(store.parent / "probe")
    return failed


@pytest.mark.parametrize("step", STEPS)
def test_a_full_disk(
    small: Path, prepared: tuple[Path, Path, Path], rounds, monkeypatch: pytest.MonkeyPatch, step: str
):
    lake, made, published = prepared
    if step == "index in parts":
        monkeypatch.setattr(build_parts, "OUTGROWN", 0)
    failed, n = [], rounds(4, 64)
    for i in range(n):
        for folder, source in (("store", made), ("url", published)):
            shutil.rmtree(small / folder, ignore_errors=True)
            shutil.copytree(source, small / folder)
        room = (ROOM >> 12) * i // n << 12
        failed.append(fails_well(step, lake, small / "store", small / "url", lambda room=room: ballast(small, room)))
    assert failed[0] and not failed[-1]


@pytest.mark.parametrize("step", STEPS)
def test_a_quota(tmp_path: Path, prepared: tuple[Path, Path, Path], rounds, monkeypatch: pytest.MonkeyPatch, step: str):
    lake, made, published = prepared
    if step == "index in parts":
        monkeypatch.setattr(build_parts, "OUTGROWN", 0)
    store, url = tmp_path / "store", tmp_path / "url"
    failed = []
    for room in [0, 127, 3_000, 50_000, *range(4_000, 240_000, 4_000)][: rounds(3, 64)]:
        for folder, source in ((store, made), (url, published)):
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(source, folder)
        failed.append(fails_well(step, lake, store, url, lambda room=room: short_files(room)))
    assert any(failed)
