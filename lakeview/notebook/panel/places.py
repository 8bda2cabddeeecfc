"""Folders for the panel's path field: those that were open before, and those that complete what is typed."""

from __future__ import annotations

import contextlib
import difflib
import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from lakeview.catalog.kinds import is_hidden, kind_of
from lakeview.errors import is_url
from lakeview.notebook.panel import messages
from lakeview.pipeline.java import cache_folder

KEPT = 8  # lakes that are remembered
_PROPOSED = 12  # folders
_COUNTED = 500  # files of a folder
_SECONDS = 0.1  # for counting, in all: a network drive may take its time


def note(roots: Sequence[str], tables: int, indexed_at: str | None) -> str | None:
    """Remember the folder of a lake that is open. Returns it as `%lakeview open` takes it here; None if it is none."""
    if len(roots) != 1 or not Path(roots[0]).is_dir():
        return None
    folder = Path(roots[0]).absolute()
    mine = {"folder": str(folder), "tables": tables, "indexed_at": indexed_at}
    before = _remembered()
    kept = [mine, *(each for each in before if each["folder"] != mine["folder"])][:KEPT]
    if kept != before:
        with contextlib.suppress(OSError):  # a home that cannot be written: nothing is remembered
            _keep(kept)
    return written(folder)


def recent() -> messages.Places:
    """The lakes that were open last and are still there."""
    found: list[messages.Place] = [
        {"name": Path(each["folder"]).name, "path": written(Path(each["folder"])), "tables": each["tables"],
         "indexed_at": each["indexed_at"]}
        for each in _remembered()
        if Path(each["folder"]).is_dir()
    ]  # fmt: skip
    return {"recent": found}


def written(folder: Path) -> str:
    """A folder as one would type it: from here where it lies below, else from home, else whole."""
    for base, lead in ((Path.cwd(), ""), (Path.home(), "~/")):
        if folder != base and folder.is_relative_to(base):
            return lead + folder.relative_to(base).as_posix()
    return str(folder)


def folders(text: str) -> messages.Folders:
    """What completes a path that is being typed, and whether it can be opened as it stands."""
    typed = text.strip()
    other = typed.startswith("catalog:") or is_url(typed)
    there = bool(typed) and (other or _exists(typed))
    end = time.monotonic() + _SECONDS
    found: list[messages.Folder] = []
    for path in [] if other else _beginning(typed):
        files, more = _count(path, end)
        head = typed[: len(typed) - len(typed.rpartition("/")[2])]
        found.append({"path": f"{head}{path.name}/", "files": files, "more": more})
    near = None if there else found[0]["path"].rstrip("/") if found else _near(typed)
    return {"there": there, "near": near, "folders": found}


def _exists(typed: str) -> bool:
    try:
        return Path(typed).expanduser().exists()
    except (OSError, ValueError, RuntimeError):  # no such home, a NUL, too long
        return False


def _beginning(typed: str) -> list[Path]:
    """Folders whose path begins as typed, in any case."""
    head, slash, last = typed.rpartition("/")
    found = [path for path in _inside(head + slash) if path.name.lower().startswith(last.lower())]
    return found[:_PROPOSED]


def _inside(folder: str) -> list[Path]:
    try:
        here = Path(folder or ".").expanduser()
        return sorted(path for path in here.iterdir() if not is_hidden(path.name) and path.is_dir())
    except (OSError, ValueError, RuntimeError):
        return []


def _near(typed: str) -> str | None:
    """The folder that is meant by a path with a slip in one of its names."""
    done = "/" if typed.startswith("/") else ""
    for name in typed.strip("/").split("/"):
        if not _exists(done + name):
            names = [path.name for path in _inside(done)]
            close = difflib.get_close_matches(name, names, n=1) or [n for n in names if n.lower() == name.lower()]
            if not close:
                return None
            name = close[0]
        done += f"{name}/"
    return done.rstrip("/") or None


def _count(folder: Path, end: float) -> tuple[int, bool]:
    """How many files below could be tables, and whether there may be more: no more are counted than are worth it."""
    number = 0
    for name in _files(folder):
        if number == _COUNTED or time.monotonic() > end:
            return number, True
        number += kind_of(name) is not None
    return number, False


def _files(folder: Path) -> Iterator[str]:
    for _, below, files in os.walk(folder):
        below[:] = [name for name in below if not is_hidden(name)]
        yield from (name for name in files if not is_hidden(name))


def _file() -> Path:
    return cache_folder() / "recent.json"


def _remembered() -> list[dict]:
    try:
        found = json.loads(_file().read_text(encoding="utf-8"))
        return [
            {"folder": str(each["folder"]), "tables": int(each["tables"]), "indexed_at": each["indexed_at"]}
            for each in found
        ]
    except (OSError, ValueError, TypeError, KeyError):  # none yet, or not ours
        return []


def _keep(kept: list[dict]) -> None:
    file = _file()
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(f"{file.name}.{os.getpid()}")
    unfinished.write_text(json.dumps(kept), encoding="utf-8")
    unfinished.replace(file)
