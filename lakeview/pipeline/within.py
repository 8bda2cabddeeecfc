"""How large the pieces of work may be, so that all at work keep to `lv.options.memory`: one a core, at a time.

On a cluster the workers' machines are taken to be like this one.
"""

from __future__ import annotations

import os

from lakeview.guards import memory
from lakeview.store import parts

PART_BYTES = 64 << 20  # of a file to a part: larger ones are done no sooner
_LEAST_PART, _LEAST_POSTINGS = 4 << 20, 1 << 20
_GROWS = 6  # times that what is read of a file may be larger than it, while it is merged


def part_bytes() -> int:
    """Of a file to a part."""
    return max(_LEAST_PART, min(PART_BYTES, _of_core() // _GROWS))


def postings() -> int:
    """To a segment."""
    return min(parts.POSTINGS, max(_LEAST_POSTINGS, _of_core() // parts.BYTES))


def held_bytes() -> int:
    """Of files, of which all that is read is held at once."""
    return memory.limit() // _GROWS


def jvm_memory() -> str:
    """Of Spark's JVM, as it wants to be told; Python workers scan beside it."""
    return f"{max(768, min(2048, (memory.limit() // 3) >> 20))}m"


def _of_core() -> int:
    return memory.limit() // (os.cpu_count() or 1)
