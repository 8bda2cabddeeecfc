"""A published index, read where it lies: each file is checked, and fetched if need be, when it is first used.

What a folder of this machine holds is memory-mapped in place. Files of other file systems are copied to this machine's
temporary folder, under the names of their immutable segments, so that the next search finds them there.
"""

from __future__ import annotations

import getpass
import os
import socket
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lakeview.catalog.publishing import file_system
from lakeview.catalog.segment import Segment, checksum
from lakeview.catalog.store import MANIFEST, Manifest, SegmentEntry, Store
from lakeview.errors import NotFound, StoreError


class PublishedSegment(Segment):
    """A segment at a url. Raises StoreError, naming the file, where one is missing or damaged."""

    def __init__(self, url: str, entry: SegmentEntry) -> None:
        self._url, self._files = f"{url.rstrip('/')}/segments/{entry.id}", entry.files
        there, base = file_system(url)
        self._there, self._base = there, f"{base}/segments/{entry.id}"
        self._checked: set[str] = set()
        folder = Path(self._base) if _is_local(there) else _cache() / entry.id
        for name in ("tables.parquet", "columns.parquet"):
            self._ready(folder, name)
        super().__init__(folder, entry.dead)

    def array(self, name: str) -> np.ndarray:
        self._ready(self.folder, f"{name}.npy")
        return super().array(name)

    def _ready(self, folder: Path, name: str) -> None:
        """Have a file in `folder` as the manifest describes it."""
        if name in self._checked:
            return
        path, (size, digest) = folder / name, self._files[name]
        try:
            if not path.exists() and not _is_local(self._there):
                self._fetch(path)
            good = path.stat().st_size == size and _checksum(path) in (digest, None)
        except OSError as error:
            said = f"{self._url}/{name} cannot be read on {socket.gethostname()} ({type(error).__name__})"
            raise StoreError(f"{said}; publish the index again, where all machines see it") from error
        if not good:
            raise StoreError(f"{path} is damaged; delete it and publish the index again")
        self._checked.add(name)

    def _fetch(self, path: Path) -> None:
        from pyarrow import fs

        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}")
        fs.copy_files(f"{self._base}/{path.name}", str(part), self._there, fs.LocalFileSystem())
        part.replace(path)


def manifest(url: str, normalize: str) -> Manifest:
    """The manifest at a url. Raises NotFound where there is none, StoreError where it cannot be read."""
    from pyarrow import fs

    there, base = file_system(url)
    with tempfile.TemporaryDirectory() as folder:
        try:
            fs.copy_files(f"{base}/{MANIFEST}", str(Path(folder) / MANIFEST), there, fs.LocalFileSystem())
        except FileNotFoundError:
            raise NotFound(f"there is no published index at {url}: call lake.publish() again") from None
        except OSError as error:
            raise StoreError(f"the index at {url} cannot be read ({error}); publish it again") from error
        return Store(folder, normalize).manifest()  # type: ignore[arg-type]


def segments(url: str, entries: Sequence[SegmentEntry]) -> list[Segment]:
    """Segments of the index at a url."""
    return [PublishedSegment(url, entry) for entry in entries]


def _checksum(path: Path) -> str | None:
    try:
        return checksum(path)
    except ImportError:  # a Spark worker may have numpy and pyarrow alone: sizes must do
        return None


def _is_local(there: Any) -> bool:
    return bool(there.type_name == "local")


def _cache() -> Path:
    """A folder of the user's own, as others' files are not to be trusted."""
    return Path(tempfile.gettempdir()) / f"lakeview-published-{getattr(os, 'getuid', getpass.getuser)()}"
