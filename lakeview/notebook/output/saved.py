"""`application/vnd.lakeview.v1+json`: a result as a bounded table of text and numbers, for lakeview's own renderer.

    {"title": str, "facts": [str], "columns": [{"label": str, "type": "text" or "number"}],
     "rows": [[cell]], "total": int, "view": "hits" where the rows are those of a result's grid}

It never holds code or markup; what shows it must treat every text as text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from lakeview.notebook.output import words
from lakeview.notebook.output.hit_rows import hit_row
from lakeview.notebook.output.html import MAX_ROWS, clip

MIME = "application/vnd.lakeview.v1+json"
_MEASURED = ("overlap", "containment", "jaccard", "distinct", "rows", "score")
_SEPARATOR = " · "  # between phrases
HITS = "hits"  # the view of a table that is a result's grid
_NUMBERS = ("rank", "alike", "share", "low", "high", "rows_out", "adds")


def saved_hits(hits: Any, save_values: bool = True) -> dict[str, Any]:
    """The rows of the grid (`hit_rows`), with what was measured: overlap, containment, jaccard, rows and distinct
    values of the table, score, and the most rows that one meets."""
    rows = []
    for i, hit in enumerate(hits[:MAX_ROWS]):
        told: dict[str, Any] = {**hit_row(i, hit, save_values)}
        told |= {"pro": _SEPARATOR.join(told["pro"]), "con": _SEPARATOR.join(told["con"])}
        measured = {name: getattr(hit, name) for name in _MEASURED}
        measured["max_fanout"] = hit.counts.max_fanout if hit.counts else None
        rows.append({"table": told["table"], "column": told["column"], **told, **measured})
    names = list(rows[0]) if rows else ["table", "column"]
    columns = [(name, "number" if name in (*_NUMBERS, *_MEASURED, "max_fanout") else "text") for name in names]
    facts = [*words.query_facts(hits), *filter(None, [words.possible(hits)])]
    table = saved_table(f"Joins for {clip(hits.query.name)}", facts, columns, [list(row.values()) for row in rows],
                        len(hits))  # fmt: skip
    return {**table, "view": HITS}


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
