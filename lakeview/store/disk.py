"""What a disk says to who writes an index, in one line with the way out; and which files of a folder are an index's."""

from __future__ import annotations

import errno
import re
from pathlib import Path

from lakeview.errors import StoreError

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
ELSEWHERE = "open the lake with another store="
_REFUSED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
# What a store's folder holds; and what a killed writer may have left there.
_OURS = re.compile(r"(manifest|published|contents)\.json|segments|parts|lock")
_LEFT = re.compile(r"(manifest|published|contents)\.json\.tmp|publish-\w{8}")
_SEGMENT = re.compile(r"[0-9a-f]{12}(\.tmp)?")


def is_full(error: OSError) -> bool:
    """Whether a write failed for lack of room. NumPy tells it in words alone."""
    return error.errno in FULL or (error.errno is None and " requested and " in str(error))


def cannot_write(folder: Path, error: OSError) -> StoreError:
    """What to do where an index cannot be written to `folder`."""
    if _is_file(folder):
        return StoreError(f"{folder} is a file; open the lake with store= a folder for the index")
    if is_full(error):
        return StoreError(
            f"the disk of {folder} is full: free some space, or open the lake with store= a folder on another; "
            "what was there before is still there"
        )
    why = error.strerror or str(error).splitlines()[0]
    return StoreError(
        f"cannot write the index to {folder} ({why}); open the lake with store= a folder that you may write"
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a folder on the way may not be entered
        return False


def is_about(error: OSError, folder: Path) -> bool:
    """Whether an error is of writing there: it names a file there, or none and what disks say."""
    named = [Path(str(name)) for name in (error.filename, error.filename2) if isinstance(name, str)]
    if named:
        return any(path.is_relative_to(folder) for path in named)
    return is_full(error) or (error.errno in (*_REFUSED, errno.EIO) and str(folder) in str(error))


def cannot_read(folder: Path, path: object, error: OSError) -> StoreError:
    """What to do where a file of the index in `folder` cannot be read, which says nothing of what it holds."""
    if _is_file(folder):
        return StoreError(f"{folder} is a file; open the lake with store= a folder for the index")
    return StoreError(f"{path} cannot be read ({error.strerror or error}); {ELSEWHERE}")


def is_index(folder: Path) -> bool:
    """Whether a folder holds what an index does and nothing else."""
    try:
        if not all(_OURS.fullmatch(path.name) or _LEFT.fullmatch(path.name) for path in folder.iterdir()):
            return False
        return all(is_segment(path.name) for path in (folder / "segments").iterdir())
    except OSError:
        return False


def anew(folder: Path) -> str:
    """The way out where an index cannot be used: never to delete what may be something else."""
    if is_index(folder):
        return f"delete the folder {folder} and index the lake again"
    return f"{ELSEWHERE} and index it again there"


def is_segment(name: str) -> bool:
    """Whether a folder is so named as segments are, whole ones or those under way."""
    return _SEGMENT.fullmatch(name) is not None


def left_behind(folder: Path, named: set[str]) -> list[Path]:
    """What no manifest names and no writer works on: what a killed one left, and segments that were replaced.

    named: the segments that are used. Nothing else that may lie there.
    """
    of_segments = (folder / "segments").iterdir()
    left = [path for path in of_segments if path.name not in named and is_segment(path.name)]
    left += [path for path in folder.iterdir() if _LEFT.fullmatch(path.name)]
    return left + [path for name in named for path in (folder / "segments" / name).glob("*.tmp.npz")]
