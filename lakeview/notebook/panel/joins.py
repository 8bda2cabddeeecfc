"""Which columns of a frame join, for the panel's dots: asked of the index, with some of the frame's values."""

from __future__ import annotations

from typing import Any

from lakeview.errors import LakeviewError
from lakeview.guards.frames import is_pandas, labels
from lakeview.notebook import namespace, state
from lakeview.notebook.output.html import clip
from lakeview.notebook.panel import messages
from lakeview.pipeline import progress

MOST_ROWS = 20_000  # of a frame that are looked at, evenly spread
MOST_COLUMNS = 60


def joins(names: dict[str, Any], frame: str) -> messages.Joins:
    """The best hit of each column of a pandas frame, None for those without one; none at all of a Spark frame, whose
    values would take a job. Nothing but the index is read."""
    lake, found = state.find_lake(names), namespace.frames(names).get(frame)
    if lake is None or not lake.indexed_at or found is None or not is_pandas(found):
        return {"frame": frame, "columns": []}
    some = found.iloc[:: -(-len(found) // MOST_ROWS) or 1]
    with progress.silently():
        hits = [_best(lake, some, label) for label in labels(some)[:MOST_COLUMNS]]
    return {"frame": frame, "columns": hits}


def _best(lake: Any, frame: Any, label: Any) -> messages.Joined | None:
    """The likeliest join of a column; none below the ranking, by chance, times or flags."""
    try:
        hits = lake.search(frame, label, k=1, rank="join")
    except LakeviewError:  # a label that cannot be asked for, values of no kind that joins
        return None
    if not len(hits) or hits[0].accidental:
        return None
    hit = hits[0]
    table = hit.table.rpartition("/")[2]
    return {"name": clip(hit.name), "to": clip(f"{table.partition('.')[0] or table}.{hit.column}"),
            "confidence": hit.confidence}  # fmt: skip
