"""The index on disk: a manifest and the immutable segments that it names.

    manifest.json        format, parameters, segments with their files' sizes and checksums, tombstones, problems
    segments/<id>/       columns.parquet, tables.parquet and the arrays of `segment.Segment` as .npy
    contents.json        what files of the lake hold whose times the segments do not know (`contents.Contents`)
    parts/               what was read of each file of a large table (`pipeline.kept`)
    lock                 held by the one writer

A build fills a folder of its own and publishes it by one atomic rename of the manifest, so a reader sees the old index
or the new one, whenever the writer is killed.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lakeview.errors import StoreError
from lakeview.store import disk
from lakeview.store.disk import ELSEWHERE
from lakeview.store.foreign import ForeignSegment
from lakeview.store.held import Held
from lakeview.store.manifest import ANEW, MANIFEST, Manifest, SegmentEntry, Unfit, parameters, parse
from lakeview.store.segment import Segment
from lakeview.store.segment_writer import SegmentWriter
from lakeview.values import Normalize

if TYPE_CHECKING:
    from filelock import BaseFileLock

CHECKED_AT_OPEN = 256 << 20  # bytes, the smallest files first; the others are checked at their first use


@dataclass(frozen=True)
class Verified:
    """An index of which every byte is as it was written."""

    segments: int
    files: int
    bytes: int

    def __repr__(self) -> str:
        return f"{self.bytes:,} bytes in {self.files} files of {self.segments} segments, all as they were written"


class Store:
    """A folder that holds one index."""

    def __init__(self, folder: str | os.PathLike[str], normalize: Normalize = "fold") -> None:
        self.folder = Path(folder)
        self.normalize = normalize
        self._held: dict[str, dict[str, Held]] = {}  # files of the segments that were read last, by segment

    # ---- reading -----------------------------------------------------------------------------------------------

    def manifest(self) -> Manifest:
        """The published manifest, or an empty one where nothing was published yet."""
        path = self.folder / MANIFEST
        try:
            return parse(path.read_bytes(), self.normalize)
        except FileNotFoundError:
            return Manifest(parameters(self.normalize))
        except OSError as error:
            raise disk.cannot_read(self.folder, path, error) from None
        except Unfit as error:
            if error.way is None:
                raise StoreError(f"{path} {error}; {disk.anew(self.folder)}") from None
            way = ELSEWHERE if error.way == ANEW and not disk.is_index(self.folder) else error.way
            raise StoreError(f"the index in {self.folder} {error}; {way}") from None

    def read(self) -> tuple[Manifest, list[Segment]]:
        """The published manifest and its segments, checked and held: no writer changes them later. What was held
        already is held on, and not checked again."""
        for attempt in range(5):
            manifest = self.manifest()
            try:
                way_out = disk.anew(self.folder)
                # all of them, before the time that checks take
                held = {entry.id: self._held.get(entry.id) or self._open(entry, way_out) for entry in manifest.segments}
                break
            except FileNotFoundError as error:
                # A writer may have published and cleared between the two reads; a second look tells.
                if attempt == 4 or self.manifest().generation == manifest.generation:
                    raise StoreError(f"{error.filename} is missing from the index; {way_out}") from error
            except OSError as error:
                raise disk.cannot_read(self.folder, error.filename, error) from None
        left = CHECKED_AT_OPEN
        for file in sorted((file for files in held.values() for file in files.values()), key=lambda file: file.size):
            left -= file.size
            if left >= 0:
                file.prove()
        self._held = held
        return manifest, [Segment(self._folder(entry), entry.dead, held[entry.id]) for entry in manifest.segments]

    def _folder(self, entry: SegmentEntry) -> Path:
        return self.folder / "segments" / entry.id

    def _open(self, entry: SegmentEntry, way_out: str) -> dict[str, Held]:
        return {name: Held(self._folder(entry) / name, told, way_out) for name, told in entry.files.items()}

    def verify(self) -> Verified:
        """Check every byte of the index against its checksums, and its structure. Raises StoreError, naming the first
        file that is not as it was written, and saying what to do."""
        manifest, segments = Store(self.folder, self.normalize).read()  # nothing that is held
        for segment in segments:
            ForeignSegment(segment.folder, segment.dead, segment.files).prove()
        sizes = [size for entry in manifest.segments for size, _ in entry.files.values()]
        return Verified(len(segments), len(sizes), sum(sizes))

    # ---- writing -----------------------------------------------------------------------------------------------

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """The store's one writer. What it does not publish leaves no trace. Raises StoreError where another process
        writes, and for what the disk says, here or in the body."""
        lock = self._locked()
        writer = None
        try:
            writer = Writer(self)
            yield writer
        except OSError as error:
            if not disk.is_about(error, self.folder):
                raise
            raise disk.cannot_write(self.folder, error) from None
        finally:
            if writer is not None:
                writer.clear()
            lock.release()

    def _locked(self) -> BaseFileLock:
        """The lock of the folder, which is made where there is none. A process that dies lets go of it."""
        import filelock

        path = self.folder / "lock"
        try:
            (self.folder / "segments").mkdir(parents=True, exist_ok=True)
            if path.exists() and path.stat().st_size:  # a lock is empty; taking one would empty the file
                raise StoreError(f"{path} is not the lock of an index; open the lake with another store=")
            lock = filelock.FileLock(path)
            lock.acquire(timeout=0)
        except filelock.Timeout:
            raise StoreError(
                f"another process is writing the index in {self.folder}; "
                "wait for it, or open the lake with another store="
            ) from None
        except NotImplementedError as error:  # the file system has no locks
            raise disk.cannot_write(self.folder, OSError(f"{error}".split(";")[0])) from None
        except OSError as error:
            raise disk.cannot_write(self.folder, error) from None
        return lock


@dataclass(frozen=True)
class FinishedSegment:
    """A segment that was written and finished elsewhere, in a folder of this store's that ends in .tmp."""

    folder: Path
    files: dict[str, list[Any]]

    def finish(self) -> dict[str, list[Any]]:
        """Each file's [bytes, checksums of its blocks]."""
        return self.files


class Writer:
    """Makes segments and publishes them. Held under the store's lock."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.manifest = store.manifest()
        self.clear()

    def segment(self) -> SegmentWriter:
        """A new, empty segment in a folder of its own."""
        return SegmentWriter(self.store.folder / "segments" / f"{uuid.uuid4().hex[:12]}.tmp")

    def publish(self, manifest: Manifest, added: Sequence[SegmentWriter | FinishedSegment]) -> Manifest:
        """Make `manifest` with the finished segments `added` the state that readers see."""
        entries = list(manifest.segments)
        for writer in added:
            files = writer.finish()
            folder = writer.folder.with_suffix("")
            writer.folder.rename(folder)
            entries.append(SegmentEntry(folder.name, files))
        new = Manifest(
            manifest.parameters, self.manifest.generation + 1, entries, manifest.problems, manifest.indexed_at
        )
        replace_durably(self.store.folder / MANIFEST, new.written())
        self.manifest = new
        return new

    def clear(self) -> None:
        """Remove what no manifest names: a killed writer's, and segments that were replaced."""
        try:
            # As the disk has it, too: an error can come after the manifest was put in place.
            named = {entry.id for manifest in (self.manifest, self.store.manifest()) for entry in manifest.segments}
            left = disk.left_behind(self.store.folder, named)
        except (OSError, StoreError):  # the next writer tells
            return
        for path in left:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                with suppress(OSError):
                    path.unlink()


def replace_durably(path: Path, content: bytes) -> None:
    """Put `content` in place of the file at once and for good, or not at all."""
    part = path.with_name(path.name + ".tmp")
    with part.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(path.parent, os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
