"""The index on disk: a manifest and the immutable segments that it names.

    manifest.json        format, parameters, segments with their files' sizes and checksums, tombstones, problems
    segments/<id>/       columns.parquet, tables.parquet and the arrays of `segment.Segment` as .npy
    lock                 held by the one writer

A build fills a folder of its own and publishes it by one atomic rename of the manifest, so a reader sees the old index
or the new one, whenever the writer is killed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lakeview import values
from lakeview.catalog.held import Held
from lakeview.catalog.profiles import KEEP
from lakeview.catalog.segment import Segment
from lakeview.catalog.segment_writer import SegmentWriter
from lakeview.errors import StoreError
from lakeview.estimate.joint import SIGNATURE
from lakeview.sketch.minima import BUCKETS
from lakeview.values import Normalize

FORMAT = 4
MANIFEST = "manifest.json"
_VERIFIED_AT_OPEN = 256 << 20  # bytes that may be hashed when a store is opened


@dataclass
class SegmentEntry:
    """What the manifest says of a segment: its folder, its files (name → [bytes, checksum]) and its tombstones."""

    id: str
    files: dict[str, list[Any]]
    dead: list[int] = field(default_factory=list)  # numbers of tables that a later segment replaces


@dataclass
class Manifest:
    """The published state of the index."""

    parameters: dict[str, Any]
    generation: int = 0
    segments: list[SegmentEntry] = field(default_factory=list)
    problems: list[list[Any]] = field(default_factory=list)
    indexed_at: str | None = None

    @property
    def version(self) -> str:
        """Names what is searched: the same segments with the same tombstones, wherever they lie, have one version."""
        told = [self.indexed_at, *([entry.id, sorted(entry.dead)] for entry in self.segments)]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]


def parameters(normalize: str) -> dict[str, Any]:
    """All that tokens and sketches depend on; an index made under others cannot be read under these."""
    return {
        "rule": values.RULE_VERSION,
        "hash": "xxh64 seed 42",
        "normalize": normalize,
        "minima": BUCKETS,  # of the scan, and so registers
        "sketch": SIGNATURE,  # minima that a sketch keeps
        "tokens": KEEP,  # distinct values up to which a column has no sketch
    }


class Store:
    """A folder that holds one index."""

    def __init__(self, folder: str | os.PathLike[str], normalize: Normalize = "fold") -> None:
        self.folder = Path(folder)
        self.normalize = normalize

    # ---- reading -----------------------------------------------------------------------------------------------

    def manifest(self) -> Manifest:
        """The published manifest, or an empty one where nothing was published yet."""
        path = self.folder / MANIFEST
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            found = raw["format"], raw["parameters"]
        except FileNotFoundError:
            return Manifest(parameters(self.normalize))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StoreError(
                f"{path} is damaged ({error}); delete the folder {self.folder} and index the lake again"
            ) from error
        if found[0] != FORMAT:
            raise StoreError(
                f"the index in {self.folder} has format {found[0]}, this lakeview reads {FORMAT}; "
                "delete that folder and index again, or open the lake with another store="
            )
        mine = parameters(self.normalize)
        if found[1].get("normalize") != self.normalize:
            raise StoreError(
                f"the index in {self.folder} was made with normalize={found[1].get('normalize')!r}; "
                f"open the lake with that, or with another store= for normalize={self.normalize!r}"
            )
        if found[1] != mine:
            differing = sorted(k for k in {*mine, *found[1]} if mine.get(k) != found[1].get(k))
            raise StoreError(
                f"the index in {self.folder} was made with another {', '.join(differing)}; "
                "delete that folder and index again, or open the lake with another store="
            )
        try:
            entries = [SegmentEntry(**entry) for entry in raw["segments"]]
            return Manifest(found[1], raw["generation"], entries, raw["problems"], raw["indexed_at"])
        except (KeyError, TypeError) as error:
            raise StoreError(f"{path} is damaged ({error}); delete the folder {self.folder} and index again") from error

    def read(self) -> tuple[Manifest, list[Segment]]:
        """The published manifest and its segments, checked and held: no writer changes them later."""
        for attempt in range(5):
            manifest = self.manifest()
            try:
                held = [self._held(entry) for entry in manifest.segments]  # all, before the time that checks take
                break
            except FileNotFoundError as error:
                # A writer may have published and cleared between the two reads; a second look tells.
                if attempt == 4 or self.manifest().generation == manifest.generation:
                    raise StoreError(
                        f"{error.filename} is missing from the index; delete the folder {self.folder} and index again"
                    ) from error
        segments = []
        for entry, files in zip(manifest.segments, held, strict=True):
            self._check(entry, files, _VERIFIED_AT_OPEN)
            segments.append(Segment(self.folder / "segments" / entry.id, entry.dead, files))
        return manifest, segments

    def _held(self, entry: SegmentEntry) -> dict[str, Held]:
        return {name: Held(self.folder / "segments" / entry.id / name) for name in entry.files}

    def _check(self, entry: SegmentEntry, files: Mapping[str, Held], limit: float) -> None:
        """Raise StoreError, naming the file, where a size or a checksum is not the manifest's."""
        for name, (size, digest) in sorted(entry.files.items(), key=lambda item: item[1][0]):
            limit -= size
            if files[name].size != size or (limit >= 0 and files[name].checksum() != digest):
                path = files[name].path
                raise StoreError(f"{path} is damaged; delete the folder {self.folder} and index the lake again")

    def verify(self) -> None:
        """Check every byte of the index against its checksums."""
        for entry in self.manifest().segments:
            self._check(entry, self._held(entry), float("inf"))

    # ---- writing -----------------------------------------------------------------------------------------------

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """The store's one writer. What it does not publish leaves no trace."""
        import filelock

        self._make_folder()
        lock = filelock.FileLock(self.folder / "lock")
        try:
            lock.acquire(timeout=0)
        except filelock.Timeout:
            raise StoreError(
                f"another process is writing the index in {self.folder}; "
                "wait for it, or open the lake with another store="
            ) from None
        writer = None
        try:
            writer = Writer(self)
            yield writer
        finally:
            if writer is not None:
                writer.clear()
            lock.release()

    def _make_folder(self) -> None:
        try:
            (self.folder / "segments").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot write the index to {self.folder} ({error}); open the lake with store=") from error


@dataclass(frozen=True)
class FinishedSegment:
    """A segment that was written and finished elsewhere, in a folder of this store's that ends in .tmp."""

    folder: Path
    files: dict[str, list[Any]]

    def finish(self) -> dict[str, list[Any]]:
        """Each file's [bytes, checksum]."""
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
        raw = {
            "format": FORMAT,
            "parameters": new.parameters,
            "generation": new.generation,
            "indexed_at": new.indexed_at,
            "problems": new.problems,
            "segments": [vars(entry) for entry in entries],
        }
        replace_durably(self.store.folder / MANIFEST, json.dumps(raw, indent=1).encode())
        self.manifest = new
        return new

    def clear(self) -> None:
        """Remove the segments that no manifest names: a killed writer's, and those that were replaced."""
        folder = self.store.folder / "segments"
        named = {entry.id for entry in self.manifest.segments}
        for path in folder.iterdir():
            if path.name not in named:
                shutil.rmtree(path, ignore_errors=True)


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
