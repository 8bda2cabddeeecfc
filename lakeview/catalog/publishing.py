"""A store shared through any file system that Arrow reaches: a folder, s3://, gs://, hdfs://.

Segments are immutable and their names unique, so only those that the other end lacks are copied; the manifest goes
last, by a rename, so a reader of either end sees the old index or the new one.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from lakeview.catalog.store import MANIFEST, Store
from lakeview.errors import InputError, NotFound, StoreError


def publish(store: Store, url: str) -> int:
    """Copy the index to `url`, a folder; returns the bytes that were copied.

    Raises NotFound where nothing is indexed yet, InputError for a url that no file system takes, StoreError where it
    cannot be written.
    """
    from pyarrow import fs

    manifest = store.manifest()
    if manifest.indexed_at is None:
        raise NotFound("there is no index to publish yet: call lake.index() first")
    there, base = _file_system(url)
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

    there, base = _file_system(url)
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
        writer.publish(manifest, [])
    return copied


def _file_system(url: str) -> tuple[Any, str]:
    import pyarrow as pa
    from pyarrow import fs

    try:
        if "://" not in url:
            return fs.LocalFileSystem(), str(Path(url).expanduser().absolute())
        found, base = fs.FileSystem.from_uri(url)
        return found, base.rstrip("/")
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{url!r} cannot be reached ({error}); give a folder, s3://, gs:// or hdfs://") from error
