"""What a join does to rows that is seldom wanted, in words, with the keys that do it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lakeview.join.matching import Repeated
from lakeview.join.model import Join, JoinCounts
from lakeview.join.naming import one_line
from lakeview.join.spark.arrow import parts_of


def many_to_many(join: Join, repeated: Repeated, counts: JoinCounts) -> list[str]:
    """Keys that several rows of both sides have, each row of which meets each."""
    if not repeated.keys:
        return []
    some = ", ".join(f"{_said(join, key)} ({left:,} x {right:,} rows)" for key, left, right in repeated.some)
    keys = "1 key repeats" if repeated.keys == 1 else f"{repeated.keys:,} keys repeat"
    return [one_line(f"many-to-many: {keys} on both sides, such as {some}; {counts.left_rows:,} rows become "
                     f'{counts.rows_out:,}: many="aggregate" or "first" keeps one row for each left row')]  # fmt: skip


def dropping(join: Join, counts: JoinCounts, alone: Callable[[], Sequence[str]]) -> list[str]:
    """Left rows that are not in the result. alone: some of their keys."""
    lost = counts.left_rows - counts.left_matched
    if not lost or join.how not in ("inner", "right"):
        return []
    keys = [_said(join, key) for key in dict.fromkeys(alone())][:3]
    such = f", such as {', '.join(keys)}" if keys else ""
    rows = "1 row drops" if lost == 1 else f"{lost:,} rows drop"
    return [one_line(f'{rows} of {join.left.stem} that meet{"s" * (lost == 1)} nothing{such}: how="left" keeps them')]


def _said(join: Join, key: str) -> str:
    parts = [part if len(part) <= 40 else f"{part[:39]}…" for part in parts_of(key, len(join.left_on))]
    return repr(parts[0]) if len(parts) == 1 else f"({', '.join(map(repr, parts))})"
