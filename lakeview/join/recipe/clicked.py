"""Joins whose code went into a cell, and which of her frames is what one of them makes.

A cell of plain code tells nobody that it ran. It may be changed before it does, and run again on other frames. So a
frame is taken for the result of such a join only where it is what the join makes, to the value: of the frames that its
variables hold now, or of those that they held when the code was written.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lakeview.errors import JoinWarning, LakeviewError
from lakeview.guards.frames import is_pandas
from lakeview.join.bridge import BridgePlan
from lakeview.join.export.draft import called
from lakeview.join.plan import JoinPlan
from lakeview.join.recipe import journal, steps
from lakeview.join.recipe.inputs import row_hashes
from lakeview.join.recipe.kept import Kept
from lakeview.join.side import Side

MOST = 50  # cells that are remembered


@dataclass(frozen=True, eq=False)
class Cell:
    """A cell that was written. name: the variable that it leaves; given: those of its sides, "" of a table."""

    plan: JoinPlan
    kept: Kept
    name: str
    given: tuple[str, str]

    def made(self, here: Mapping[str, Any]) -> list[JoinPlan]:
        """What it joins: of what its variables hold now, and of what they held when it was written."""
        sides = self.plan.left, self.plan.right
        try:
            now = [_now(side, here.get(name)) for side, name in zip(sides, self.given, strict=True)]
            if now[0] is not sides[0] or now[1] is not sides[1]:
                return [_of_sides(self.plan, *now), self.plan]
        except LakeviewError:  # they cannot be joined so
            pass
        return [self.plan]


_cells: deque[Cell] = deque(maxlen=MOST)  # the oldest are forgotten


def wrote(plan: JoinPlan, name: str, dropped: Sequence[Any] = (), unmatched: bool = False) -> None:
    """Remember a cell that leaves what a plan makes in a variable: less some columns, or the unmatched rows alone."""
    left, right = (called(side) if side.is_frame else "" for side in (plan.left, plan.right))
    _cells.append(Cell(plan, Kept(plan.join, tuple(dropped), unmatched), name, (left, right)))


def settle(here: Mapping[str, Any]) -> dict[str, str]:
    """Note of her frames what made them, where a cell did; of those that stand in its place, why it did not."""
    refused = {}
    newest = list(_cells)[::-1]
    sides = [side for cell in newest for side in (cell.plan.left, cell.plan.right) if side.is_frame]
    for name in dict.fromkeys(cell.name for cell in newest):
        before = [side.held for side in sides if side.name == name]  # what the variable held when another was written
        for frame in (*before, here.get(name)):
            if hasattr(frame, "columns") and journal.made_by(frame) is None:
                why = _settled(frame, [cell for cell in newest if cell.name == name], here)
                if why and frame is here.get(name):
                    refused[name] = why
    return refused


def _settled(frame: Any, cells: Sequence[Cell], here: Mapping[str, Any]) -> str:
    """Note which of some cells made a frame, or say why the first did not."""
    found = []
    for cell in cells:
        for plan in cell.made(here):
            kept = replace(cell.kept, join=plan.join)
            try:
                why = _differs(frame, plan, kept)
            except LakeviewError as error:
                why = str(error)
            if not why:
                journal.note(frame, kept if kept.dropped else plan.join)
                return ""
            found.append(why)
    return found[0]


def _now(side: Side, held: Any) -> Side:
    """A side with the frame that its variable holds now."""
    if held is side.held or side.made is not None or type(held) is not type(side.held):
        return side
    return Side.frame(held, side.name)


def _of_sides(plan: JoinPlan, left: Side, right: Side) -> JoinPlan:
    """The same join of other frames."""
    if isinstance(plan, BridgePlan):
        return plan.again(plan.how, left)
    return steps.plan(steps.written(plan.join), left, right)


def _differs(frame: Any, plan: JoinPlan, kept: Kept) -> str:
    """In what a frame is not what is kept of a plan's result; of a Spark frame the columns alone are looked at."""
    if list(frame.columns) != kept.columns:
        return "it has other columns than the join makes"
    if not is_pandas(frame):
        return ""
    counts = plan.counts()
    rows = counts.left_rows - counts.left_matched if kept.unmatched else counts.rows_out
    if len(frame) != rows:
        return f"it has {len(frame):,} rows, and the join makes {rows:,}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", JoinWarning)
        made = kept.of(plan.to_pandas())
    if frame.equals(made):
        return ""
    theirs, ours = row_hashes(frame), row_hashes(made)
    if plan.how == "inner":  # whose code may swap the right rows of a key
        theirs, ours = np.sort(theirs), np.sort(ours)
    return "" if np.array_equal(theirs, ours) else "it has other values than the join makes"
