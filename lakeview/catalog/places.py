"""Where a table's files lie: the index knows their places under the lake's roots, this machine has paths.

An index is copied with its lake, moved with it and pulled by others, so it never says where on a disk a file is. What
it says may come from a stranger: a place leads to what a listing of the lake that is open could find there, or nowhere.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from lakeview.catalog.kinds import is_hidden, kind_of
from lakeview.catalog.model import KINDS, LOGGED, SEVERAL, File, Table
from lakeview.catalog.naming import told
from lakeview.errors import StoreError

Spec = dict[str, Any]
"""A table as a segment keeps it beside its name, in JSON: kind, folder, and files without their paths."""

_KEPT = [field.name for field in fields(File) if field.name != "path"]


def spec_of(table: Table) -> Spec:
    """What a segment keeps of a table."""
    files = [{name: getattr(file, name) for name in _KEPT} | {"keys": [list(key) for key in file.keys]}
             for file in table.files]  # fmt: skip
    log = {"log": table.log} if table.log else {}
    return {"kind": table.kind, "folder": table.folder, **log, "files": files}


def table_of(name: str, spec: Any, roots: Mapping[str, Path]) -> Table:
    """The table that a segment holds under `name`, its files where they lie under these roots (`listing.labelled`).

    Raises StoreError, naming table and file, where that is outside of them or nothing that the lake could have there.
    """
    try:
        kind, folder, log = spec["kind"], spec["folder"], spec.get("log", "")
        files = files_of(spec)
        well = (
            kind in KINDS and (folder is None or isinstance(folder, str)) and bool(files) and _is_log(log, kind, folder)
        )
    except (KeyError, TypeError, ValueError):
        well = False
    if not well:
        raise StoreError(f"the index does not say which files {told(name)} is made of: lake.index()")
    alone = {label for label, root in roots.items() if root.is_file()}
    found = []
    for file in files:
        root, lone = roots.get(file.root), file.root in alone
        if root is None or not _belongs(file, name, kind, folder, root.name if lone else None):
            place = "/".join(part for part in (file.root, file.place) if part)
            raise StoreError(
                f"the index names {place!r} as a file of {told(name)}, which is not in this lake: lake.index()"
            )
        path = str(root) if lone else os.path.join(root, *file.place.split("/"))  # noqa: PTH118 (of many files)
        found.append(replace(file, path=path))
    return Table(name, kind, tuple(found), folder, log)


def file_called(name: str, roots: Mapping[str, Path]) -> Path | None:
    """The file or folder under the roots (`listing.labelled`) that a table or a problem is called after, or the file
    that it is a member of; None where there is none."""
    for label, root in roots.items():
        if label and name != label and not name.startswith(f"{label}/"):
            continue
        place = name[len(label) :].lstrip("/")
        if root.is_file():
            return root
        if _leads_down(place):
            found = root / place
            return found if found.exists() else next((above for above in found.parents if above.is_file()), None)
    return None


def files_of(spec: Any) -> list[File]:
    """The files that a segment holds of a table, without their paths. Raises KeyError, TypeError or ValueError where it
    does not say so."""
    return [_file(**held) for held in spec["files"]]


def _file(size: int, mtime_ns: int, keys: list, root: str, place: str, content: str, inner: str = "") -> File:
    """A file without its path. Raises ValueError where a field is none."""
    texts = [root, place, content, inner, *(key for key, _ in keys), *(value for _, value in keys if value is not None)]
    if not all(type(number) is int for number in (size, mtime_ns)) or not all(isinstance(text, str) for text in texts):
        raise ValueError
    return File("", size, mtime_ns, tuple((key, value) for key, value in keys), root, place, content, inner)


def _is_log(log: Any, kind: str, folder: str | None) -> bool:
    """Whether a table has a log where its format does, and in its folder."""
    if kind not in LOGGED:
        return log == ""
    return (
        isinstance(log, str)
        and folder is not None
        and _leads_down(log)
        and log.startswith(f"{folder}/" if folder else "")
    )


def _belongs(file: File, name: str, kind: str, folder: str | None, lone: str | None) -> bool:
    """Whether a listing of the lake could find such a file, and as one of this table: names say what is read.

    lone: the name of the file's root where that is a file.
    """
    if kind in LOGGED:
        fits = kind_of(file.place) == "parquet" and folder is not None
    else:
        fits = kind_of(file.place) == kind and bool(file.inner) == (kind in SEVERAL)
    if not fits or not _leads_down(file.place):
        return False
    if lone is not None:
        own = file.root or lone
        return file.place == lone and folder is None and name in (own, f"{own}/{file.inner}" if file.inner else own)
    if any(map(is_hidden, file.place.split("/"))):
        return False
    prefix = f"{file.root}/" if file.root else ""
    if folder is None:
        own = prefix + file.place
        return name in (own, f"{own}/{file.inner}" if file.inner else own)
    if not folder:  # the root is the table; alone it may have had another name
        return not file.root or name in (file.root, f"{file.root} ({kind})")
    return file.place.startswith(f"{folder}/") and name in (prefix + folder, f"{prefix}{folder} ({kind})")


def _leads_down(place: str) -> bool:
    try:
        place.encode("utf-8")
    except UnicodeEncodeError:
        return False
    parts = [(part, os.path.basename(part)) for part in place.split("/")]  # noqa: PTH119 (of many files)
    return "\0" not in place and all(part == name and part not in ("", ".", "..") for part, name in parts)
