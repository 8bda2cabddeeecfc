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

from lakeview.errors import NotFound, StoreError
from lakeview.store.foreign import ForeignSegment
from lakeview.store.held import Held
from lakeview.store.manifest import LARGEST, MANIFEST, Manifest, SegmentEntry, Unfit, parse
from lakeview.store.segment import Segment
from lakeview.store.urls import advice, file_system, is_local, shown, why, within

WAY_OUT = "delete it and publish the index again"  # of a damaged file


class PublishedSegment(ForeignSegment):
    """A segment at a url. Raises StoreError, naming the file, where one is missing or damaged."""

    def __init__(self, url: str, entry: SegmentEntry) -> None:
        self._url, self._told = within(url, f"segments/{entry.id}"), entry.files
        there, base = file_system(url)
        self._there, self._base = there, f"{base}/segments/{entry.id}"
        super().__init__(Path(self._base) if is_local(there) else _cache() / entry.id, entry.dead)

    def holds(self, name: str) -> bool:
        return f"{name}.npy" in self._told

    def file(self, name: str) -> Held:
        if name not in self.files:
            self.files[name] = self._opened(name)
        return self.files[name]

    def _opened(self, name: str) -> Held:
        """A file as the manifest describes it, copied to this machine if need be."""
        path, where = self.folder / name, shown(within(self._url, name))
        try:
            try:
                return self._whole(path)
            except (FileNotFoundError, StoreError):
                if is_local(self._there):
                    raise
                return self._fetch(path)
        except FileNotFoundError as error:
            said = f"{where} cannot be read on {socket.gethostname()} ({type(error).__name__})"
            raise StoreError(f"{said}; publish the index again, where every machine sees it") from error
        except OSError as error:
            said = f"{where} cannot be read on {socket.gethostname()} ({why(error, self._url)})"
            raise StoreError(f"{said}; {advice(self._url)}") from None

    def _whole(self, path: Path, name: str | None = None) -> Held:
        name = name or path.name
        found = Held(path, self._told[name], WAY_OUT, shown(within(self._url, name)))
        found.prove()
        return found

    def _fetch(self, path: Path) -> Held:
        """A file copied from the url. A damaged one is not kept."""
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            copy(self._there, f"{self._base}/{path.name}", part, self._told[path.name][0])
            found = self._whole(part, path.name)
            part.replace(path)
            return found
        finally:
            part.unlink(missing_ok=True)


def copy(there: Any, source: str, target: Path, size: int) -> None:
    """Copy a file of so many bytes to this machine; of one that has others, nothing."""
    from pyarrow import fs

    [found] = there.get_file_info([source])
    if found.type == fs.FileType.NotFound:
        raise FileNotFoundError(source)
    if found.size == size:
        fs.copy_files(source, str(target), there, fs.LocalFileSystem())
    else:
        target.touch()


def manifest(url: str, normalize: str) -> Manifest:
    """The manifest at a url. Raises NotFound where there is none, StoreError where it cannot be read or is damaged or
    made under other parameters."""
    there, base = file_system(url)
    where = shown(within(url, MANIFEST))
    try:
        raw = read_bytes(there, f"{base}/{MANIFEST}")
    except FileNotFoundError:
        raise NotFound(
            f"there is no published index at {shown(url)}; give the url that lake.publish() was given"
        ) from None
    except OSError as error:
        raise StoreError(f"the index at {shown(url)} cannot be read ({why(error, url)}); {advice(url)}") from None
    try:
        return parse(raw, normalize)
    except Unfit as error:
        said = f"{where} {error}" if error.way is None else f"the index at {shown(url)} {error}"
        raise StoreError(f"{said}; publish it again from a lake that is opened like this one") from None


def read_bytes(there: Any, path: str) -> bytes:
    """A manifest's bytes. Raises OSError where there is none, or what is there is too large for one."""
    with there.open_input_file(path) as file:
        if file.size() > LARGEST:
            raise OSError(f"{MANIFEST} has {file.size():,} bytes, and no manifest has more than {LARGEST:,}")
        return bytes(file.read())


def segments(url: str, entries: Sequence[SegmentEntry]) -> list[Segment]:
    """Segments of the index at a url."""
    return [PublishedSegment(url, entry) for entry in entries]


def _cache() -> Path:
    """A folder of the user's own, as others' files are not to be trusted."""
    return Path(tempfile.gettempdir()) / f"lakeview-published-{getattr(os, 'getuid', getpass.getuser)()}"
