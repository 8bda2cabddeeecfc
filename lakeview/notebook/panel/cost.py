"""What indexing will take, told before somebody begins it."""

from __future__ import annotations

from typing import Any

from lakeview.notebook import state
from lakeview.notebook.panel import messages
from lakeview.pipeline import expected


def cost(names: dict[str, Any]) -> messages.Cost:
    """Files, bytes and seconds, of what is new or changed in the open lake; nothing is known of one without files."""
    lake = state.the_lake(names)
    if not lake.roots:
        return {"files": 0, "bytes": 0, "seconds": 0.0, "spark": None}
    found = expected.expect(lake.store, lake.roots, lake.view().spark)
    return {"files": found.files, "bytes": found.bytes, "seconds": round(found.seconds, 1), "spark": found.spark}
