"""A store shared through any file system that Arrow reaches: a folder, s3://, gs://, hdfs://.

Segments are immutable and their names unique, so only those that the other end lacks are copied; the manifest goes
last, by a rename, so a reader of either end sees the old index or the new one. `published.json` in the store keeps
where it was published last, for searches that others do for it.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lakeview.catalog import parts
from lakeview.catalog.store import MANIFEST, Manifest, Store, replace_durably
from lakeview.errors import InputError, NotFound, StoreError

_RECORD = "published.json"


def publish(store: Store, url: str, partitions: int | None = None) -> int:
    """Copy the index to `url`, a folder; returns the bytes that were copied.

    partitions: cut it into so many parts (`catalog.parts`) instead of copying its segments as they are.
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
    file_system(url)  # before anything is cut
    if partitions is None:
        copied = _copy(store, manifest, url)
    else:
        with TemporaryDirectory(dir=store.folder, prefix="publish-") as folder:
            cut = Store(folder, store.normalize)
            with cut.writing() as writer:
                added = parts.rewrite(store.read()[1], partitions, writer.segment)
                whole = Manifest(manifest.parameters, 0, [], manifest.problems, manifest.indexed_at)
                copied = _copy(cut, writer.publish(whole, added), url)
    _record(store, url, manifest.generation)
    return copied


def published(store: Store) -> str | None:
    """Where the index was published as it is now, or None if it was not.

    Raises InputError where it changed since.
    """
    try:
        said = json.loads((store.folder / _RECORD).read_text(encoding="utf-8"))
        url, generation = str(said["url"]), said["generation"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if generation != store.manifest().generation:
        raise InputError(f"the index changed since it was published: call lake.publish({url!r}) again")
    return url


def _record(store: Store, url: str, generation: int) -> None:
    url = url if "://" in url else str(Path(url).expanduser().absolute())
    replace_durably(store.folder / _RECORD, json.dumps({"url": url, "generation": generation}).encode())


def _copy(store: Store, manifest: Manifest, url: str) -> int:
    from pyarrow import fs

    there, base = file_system(url)
    here = fs.LocalFileSystem()
    copied = 0
    try:
        for entry in manifest.segments:
            folder = f"{base}/segments/{entry.id}"
            there.create_dir(folder, recursive=True)
            held = {info.base_name: info.size for info in there.get_file_info(fs.FileSelector(folder))}
            for name, (size, _) in entry.files.items():
                if held.get(name) != size:
                    source = str(store.folder / "segments" / entry.id / name)
                    copied += size
                    fs.copy_files(source, f"{folder}/{name}.part", here, there)
                    there.move(f"{folder}/{name}.part", f"{folder}/{name}")
        fs.copy_files(str(store.folder / MANIFEST), f"{base}/{MANIFEST}.part", here, there)
        there.move(f"{base}/{MANIFEST}.part", f"{base}/{MANIFEST}")
    except OSError as error:
        raise StoreError(f"cannot publish the index to {url}: {error}") from error
    return copied


def pull(store: Store, url: str) -> int:
    """Make the index at `url` that of `store`; returns the bytes that were copied. The old one stays until it is whole.

    Raises NotFound where `url` holds no index, StoreError where it is damaged or made under other parameters.
    """
    from pyarrow import fs

    there, base = file_system(url)
    if there.get_file_info(f"{base}/{MANIFEST}").type != fs.FileType.File:
        raise NotFound(f"there is no published index at {url}; give the url that lake.publish() was given")
    here = fs.LocalFileSystem()
    copied = 0
    with store.writing() as writer:
        look = store.folder / "segments" / "pulled.tmp"  # what is left of it the writer clears
        look.mkdir()
        try:
            fs.copy_files(f"{base}/{MANIFEST}", str(look / MANIFEST), there, here)
            manifest = Store(look, store.normalize).manifest()
            for entry in manifest.segments:
                folder = store.folder / "segments" / entry.id
                if folder.is_dir():
                    continue
                part = folder.with_suffix(".tmp")
                part.mkdir()
                for name, (size, _) in entry.files.items():
                    fs.copy_files(f"{base}/segments/{entry.id}/{name}", str(part / name), there, here)
                    copied += size
                try:
                    store.check(part, entry)
                except StoreError as error:
                    damage = str(error).split(";")[0]
                    raise StoreError(f"the index at {url} cannot be used: {damage}; publish it again") from error
                part.rename(folder)
        except OSError as error:
            raise StoreError(f"cannot pull the index from {url}: {error}") from error
        finally:
            shutil.rmtree(look, ignore_errors=True)
        generation = writer.publish(manifest, []).generation
    _record(store, url, generation)
    return copied


def file_system(url: str) -> tuple[Any, str]:
    """The file system of a url and the path of its folder there. Raises InputError for what none takes."""
    import pyarrow as pa
    from pyarrow import fs

    try:
        if "://" not in url:
            return fs.LocalFileSystem(), str(Path(url).expanduser().absolute())
        found, base = fs.FileSystem.from_uri(url)
        return found, base.rstrip("/")
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{url!r} cannot be reached ({error}); give a folder, s3://, gs:// or hdfs://") from error
