"""Whether files are as they were indexed: told by their size and time, and where the time alone differs by content.

A copy of a lake, a clone, an index that was pulled: every time differs there, and nothing else. So a scan keeps a hash
of each file, and what a file was found to hold is remembered under its size and time, in `contents.json` beside the
index. That file is this machine's alone: it is not published, and without it files are merely read once more.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from lakeview.catalog.digests import digests, whole
from lakeview.catalog.listing import list_tables
from lakeview.catalog.model import File, Table
from lakeview.catalog.naming import told
from lakeview.catalog.reading import duckdb_tables, sqlite_tables
from lakeview.catalog.table_logs import newest
from lakeview.errors import LakeviewError
from lakeview.store.sealed import seal, unseal
from lakeview.store.store import replace_durably

GLANCE_BYTES = 8 << 20  # of a table's files that are read to tell in passing whether they changed
GLANCE_FILES = 256  # of a table that are looked at in passing
CONTENTS = "contents.json"
_BUSY: Mapping[str, Callable[[str], bool]] = {"sqlite": sqlite_tables.is_busy, "duckdb": duckdb_tables.is_busy}

_Key = tuple[str, str, int, int]  # root, place, size, time


class Contents:
    """What files hold. folder: of the index, where that is remembered."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / CONTENTS
        self._loaded: dict[_Key, str] | None = None
        self._asked: set[_Key] = set()

    @property
    def _held(self) -> dict[_Key, str]:
        if self._loaded is None:
            self._loaded = _load(self._path)
        return self._loaded

    def of(self, file: File) -> str:
        """The hash of a file's bytes, which are read unless they were before; "" where they cannot be."""
        key = _key(file)
        if key not in self._held:
            found = whole(digests(file.path), file.size)
            if not found or _stat(file) != (file.size, file.mtime_ns):
                return ""
            self._held[key] = found
        self._asked.add(key)
        return self._held[key]

    def is_known(self, file: File) -> bool:
        """Whether nothing has to be read to tell."""
        return _key(file) in self._held

    def save(self) -> None:
        """Remember what was asked for, and no more."""
        listed = [[*key, self._held[key]] for key in sorted(self._asked)]
        try:
            if listed:
                replace_durably(self._path, seal({"files": listed}))
            else:
                self._path.unlink(missing_ok=True)
        except OSError:  # they are read once more
            pass


def _key(file: File) -> _Key:
    return file.root, file.place, file.size, file.mtime_ns


def _load(path: Path) -> dict[_Key, str]:
    try:
        listed = unseal(path.read_bytes())["files"]
        return {(root, place, size, time): held for root, place, size, time, held in listed if type(held) is str}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def scanned(table: Table, blocks: Mapping[str, Mapping[int, str]]) -> Table:
    """A table with the contents that its scan saw (`digests`), by path; a file that changed meanwhile has none. What
    was not scanned has what it had."""

    def of(file: File) -> str:
        if file.content and file.path not in blocks:
            return file.content
        is_same = _stat(file) == (file.size, file.mtime_ns) and not _is_busy(table, file)
        return whole(blocks.get(file.path, {}), file.size) if is_same else ""

    return replace(table, files=tuple(replace(file, content=of(file)) for file in table.files))


def is_held(table: Table, spec: Any, contents: Contents) -> bool:
    """Whether a table that was listed is, as it is now, the one that a segment tells of (`places.spec_of`)."""
    try:
        if (spec["kind"], spec["folder"], len(spec["files"])) != (table.kind, table.folder, len(table.files)):
            return False
        pairs = list(zip(spec["files"], table.files, strict=True))
        if not all(is_alike(file, old) for old, file in pairs):
            return False
        if any(_is_busy(table, file) or (table.kind in _BUSY and not old["content"]) for old, file in pairs):
            return False
        return all(is_same(file, old, contents) for old, file in pairs)
    except (KeyError, TypeError):
        return False


def is_alike(file: File, old: Mapping[str, Any]) -> bool:
    """Whether a file may be the one that a segment tells of: nothing is read to tell."""
    keys = [list(key) for key in file.keys]
    return old["keys"] == keys and all(old[name] == getattr(file, name) for name in ("root", "place", "size", "inner"))


def is_same(file: File, old: Mapping[str, Any], contents: Contents) -> bool:
    """Whether one that is alike holds the same: its time tells, and where that differs its bytes."""
    return bool(old["mtime_ns"] == file.mtime_ns or (old["content"] and old["content"] == contents.of(file)))


def _is_busy(table: Table, file: File) -> bool:
    """Whether a database has rows that are not yet in its file, but in one beside it."""
    return table.kind in _BUSY and _BUSY[table.kind](file.path)


def change(table: Table, contents: Contents, glance: bool = False) -> str:
    """What became of a table since it was indexed, and what to do about it; "" where it is as it was.

    table: as the index knows it. glance: look at a bounded number of files and bytes, and say nothing where that leaves
    it open; else at all, and at a folder's new files too.
    """
    if _stat(table.files[0]) is None and (len(table.files) == 1 or not any(map(_stat, table.files))):
        return f"{told(table.name)} is gone since it was indexed: lake.index()"
    changed = _changed(table.files[: GLANCE_FILES if glance else None], contents, glance)
    if changed is None and table.log:
        changed = _logged_otherwise(table)
    elif changed is None and not glance and table.folder is not None:
        changed = _added(table)
    if changed is None:
        return ""
    which = f" ({told(changed.place.rpartition('/')[2])})" if table.folder is not None and not table.log else ""
    return f"{told(table.name)} changed since it was indexed{which}: lake.index()"


def _changed(files: tuple[File, ...], contents: Contents, glance: bool) -> File | None:
    """The first of the files that is not as it was."""
    doubtful = []
    for file in files:
        found = _stat(file)
        if found is None or found[0] != file.size:
            return file
        if found[1] != file.mtime_ns:
            doubtful.append((file, replace(file, mtime_ns=found[1])))
    if glance and sum(now.size for _, now in doubtful if not contents.is_known(now)) > GLANCE_BYTES:
        return None
    return next((file for file, now in doubtful if not file.content or contents.of(now) != file.content), None)


def _added(table: Table) -> File | None:
    """A file that a listing of a table's folder finds beside those that are known."""
    known = {file.path for file in table.files}
    depth = len(table.files[0].place[len(table.folder or "") :].strip("/").split("/"))
    again = _listed_again(table, Path(table.files[0].path).parents[depth - 1])
    if again is None:  # it is no table any more
        return table.files[0]
    return next((file for file in again.files if file.path not in known), None)


def _logged_otherwise(table: Table) -> File | None:
    """A file of a table with a log, where that says something else now. Its newest entry tells, and all of it alone
    where that is another one: what was merged or cleaned up since may have changed no file."""
    log = Path(table.log_path)
    if newest(log.parent.parent, table.kind) == f"{log.parent.name}/{log.name}":
        return None
    again = _listed_again(table, log.parent.parent)
    said = None if again is None else {(file.path, file.inner, file.keys) for file in again.files}
    return None if said == {(file.path, file.inner, file.keys) for file in table.files} else table.files[0]


def _listed_again(table: Table, folder: Path) -> Table | None:
    """The table that a listing of a table's folder finds there now; None: none of its kind."""
    try:
        found = list_tables([folder]).tables
    except LakeviewError:  # it went meanwhile
        return None
    return next((other for other in found if other.folder == "" and other.kind == table.kind), None)


def _stat(file: File) -> tuple[int, int] | None:
    try:
        found = os.stat(file.path)  # noqa: PTH116 (of many files)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
