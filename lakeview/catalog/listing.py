"""Which tables a folder holds. One walk; nothing is opened but what holds several tables, for their names, and logs."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from lakeview.catalog.kinds import KEY, inner_name, is_hidden, kind_of
from lakeview.catalog.model import SEVERAL, File, Kind, Listing, Problem, ReadError, Table
from lakeview.catalog.reading import archives, delta_log, duckdb_tables, iceberg_log, sheets, sqlite_tables
from lakeview.catalog.table_logs import ADVICE, PIECE, format_above, log_format
from lakeview.errors import NotFound

_LOGS = {"Delta": delta_log.live, "Iceberg": iceberg_log.live}
_DEFAULT_PARTITION = "__HIVE_DEFAULT_PARTITION__"

Keys = tuple[tuple[str, str | None], ...]


class Trail(NamedTuple):
    """The way to a folder: (device, inode) of those above it, and whether a link below the root led there."""

    above: tuple[tuple[int, int], ...] = ()
    linked: bool = False


def list_tables(roots: Iterable[str | os.PathLike[str]], skip: Iterable[str | os.PathLike[str]] = ()) -> Listing:
    """All tables under the roots (folders or files), sorted by name.

    A table is named by its path relative to the root, with "/"; where there are several roots, after the root's name.
    A folder of `key=value` folders is one table, and so is one that holds nothing but Spark's `part-*` files.

    Args:
        skip: files and folders that are passed over.

    Raises:
        NotFound: a root that is not there.
    """
    walk = _Walk({os.path.realpath(path) for path in skip})
    for label, root in labelled(roots).items():
        if not os.path.lexists(root):
            raise NotFound(f"there is no file or folder {str(root)!r}.")
        walk.begin(root, label)
        name = label or root.name
        if log := format_above(root):
            walk.problem(name, "not read", f"is a piece of a {log} table: {PIECE}")
        elif root.is_dir():
            walk.root(root, label, root.name)
        else:
            walk.file(root, name)
    walk.found.tables.sort(key=lambda table: table.name)
    return walk.found


def labelled(roots: Iterable[str | os.PathLike[str]]) -> dict[str, Path]:
    """The roots of a lake by their names: "" for one alone; of several one that is taken gets the next free number,
    before its extension."""
    folders = [Path(os.path.abspath(root)) for root in roots]  # noqa: PTH100 (resolve() would follow links)
    if len(folders) == 1:
        return {"": folders[0]}
    named: dict[str, Path] = {}
    for root in folders:
        stem, dot, rest = (root.name, "", "") if root.is_dir() else root.name.partition(".")
        name, number = root.name or "root", 2
        while name in named:
            name = f"{stem}_{number}{dot}{rest}"
            number += 1
        named[name] = root
    return named


class _Walk:
    """One walk over all roots. Folders wait in lists instead of calls, so none is too deep, and each is entered through
    links once, so that links to links cannot multiply."""

    def __init__(self, skip: set[str]) -> None:
        self.skip, self.skip_names = skip, {os.path.basename(path) for path in skip}  # noqa: PTH119 (of many entries)
        self.through_links: set[tuple[int, int]] = set()
        self.found = Listing()

    def begin(self, root: Path, label: str) -> None:
        """What is found from here on lies under this root."""
        self._label, self._above = label, len(str(root if root.is_dir() else root.parent).rstrip(os.sep)) + 1

    def _place(self, path: Path) -> str:
        """The path from the root, of a root that is a file its name, with "/"."""
        return str(path)[self._above :].replace(os.sep, "/")

    def problem(self, name: str, problem: str, detail: str) -> None:
        self.found.problems.append(Problem(name.encode("utf-8", "replace").decode("utf-8"), problem, detail))

    def root(self, path: Path, name: str, own_name: str) -> None:
        """Collect the tables in a folder and below. `name` leads the names of its tables."""
        waiting = [(path, name, own_name, Trail())]
        while waiting:
            waiting += reversed(list(self._folder(*waiting.pop())))

    def _folder(self, path: Path, name: str, own_name: str, trail: Trail) -> Iterator[tuple[Path, str, str, Trail]]:
        """Collect the tables in a folder; gives the folders in it that wait. `name` is its path relative to the root,
        "" for the root itself."""
        here = self._enter(path, name or own_name, trail)
        if here is None:
            return
        folders, files = self._entries(path, name or own_name, reads_logs=True)
        prefix = f"{name}/" if name else ""

        partitions = [entry for entry in folders if KEY.fullmatch(entry)]
        if partitions:
            below = [found for entry in partitions for found in self._below(path / entry, name or own_name, here)]
            self._one_table(name or own_name, path, below)
            folders = [entry for entry in folders if entry not in partitions]
        elif not folders and files and all(entry.startswith("part-") for entry in files):
            self._one_table(name or own_name, path, [(path / entry, ()) for entry in files])
            return
        for entry in files:
            self.file(path / entry, prefix + entry)
        for entry in folders:
            yield path / entry, prefix + entry, entry, here

    def file(self, path: Path, name: str) -> None:
        if _lies_beside(path):
            return
        kind = self._kind(path, name)
        file = self._file(path, name) if kind else None
        if kind is None or file is None or not self._holds_something([file], name):
            return
        if kind not in SEVERAL:
            self.found.tables.append(Table(name, kind, (file,)))
            return
        try:
            inner, left_out = _inner(kind, file.path)
        except ReadError as error:
            self.problem(name, "not read", str(error))
            return
        if left_out:
            self.problem(name, "members not read", left_out)
        for each in inner:
            own = inner_name(name, each, len(inner))
            self.found.tables.append(Table(own, kind, (replace(file, inner=each),)))

    def _below(self, partition: Path, name: str, trail: Trail) -> Iterator[tuple[Path, Keys]]:
        """All files in a partition's folder, with the keys of their path."""
        waiting: list[tuple[Path, Keys, Trail]] = [(partition, (), trail)]
        while waiting:
            path, keys, trail = waiting.pop()
            if match := KEY.fullmatch(path.name):
                value = unquote(match[2])
                keys = (*keys, (unquote(match[1]), None if value == _DEFAULT_PARTITION else value))
            here = self._enter(path, name, trail)
            if here is None:
                continue
            folders, files = self._entries(path, name)
            for entry in files:
                yield path / entry, keys
            waiting += [(path / entry, keys, here) for entry in reversed(folders)]

    def _one_table(self, name: str, folder: Path, paths: list[tuple[Path, Keys]]) -> None:
        """One table of many files; where they are of several kinds, one for each kind."""
        by_kind: dict[Kind, list[File]] = {}
        for path, keys in paths:
            kind = self._kind(path, name)
            if kind in SEVERAL:
                self.problem(name, "not read", f"{path.name!r} may hold several tables, and its folder is one")
                continue
            file = self._file(path, name, keys) if kind else None
            if kind and file:
                by_kind.setdefault(kind, []).append(file)
        for kind, files in by_kind.items():
            # Spark leaves empty files where a task had no rows.
            filled = self._holds_something(files, name)
            if filled:
                own = name if len(by_kind) == 1 else f"{name} ({kind})"
                self.found.tables.append(Table(own, kind, tuple(filled), self._place(folder)))

    def _holds_something(self, files: list[File], name: str) -> list[File]:
        filled = [file for file in files if file.size]
        if not filled:
            self.problem(name, "empty", "the file is empty" if len(files) == 1 else "all its files are empty")
        return filled

    def _kind(self, path: Path, name: str) -> Kind | None:
        kind = kind_of(path.name)
        if kind is None:
            self.problem(
                name, "not read", f"{path.name!r} is not in a format that lakeview reads; save it as CSV or Parquet"
            )
        return kind

    def _file(self, path: Path, name: str, keys: Keys = (), inner: str = "") -> File | None:
        try:
            str(path).encode("utf-8")
            found = path.stat()
        except UnicodeEncodeError:
            self.problem(name, "not read", "its name is not valid UTF-8; rename it")
        except OSError as error:
            why = "a link to nothing" if isinstance(error, FileNotFoundError) else error.strerror or str(error)
            self.problem(name, "not readable", why)
        else:
            if not stat.S_ISREG(found.st_mode):
                self.problem(name, "not read", "is neither a file nor a folder")
            elif not os.access(path, os.R_OK, effective_ids=os.access in os.supports_effective_ids):
                self.problem(name, "not readable", "permission denied")
            elif os.path.islink(path) and (log := format_above(path)):  # noqa: PTH114
                self.problem(name, "not read", f"is a piece of a {log} table: {PIECE}")
            else:
                return File(
                    str(path), found.st_size, found.st_mtime_ns, keys, self._label, self._place(path), "", inner
                )
        return None

    def _enter(self, path: Path, name: str, trail: Trail) -> Trail | None:
        """The trail of what is in a folder; None where it is to be skipped, and that is told."""
        linked = bool(trail.above) and os.path.islink(path)  # noqa: PTH114 (never raises)
        if self._is_skipped(path):
            return None
        try:
            found = path.stat()
        except OSError as error:
            self.problem(name, "not readable", error.strerror or str(error))
            return None
        here = found.st_dev, found.st_ino
        if here in trail.above:
            self.problem(name, "not read", "a link to a folder above itself")
        elif linked and (log := format_above(path)):
            self.problem(name, "not read", f"is a piece of a {log} table: {PIECE}")
        elif (linked or trail.linked) and here in self.through_links:
            self.problem(name, "not read", "another link leads to this folder, under which it is read")
        else:
            if linked or trail.linked:
                self.through_links.add(here)
            return Trail((*trail.above, here), linked or trail.linked)
        return None

    def _is_skipped(self, path: Path | os.DirEntry) -> bool:
        """Whether it is to be passed over. Where a path really leads is asked only where it may lead there."""
        may = bool(self.skip) and (path.name in self.skip_names or os.path.islink(path))  # noqa: PTH114
        return may and os.path.realpath(path) in self.skip

    def _entries(self, path: Path, name: str, reads_logs: bool = False) -> tuple[list[str], list[str]]:
        """The names of the folders and of the files in a folder, sorted, without the hidden ones; none of a folder that
        is a table by its log, which is collected here or told."""
        folders: list[str] = []
        files: list[str] = []
        every: set[str] = set()
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    every.add(entry.name)
                    if is_hidden(entry.name) or self._is_skipped(entry):
                        continue
                    (folders if _is_folder(entry) else files).append(entry.name)
        except OSError as error:
            self.problem(name, "not readable", error.strerror or str(error))
        log = log_format(path, every.__contains__)
        if log is None:
            return sorted(folders), sorted(files)
        if log in _LOGS and reads_logs:
            self._logged(path, name, log)
        else:
            where = "" if name.endswith(path.name) else f"{path.name!r} in it "
            self.problem(name, "not read", f"{where}is a {log} table: {ADVICE}")
        return [], []

    def _logged(self, folder: Path, name: str, log: str) -> None:
        """The table whose log lies in a folder."""
        try:
            newest, live = _LOGS[log](folder)
        except ReadError as error:
            self.problem(name, "not read", str(error))
            return
        found = [self._file(each.path, name, each.keys, each.inner) for each in live]
        files = tuple(file for file in found if file)
        if not found:
            self.problem(name, "empty", "the table has no rows")
        elif len(files) == len(found):
            place = self._place(folder)
            entry = f"{place}/{newest}" if place else newest
            self.found.tables.append(Table(name, "delta" if log == "Delta" else "iceberg", files, place, entry))


def _inner(kind: Kind, path: str) -> tuple[list[str], str]:
    """The tables in a file that may hold several, and what is to be told of what else it holds. Raises ReadError."""
    if kind == "zip":
        return archives.members(path)
    return {"sheet": sheets, "sqlite": sqlite_tables, "duckdb": duckdb_tables}[kind].names(path), ""


def _lies_beside(path: Path) -> bool:
    """Whether a file is what SQLite or DuckDB keep beside their own while somebody writes."""
    own = re.fullmatch(r"(.+)(-wal|-shm|-journal|\.wal)", path.name)
    return own is not None and kind_of(own[1]) == ("duckdb" if own[2] == ".wal" else "sqlite")


def _is_folder(entry: os.DirEntry) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads back to itself
        return False
