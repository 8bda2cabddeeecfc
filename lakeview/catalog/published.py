"""A published index, read where it lies: each file is checked, and fetched if need be, when it is first used.

What a folder of this machine holds is memory-mapped in place. Files of other file systems are copied to this machine's
temporary folder, under the names of their immutable segments, so that the next search finds them there.
"""

from __future__ import annotations

import getpass
import os
import re
import socket
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lakeview.catalog.segment import Segment, checksum
from lakeview.catalog.store import MANIFEST, Manifest, SegmentEntry, Store
from lakeview.catalog.urls import advice, file_system, is_local, shown, why, within
from lakeview.errors import NotFound, StoreError

_NAME = re.compile(r"\w[\w.-]*")  # of a segment and of a file: what leads nowhere else


class PublishedSegment(Segment):
    """A segment at a url. Raises StoreError, naming the file, where one is missing or damaged."""

    def __init__(self, url: str, entry: SegmentEntry) -> None:
        self._url, self._files = within(url, f"segments/{entry.id}"), entry.files
        there, base = file_system(url)
        self._there, self._base = there, f"{base}/segments/{entry.id}"
        self._checked: set[str] = set()
        folder = Path(self._base) if is_local(there) else _cache() / entry.id
        for name in ("tables.parquet", "columns.parquet"):
            self._ready(folder, name)
        super().__init__(folder, entry.dead)

    def holds(self, name: str) -> bool:
        return f"{name}.npy" in self._files

    def array(self, name: str) -> np.ndarray:
        self._ready(self.folder, f"{name}.npy")
        return super().array(name)

    def _ready(self, folder: Path, name: str) -> None:
        """Have a file in `folder` as the manifest describes it."""
        if name in self._checked:
            return
        path, where = folder / name, shown(within(self._url, name))
        try:
            if is_local(self._there):
                good = self._good(path, name)
            else:
                good = (path.exists() and self._good(path, name)) or self._fetch(path)
        except FileNotFoundError as error:
            said = f"{where} cannot be read on {socket.gethostname()} ({type(error).__name__})"
            raise StoreError(f"{said}; publish the index again, where all machines see it") from error
        except OSError as error:
            said = f"{where} cannot be read on {socket.gethostname()} ({why(error, self._url)})"
            raise StoreError(f"{said}; {advice(self._url)}") from None
        if not good:
            raise StoreError(f"{where} is damaged; delete it and publish the index again")
        self._checked.add(name)

    def _good(self, path: Path, name: str) -> bool:
        size, digest = self._files[name]
        return path.stat().st_size == size and _checksum(path) in (digest, None)

    def _fetch(self, path: Path) -> bool:
        """Copy a file from the url; whether it is good. A damaged one is not kept."""
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            copy(self._there, f"{self._base}/{path.name}", part)
            if good := self._good(part, path.name):
                part.replace(path)
            return good
        finally:
            part.unlink(missing_ok=True)


def copy(there: object, source: str, target: Path) -> None:
    """Copy a file to this machine."""
    from pyarrow import fs

    fs.copy_files(source, str(target), there, fs.LocalFileSystem())


def manifest(url: str, normalize: str) -> Manifest:
    """The manifest at a url. Raises NotFound where there is none, StoreError where it cannot be read or is damaged or
    made under other parameters."""
    there, base = file_system(url)
    with tempfile.TemporaryDirectory() as folder:
        try:
            copy(there, f"{base}/{MANIFEST}", Path(folder) / MANIFEST)
        except FileNotFoundError:
            raise NotFound(
                f"there is no published index at {shown(url)}; give the url that lake.publish() was given"
            ) from None
        except OSError as error:
            raise StoreError(f"the index at {shown(url)} cannot be read ({why(error, url)}); {advice(url)}") from None
        try:
            found = Store(folder, normalize).manifest()  # type: ignore[arg-type]
        except StoreError as error:
            said = str(error).replace(str(Path(folder) / MANIFEST), shown(within(url, MANIFEST)))
            said = said.replace(folder, shown(url)).split(";")[0]
            raise StoreError(f"{said}; publish it again from a lake that is opened like this one") from error
    for entry in found.segments:
        if not all(_NAME.fullmatch(name) for name in (entry.id, *entry.files)):
            raise StoreError(f"the manifest of the index at {shown(url)} is damaged; publish it again")
    return found


def segments(url: str, entries: Sequence[SegmentEntry]) -> list[Segment]:
    """Segments of the index at a url."""
    return [PublishedSegment(url, entry) for entry in entries]


def _checksum(path: Path) -> str | None:
    try:
        return checksum(path)
    except ImportError:  # a Spark worker may have numpy and pyarrow alone: sizes must do
        return None


def _cache() -> Path:
    """A folder of the user's own, as others' files are not to be trusted."""
    return Path(tempfile.gettempdir()) / f"lakeview-published-{getattr(os, 'getuid', getpass.getuser)()}"
