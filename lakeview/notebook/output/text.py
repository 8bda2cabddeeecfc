"""The same results as plain text: for terminals, for diffs of notebooks, and for readers that strip HTML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lakeview.notebook.output import words
from lakeview.notebook.output.hit_rows import hit_row, ranked
from lakeview.notebook.output.html import MAX_ROWS, clip, number, plural

_NAME = 60  # characters of a table.column
_CELL = 30  # characters of a cell of a frame
_WIDE = 8  # columns of a frame


def hits_text(hits: Any, save_values: bool = True) -> str:
    """A line a hit, best first; what is by chance at the end. `save_values` as in `hits_html`."""
    title = f"Joins for {clip(hits.query.name)}"
    head = f"{title}: {', '.join(words.query_facts(hits))} ({words.status(hits)[0]})"
    if not len(hits):
        near = [f"  {_name(hit)}: {_overlap(hit, hits)}" for hit in hits.closest[:5]]
        closest = ["The closest:", *near] if near else []
        said = [head, "Nothing in this lake joins with it.", *closest, *words.why_nothing(hits), *_possible(hits)]
        return "\n".join(said)
    above, below, rest = ranked(hits)
    lines = table_text(
        ["#", "table.column", "how sure", "rows matched", "rows after", "adds", "why"],
        [_line(str(i + 1), hit) for i, hit in above] + [_line("–", hit) for line in below for _, hit in line.hits],
        numeric=(0, 3),
    )
    at = 1 + len(above)
    for line in below:
        lines.insert(at, f"{line.title}, {line.note}:")
        at += 1 + len(line.hits)
    if rest:
        lines.append(f"… {number(rest)} more: hits.to_pandas()")
    return "\n".join([head, *lines, *words.left_out(hits), *_possible(hits)])


def _possible(hits: Any) -> list[str]:
    return [f"{possible}: sketches cannot tell."] if (possible := words.possible(hits)) else []


def _line(rank: str, hit: Any) -> list[str]:
    told = hit_row(0, hit, values=False)
    rows = f"{'! ' if told['warn'] else ''}{told['rows_text']}, {told['effect']}".removesuffix(", ")
    name = f"{_name(hit)} ({words.alike(hit)})" if hit.alike else _name(hit)
    why = [told["line"], *(f"+ {said}" for said in told["pro"][:1]), *(f"− {said}" for said in told["con"][:1])]
    return [rank, name, told["confidence"], told["percent"], rows, told["adds_text"], clip("  ".join(why), 120)]


def _name(hit: Any) -> str:
    return clip(f"{hit.table}.{clip(hit.column)}", _NAME)


def _overlap(hit: Any, hits: Any) -> str:
    return f"{'' if words.is_exact(hit) else '≈ '}{number(hit.overlap)} of {number(hits.query.distinct)}"


def table_text(names: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[int] = ()) -> list[str]:
    """Aligned lines: the header and one line a row; the columns in `numeric` to the right."""
    widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if j in numeric else cell.ljust(width)
            for j, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (names, *rows)
    ]


def frame_text(frame: Any, rows: int = MAX_ROWS, grouped: bool = False) -> list[str]:
    """The first rows and columns of a pandas frame, bounded; `grouped` as in `cell_text`."""
    shown = frame.iloc[:rows, :_WIDE]
    numeric = [j for j, dtype in enumerate(shown.dtypes) if dtype.kind in "iuf"]
    cells = [[clip(cell_text(value, grouped), _CELL) for value in row] for row in shown.itertuples(index=False)]
    lines = table_text([clip(name, _CELL) for name in shown.columns], cells, numeric)
    rest = [plural(len(frame) - len(shown), "row") if len(frame) > len(shown) else "",
            plural(frame.shape[1] - shown.shape[1], "column") if frame.shape[1] > shown.shape[1] else ""]  # fmt: skip
    more = " and ".join(filter(None, rest))
    return [*lines, f"… {more} more"] if more else lines


def cell_text(value: Any, grouped: bool = False) -> str:
    """A cell as people read it; missing values are nothing. `grouped` separates thousands: for counts, not for data."""
    try:
        value = words.plain(value)
        if value is None:
            return ""
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, float):
            value = int(value) if value.is_integer() and abs(value) < 2**53 else f"{value:.6g}"
        return number(value) if grouped and isinstance(value, int) else str(value)
    except Exception:  # an object of a class that cannot be printed
        return f"a {type(value).__name__}"
