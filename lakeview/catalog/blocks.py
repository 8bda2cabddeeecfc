"""Checksums of a file, one a block, so that a part of a large file is checked without reading all of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

BLOCK = 16 << 20  # bytes, some 2 ms to read and hash


def checksum(block: Any) -> str | None:
    """XXH3 of a block, in hexadecimal; None where nothing tells it: a Spark worker may have numpy and pyarrow alone."""
    try:
        import xxhash
    except ImportError:
        return None
    return xxhash.xxh3_64_hexdigest(block)


def checksums(path: Path) -> list[str]:
    """XXH3 of each block of a file; of an empty file, of its one empty block. Raises ImportError where xxhash lacks."""
    import xxhash

    found: list[str] = []
    with path.open("rb") as file:
        while (block := file.read(BLOCK)) or not found:
            found.append(xxhash.xxh3_64_hexdigest(block))
    return found
