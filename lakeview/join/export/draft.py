"""The variables of a draft of exported code, see `fitted`: those of the two tables, and of the result."""

from __future__ import annotations

from dataclasses import dataclass

from lakeview.join.export.fitted import bare, fitted, marked
from lakeview.join.model import Join
from lakeview.join.naming import free, identifier
from lakeview.join.side import Side
from lakeview.join.variable import held_as, is_variable, notebook, variables


@dataclass(frozen=True)
class Names:
    """The variables of a draft: the two sides and the result. given: what the sides are at first."""

    left: str
    right: str
    result: str
    given: tuple[str, str]

    def another(self, variable: str, end: str) -> str:
        """A variable for what is made of a side."""
        return marked(free(f"{bare(variable)}_{end}", map(bare, (self.left, self.right, self.result, *self.given))))


def names(join: Join) -> Names:
    """Variables for the sides and the result, no two the same; but both sides may be one frame."""
    left, right = called(join.left, "left"), called(join.right)
    if not _is_one(join):
        right = free(right, {left})
    given = marked(left), marked(right)
    return Names(*given, marked(free(f"{left}_{right}", {left, right})), given)


def finished(join: Join, draft: str) -> str:
    """The Python code of a draft beside the variables that the analyst has at this moment."""
    frames = [name for side, name in zip((join.left, join.right), names(join).given, strict=True) if side.is_frame]
    return fitted(draft, frames, variables())


def views(join: Join) -> Names:
    """The views in SQL: a frame's has its name, a table's that of no variable of the analyst's."""
    left, right = called(join.left, "left"), called(join.right)
    held = {name.lower() for name in variables()}
    if not join.left.is_frame:
        left = free(left, held | {right.lower()}, fold=True)
    right_view = free(right, {left.lower()} if join.right.is_frame else held | {left.lower()}, fold=True)
    return Names(left, right_view, "", (left, right if _is_one(join) else right_view))


def in_pandas(join: Join) -> tuple[Names, list[str]]:
    """The variables that pandas code works with, and the lines that make frames of what the analyst has as none."""
    given = names(join)
    lines: list[str] = []
    bound: list[str] = []
    for side, variable in ((join.left, given.left), (join.right, given.right)):
        if (frame := frame_of(side, variable)) != variable:
            variable = given.another(variable, "made")
            lines.append(f"{variable} = {frame}")
        bound.append(variable)
    return Names(bound[0], bound[1], given.result, given.given), list(dict.fromkeys(lines))


def in_spark(join: Join, changes: tuple[bool, bool]) -> tuple[Names, list[str]]:
    """The variables that PySpark code works with, and the lines that bind those that are not the analyst's.

    A pandas frame beside a Spark frame is sent there. A frame that the code changes (the left, the right) gets a
    variable of its own, and so does the right one where both are one frame: Spark could not tell their columns apart.
    """
    given = names(join)
    lines: list[str] = []
    bound: list[str] = []
    sides = ((join.left, given.left), (join.right, given.right))
    for (side, variable), (other, beside), changed in zip(sides, sides[::-1], changes, strict=True):
        name = variable
        if side.kind == "pandas" and other.kind == "spark":
            name = given.another(variable, "sent")
            session = "spark" if other.in_catalog else f"{beside}.sparkSession"
            table = f"pa.Table.from_pandas({frame_of(side, variable)}, preserve_index=False)"
            lines += ["import pyarrow as pa", f"{name} = {session}.createDataFrame({table})"]
        elif bound and _is_one(join):
            name = given.another(variable, "again")
            lines.append(f"{name} = {variable}.toDF(*{variable}.columns)")
        elif changed and (name := changeable(side, variable, given)) != variable:
            lines.append(f"{name} = {variable}")
        bound.append(name)
    return Names(bound[0], bound[1], given.result, given.given), lines


def changeable(side: Side, variable: str, names: Names) -> str:
    """A variable for a changed side: its own where the code has made it, another where it is the analyst's."""
    return names.another(variable, "made") if side.is_frame and variable in names.given else variable


def _is_one(join: Join) -> bool:
    """Whether both sides are the same frame."""
    return join.left.is_frame and join.right.is_frame and join.left.held is join.right.held


def called(side: Side, other: str = "table") -> str:
    """What a side is called: a frame as the variable that holds it in the analyst's notebook, else as its name."""
    if side.is_frame and (name := _variable(side) or side.name) and is_variable(name):
        return name
    return identifier(side.stem, other)


def _variable(side: Side) -> str | None:
    """The variable that holds a frame, or the column that it is made of, in the analyst's notebook."""
    here = notebook()
    return side.name if here.get(side.name) is side.held else held_as(side.held, here)


def frame_of(side: Side, variable: str) -> str:
    """The frame of a side as pandas code has it: its variable, or what is made of the column in it, with its index
    levels as columns and numbers that pandas can join."""
    frame = variable if side.made is None or _variable(side) is None else side.made(variable)
    return f"{frame}{side.calls}"
