"""What was read of each file of a large table, kept beside the index: so a file that went can be taken out again.

    parts/parts.json     which table files there are profiles of, and where they lie, sealed
    parts/<id>.arrow     profiles (`told.RESULT`): of each column its tokens with their rows, types, shapes, signatures

This is this machine's alone, as `contents.json` is: it is not published, and without it tables are merely read again.
A profile counts for a file of the same content, read in the same way, whatever became of the index meanwhile.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa

from lakeview.catalog.blocks import checksums
from lakeview.catalog.model import LOGGED, TYPED, File, Table
from lakeview.catalog.places import files_of
from lakeview.errors import StoreError
from lakeview.pipeline import told
from lakeview.pipeline.reading import Scanned
from lakeview.pipeline.task import PartScan
from lakeview.store.held import Held
from lakeview.store.sealed import seal, unseal
from lakeview.store.store import Store, replace_durably

FOLDER = "parts"
_LIST = "parts.json"
_VERSION = 1

Place = tuple[str, int, int]  # a row of a batch of a file
Run = tuple[str, int, int, int]  # rows of one: file, batch, from, to
_Key = tuple[str, ...]


@dataclass(frozen=True)
class Profiles:
    """Where the profiles of one table file lie: in the order of its parts."""

    runs: tuple[Run, ...]


class Kept:
    """The profiles that a store's folder has."""

    def __init__(self, store: Store) -> None:
        self.folder = store.folder / FOLDER
        self._made_by = [_VERSION, *map(str, store.manifest().parameters.values())]
        self._files: dict[str, list[Any]] = {}  # size and checksums of each
        self._known: dict[_Key, Profiles] = {}
        self._held: dict[str, Held] = {}
        self._load()

    def of(self, table: Table, file: File) -> Profiles | None:
        """The profiles of a file whose content is known."""
        return self._known.get(_key(table, file)) if file.content else None

    def read(self, profiles: Profiles) -> Iterator[PartScan]:
        """Profiles, part by part; the tokens and counts (uint32) lie in the mapped file. Raises StoreError where it is
        damaged."""
        return told.scans_of(self._rows(profiles))

    def _rows(self, profiles: Profiles) -> Iterator[told.Row]:
        for name, batch, start, stop in profiles.runs:
            yield from told.decoded(self._reader(name).get_batch(batch).slice(start, stop - start), True)

    def _reader(self, name: str) -> Any:
        if name not in self._held:
            try:
                # mapped: most of what a removal looks at stays, and is not worth a copy
                self._held[name] = Held(self.folder / name, self._files[name], later=0)
            except OSError as error:
                raise StoreError(f"{self.folder / name} cannot be read ({error.strerror})") from None
            self._held[name].prove()
        return pa.ipc.open_file(pa.BufferReader(self._held[name].buffer))

    def take(self, table: Table, places: Mapping[str, Sequence[Place]], folder: Path) -> None:
        """Keep what was spilled of a table. places: of the rows of each file, by its path; folder: where they lie, from
        which whole files move here."""
        for file in table.files if _is_worth(table) else ():
            found = places.get(file.path)
            if not found or not file.content:
                continue
            runs = tuple(_runs(found))
            try:
                for name in {run[0] for run in runs} - set(self._files):
                    self._add(name, folder / name)
            except OSError:  # the file is read once more
                continue
            self._known[_key(table, file)] = Profiles(runs)

    def _add(self, name: str, path: Path) -> None:
        self.folder.mkdir(exist_ok=True)
        path.replace(self.folder / name)
        self._files[name] = [(self.folder / name).stat().st_size, checksums(self.folder / name)]

    def write(self, table: Table, fresh: Mapping[str, Scanned]) -> None:
        """Keep what was read of new files of a table, by their paths, where that of the others is kept."""
        others = [file for file in table.files if file.path not in fresh]
        if not fresh or not all(self.of(table, file) for file in others):
            return
        if any(part.minima is not None for each in fresh.values() for of in each.parts.values() for part in of):
            return  # which cannot be taken out again
        with suppress(OSError):  # they are read once more; what was written goes with the next `save`
            self._write(table, fresh)

    def _write(self, table: Table, fresh: Mapping[str, Scanned]) -> None:
        self.folder.mkdir(exist_ok=True)
        name = f"{uuid.uuid4().hex[:12]}.arrow"
        places: dict[str, list[Place]] = defaultdict(list)
        number = 0
        with pa.OSFile(str(self.folder / name), "wb") as sink, pa.ipc.new_file(sink, told.RESULT) as out:
            for path, scanned in fresh.items():
                parts = [part for of_column in scanned.parts.values() for part in of_column]
                scan = PartScan(0, rows=scanned.rows, problems=scanned.problems, columns=parts)
                for rows in told.batched(told.rows_of(scan)):
                    places[path] += [(name, number, i) for i in range(len(rows))]
                    out.write_batch(told.encoded(rows))
                    number += 1
        self.take(table, places, self.folder)

    def save(self, specs: Mapping[str, Any]) -> None:
        """Remember what is kept of tables as the index knows them now (`places.spec_of`), and delete the rest."""
        living = {key for name, spec in specs.items() for key in _keys(name, spec)}
        known = {key: profiles for key, profiles in self._known.items() if key in living}
        used = {run[0] for profiles in known.values() for run in profiles.runs}
        files = {name: told for name, told in self._files.items() if name in used}
        listed = [[list(key), list(map(list, profiles.runs))] for key, profiles in known.items()]
        with suppress(OSError):  # they are read once more
            replace_durably(self.folder / _LIST, seal({"made_by": self._made_by, "files": files, "profiles": listed}))
            for path in self.folder.iterdir():
                if path.name not in files and path.name != _LIST:
                    path.unlink()

    def forget(self) -> None:
        """Delete all that is kept: tables are read once more."""
        self._known = {}
        self.save({})

    def _load(self) -> None:
        try:
            found = unseal((self.folder / _LIST).read_bytes())
            if found["made_by"] == self._made_by:
                known = {tuple(key): Profiles(tuple(map(tuple, runs))) for key, runs in found["profiles"]}
                self._files, self._known = found["files"], known
        except (OSError, ValueError, KeyError, TypeError):
            pass


def _is_worth(table: Table) -> bool:
    return table.folder is not None and len(table.files) > 1 and table.kind not in LOGGED


def _key(table: Table, file: File) -> _Key:
    """All that a file's profile depends on. Text is read as the table's first file is."""
    first = table.files[0]
    like = "" if table.kind in TYPED else f"{first.place} {first.content}"
    keys = repr([list(key) for key in file.keys])
    return table.name, table.kind, file.root, file.place, file.inner, str(file.size), file.content, keys, like


def _keys(name: str, spec: Any) -> list[_Key]:
    try:
        table = Table(name, spec["kind"], tuple(files_of(spec)), spec["folder"])
    except (KeyError, TypeError, ValueError):
        return []
    return [_key(table, file) for file in table.files if file.content] if _is_worth(table) else []


def _runs(places: Sequence[Place]) -> Iterator[Run]:
    """Rows that follow each other together."""
    for (name, batch, _), rows in groupby(enumerate(places), lambda at: (at[1][0], at[1][1], at[1][2] - at[0])):
        held = [row for _, (_, _, row) in rows]
        yield name, batch, held[0], held[-1] + 1
