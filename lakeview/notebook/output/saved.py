"""`application/vnd.lakeview.v1+json`: a result as a bounded table of text and numbers, for lakeview's own renderer.

    {"title": str, "facts": [str], "columns": [{"label": str, "type": "text" or "number"}],
     "rows": [[cell]], "total": int}

It never holds code or markup; what shows it must treat every text as text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from lakeview.notebook.output import words
from lakeview.notebook.output.html import MAX_ROWS, clip

MIME = "application/vnd.lakeview.v1+json"
_TEXT = ("table", "column", "reason", "method", "accidental", "key_like")
_HIT = (
    *("table", "column", "overlap", "containment", "containment_low", "containment_high", "jaccard"),
    *("reverse_containment", "distinct", "rows", "score", "reason", "method", "accidental", "key_like"),
)


def saved_hits(hits: Any, save_values: bool = True) -> dict[str, Any]:
    """The columns of `hits.to_pandas()` and what the display adds: accidental, key_like, rows_out, max_fanout, and
    how many others of its family a hit stands for."""
    columns = [(name, "text" if name in _TEXT else "number") for name in _HIT]
    columns += [("rows_out", "number"), ("max_fanout", "number"), ("alike", "number")]
    rows = []
    for hit in hits[:MAX_ROWS]:
        counts = hit.counts
        effect = [counts.rows_out, counts.max_fanout] if counts else [None, None]
        values = {name: getattr(hit, name) for name in _HIT} | {"reason": words.reason(hit, save_values)}
        rows.append([*values.values(), *effect, len(hit.alike)])
    facts = [*words.query_facts(hits), *filter(None, [words.possible(hits)])]
    return saved_table(f"Joins for {clip(hits.query.name)}", facts, columns, rows, len(hits))


def saved_frame(title: str, facts: Iterable[str], frame: Any) -> dict[str, Any]:
    """A pandas frame, its first rows."""
    columns = [(str(name), "number" if dtype.kind in "iuf" else "text") for name, dtype in frame.dtypes.items()]
    rows = list(frame.iloc[:MAX_ROWS].itertuples(index=False))
    return saved_table(title, facts, columns, rows, len(frame))


def saved_table(
    title: str, facts: Iterable[str], columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[Any]], total: int
) -> dict[str, Any]:
    """Any table, every text cut and every number finite."""
    return {
        "title": clip(title),
        "facts": [clip(fact) for fact in facts],
        "columns": [{"label": clip(label), "type": kind} for label, kind in columns],
        "rows": [[_cell(value) for value in row] for row in rows],
        "total": int(total),
    }


def _cell(value: Any) -> str | int | float | bool | None:
    value = words.plain(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)  # JavaScript would round it
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return clip(value)
