"""Folders that may not be written: one line says so at every step, and what is there opens and answers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import growing
import pandas as pd
import pytest

import lakeview as lv
from lakeview.errors import StoreError

STEPS = ("index", "index in parts", "compact", "pull", "publish", "publish in parts")
# What may not be written, by its path in the store or beside it.
SEALED = {
    "all": ["store", "store/segments", "store/segments/*", "store/manifest.json", "store/lock", "url", "url/*"],
    "folder": ["store"],
    "segments": ["store/segments"],
    "a segment": ["store/segments/*"],
    "lock": ["store/lock"],
    "url": ["url", "url/segments"],
    "unreadable": ["store/manifest.json"],
}


def steps(folder: Path) -> dict[str, str]:
    """Try every step; what each says, "" where it went well. The index is then searched."""
    from lakeview.pipeline import build_parts

    lake, said = lv.open(folder / "lake", store=folder / "store"), {}
    before = growing.answer(lake)
    for step in STEPS:
        build_parts.OUTGROWN = 0 if step == "index in parts" else 1 << 40
        try:
            if step.startswith("index"):
                lake.index(engine="local")
            elif step == "compact":
                lake.compact()
            elif step == "pull":
                lake.pull(str(folder / "url"))
            else:
                lake.publish(str(folder / "url"), partitions=3 if "parts" in step else None)
            said[step] = ""
        except StoreError as error:
            said[step] = str(error)
            lake.store.verify()
            if growing.answer(lv.open(folder / "lake", store=folder / "store")) != before:
                said[step] = f"the answer is another, and it says {error}"
        before = growing.answer(lake)
    lake.search(growing.QUERY, transform=True)  # keeps what it read, where it may
    lake.add(pd.DataFrame({"x": growing.QUERY}), "mine")
    assert growing.answer(lake)[0] == ("mine", len(growing.QUERY))
    return said


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that others may enter, with a lake that has changed since it was indexed and published."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        folder = Path(name)
        made(folder)
        yield folder
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o755)


def made(folder: Path) -> None:
    growing.write(folder / "lake", 1)
    lake = lv.open(folder / "lake", store=folder / "store")
    lake.index(engine="local")
    lake.publish(str(folder / "url"))
    growing.write(folder / "lake", 2)


# Tries everything once as it is, which imports what it takes; then nobody, who owns nothing, tries it.
_NOBODY = """
import json, os, sys, tempfile
sys.path.insert(0, sys.argv[1])
import test_read_only
from pathlib import Path
with tempfile.TemporaryDirectory() as warm:
    test_read_only.made(Path(warm))
    test_read_only.steps(Path(warm))
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
said = {}
for folder in sys.argv[2:]:
    try:
        said[folder] = test_read_only.steps(Path(folder))
    except BaseException as error:
        said[folder] = f"{type(error).__name__}: {error}"
print(json.dumps(said))
"""


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="users")
def test_folders_that_may_not_be_written(folder: Path):
    places = {}
    for what, patterns in SEALED.items():
        places[what] = place = folder / f"sealed {what}"
        place.mkdir()
        for name in ("lake", "store", "url"):
            shutil.copytree(folder / name, place / name)
        for path in [place, *place.rglob("*")]:
            path.chmod(0o777 if path.is_dir() else 0o666)
        for path in (path for pattern in patterns for path in place.glob(pattern)):
            path.chmod(0 if what == "unreadable" else 0o555 if path.is_dir() else 0o444)
    done = subprocess.run(
        [sys.executable, "-c", _NOBODY, Path(__file__).parent, *places.values()],
        capture_output=True, text=True, check=False, cwd="/",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = {what: json.loads(done.stdout)[str(place)] for what, place in places.items()}
    assert said.pop("unreadable").startswith("StoreError: ") and "delete" not in str(said)
    for what in ("all", "folder", "segments", "lock"):
        for step in STEPS[:3] if what == "segments" else STEPS:  # no other step of these needs to write there
            assert said[what][step].startswith("cannot write the index to "), (what, said[what])
            assert "open the lake with store= a folder that you may write" in said[what][step]
            assert "\n" not in said[what][step]
    assert said["a segment"] == dict.fromkeys(STEPS, "")
    assert {step: bool(text) for step, text in said["url"].items()} == {step: "publish" in step for step in STEPS}
    assert all(growing.leftovers(place / "store") == [] for what, place in places.items() if what != "a segment")


def test_a_file_system_mounted_read_only(folder: Path):
    disk = folder / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "none", str(disk)]
    if os.getuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root mounts a file system")
    try:
        for name in ("lake", "store", "url"):
            shutil.copytree(folder / name, disk / name)
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        said = steps(disk)
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)
    assert all("Read-only file system" in text and "\n" not in text for text in said.values()), said
    lake = lv.open(folder / "lake", store=disk / "store" / "new")  # nothing is mounted there any more
    assert lake.indexed_at is None


def test_a_lock_that_a_dead_process_left(folder: Path):
    code = "import os, sys, filelock; filelock.FileLock(sys.argv[1]).acquire(); os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", code, folder / "store" / "lock"], check=False)
    assert (folder / "store" / "lock").exists()
    lake = lv.open(folder / "lake", store=folder / "store")
    lake.index(engine="local")
    assert growing.answer(lake) == growing.expected(growing.state(2))
