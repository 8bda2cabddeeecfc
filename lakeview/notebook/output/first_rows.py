"""The first rows of a join, as displays and widgets show them before it runs."""

from __future__ import annotations

from typing import Any, TypedDict

from lakeview.notebook.output.html import clip

ROWS = 10
NOTE = "None of the first rows has a match: these are the first that have one."


class FirstRows(TypedDict):
    """Names, which columns are numbers, cells as text ("" where a value is missing), and what is to be said of them."""

    columns: list[str]
    numbers: list[bool]
    rows: list[list[str]]
    note: str


def preview(plan: Any, rows: int) -> tuple[Any, str]:
    """Some rows, and a note where they are not the first: where none of those shows what the join brings."""
    frame = plan.preview(rows)
    brought = frame[[name for _, name in plan.columns.right]]
    if brought.size and brought.isna().all(axis=None) and plan.dialect == "pandas":
        matched = plan.preview(rows, matched=True)
        if len(matched):
            return matched, NOTE
    return frame, ""


def first_rows(plan: Any) -> FirstRows:
    """The first of them."""
    frame, note = preview(plan, ROWS)
    rows = frame.astype(object).where(frame.notna(), "").to_numpy().tolist()
    return {
        "columns": [clip(name) for name in frame.columns],
        "numbers": [dtype.kind in "iuf" for dtype in frame.dtypes],
        "rows": [[clip(value, 80) for value in row] for row in rows],
        "note": note,
    }
