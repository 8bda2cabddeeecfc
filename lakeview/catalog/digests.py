"""A hash of a file of the lake, by its blocks, so that the parts of a large file can each hash a share of it.

Runs in Spark's workers too; where one lacks xxhash, a file has no hash.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from lakeview.catalog.blocks import BLOCK, checksum


def digests(path: str, first: int = 0, step: int = 1) -> dict[int, str]:
    """Checksums of each `step`-th block of a file from `first`, by the block's number; none where it cannot be read."""
    try:
        seen = os.stat(path)  # noqa: PTH116 (of many files)
    except OSError:
        return {}
    return dict(_digests(path, first, step, (seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)))


@lru_cache(maxsize=16)  # each table of a file that holds several asks for its hash
def _digests(path: str, first: int, step: int, seen: tuple[int, ...]) -> dict[int, str]:
    found = {}
    try:
        with Path(path).open("rb") as file:
            size = file.seek(0, 2)
            for block in range(first, _blocks(size), step):
                file.seek(block * BLOCK)
                found[block] = checksum(file.read(BLOCK))
    except OSError:
        return {}
    return {block: digest for block, digest in found.items() if digest is not None}


def whole(blocks: Mapping[int, str], size: int) -> str:
    """The hash of a file of that size, from those of its blocks; "" where one is not known."""
    n = _blocks(size)
    if set(blocks) != set(range(n)):
        return ""
    return blocks[0] if n == 1 else checksum("".join(blocks[block] for block in range(n)).encode()) or ""


def _blocks(size: int) -> int:
    return max(1, -(-size // BLOCK))
