"""Which tables a folder holds. One walk; nothing is opened."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote

from lakeview.catalog.model import File, Kind, Listing, Problem, Table
from lakeview.errors import NotFound

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("csv", "tsv", "tab", "txt", "dat", "psv"), "text"),
    **dict.fromkeys(("jsonl", "ndjson", "json"), "json"),
    **dict.fromkeys(("parquet", "parq", "pq"), "parquet"),
}
_KEY = re.compile(r"([^=]+)=(.*)", re.DOTALL)
_DEFAULT_PARTITION = "__HIVE_DEFAULT_PARTITION__"


def extension(path: str) -> str:
    """The extension that tells a file's format, in lower case: "csv" for `x.CSV` and `x.csv.gz`."""
    parts = os.path.basename(path).lower().lstrip(".").split(".")
    if len(parts) > 2 and parts[-1] == "gz":
        parts.pop()
    return parts[-1] if len(parts) > 1 else ""


def kind_of(path: str) -> Kind | None:
    return _KINDS.get(extension(path))


def is_hidden(name: str) -> bool:
    """Hidden and marker files: `.x` and `_x`, but not the partition folder `_x=1`."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def list_tables(roots: Iterable[str], skip: Iterable[str] = ()) -> Listing:
    """All tables under the roots (folders or files), sorted by name.

    A table is named by its path relative to the root, with "/"; where there are several roots, after the root's name.

    Args:
        skip: files and folders that are passed over.

    Raises:
        NotFound: a root that is not there.
    """
    roots = [os.path.abspath(os.fspath(root)) for root in roots]
    walk = _Walk({os.path.realpath(path) for path in skip})
    labels = _labels(roots) if len(roots) > 1 else [""]
    for root, label in zip(roots, labels, strict=True):
        if not os.path.lexists(root):
            raise NotFound(f"there is no file or folder {root!r}.")
        if os.path.isdir(root):
            walk.folder(root, label, os.path.basename(root))
        else:
            walk.file(root, label or os.path.basename(root))
    walk.found.tables.sort(key=lambda table: table.name)
    return walk.found


def _labels(roots: list[str]) -> list[str]:
    """The name of each root; one that is taken gets the next free number, before its extension."""
    names: list[str] = []
    for root in roots:
        base = os.path.basename(root) or "root"
        stem, dot, rest = ("", "", "") if os.path.isdir(root) else base.partition(".")
        name, number = base, 2
        while name in names:
            name = f"{stem}_{number}{dot}{rest}" if stem else f"{base}_{number}"
            number += 1
        names.append(name)
    return names


class _Walk:
    def __init__(self, skip: set[str]) -> None:
        self.skip = skip
        self.found = Listing()

    def problem(self, name: str, problem: str, detail: str) -> None:
        self.found.problems.append(Problem(name, problem, detail))

    def folder(self, path: str, name: str, own_name: str, above: tuple[tuple[int, int], ...] = ()) -> None:
        """Collect the tables in a folder. `name` is its path relative to the root, "" for the root itself."""
        here = self._identity(path, name, above)
        entries = None if here is None else self._entries(path, name)
        if entries is None:
            return
        folders, files = entries
        above = (*above, here)
        prefix = f"{name}/" if name else ""

        partitions = [entry for entry in folders if _KEY.fullmatch(entry)]
        if partitions:
            self._partitioned(path, name or own_name, partitions, above)
            folders = [entry for entry in folders if entry not in partitions]
        elif not folders and files and all(entry.startswith("part-") for entry in files):
            self._one_table(name or own_name, [(os.path.join(path, entry), ()) for entry in files])
            return
        for entry in files:
            self.file(os.path.join(path, entry), prefix + entry)
        for entry in folders:
            self.folder(os.path.join(path, entry), prefix + entry, entry, above)

    def file(self, path: str, name: str) -> None:
        kind = self._kind(path, name)
        file = self._file(path, name) if kind else None
        if kind and file:
            self.found.tables.append(Table(name, kind, (file,)))

    def _partitioned(self, path: str, name: str, partitions: list[str], above: tuple) -> None:
        files = [found for entry in partitions for found in self._below(os.path.join(path, entry), name, (), above)]
        self._one_table(name, files)

    def _below(self, path: str, name: str, keys: tuple, above: tuple) -> Iterator[tuple[str, tuple]]:
        """All files in a partition's folder, with the keys of their path."""
        match = _KEY.fullmatch(os.path.basename(path))
        if match:
            value = unquote(match[2])
            keys = (*keys, (unquote(match[1]), None if value == _DEFAULT_PARTITION else value))
        here = self._identity(path, name, above)
        entries = None if here is None else self._entries(path, name)
        if entries is None:
            return
        folders, files = entries
        for entry in files:
            yield os.path.join(path, entry), keys
        for entry in folders:
            yield from self._below(os.path.join(path, entry), name, keys, (*above, here))

    def _one_table(self, name: str, paths: list[tuple[str, tuple]]) -> None:
        """One table of many files; where they are of several kinds, one for each kind."""
        by_kind: dict[Kind, list[File]] = {}
        for path, keys in sorted(paths):
            kind = self._kind(path, name)
            file = self._file(path, name, keys) if kind else None
            if kind and file:
                by_kind.setdefault(kind, []).append(file)
        for kind, files in by_kind.items():
            self.found.tables.append(Table(name if len(by_kind) == 1 else f"{name} ({kind})", kind, tuple(files)))

    def _kind(self, path: str, name: str) -> Kind | None:
        kind = kind_of(path)
        if kind is None:
            self.problem(name, "not read", "not a format lakeview reads; save it as CSV or Parquet")
        return kind

    def _file(self, path: str, name: str, keys: tuple = ()) -> File | None:
        try:
            found = os.stat(path)
            if not stat.S_ISREG(found.st_mode):
                self.problem(name, "not read", "is neither a file nor a folder")
            elif not os.access(path, os.R_OK):
                self.problem(name, "not readable", "permission denied")
            else:
                return File(path, found.st_size, found.st_mtime_ns, keys)
        except OSError as error:
            dangling = os.path.islink(path)
            self.problem(name, "not readable", "a link to nothing" if dangling else error.strerror or str(error))
        return None

    def _identity(self, path: str, name: str, above: tuple) -> tuple[int, int] | None:
        """What tells a folder from all others; None where it is to be skipped or lies above itself."""
        if os.path.realpath(path) in self.skip:
            return None
        try:
            found = os.stat(path)
        except OSError as error:
            self.problem(name, "not readable", error.strerror or str(error))
            return None
        if (found.st_dev, found.st_ino) in above:
            self.problem(name, "not read", "a link to a folder above itself")
            return None
        return found.st_dev, found.st_ino

    def _entries(self, path: str, name: str) -> tuple[list[str], list[str]] | None:
        try:
            with os.scandir(path) as entries:
                shown = sorted((entry for entry in entries if not is_hidden(entry.name)), key=lambda e: e.name)
                folders = [entry.name for entry in shown if _is_folder(entry)]
                files = [entry.name for entry in shown if not _is_folder(entry)]
        except OSError as error:
            self.problem(name or Path(path).name, "not readable", error.strerror or str(error))
            return None
        return folders, [entry for entry in files if os.path.realpath(os.path.join(path, entry)) not in self.skip]


def _is_folder(entry: os.DirEntry) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads back to itself
        return False
