"""The first rows of a join, as the widgets draw them."""

from __future__ import annotations

from typing import Any

from lakeview.notebook.html import clip

ROWS = 10


def first_rows(plan: Any) -> dict[str, Any]:
    """Names, which columns are numbers, and cells as text, "" where a value is missing."""
    frame = plan.preview(ROWS)
    rows = frame.astype(object).where(frame.notna(), "").to_numpy().tolist()
    return {
        "columns": [clip(name) for name in frame.columns],
        "numbers": [dtype.kind in "iuf" for dtype in frame.dtypes],
        "rows": [[clip(value, 80) for value in row] for row in rows],
    }
