"""A store shared through any file system that Arrow reaches: a folder, s3://, gs://, hdfs://.

Segments are immutable and their names unique, so only those that the other end lacks are copied; the manifest goes
last, at once, so a reader of either end sees the old index or the new one. What only the manifest before named stays,
for who still reads it; what an older one named is deleted. `published.json` in the store keeps where it was published
last, for searches that others do for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from lakeview.errors import InputError, NotFound, StoreError
from lakeview.store import disk, parts
from lakeview.store import published as at_url
from lakeview.store.contents import CONTENTS
from lakeview.store.foreign import ForeignSegment
from lakeview.store.held import Held
from lakeview.store.manifest import MANIFEST, Manifest, SegmentEntry
from lakeview.store.sealed import plain, seal, unseal
from lakeview.store.store import Store, Verified, Writer, replace_durably
from lakeview.store.urls import advice, appears_whole, file_system, shown, why, within

_RECORD = "published.json"
_BEFORE = "manifest.before.json"  # at the url: the manifest that the one there replaced
_UNDER_WAY = timedelta(hours=1)  # since its last file a publication may still be under way
_as_given: dict[str, str] = {}  # urls with their keys by urls without: those are for this process alone


class Published(NamedTuple):
    """Where an index was published, and the version (`Manifest.version`) that was."""

    url: str
    version: str


def publish(store: Store, url: str, partitions: int | None = None) -> int:
    """Copy the index to `url`, a folder; returns the bytes that were copied.

    partitions: cut it into so many parts (`store.parts`) instead of copying its segments as they are.
    Raises NotFound where nothing is indexed yet, InputError for a url that no file system takes, StoreError where it
    cannot be written.
    """
    manifest = store.manifest()
    if manifest.indexed_at is None:
        raise NotFound("there is no index to publish yet: call lake.index() first")
    if partitions is not None and (isinstance(partitions, bool) or not isinstance(partitions, int) or partitions < 1):
        raise InputError(
            f"partitions is a whole number from 1: how many parts to cut the index into; not {partitions!r}"
        )
    there, base = file_system(url)
    with store.writing() as writer:  # nobody clears what is copied
        manifest = writer.manifest
        with _telling("publish the index to", url):  # before anything is cut
            before = _read(there, f"{base}/{MANIFEST}")
        if partitions is None:
            new = manifest
            copied = _copy(store, new, before, url)
        else:
            with TemporaryDirectory(dir=store.folder, prefix="publish-", ignore_cleanup_errors=True) as folder:
                cut = Store(folder, store.normalize)
                (cut.folder / "segments").mkdir()
                cutter = Writer(cut)
                added = parts.rewrite(store.read()[1], partitions, cutter.segment)
                whole = Manifest(manifest.parameters, 0, [], manifest.problems, manifest.indexed_at)
                new = cutter.publish(whole, added)
                copied = _copy(cut, new, before, url)
        _record(store, url, manifest.generation, new.version)
    return copied


@contextmanager
def _telling(doing: str, url: str, full_here: bool = False) -> Iterator[None]:
    """Raise StoreError for what a file system says of the url."""
    try:
        yield
    except OSError as error:
        if full_here and disk.is_full(error):  # the store's disk, which its writer tells
            raise
        raise StoreError(f"cannot {doing} {shown(url)}: {why(error, url)}; {advice(url)}") from None


def published(store: Store) -> Published | None:
    """Where the index was published as it is now, or None if it was not.

    Raises InputError where it changed since.
    """
    try:
        said = unseal((store.folder / _RECORD).read_bytes())
        url, version, generation = str(said["url"]), str(said["version"]), said["generation"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if generation != store.manifest().generation:
        raise InputError(f"the index changed since it was published: call lake.publish({url!r}) again")
    return Published(_as_given.get(url, url), version)


def verify(store: Store) -> Verified:
    """Check every byte of a store and the structure of its segments. Raises StoreError, naming what is damaged."""
    for name, again in ((_RECORD, "call lake.publish(url)"), (CONTENTS, "call lake.index()")):
        path = store.folder / name
        try:
            unseal(path.read_bytes())
        except FileNotFoundError:
            pass
        except ValueError:
            raise StoreError(f"{path} is damaged; delete it, and {again} again") from None
        except OSError as error:
            raise disk.cannot_read(store.folder, path, error) from None
    return store.verify()


def _record(store: Store, url: str, generation: int, version: str) -> None:
    url = url if "://" in url else str(Path(url).expanduser().absolute())
    _as_given[shown(url)] = url
    said = {"url": shown(url), "generation": generation, "version": version}
    replace_durably(store.folder / _RECORD, seal(said))


def _copy(store: Store, manifest: Manifest, before: bytes | None, url: str) -> int:
    """Copy what is not there yet, then the manifest; before: the manifest there."""
    from pyarrow import fs

    there, base = file_system(url)
    copied = 0
    with _telling("publish the index to", url):
        for entry in manifest.segments:
            folder = f"{base}/segments/{entry.id}"
            held = {i.base_name: i.size for i in there.get_file_info(fs.FileSelector(folder, allow_not_found=True))}
            for name, (size, _) in entry.files.items():
                if held.get(name) != size:
                    _put(there, store.folder / "segments" / entry.id / name, f"{folder}/{name}")
                    copied += size
        if before != (store.folder / MANIFEST).read_bytes():
            named = _named(before) | {entry.id for entry in manifest.segments}
            retired = _named(_read(there, f"{base}/{_BEFORE}")) - named
            if before is not None:
                _put(there, f"{base}/{MANIFEST}", f"{base}/{_BEFORE}", there)
            _put(there, store.folder / MANIFEST, f"{base}/{MANIFEST}")
            _clear(there, f"{base}/segments", retired, named)
    return copied


def _put(there: Any, source: Path | str, target: str, here: Any = None) -> None:
    """Copy a file so that it is there whole or not at all. here: the file system of the source (default: this
    machine's)."""
    from pyarrow import fs

    here = here or fs.LocalFileSystem()
    if appears_whole(there):
        fs.copy_files(str(source), target, here, there)
    else:
        there.create_dir(target.rpartition("/")[0], recursive=True)
        fs.copy_files(str(source), f"{target}.part", here, there)
        there.move(f"{target}.part", target)


def _read(there: Any, path: str) -> bytes | None:
    """A file's bytes, or None where there is none."""
    try:
        return at_url.read_bytes(there, path)
    except FileNotFoundError:
        return None


def _named(manifest: bytes | None) -> set[str]:
    """The segments that a manifest names: none where it is damaged."""
    try:
        return {str(entry["id"]) for entry in plain(manifest or b"")["segments"]}
    except (ValueError, KeyError, TypeError):
        return set()


def _clear(there: Any, folder: str, retired: set[str], named: set[str]) -> None:
    """Delete the segments `retired`, and those that a killed publication left: not `named`, and of no file that was
    written lately. The new index is there by now, so where that is not allowed they stay."""
    from pyarrow import fs

    try:
        latest: dict[str, datetime] = {}
        for found in there.get_file_info(fs.FileSelector(folder, recursive=True)):
            segment = found.path.removeprefix(f"{folder}/").partition("/")[0]
            if disk.is_segment(segment) and segment not in named and found.mtime is not None:
                latest[segment] = max(found.mtime, latest.get(segment, found.mtime))
        for segment, written in latest.items():
            if segment in retired or datetime.now(UTC) - written > _UNDER_WAY:
                there.delete_dir(f"{folder}/{segment}")
    except OSError:
        pass


def pull(store: Store, url: str) -> int:
    """Make the index at `url` that of `store`; returns the bytes that were copied. The old one stays until it is whole.

    Raises NotFound where `url` holds no index, StoreError where it is damaged or made under other parameters.
    """
    there, base = file_system(url)
    manifest = at_url.manifest(url, store.normalize)
    copied = 0
    with store.writing() as writer:
        for entry in manifest.segments:
            folder = store.folder / "segments" / entry.id
            if folder.is_dir():
                _prove_held(store, url, entry, folder)
                continue
            part = folder.with_suffix(".tmp")  # what is left of it the writer clears
            part.mkdir()
            copied += _fetch(url, there, f"{base}/segments/{entry.id}", entry, part)
            part.rename(folder)
        generation = writer.publish(manifest, []).generation
    _record(store, url, generation, manifest.version)
    return copied


def _prove_held(store: Store, url: str, entry: SegmentEntry, folder: Path) -> None:
    """Raise StoreError where what the store has under that name is not what the url tells of."""
    way_out = f"open the lake with another store= and pull {shown(url)} there"
    try:
        files = {name: Held(folder / name, told, way_out) for name, told in entry.files.items()}
    except FileNotFoundError as error:
        raise StoreError(f"{error.filename} is missing from the index; {way_out}") from None
    ForeignSegment(folder, entry.dead, files)
    for file in files.values():
        file.prove()


def _fetch(url: str, there: Any, base: str, entry: SegmentEntry, folder: Path) -> int:
    """Copy a segment's files from its folder at the url and prove what they hold; returns the bytes."""
    files = {}
    for name, told in entry.files.items():
        path, where = folder / name, shown(within(url, f"segments/{entry.id}/{name}"))
        with _telling("pull the index from", url, full_here=True):
            try:
                at_url.copy(there, f"{base}/{name}", path, told[0])
            except FileNotFoundError:
                raise StoreError(
                    f"{where} is missing; pull again if the index was published anew meanwhile, else publish it again"
                ) from None
        files[name] = Held(path, told, at_url.WAY_OUT, where)
        files[name].prove()
    ForeignSegment(folder, entry.dead, files).prove()
    return sum(size for size, _ in entry.files.values())
